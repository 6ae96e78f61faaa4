//! proptest makes a tree of a value and its simpler forms; the value is what is tested.

use proptest::arbitrary::{Arbitrary, any};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Values of the type's canonical strategy.
pub fn values<T: Arbitrary>(seed: u64) -> impl FnMut() -> T {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    // The algorithm that proptest uses by itself.
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = any::<T>();
    // A strategy may reject what it made; those of the demos never do.
    move || loop {
        if let Ok(tree) = strategy.new_tree(&mut runner) {
            return tree.current();
        }
    }
}

//! bolero's default engine makes each value from a random number generator of its own, with a limit of depth and bytes.

use bolero_generator::TypeGenerator;
use bolero_generator::driver::{Options, Rng};
use rand_xoshiro::Xoroshiro128PlusPlus;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};

/// Values of the type's `TypeGenerator`.
pub fn values<T: TypeGenerator>(seed: u64) -> impl FnMut() -> T {
    let options = Options::default();
    let mut seeds = Xoroshiro128PlusPlus::seed_from_u64(seed);
    // A value that would be too deep is given up, and bolero does not count it as a test.
    move || loop {
        let mut bytes = [0; 16];
        seeds.fill_bytes(&mut bytes);
        let mut driver = Rng::new(Xoroshiro128PlusPlus::from_seed(bytes), &options);
        if let Some(value) = T::generate(&mut driver) {
            return value;
        }
    }
}

//! quickcheck makes values of one size.

use quickcheck::{Arbitrary, Gen};

/// The size that quickcheck uses by itself.
const SIZE: usize = 100;

/// Values of the type's `Arbitrary`.
pub fn values<T: Arbitrary>(seed: u64) -> impl FnMut() -> T {
    let mut generator = Gen::from_size_and_seed(SIZE, seed);
    move || T::arbitrary(&mut generator)
}

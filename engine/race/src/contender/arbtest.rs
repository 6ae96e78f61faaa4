//! arbtest makes each value from a string of random bytes that gets longer with every third test.

use arbitrary::Arbitrary;
use arbtest::arbtest;
use mutagen_engine::Source;

/// The lengths at which arbtest begins and ends by itself.
const SHORTEST: u64 = 32;
const LONGEST: u64 = 65_536;
/// How many tests have the same length.
const REPEATS: u32 = 3;

/// Values of the type's `Arbitrary`.
///
/// arbtest itself searches with seeds from the system, so its runs do not repeat. Here its schedule of lengths gets seeds
/// from ours, and each test is one call of arbtest with a given seed.
pub fn values<T: for<'a> Arbitrary<'a>>(seed: u64) -> impl FnMut() -> T {
    let mut source = Source::seeded(seed);
    let (mut length, mut left) = (SHORTEST, REPEATS);
    move || loop {
        if left == 0 {
            (length, left) = ((length * 5 / 4).min(LONGEST), REPEATS);
        }
        left -= 1;
        // The low half of a seed is the length, the high half the state of the generator, which must not be 0.
        let random = (source.bits() >> 32).max(1);
        let mut value = None;
        arbtest(|bytes| {
            value = T::arbitrary(bytes).ok();
            Ok(())
        })
        .seed(random << 32 | length)
        .run();
        if let Some(value) = value {
            return value;
        }
    }
}

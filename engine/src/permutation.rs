//! Permutations that need no list.

use crate::stable::mix;

/// A seeded permutation of `0..n` that needs no memory: each image is computed on its own.
///
/// Guidances use it to try the mutants of a position in an order that the seed decides, whatever their number.
///
/// ```
/// use mutagen_engine::Permutation;
///
/// let permutation = Permutation::new(5, 42);
/// let mut images: Vec<_> = (0..5).map(|index| permutation.image(index)).collect();
/// images.sort();
/// assert_eq!(images, [0, 1, 2, 3, 4]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permutation {
    n: u64,
    /// One less than the power of two that `n` fits in.
    mask: u64,
    shift: u32,
    keys: [u64; ROUNDS],
}

const ROUNDS: usize = 3;

impl Permutation {
    /// The permutation of `0..n` that belongs to `seed`.
    pub fn new(n: usize, seed: u64) -> Self {
        let n = n as u64;
        let mask = n.max(1).checked_next_power_of_two().map_or(u64::MAX, |power| power - 1);
        let shift = (mask.count_ones() / 2).max(1);
        let keys = std::array::from_fn(|round| mix(seed ^ mix(n) ^ (round as u64) << 56));
        Self { n, mask, shift, keys }
    }

    /// Where `index` goes. `index` must be below `n`.
    pub fn image(&self, index: usize) -> usize {
        assert!((index as u64) < self.n, "index {index} is outside of a permutation of 0..{}", self.n);
        // Cycle walking: follow the permutation of the larger set until it comes back below n. It must, because its cycles
        // are closed and this one began below n.
        let mut image = self.scramble(index as u64);
        while image >= self.n {
            image = self.scramble(image);
        }
        image as usize
    }

    /// A permutation of `0..=mask`: each step can be undone.
    fn scramble(&self, value: u64) -> u64 {
        self.keys.iter().fold(value, |value, key| {
            let value = value.wrapping_add(*key) & self.mask;
            let value = value.wrapping_mul(key >> 32 | 1) & self.mask;
            value ^ value >> self.shift
        })
    }
}

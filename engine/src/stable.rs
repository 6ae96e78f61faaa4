//! Hashes that depend on their input alone: they are the same on every machine and with every version of the compiler.
//!
//! Seeds, file names and orders of mutants come from them, so changing one of these functions changes every campaign.

/// A hash of bytes: FNV-1a with 64 bits.
///
/// ```
/// use mutagen_engine::stable;
///
/// assert_eq!(stable::hash(b""), 0xcbf2_9ce4_8422_2325);
/// assert_ne!(stable::hash(b"ab"), stable::hash(b"ba"));
/// ```
pub fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Spreads every bit of the number over all bits: the last step of splitmix64. 0 stays 0.
pub fn spread(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// A number that looks random: one whole step of splitmix64.
///
/// ```
/// use mutagen_engine::stable;
///
/// let neighbours = [stable::mix(0), stable::mix(1)];
/// assert!((neighbours[0] ^ neighbours[1]).count_ones() > 16);
/// ```
pub fn mix(number: u64) -> u64 {
    spread(number.wrapping_add(GOLDEN))
}

/// The fraction of the golden ratio in 64 bits: multiplying by it spreads neighbours.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

//! The values of immediates that are worth trying.

use mutagen_engine::{Scope, Source};

use super::{Align, F32, F64, Lane, Lanes, Offset, V128};
use crate::features::when;
use crate::leaf::{Bits, Leaf};

/// Boundary values of floats. Negative values and neighbours are on the same line as the value that they
/// belong to.
#[rustfmt::skip]
const F32S: [u32; 28] = [
    0x0000_0000, // 0
    0x8000_0000, // -0
    0x3f80_0000, // 1
    0xbf80_0000, // -1
    0x3f00_0000, 0xbf00_0000, // 1/2
    0x7f80_0000, 0xff80_0000, // infinity
    0x7fc0_0000, 0xffc0_0000, // canonical NaN
    0x7fc0_0001, 0x7fff_ffff, // NaN with payload
    0x7f80_0001, 0xffa0_0000, // signalling NaN
    0x0000_0001, 0x8000_0001, // smallest
    0x0080_0000, 0x007f_ffff, // smallest normal
    0x7f7f_ffff, 0xff7f_ffff, // largest
    0x4b80_0000, // 2^24
    0x4f00_0000, 0xcf00_0000, // 2^31
    0x4eff_ffff, // before 2^31
    0x4f80_0000, // 2^32
    0x5f00_0000, 0xdf00_0000, // 2^63
    0x5f80_0000, // 2^64
];

/// The same for 64 bits, and the bounds of the integer types, which are exact here.
#[rustfmt::skip]
const F64S: [u64; 30] = [
    0x0000_0000_0000_0000, // 0
    0x8000_0000_0000_0000, // -0
    0x3ff0_0000_0000_0000, // 1
    0xbff0_0000_0000_0000, // -1
    0x3fe0_0000_0000_0000, 0xbfe0_0000_0000_0000, // 1/2
    0x7ff0_0000_0000_0000, 0xfff0_0000_0000_0000, // infinity
    0x7ff8_0000_0000_0000, 0xfff8_0000_0000_0000, // canonical NaN
    0x7ff8_0000_0000_0001, 0x7fff_ffff_ffff_ffff, // NaN with payload
    0x7ff0_0000_0000_0001, 0xfff4_0000_0000_0000, // signalling NaN
    0x0000_0000_0000_0001, 0x8000_0000_0000_0001, // smallest
    0x0010_0000_0000_0000, 0x000f_ffff_ffff_ffff, // smallest normal
    0x7fef_ffff_ffff_ffff, 0xffef_ffff_ffff_ffff, // largest
    0x4340_0000_0000_0000, // 2^53
    0x41e0_0000_0000_0000, 0xc1e0_0000_0000_0000, 0xc1e0_0000_0020_0000, 0x41df_ffff_ffc0_0000, // 2^31
    0x41f0_0000_0000_0000, 0x41ef_ffff_ffe0_0000, // 2^32
    0x43e0_0000_0000_0000, 0xc3e0_0000_0000_0000, // 2^63
    0x43f0_0000_0000_0000, // 2^64
];

macro_rules! floats {
    ($($name:ident: $float:ident, $bits:ident, $candidates:ident;)*) => {
        $(impl Leaf for $name {
            type Bits = $bits;
            const SAMPLED: usize = 1;

            fn bits(&self) -> $bits {
                self.0
            }

            fn from_bits(bits: $bits) -> Self {
                Self(bits)
            }

            fn candidates(_: $bits, _: &Scope) -> impl AsRef<[$bits]> {
                $candidates
            }

            /// A small whole number, or any bits.
            fn random(source: &mut Source, size: usize) -> $bits {
                if source.chance(1, 2) {
                    (small(source, size) as $float).to_bits()
                } else {
                    source.bits() as $bits
                }
            }
        })*
    };
}

floats! {
    F32: f32, u32, F32S;
    F64: f64, u64, F64S;
}

fn small(source: &mut Source, size: usize) -> i64 {
    let size = size.min(1 << 20) as i64;
    source.range_i64(-size, size)
}

/// Boundary values of vectors for every lane shape: zeros, ones, all bits, lane numbers, the ends of the
/// signed range in 8 and in 32-bit lanes, and not-a-numbers.
const V128S: [[u8; 16]; 9] = [
    [0; 16],
    [1; 16],
    [0xff; 16],
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [0x80; 16],
    [0x7f; 16],
    [0, 0, 0, 0x80, 0, 0, 0, 0x80, 0, 0, 0, 0x80, 0, 0, 0, 0x80],
    [0, 0, 0xc0, 0x7f, 0, 0, 0xc0, 0x7f, 0, 0, 0xc0, 0x7f, 0, 0, 0xc0, 0x7f],
    [0, 0, 0, 0, 0, 0, 0xf8, 0x7f, 0, 0, 0, 0, 0, 0, 0xf8, 0xff],
];

impl Leaf for V128 {
    type Bits = [u8; 16];
    const SAMPLED: usize = 1;

    fn bits(&self) -> [u8; 16] {
        *self.0
    }

    fn from_bits(bits: [u8; 16]) -> Self {
        Self(Box::new(bits))
    }

    fn candidates(_: [u8; 16], _: &Scope) -> impl AsRef<[[u8; 16]]> {
        V128S
    }

    fn random(source: &mut Source, size: usize) -> [u8; 16] {
        if source.chance(1, 2) {
            Bits::small(source, size)
        } else {
            std::array::from_fn(|_| source.bits() as u8)
        }
    }
}

/// Shuffles: all of lane 0, nothing moved, everything from the second vector, the last valid lane, the first
/// invalid one.
const SHUFFLES: [[u8; 16]; 6] = [
    [0; 16],
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
    [16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31],
    [31; 16],
    [32; 16],
];

impl Leaf for Lanes {
    type Bits = [u8; 16];
    const SAMPLED: usize = 1;

    fn bits(&self) -> [u8; 16] {
        *self.0
    }

    fn from_bits(bits: [u8; 16]) -> Self {
        Self(Box::new(bits))
    }

    fn candidates(_: [u8; 16], _: &Scope) -> impl AsRef<[[u8; 16]]> {
        SHUFFLES
    }

    fn random(source: &mut Source, _: usize) -> [u8; 16] {
        Bits::small(source, 31)
    }
}

impl Leaf for Lane {
    type Bits = u8;

    fn bits(&self) -> u8 {
        self.0
    }

    fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// Both neighbours, then the last valid and the first invalid lane of every shape.
    fn candidates(lane: u8, _: &Scope) -> impl AsRef<[u8]> {
        [lane.saturating_sub(1), lane.saturating_add(1), 0, 1, 2, 3, 4, 7, 8, 15, 16]
    }
}

impl Leaf for Align {
    type Bits = u8;

    fn bits(&self) -> u8 {
        self.exponent()
    }

    fn from_bits(bits: u8) -> Self {
        Self::new(bits).unwrap_or(Self(Self::MAX))
    }

    /// All exponents up to one more than the largest natural alignment, which vectors have.
    fn candidates(_: u8, _: &Scope) -> impl AsRef<[u8]> {
        [0, 1, 2, 3, 4, 5]
    }

    fn random(source: &mut Source, _: usize) -> u8 {
        Bits::small(source, 5)
    }
}

impl Leaf for Offset {
    type Bits = u64;

    fn bits(&self) -> u64 {
        self.get()
    }

    fn from_bits(bits: u64) -> Self {
        Self::new(bits)
    }

    /// Both neighbours, the sizes of accesses, and the ends of the first page, of 32-bit addresses and, with
    /// memory64, of 64-bit addresses.
    fn candidates(offset: u64, scope: &Scope) -> impl AsRef<[u64]> {
        let wide = if when::memory64(scope) { [1 << 32, u64::MAX] } else { [u32::MAX.into(); 2] };
        let near = [offset.saturating_sub(1), offset.saturating_add(1)];
        [near[0], near[1], 0, 1, 4, 8, 65_532, 65_535, 65_536, 0x7fff_ffff, u32::MAX.into(), wide[0], wide[1]]
    }
}

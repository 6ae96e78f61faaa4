//! Sets of features.

use std::ops::{BitAnd, BitOr};

use crate::Feature;

/// A set of features.
///
/// Every set is consistent: a feature is on only if the one that it builds on is on, too.
///
/// ```
/// use mutagen_features::{Feature, Features};
///
/// let features = Features::NONE.with(Feature::RelaxedSimd);
/// assert!(features.contains(Feature::Simd));
/// assert_eq!(features.without(Feature::Simd), Features::NONE);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Features(u32);

impl Features {
    /// The first version of WebAssembly and no more, not even imports of mutable globals.
    pub const NONE: Self = Self(0);

    /// WebAssembly 1.0, which the study of MUTAGEN used.
    pub const WASM1: Self = Self::NONE.with(Feature::MutableGlobal);

    /// WebAssembly 2.0.
    pub const WASM2: Self = Self::WASM1
        .with(Feature::MultiValue)
        .with(Feature::SignExtension)
        .with(Feature::SaturatingFloatToInt)
        .with(Feature::BulkMemory)
        .with(Feature::ReferenceTypes)
        .with(Feature::Simd);

    /// Every feature of the list, which is what wasmi 2.0 can run.
    pub const WASMI: Self = Self((1 << Feature::ALL.len()) - 1);

    /// Whether the feature is on.
    pub const fn contains(self, feature: Feature) -> bool {
        self.0 & bit(feature) != 0
    }

    /// Whether everything that is on in `other` is on here.
    pub const fn includes(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The set with the feature on, and with what it builds on.
    #[must_use]
    pub const fn with(self, feature: Feature) -> Self {
        let base = if matches!(feature, Feature::RelaxedSimd) { bit(Feature::Simd) } else { 0 };
        Self(self.0 | base | bit(feature))
    }

    /// The set with the feature off, and without what builds on it.
    #[must_use]
    pub const fn without(self, feature: Feature) -> Self {
        let dependent = if matches!(feature, Feature::Simd) { bit(Feature::RelaxedSimd) } else { 0 };
        Self(self.0 & !(dependent | bit(feature)))
    }

    /// The features that are on.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.iter().copied().filter(move |feature| self.contains(*feature))
    }
}

const fn bit(feature: Feature) -> u32 {
    1 << feature as u32
}

impl BitAnd for Features {
    type Output = Self;

    /// The features that are on in both. What a feature builds on is on in both as well, so the set is consistent.
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Features {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

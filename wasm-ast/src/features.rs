//! Which parts of WebAssembly are on: a setting for generation and mutation, and a measure of modules.

use std::fmt;
use std::ops::BitOr;
use std::str::FromStr;

use mutagen_engine::Scope;

macro_rules! define_features {
    ($($(#[$doc:meta])* $feature:ident $name:ident;)*) => {
        /// A part of WebAssembly beyond its first version that can be on or off.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Feature {
            $($(#[$doc])* $feature,)*
        }

        impl Feature {
            /// All of them, in the order in which they are listed to users.
            pub const ALL: &[Self] = &[$(Self::$feature),*];

            /// The name with underscores, as in the table of instructions.
            const fn identifier(self) -> &'static str {
                match self {
                    $(Self::$feature => stringify!($name),)*
                }
            }
        }

        /// Conditions on a scope, one per feature, and `wasm1` for what is always on.
        #[allow(dead_code, reason = "not every feature rules a constructor of its own")]
        pub(crate) mod when {
            use super::{Feature, Features, Scope};

            pub(crate) fn wasm1(_: &Scope) -> bool {
                true
            }
            $(pub(crate) fn $name(scope: &Scope) -> bool {
                Features::of(scope).contains(Feature::$feature)
            })*
        }

        /// What an instruction needs, by the feature that brings it.
        #[allow(dead_code, reason = "not every feature brings instructions")]
        pub(crate) mod needs {
            use super::{Feature, Features};

            pub(crate) const fn wasm1() -> Features {
                Features::NONE
            }
            $(pub(crate) const fn $name() -> Features {
                Features::only(Feature::$feature)
            })*
        }
    };
}

define_features! {
    /// Globals that change may be imported and exported.
    MutableGlobal mutable_global;
    /// Blocks and functions with several results, blocks with parameters.
    MultiValue multi_value;
    /// `i32.extend8_s` and its kin.
    SignExtension sign_extension;
    /// `i32.trunc_sat_f32_s` and its kin.
    SaturatingFloatToInt saturating_float_to_int;
    /// `memory.copy`, passive segments and their kin.
    BulkMemory bulk_memory;
    /// `externref`, several tables, and instructions on both.
    ReferenceTypes reference_types;
    /// 128-bit vectors.
    Simd simd;
    /// Vector instructions that may differ between machines. Brings `simd` along.
    RelaxedSimd relaxed_simd;
    /// `return_call` and `return_call_indirect`.
    TailCall tail_call;
    /// Arithmetic in constant expressions.
    ExtendedConst extended_const;
    /// Several memories.
    MultiMemory multi_memory;
    /// Memories and tables with 64-bit addresses.
    Memory64 memory64;
    /// `i64.add128` and its kin.
    WideArithmetic wide_arithmetic;
}

impl Feature {
    /// The name that users write, such as `tail-call`.
    pub fn name(self) -> String {
        self.identifier().replace('_', "-")
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|feature| feature.name() == name)
    }
}

/// A set of features. As a setting of a [`Scope`] it says what generation and mutation may use; without it, everything.
///
/// ```
/// use mutagen_wasm_ast::{Feature, Features};
///
/// let features: Features = "wasm2,-simd,+tail-call".parse()?;
/// assert!(features.contains(Feature::TailCall) && !features.contains(Feature::Simd));
/// assert_eq!(Features::WASM1.to_string(), "mutable-global");
/// assert!("wasm2,+gc".parse::<Features>().unwrap_err().to_string().contains("multi-value"));
/// # Ok::<(), mutagen_wasm_ast::UnknownFeature>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Features(u32);

impl Features {
    /// The first version of WebAssembly and no more, not even imports of mutable globals.
    pub const NONE: Self = Self(0);

    /// WebAssembly 1.0, what the study of MUTAGEN used.
    pub const WASM1: Self = Self::only(Feature::MutableGlobal);

    /// WebAssembly 2.0.
    pub const WASM2: Self = Self::WASM1
        .with(Feature::MultiValue)
        .with(Feature::SignExtension)
        .with(Feature::SaturatingFloatToInt)
        .with(Feature::BulkMemory)
        .with(Feature::ReferenceTypes)
        .with(Feature::Simd);

    /// Everything that this crate models, which is what wasmi 2.0 can run.
    pub const WASMI: Self = Self((1 << Feature::ALL.len()) - 1);

    /// Names of sets, for parsing and for messages.
    const SETS: [(&str, Self); 3] = [("wasm1", Self::WASM1), ("wasm2", Self::WASM2), ("wasmi", Self::WASMI)];

    /// What the scope allows: its setting, or everything.
    pub fn of(scope: &Scope) -> Self {
        scope.get::<Self>().copied().unwrap_or(Self::WASMI)
    }

    /// Whether the feature is on.
    pub const fn contains(self, feature: Feature) -> bool {
        self.0 & 1 << feature as u32 != 0
    }

    /// Whether everything that is on in `other` is on here.
    pub const fn includes(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The set with the feature on, and with what it builds on.
    pub const fn with(self, feature: Feature) -> Self {
        let base = if matches!(feature, Feature::RelaxedSimd) { 1 << Feature::Simd as u32 } else { 0 };
        Self(self.0 | base | 1 << feature as u32)
    }

    /// The set with the feature off, and with what builds on it.
    pub const fn without(self, feature: Feature) -> Self {
        let dependent = if matches!(feature, Feature::Simd) { 1 << Feature::RelaxedSimd as u32 } else { 0 };
        Self(self.0 & !(dependent | 1 << feature as u32))
    }

    /// The features that are on.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.iter().copied().filter(move |feature| self.contains(*feature))
    }

    const fn only(feature: Feature) -> Self {
        Self(0).with(feature)
    }
}

impl BitOr for Features {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.iter().map(Feature::name).collect::<Vec<_>>().join(","))
    }
}

/// A word in a list of features that names none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownFeature(String);

impl fmt::Display for UnknownFeature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sets = Features::SETS.map(|(name, _)| name).join(", ");
        write!(f, "unknown feature `{}`: give one of the sets {sets}, ", self.0)?;
        write!(f, "then +NAME or -NAME with a name from {}", Features::WASMI.to_string().replace(',', ", "))
    }
}

impl std::error::Error for UnknownFeature {}

/// Parses a list such as `wasm2,-simd,+tail-call`. Words count from left to right, beginning with nothing but the first
/// version of WebAssembly; `+` may be left out.
impl FromStr for Features {
    type Err = UnknownFeature;

    fn from_str(text: &str) -> Result<Self, UnknownFeature> {
        text.split(',').map(str::trim).try_fold(Self::NONE, Self::adjusted)
    }
}

impl Features {
    fn adjusted(self, word: &str) -> Result<Self, UnknownFeature> {
        let (name, on) = match word.strip_prefix('-') {
            Some(name) => (name, false),
            None => (word.strip_prefix('+').unwrap_or(word), true),
        };
        if let (true, Some((_, set))) = (on, Self::SETS.iter().find(|(set, _)| *set == name)) {
            return Ok(self | *set);
        }
        let feature = Feature::named(name).ok_or_else(|| UnknownFeature(word.to_owned()))?;
        Ok(if on { self.with(feature) } else { self.without(feature) })
    }
}

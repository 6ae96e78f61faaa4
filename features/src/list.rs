//! The list itself, and the type of its elements.

/// Calls the macro that it is given with the list of all features, so that other crates can define something for each.
/// Every feature comes with its documentation, its name as a type and its name as a function:
///
/// ```
/// macro_rules! count {
///     ($($(#[$doc:meta])* $feature:ident $name:ident;)*) => { [$(stringify!($name)),*].len() };
/// }
/// assert_eq!(mutagen_features::with_features!(count), mutagen_features::Feature::ALL.len());
/// ```
#[macro_export]
macro_rules! with_features {
    ($callback:ident) => {
        $callback! {
            /// Mutable globals may be imported and exported.
            MutableGlobal mutable_global;
            /// Blocks and functions with several results, and blocks with parameters.
            MultiValue multi_value;
            /// `i32.extend8_s` and its relatives.
            SignExtension sign_extension;
            /// `i32.trunc_sat_f32_s` and its relatives.
            SaturatingFloatToInt saturating_float_to_int;
            /// `memory.copy`, passive segments and their relatives.
            BulkMemory bulk_memory;
            /// `externref`, several tables, and instructions on both.
            ReferenceTypes reference_types;
            /// 128-bit vectors.
            Simd simd;
            /// Vector instructions whose results may differ between machines. Includes `simd`.
            RelaxedSimd relaxed_simd;
            /// `return_call` and `return_call_indirect`.
            TailCall tail_call;
            /// Arithmetic in constant expressions.
            ExtendedConst extended_const;
            /// Several memories.
            MultiMemory multi_memory;
            /// Memories and tables with 64-bit addresses.
            Memory64 memory64;
            /// `i64.add128` and its relatives.
            WideArithmetic wide_arithmetic;
        }
    };
}

macro_rules! define_feature {
    ($($(#[$doc:meta])* $feature:ident $name:ident;)*) => {
        /// A part of WebAssembly, beyond its first version, that can be on or off.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Feature {
            $($(#[$doc])* $feature,)*
        }

        impl Feature {
            /// All features, in the order in which users see them.
            pub const ALL: &[Self] = &[$(Self::$feature),*];

            const fn identifier(self) -> &'static str {
                match self {
                    $(Self::$feature => stringify!($name),)*
                }
            }
        }
    };
}

with_features!(define_feature);

impl Feature {
    /// The name that users write, such as `tail-call`.
    pub fn name(self) -> String {
        self.identifier().replace('_', "-")
    }

    /// The feature that users call by this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|feature| feature.name() == name)
    }
}

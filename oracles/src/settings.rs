//! What both engines are told alike: features, limits, and how NaNs are treated.

/// How NaN bits are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NanMode {
    /// Both engines canonicalise every NaN that an operator makes, and everything is compared bit for bit.
    #[default]
    Deterministic,
    /// The reference leaves NaN bits as the hardware makes them, and results are compared up to NaN-equivalence.
    ///
    /// wasmi canonicalises in both modes: that is decided when it is compiled. So this mode shows what comparing
    /// costs when one engine has no such switch: a difference that NaN bits might explain is inconclusive.
    Raw,
}

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The proposals that are switched on, by the names that wasm-tools gives them.
        ///
        /// ```
        /// use mutagen_oracles::Features;
        ///
        /// let mut features = Features::WASM1;
        /// *features.by_name("multi_value").unwrap() = true;
        /// assert!(features.multi_value && !features.simd);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Features {
            $($(#[$doc])* pub $name: bool,)*
        }

        impl Features {
            /// Every name, in the order of the fields.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];
            /// No proposal at all: the very first WebAssembly.
            pub const NONE: Self = Self { $($name: false,)* };
            /// Everything that wasmi can run.
            pub const ALL: Self = Self { $($name: true,)* };

            /// The switch with that name.
            pub fn by_name(&mut self, name: &str) -> Option<&mut bool> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)*
                    _ => None,
                }
            }

            /// The names of the proposals that are on.
            pub fn enabled(&self) -> impl Iterator<Item = &'static str> {
                [$((stringify!($name), self.$name)),*].into_iter().filter_map(|(name, on)| on.then_some(name))
            }

            /// The same features without those that build on one that is off.
            #[must_use]
            pub fn consistent(mut self) -> Self {
                self.relaxed_simd &= self.simd;
                self
            }
        }
    };
}

features! {
    /// Imports and exports of mutable globals.
    mutable_global,
    /// `i32.trunc_sat_f32_s` and its relatives.
    saturating_float_to_int,
    /// `i32.extend8_s` and its relatives.
    sign_extension,
    /// Several results and block parameters.
    multi_value,
    /// `memory.copy`, `table.init`, passive segments.
    bulk_memory,
    /// `externref`, `table.get`, several tables.
    reference_types,
    /// `v128`.
    simd,
    /// Operators whose result the specification leaves to the engine within a set.
    relaxed_simd,
    /// `return_call`.
    tail_call,
    /// Arithmetic in constant expressions.
    extended_const,
    /// Several memories.
    multi_memory,
    /// Memories and tables with 64-bit indices.
    memory64,
    /// `i64.add128` and its relatives.
    wide_arithmetic,
    /// Pages of one byte.
    custom_page_sizes,
}

impl Features {
    /// WebAssembly 1.0.
    pub const WASM1: Self = Self { mutable_global: true, ..Self::NONE };
    /// WebAssembly 2.0.
    pub const WASM2: Self = Self {
        saturating_float_to_int: true,
        sign_extension: true,
        multi_value: true,
        bulk_memory: true,
        reference_types: true,
        simd: true,
        ..Self::WASM1
    };
}

impl Default for Features {
    /// WebAssembly 2.0 and the finished proposals that wasmi has. Relaxed SIMD, whose results are a choice, is off.
    fn default() -> Self {
        Self { tail_call: true, extended_const: true, multi_memory: true, memory64: true, ..Self::WASM2 }
    }
}

/// What one test may use. Both engines get the same numbers, far below what the host can serve, so that growing a
/// memory or a table succeeds or fails alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Fuel of an instantiation and of each call. Engines count differently, so running out is inconclusive.
    pub fuel: u64,
    /// Size of one memory, in pages of 64 KiB.
    pub memory_pages: usize,
    /// Length of one table.
    pub table_elements: usize,
    /// Memories in one store.
    pub memories: usize,
    /// Tables in one store.
    pub tables: usize,
    /// Call depth, where the engine counts it.
    pub recursion: usize,
    /// Size of a module.
    pub max_input_bytes: usize,
}

impl Limits {
    /// Size of one memory in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.memory_pages.saturating_mul(64 * 1024)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            fuel: 100_000,
            memory_pages: 256,
            table_elements: 10_000,
            memories: 10,
            tables: 10,
            recursion: 10_000,
            max_input_bytes: 16 * 1024 * 1024,
        }
    }
}

/// Everything that both engines are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Settings {
    /// The proposals that are on.
    pub features: Features,
    /// What one test may use.
    pub limits: Limits,
    /// How NaN bits are treated.
    pub nan: NanMode,
}

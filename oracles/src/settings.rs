//! What both engines are told alike: features, limits, and how NaNs are treated. And which of their answers are compared.

use mutagen_features::{Feature, Features};
use serde::{Deserialize, Serialize};

use crate::parts::Parts;

/// How NaN bits are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NanMode {
    /// Both engines canonicalise every NaN that an operator makes, and everything is compared bit for bit.
    #[default]
    Deterministic,
    /// The reference leaves NaN bits as the hardware makes them, and results are compared up to NaN-equivalence.
    ///
    /// An engine may canonicalise in this mode, too; wasmi does, because that is decided when wasmi is compiled. The mode
    /// is for engines that cannot canonicalise: a difference that NaN bits might explain is then inconclusive.
    Raw,
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

/// Everything that both engines are told, and what is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Settings {
    /// The features that are on.
    pub features: Features,
    /// What one test may use.
    pub limits: Limits,
    /// How NaN bits are treated.
    pub nan: NanMode,
    /// The parts of their answers that are compared.
    pub compared: Parts,
    /// Whether an engine with known faults is asked about the same in other words, which it understands, where its adapter knows
    /// some: for first opinions, and to find others than the known faults of what is tested.
    pub mends: bool,
}

impl Default for Settings {
    /// WebAssembly 2.0 and the finished proposals that the built-in engines have. Relaxed SIMD, whose results are the
    /// engine's choice, is off.
    fn default() -> Self {
        let features = Features::WASM2
            .with(Feature::TailCall)
            .with(Feature::ExtendedConst)
            .with(Feature::MultiMemory)
            .with(Feature::Memory64);
        Self {
            features,
            limits: Limits::default(),
            nan: NanMode::default(),
            compared: Parts::default(),
            mends: false,
        }
    }
}

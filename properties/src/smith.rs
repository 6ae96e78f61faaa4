//! Modules from wasm-smith, the generator that WebAssembly fuzzers use today. The one file that knows that crate.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arbitrary::Unstructured;
use mutagen_engine::Source;
use mutagen_wasm_ast::{Feature, Features, Module};

/// A generator of valid modules with the same features as ours. Clones count together.
///
/// Everything is exported, so that it can be called and looked at; nothing is imported, so that there is something to call;
/// memories and tables are small; every other module avoids traps.
///
/// ```
/// use mutagen_engine::Source;
/// use mutagen_properties::Smith;
/// use mutagen_wasm_ast::Features;
///
/// let smith = Smith::new(Features::WASM1);
/// let module = smith.generate(&mut Source::seeded(1), 5);
/// assert!(!module.functions.is_empty());
/// assert_eq!(smith.refused(), 0);
/// ```
#[derive(Clone, Debug)]
pub struct Smith {
    features: Features,
    refused: Arc<AtomicU64>,
}

/// How many bytes of choices a module may have for each unit of size: some kilobytes for the usual sizes, which is what
/// fuzzers give it.
const BYTES_PER_SIZE: usize = 512;
/// The largest memory: four pages.
const MEMORY_BYTES: u32 = 1 << 18;
/// The largest table.
const TABLE_ELEMENTS: u64 = 100;

impl Smith {
    /// Modules with these features.
    pub fn new(features: Features) -> Self {
        Smith { features, refused: Arc::default() }
    }

    /// How many modules were dropped because the syntax tree cannot express them.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// A module; the empty one in place of one that was refused.
    pub fn generate(&self, source: &mut Source, size: usize) -> Module {
        let config = self.config(source.chance(1, 2));
        let length = source.below(size * BYTES_PER_SIZE + 1);
        let choices: Vec<u8> = (0..length).map(|_| source.below(256) as u8).collect();
        let module = wasm_smith::Module::new(config, &mut Unstructured::new(&choices)).ok();
        module.and_then(|module| Module::decode(&module.to_bytes()).ok()).unwrap_or_else(|| {
            self.refused.fetch_add(1, Ordering::Relaxed);
            Module::default()
        })
    }

    fn config(&self, disallow_traps: bool) -> wasm_smith::Config {
        let on = |feature| self.features.contains(feature);
        wasm_smith::Config {
            bulk_memory_enabled: on(Feature::BulkMemory),
            reference_types_enabled: on(Feature::ReferenceTypes),
            multi_value_enabled: on(Feature::MultiValue),
            saturating_float_to_int_enabled: on(Feature::SaturatingFloatToInt),
            sign_extension_ops_enabled: on(Feature::SignExtension),
            simd_enabled: on(Feature::Simd),
            relaxed_simd_enabled: on(Feature::RelaxedSimd),
            tail_call_enabled: on(Feature::TailCall),
            extended_const_enabled: on(Feature::ExtendedConst),
            memory64_enabled: on(Feature::Memory64),
            wide_arithmetic_enabled: on(Feature::WideArithmetic),
            max_memories: if on(Feature::MultiMemory) { 3 } else { 1 },
            max_tables: if on(Feature::ReferenceTypes) { 3 } else { 1 },
            exceptions_enabled: false,
            gc_enabled: false,
            threads_enabled: false,
            disallow_traps,
            export_everything: true,
            // Without a type there are no functions, whatever their number should be.
            min_types: 1,
            min_funcs: 1,
            max_imports: 0,
            max_memory32_bytes: MEMORY_BYTES.into(),
            max_memory64_bytes: MEMORY_BYTES.into(),
            max_table_elements: TABLE_ELEMENTS,
            memory_max_size_required: true,
            table_max_size_required: true,
            ..wasm_smith::Config::default()
        }
    }
}

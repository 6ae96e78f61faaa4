//! Modules from wasm-smith, the generator that WebAssembly fuzzers use today. Only this file uses that crate.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arbitrary::Unstructured;
use mutagen_engine::Source;
use mutagen_wasm_ast::{Features, Module};

mod features;

use features::with_features;

/// A generator of valid modules with the same features as ours. Clones count together.
///
/// Everything is exported, so that it can be called and inspected. Nothing is imported, so that functions
/// have bodies. Memories and tables are small, and about half of the modules avoid traps.
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

/// How many bytes of choices a module may have for each unit of size: some kilobytes for the usual sizes, as
/// fuzzers do.
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

    /// A module. If it cannot be used, the empty module takes its place.
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
        wasm_smith::Config {
            disallow_traps,
            export_everything: true,
            // Without a type there would be no functions, whatever `min_funcs` says.
            min_types: 1,
            min_funcs: 1,
            max_imports: 0,
            max_memory32_bytes: MEMORY_BYTES.into(),
            max_memory64_bytes: MEMORY_BYTES.into(),
            max_table_elements: TABLE_ELEMENTS,
            memory_max_size_required: true,
            table_max_size_required: true,
            ..with_features(self.features)
        }
    }
}

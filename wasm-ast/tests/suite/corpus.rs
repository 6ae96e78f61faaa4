//! Modules to test with, and the reference validator.

use arbitrary::Unstructured;
use mutagen_engine::{Generate, Scope, Source};
use mutagen_wasm_ast::{Feature, Features, Module};
use wasmparser::{Validator, WasmFeatures};

#[path = "../../../properties/src/smith/features.rs"]
mod smith_features;

use smith_features::with_features;

/// The feature sets that have names.
pub const SETS: [Features; 3] = [Features::WASM1, Features::WASM2, Features::WASMI];

/// A random subset of all features.
pub fn some_features(seed: u64) -> Features {
    let mut source = Source::seeded(seed);
    let some: Vec<Feature> = Features::WASMI.iter().filter(|_| source.chance(1, 2)).collect();
    some.into_iter().fold(Features::NONE, Features::with)
}

/// Valid modules that another generator made. Half of them encode numbers in more bytes than necessary.
pub fn valid_modules(features: Features, count: u64) -> impl Iterator<Item = Vec<u8>> {
    (0..count).map(move |seed| {
        let config = wasm_smith::Config {
            export_everything: true,
            min_uleb_size: if seed % 2 == 0 { 1 } else { 4 },
            ..config(features)
        };
        smith(config, seed)
    })
}

/// Valid modules that can run without imports. Many of them also avoid traps, so that more of their code
/// runs.
pub fn closed_modules(features: Features, count: u64) -> impl Iterator<Item = Vec<u8>> {
    (0..count).map(move |seed| {
        let config = wasm_smith::Config {
            export_everything: true,
            max_imports: 0,
            disallow_traps: seed % 4 != 0,
            max_memory32_bytes: 1 << 18,
            max_memory64_bytes: 1 << 18,
            max_table_elements: 100,
            memory_max_size_required: true,
            table_max_size_required: true,
            min_funcs: 1,
            ..config(features)
        };
        smith(config, seed)
    })
}

fn smith(config: wasm_smith::Config, seed: u64) -> Vec<u8> {
    let mut source = Source::seeded(seed);
    let entropy: Vec<u8> = (0..4096).map(|_| source.bits() as u8).collect();
    let module = wasm_smith::Module::new(config, &mut Unstructured::new(&entropy));
    module.expect("there is enough entropy").to_bytes()
}

fn config(features: Features) -> wasm_smith::Config {
    wasm_smith::Config { generate_custom_sections: true, ..with_features(features) }
}

/// Modules from the derived generator, mostly invalid.
pub fn generated_modules(features: Features, seed: u64) -> impl Iterator<Item = Module> {
    let mut source = Source::seeded(seed).with_scope(Scope::new().with(features));
    (0..).map(move |number| Module::generate(&mut source, number % 5))
}

/// Bytes that begin long numbers, end blocks, or have a meaning in many places.
const LIKELY: [u8; 12] = [0, 1, 2, 4, 0x0b, 0x40, 0x7f, 0x80, 0xfc, 0xfd, 0xfe, 0xff];

fn damage(bytes: &mut Vec<u8>, source: &mut Source) {
    let place = source.below(bytes.len());
    let byte = if source.chance(1, 2) { LIKELY[source.below(LIKELY.len())] } else { source.bits() as u8 };
    match source.below(4) {
        0 => bytes[place] = byte,
        1 => bytes.insert(place, byte),
        2 => drop(bytes.remove(place)),
        _ => {
            let end = place + source.below((bytes.len() - place).min(16) + 1);
            let copy = bytes[place..end].to_vec();
            bytes.splice(place..place, copy);
        }
    }
}

/// Small valid modules with a few bytes changed.
pub fn damaged_modules(count: usize) -> impl Iterator<Item = Vec<u8>> {
    let corpus: Vec<_> = valid_modules(Features::WASMI, 400).filter(|bytes| bytes.len() < 2_000).collect();
    let mut source = Source::seeded(7);
    (0..count).map(move |number| {
        let mut bytes = corpus[number % corpus.len()].clone();
        for _ in 0..=source.below(4) {
            damage(&mut bytes, &mut source);
        }
        bytes
    })
}

/// Asks the reference validator.
pub fn validate(bytes: &[u8], features: Features) -> Result<(), String> {
    let validated = Validator::new_with_features(wasm_features(features)).validate_all(bytes);
    validated.map(drop).map_err(|error| error.to_string())
}

pub fn wasm_features(features: Features) -> WasmFeatures {
    features.iter().fold(WasmFeatures::MVP, |flags, feature| flags | flag(feature))
}

fn flag(feature: Feature) -> WasmFeatures {
    let name = feature.name().replace('-', "_").to_uppercase();
    WasmFeatures::from_name(&name).unwrap_or_else(|| panic!("wasmparser does not know {name}"))
}

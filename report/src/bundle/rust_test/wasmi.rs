//! wasmi's crate.

use mutagen_campaign::ModuleFinding;
use mutagen_oracles::{Feature, Limits};

use super::{PublicCrate, plain_name};

pub(super) fn public_crate() -> PublicCrate {
    PublicCrate {
        name: "wasmi",
        features: &["std", "stable", "validate", "memory64", "simd", "deterministic", "portable-dispatch"],
        configuration,
        helpers: include_str!("wasmi.rs.txt"),
    }
}

fn configuration(finding: &ModuleFinding, runs: bool) -> String {
    let switch = |(name, feature): &(&str, Feature)| {
        format!("    config.{name}({});\n", finding.features.contains(*feature))
    };
    let switches: String = SWITCHES.iter().map(switch).collect();
    // Validity is asked of an engine that translates nothing: a translator may stumble over what a broken validator accepts.
    let mode = match plain_name(&finding.target_engine) {
        _ if !runs => "LazyTranslation",
        "wasmi-lazy" => "Lazy",
        _ => "Eager",
    };
    let depth = Limits::default().recursion;
    let running = format!(
        "    config.consume_fuel(true);\n    config.set_max_recursion_depth({depth});\n    config.set_max_stack_height(16 * 1024 * 1024);\n"
    );
    let running = if runs { running } else { String::new() };
    format!(
        "use wasmi::{{\n    AsContext, AsContextMut, Caller, CompilationMode, Config, Engine, Error, Extern, ExternType, F32, F64, Func, FuncType, \
         Global, Instance, Memory,\n    MemoryType, Module, Mutability, Nullable, Ref, RefType, Store, Table, TableType, V128, Val, ValType,\n}};\n\n\
         fn engine() -> Engine {{\n    let mut config = Config::default();\n{switches}    config.wasm_custom_page_sizes(false);\n    \
         config.compilation_mode(CompilationMode::{mode});\n{running}    Engine::new(&config)\n}}\n"
    )
}

/// The switches of wasmi's configuration.
const SWITCHES: [(&str, Feature); 13] = [
    ("wasm_mutable_global", Feature::MutableGlobal),
    ("wasm_saturating_float_to_int", Feature::SaturatingFloatToInt),
    ("wasm_sign_extension", Feature::SignExtension),
    ("wasm_multi_value", Feature::MultiValue),
    ("wasm_bulk_memory", Feature::BulkMemory),
    ("wasm_reference_types", Feature::ReferenceTypes),
    ("wasm_simd", Feature::Simd),
    ("wasm_relaxed_simd", Feature::RelaxedSimd),
    ("wasm_tail_call", Feature::TailCall),
    ("wasm_extended_const", Feature::ExtendedConst),
    ("wasm_multi_memory", Feature::MultiMemory),
    ("wasm_memory64", Feature::Memory64),
    ("wasm_wide_arithmetic", Feature::WideArithmetic),
];

//! wasmtime's crate.

use mutagen_campaign::ModuleFinding;
use mutagen_oracles::{Feature, NanMode};

use super::{PublicCrate, plain_name};

pub(super) fn public_crate() -> PublicCrate {
    PublicCrate {
        name: "wasmtime",
        features: &["runtime", "cranelift", "std", "gc-null"],
        configuration,
        helpers: include_str!("wasmtime.rs.txt"),
    }
}

fn configuration(finding: &ModuleFinding, _: bool) -> String {
    let is_on = |(_, feature): &&(&str, Feature)| finding.features.contains(*feature);
    let mut on = vec!["FLOATS"];
    on.extend(SWITCHES.iter().filter(is_on).map(|(name, _)| *name));
    // `externref` needs these types, too.
    on.extend(finding.features.contains(Feature::ReferenceTypes).then_some("GC_TYPES"));
    let on: Vec<String> = on.into_iter().map(|name| format!("WasmFeatures::{name}")).collect();
    let [level, allocator] = match plain_name(&finding.target_engine) {
        "wasmtime-speed" => ["Speed", "Backtracking"],
        _ => ["None", "SinglePass"],
    };
    format!(
        "use wasmtime::{{\n    Caller, Config, Engine, Error, Extern, Func, FuncType, Global, GlobalType, Instance, Memory, MemoryType, Module,\n    \
         Mutability, OptLevel, Ref, RefType, RegallocAlgorithm, Store, Table, TableType, Trap, V128, Val, ValType, WasmFeatures,\n}};\n\n\
         fn engine() -> Engine {{\n    let wanted = {};\n    let mut config = Config::new();\n    \
         config.wasm_features(!wanted, false).wasm_features(wanted, true);\n    \
         config.cranelift_nan_canonicalization({}).relaxed_simd_deterministic(true);\n    \
         config.cranelift_opt_level(OptLevel::{level}).cranelift_regalloc_algorithm(RegallocAlgorithm::{allocator});\n    \
         config.signals_based_traps(false).memory_init_cow(false).consume_fuel(true);\n    \
         config.native_unwind_info(false).generate_address_map(false).wasm_backtrace_max_frames(None);\n    \
         Engine::new(&config).expect(\"wasmtime takes this configuration\")\n}}\n",
        on.join("\n        | "),
        finding.nans == NanMode::Deterministic,
    )
}

/// The names of the features in wasmtime's configuration.
const SWITCHES: [(&str, Feature); 13] = [
    ("MUTABLE_GLOBAL", Feature::MutableGlobal),
    ("SATURATING_FLOAT_TO_INT", Feature::SaturatingFloatToInt),
    ("SIGN_EXTENSION", Feature::SignExtension),
    ("MULTI_VALUE", Feature::MultiValue),
    ("BULK_MEMORY", Feature::BulkMemory),
    ("REFERENCE_TYPES", Feature::ReferenceTypes),
    ("SIMD", Feature::Simd),
    ("RELAXED_SIMD", Feature::RelaxedSimd),
    ("TAIL_CALL", Feature::TailCall),
    ("EXTENDED_CONST", Feature::ExtendedConst),
    ("MULTI_MEMORY", Feature::MultiMemory),
    ("MEMORY64", Feature::Memory64),
    ("WIDE_ARITHMETIC", Feature::WideArithmetic),
];

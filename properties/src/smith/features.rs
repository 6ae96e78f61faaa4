//! The features of modules in the words of wasm-smith. The tests of `wasm-ast` include this file: they may not depend on
//! this crate, which depends on theirs.

use mutagen_wasm_ast::{Feature, Features};
use wasm_smith::Config;

/// A configuration for modules with these features and no others.
pub fn with_features(features: Features) -> Config {
    let on = |feature| features.contains(feature);
    Config {
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
        ..Config::default()
    }
}

//! The features of wasmi, one switch each.

use mutagen_features::{Feature, Features};

use super::api::Config;

/// Switches on these features, and no others.
pub(super) fn switch_features(config: &mut Config, features: Features) {
    let on = |feature| features.contains(feature);
    config
        .wasm_mutable_global(on(Feature::MutableGlobal))
        .wasm_saturating_float_to_int(on(Feature::SaturatingFloatToInt))
        .wasm_sign_extension(on(Feature::SignExtension))
        .wasm_multi_value(on(Feature::MultiValue))
        .wasm_bulk_memory(on(Feature::BulkMemory))
        .wasm_reference_types(on(Feature::ReferenceTypes))
        .wasm_simd(on(Feature::Simd))
        .wasm_relaxed_simd(on(Feature::RelaxedSimd))
        .wasm_tail_call(on(Feature::TailCall))
        .wasm_extended_const(on(Feature::ExtendedConst))
        .wasm_multi_memory(on(Feature::MultiMemory))
        .wasm_memory64(on(Feature::Memory64))
        .wasm_wide_arithmetic(on(Feature::WideArithmetic))
        .wasm_custom_page_sizes(false);
}

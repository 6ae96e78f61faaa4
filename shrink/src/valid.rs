//! Whether a module is valid. Only this module uses wasmparser.

use wasmparser::{Validator, WasmFeatures};

/// Whether a module is valid with all features.
pub(crate) fn is_valid(wasm: &[u8]) -> bool {
    Validator::new_with_features(WasmFeatures::all()).validate_all(wasm).is_ok()
}

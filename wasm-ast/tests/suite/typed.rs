//! Functions that are valid by construction.

use std::collections::HashSet;

use mutagen_engine::{Scope, Source};
use mutagen_wasm_ast::{Features, FuncType, Stub, ValType};
use wasmparser::Validator;

use crate::corpus::wasm_features;

use ValType::{ExternRef, F32, F64, FuncRef, I32, I64, V128};

/// The texts of typed functions, from one seed.
fn typed(ty: &FuncType, features: Features, count: usize) -> Vec<String> {
    let mut source = Source::seeded(7).with_scope(Scope::new().with(features));
    let modules = (0..count).map(|_| Stub::typed(ty, &mut source).to_module(ty));
    modules.map(|module| module.to_text().expect("modules can be printed")).collect()
}

fn assert_valid(ty: &FuncType, features: Features) {
    let mut source = Source::seeded(1).with_scope(Scope::new().with(features));
    for number in 0..3000 {
        let module = Stub::typed(ty, &mut source).to_module(ty);
        if let Err(error) =
            Validator::new_with_features(wasm_features(features)).validate_all(&module.encode())
        {
            panic!("function {number} of {ty:?}: {error}\n{}", module.to_text().unwrap_or_default());
        }
    }
}

#[test]
fn typed_functions_are_valid_with_the_features_of_the_scope() {
    let numbers = FuncType::new([I32, F32], [I32]);
    assert_valid(&numbers, Features::WASM1);
    assert_valid(&FuncType::new([I64, F64], [F64]), Features::WASM1);
    assert_valid(&FuncType::new([], [I64]), Features::WASM1);
    assert_valid(&numbers, Features::WASM2);
    assert_valid(&FuncType::new([V128, ExternRef], [FuncRef, V128, ExternRef]), Features::WASM2);
    assert_valid(&numbers, Features::WASMI);
}

#[test]
fn typed_functions_use_what_the_scope_has() {
    let texts = typed(&FuncType::new([I32, F32], [I32]), Features::WASM1, 20_000).join("\n");
    let words: HashSet<&str> = texts.split_whitespace().collect();
    for instruction in [
        "i32.rem_s",
        "i32.rotr",
        "i64.shr_u",
        "i64.eqz",
        "f32.min",
        "f64.copysign",
        "f32.demote_f64",
        "f64.promote_f32",
        "i32.trunc_f64_u",
        "i32.load8_s",
        "f64.load",
        "select",
        "if",
        "block",
        "br_if",
        "br_table",
        "local.get",
        "local.set",
        "local.tee",
        "memory.size",
        "memory.grow",
        "i32.store8",
        "f32.store",
    ] {
        assert!(words.contains(instruction), "{instruction} does not occur");
    }
    let later = ["i32.extend8_s", "v128", "memory.fill", "memory.copy"];
    assert!(!words.iter().any(|word| later.iter().any(|later| word.starts_with(later))));
    let texts = typed(&FuncType::new([I32, F32], [I32]), Features::WASM2, 20_000).join("\n");
    assert!(later.iter().all(|later| texts.contains(later)));
}

#[test]
fn typed_functions_of_types_without_a_parameter_convert_one() {
    // Operands must not all be constants: engines would compute the result during translation.
    let texts = typed(&FuncType::new([I32], [I64]), Features::WASM1, 1000);
    let converted = |text: &&String| text.contains("i64.extend_i32_s") && text.contains("local.get 0");
    assert!(texts.iter().filter(converted).count() > 50);
}

#[test]
fn the_source_decides_which_typed_function_it_is() {
    let ty = FuncType::new([I32], [I32]);
    let texts = typed(&ty, Features::WASM1, 200);
    assert_eq!(texts, typed(&ty, Features::WASM1, 200));
    assert!(texts.iter().collect::<HashSet<_>>().len() > 100, "they differ among themselves");
}

/// A hash of texts that is the same on every machine.
fn fingerprint(texts: &[String]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn equal_seeds_make_the_same_typed_functions_in_every_version() {
    let number = FuncType::new([I32, F32], [I32]);
    let all = FuncType::new([V128, ExternRef, I64], [FuncRef, V128, F64]);
    let fingerprints = [
        fingerprint(&typed(&number, Features::WASM1, 1000)),
        fingerprint(&typed(&number, Features::WASMI, 1000)),
        fingerprint(&typed(&all, Features::WASMI, 1000)),
    ];
    assert_eq!(
        fingerprints,
        [13_768_245_532_457_805_753, 2_938_714_150_006_977_539, 17_650_138_565_809_721_567]
    );
}

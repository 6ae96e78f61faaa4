//! Repair makes invalid modules valid by small changes and leaves valid ones as they are.

use mutagen_engine::{MutantsConfig, Scope, Source, mutants};
use mutagen_wasm_ast::{Features, FuncType, Module, Stub, ValType};

use crate::corpus::{SETS, generated_modules, some_features, valid_modules, validate};

fn repaired(module: &Module, features: Features) -> Module {
    let mut repaired = module.clone();
    repaired.repair(features);
    repaired
}

fn assert_valid(repaired: &Module, original: &Module, features: Features) {
    if let Err(error) = validate(&repaired.encode(), features) {
        panic!("{error} with {features}\n{original:#?}\nbecame\n{repaired:#?}");
    }
}

fn typed_modules(features: Features, count: usize) -> impl Iterator<Item = Module> {
    let mut source = Source::seeded(3).with_scope(Scope::new().with(features));
    (0..count).map(move |number| Module::typed(&mut source, number % 12))
}

#[test]
fn valid_modules_stay_as_they_are() {
    for features in SETS {
        for module in typed_modules(features, 5_000) {
            assert_eq!(repaired(&module, features), module);
        }
        for bytes in valid_modules(features, 1_000) {
            let module = Module::decode(&bytes).expect("valid modules decode");
            assert_eq!(repaired(&module, features), module);
        }
    }
}

#[test]
fn mutants_of_typed_modules_become_valid_and_a_second_repair_changes_nothing() {
    for features in SETS {
        let scope = Scope::new().with(features);
        for module in typed_modules(features, 6) {
            for (_, mutant) in mutants(&module, &MutantsConfig::default(), &scope) {
                let repaired = repaired(&mutant, features);
                assert_valid(&repaired, &mutant, features);
                assert_eq!(self::repaired(&repaired, features), repaired);
            }
        }
    }
}

#[test]
fn modules_from_the_derived_generator_become_valid_with_any_features() {
    for (seed, features) in (0..).zip(SETS.into_iter().chain((0..20).map(some_features))) {
        for module in generated_modules(Features::WASMI, seed).take(1_000) {
            assert_valid(&repaired(&module, features), &module, features);
        }
    }
}

#[test]
fn valid_modules_become_valid_with_fewer_features() {
    for seed in 0..20 {
        let features = some_features(seed);
        for module in typed_modules(Features::WASMI, 300) {
            assert_valid(&repaired(&module, features), &module, features);
        }
    }
}

#[test]
fn functions_become_valid_in_their_module() {
    use ValType::{ExternRef, F32, F64, FuncRef, I32, I64, V128};
    let numbers = FuncType::new([I32, F32], [I32]);
    let everything = FuncType::new([V128, ExternRef, I64], [FuncRef, F64]);
    for (ty, features) in [
        (&numbers, Features::WASM1),
        (&numbers, Features::WASM2),
        (&numbers, Features::WASMI),
        (&everything, Features::WASMI),
    ] {
        let scope = Scope::new().with(features);
        let mut source = Source::seeded(5).with_scope(scope.clone());
        for _ in 0..30 {
            let stub = Stub::typed(ty, &mut source);
            let mut same = stub.clone();
            same.repair(ty, features);
            assert_eq!(same, stub, "a valid function stays as it is");
            for (_, mut mutant) in mutants(&stub, &MutantsConfig::default(), &scope) {
                let original = mutant.to_module(ty);
                mutant.repair(ty, features);
                assert_valid(&mutant.to_module(ty), &original, features);
            }
        }
    }
}

/// Repairs a module with these fields and returns its text.
fn repaired_text(text: &str, features: Features) -> String {
    let module = Module::from_text(&format!("(module {text})")).expect("the text is well-formed");
    let repaired = repaired(&module, features);
    assert_valid(&repaired, &module, features);
    repaired.to_text().expect("valid modules can be printed")
}

/// The instructions of the first function of a repaired module.
fn repaired_body(text: &str) -> String {
    let text = repaired_text(text, Features::WASMI);
    let lines = text.lines().map(str::trim).skip_while(|line| !line.starts_with("(func (;0;)")).skip(1);
    let body = lines.take_while(|line| !line.starts_with("(func") && !line.starts_with("(export"));
    let body: Vec<&str> = body.take_while(|line| *line != ")").collect();
    body.join("; ")
}

#[test]
fn operands_are_dropped_inserted_or_converted_where_they_are_made() {
    for (body, expected) in [
        // Operands that are left over.
        ("local.get 0 local.get 0 i32.eqz", "local.get 0; drop; local.get 0; i32.eqz"),
        ("local.get 0 f32.const 1", "local.get 0; f32.const 0x1p+0 (;=1;); drop"),
        ("drop local.get 0", "local.get 0"),
        // Operands that are missing.
        ("local.get 0 i32.add", "local.get 0; local.get 0; i32.add"),
        ("f32.const 1 f32.store", "local.get 0; f32.const 0x1p+0 (;=1;); f32.store; local.get 0"),
        ("", "local.get 0"),
        // Operands of the wrong type, also below the top.
        ("i64.const 1 local.get 0 i32.add", "i64.const 1; i32.wrap_i64; local.get 0; i32.add"),
        ("ref.null func", "ref.null func; ref.is_null"),
        // Several results: only the last one can be converted right after the instruction that makes them.
        (
            "call 1 i64.add i32.wrap_i64",
            "call 1; drop; drop; i64.const 0; i64.const 0; i64.add; i32.wrap_i64",
        ),
    ] {
        let rest = "(memory 1) (func (result f32 f32) f32.const 0 f32.const 0)";
        let text = format!("(func (param i32) (result i32) {body}) {rest}");
        assert_eq!(repaired_body(&text), expected, "{body}");
    }
}

#[test]
fn blocks_and_branches_keep_their_place() {
    for (body, expected) in [
        (
            "local.get 0 if (result i32) i32.const 1 end",
            "local.get 0; if (result i32) ;; label = @1; i32.const 1; else; local.get 0; end",
        ),
        ("block br 7 end local.get 0", "block ;; label = @1; local.get 0; br 1; end; local.get 0"),
        ("local.get 9", "local.get 0"),
        ("return_call 1", "call 1; i32.reinterpret_f32; return"),
        ("local.get 0 local.get 0 br_table 0 5", "local.get 0; local.get 0; br_table 0 0"),
    ] {
        let text =
            format!("(func (param i32) (result i32) {body}) (func (result f32 f32) f32.const 0 f32.const 0)");
        assert_eq!(repaired_body(&text), expected, "{body}");
    }
}

#[test]
fn what_is_missing_is_added_and_what_repeats_is_renamed() {
    let wasmi = Features::WASMI;
    for (text, parts) in [
        ("(func global.get 3 drop i32.const 1 global.set 0)", &["(global (;0;) (mut i32)"][..]),
        ("(func i32.const 0 i32.load drop)", &["(memory (;0;) 1)"]),
        ("(func i32.const 0 call_indirect)", &["(table (;0;) 10 funcref)"]),
        ("(func i32.const 0 table.get 0 drop)", &["(table (;0;) 10 funcref)"]),
        ("(func elem.drop 0 data.drop 0)", &["(elem (;0;) func)", "(data (;0;) \"\")"]),
        ("(func ref.func 0 drop)", &["(elem (;0;) declare func 0)"]),
        ("(data (i32.const 0) \"a\")", &["(memory (;0;) 1)"]),
        ("(memory i64 1) (data (i32.const 7) \"a\")", &["i64.const 7"]),
        (
            "(table 1 externref) (elem (i32.const 0) func)",
            &["(table (;1;) 10 funcref)", "(elem (;0;) (table 1)"],
        ),
        ("(memory 3 2)", &["(memory (;0;) 3 3)"]),
        ("(memory 70000)", &["(memory (;0;) 65536)"]),
        ("(global i32 (f64.const 5))", &["i32 i32.const 5)"]),
        ("(global i32 (i32.const 5) (nop))", &["i32 i32.const 5)"]),
        (
            "(func) (export \"a\" (func 0)) (export \"a\" (func 9))",
            &["(export \"a\" (func 0))", "(export \"a1\" (func 0))"],
        ),
        ("(func (param i32)) (func) (start 0)", &["(start 1)"]),
        ("(memory 1) (func i32.const 0 i32.load8_u align=4 drop)", &["i32.load8_u\n"]),
        ("(func v128.const i64x2 0 0 i32x4.extract_lane 9 drop)", &["i32x4.extract_lane 3"]),
    ] {
        let repaired = repaired_text(text, wasmi);
        for part in parts {
            assert!(repaired.contains(part), "{text} became {repaired} without {part}");
        }
    }
}

#[test]
fn what_cannot_be_had_with_the_features_is_removed() {
    let text = "(func (result i32) i32.const 1 i32.extend8_s) (memory 1) (memory 2) (table 1 externref) (data \"a\")";
    let repaired = repaired_text(text, Features::WASM1);
    for gone in ["extend8_s", "externref", "(memory (;1;)", "data"] {
        assert!(!repaired.contains(gone), "{gone} is still in {repaired}");
    }
}

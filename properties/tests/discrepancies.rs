//! Bugs of the published wasmi, met while another bug is hunted. They show if the fixes `wasm-f1` and
//! `wasm-f2` are off.

use mutagen_engine::{Property, Scope};
use mutagen_properties::{Context, DISCREPANCY, Discrepancy, Injection, Modules, Scenario};
use mutagen_wasm_ast::{Features, Module};

/// The `select` of wasm-f1 gives the wrong operand. The rest is noise.
fn select(name: &str, number: u32, noise: &str) -> String {
    format!(
        r#"(module (memory 1) (func (export "{name}") (param f64 i32) (result f64) (local i32 f64) {noise}
          (i32.add (local.get 1) (i32.const {number}))
          (select (f64.const {number}) (local.get 0) (i32.eqz (local.get 2)))
          (local.set 3) (drop) (local.get 3)))"#
    )
}

/// The store of wasm-f2 cannot be translated.
fn store(offset: u32, noise: &str) -> String {
    format!(
        r#"(module (memory 2) (func (export "g") (param i32) (local i32) {noise}
          (local.set 1 (i32.add (local.get 0) (i32.const 1)))
          (i32.store offset={offset} (local.get 1) (local.get 1))))"#
    )
}

/// Tests the modules with these fixes and a bug that none of them shows. All tests must have these labels.
#[track_caller]
fn met(texts: &[String], fixes: &[&'static str], labels: &[&str]) -> Vec<Discrepancy> {
    let injection = Injection { bug: Some("wasm-r3"), fixes: fixes.to_vec() };
    let mut property =
        Modules::new(&Context::new(Features::WASM1).inject(injection)).expect("the settings are fine");
    for text in texts {
        let module = Module::from_text(text).expect("it is a module");
        assert_eq!(property.check(&Scenario::of(module)).labels, labels, "{text}");
    }
    property.pair().discrepancies(&Scope::new().with(Features::WASM1))
}

fn decoded(discrepancy: &Discrepancy) -> Module {
    Module::decode(&discrepancy.bytes).expect("it is a module")
}

#[test]
fn discrepancies_of_one_shape_are_one_with_a_count() {
    let texts = [
        select("f", 7, ""),
        store(70_000, ""),
        select("other", 300, "nop"),
        store(80_000, "(drop (memory.size))"),
        store(0x4000_0000, "nop nop (if (local.get 0) (then nop))"),
    ];
    let all = met(&texts, &[], &[DISCREPANCY]);
    let summary: Vec<(&str, u64)> = all.iter().map(|it| (it.failure.kind.as_str(), it.met)).collect();
    assert_eq!(summary, [("result", 2), ("panic", 3)]);
}

#[test]
fn a_discrepancy_is_shrunk_and_told_with_the_answers_on_what_is_left() {
    let noise = "(drop (i32.const 4)) (if (local.get 1) (then (local.set 2 (i32.const 0))))";
    let text = select("f", 7, noise);
    let [discrepancy] = &met(std::slice::from_ref(&text), &[], &[DISCREPANCY])[..] else {
        panic!("there is one");
    };
    let (before, after) = (Module::from_text(&text).expect("it is a module"), decoded(discrepancy));
    assert!(after.instructions() + 5 < before.instructions(), "{after:?}");
    assert!(after.memories.is_empty(), "the memory has nothing to do with it");

    let injection = Injection { bug: None, fixes: Vec::new() };
    let modules =
        Modules::new(&Context::new(Features::WASM1).inject(injection)).expect("the settings are fine");
    let judgement = modules.pair().judge(&discrepancy.bytes, &discrepancy.calls);
    assert_eq!(judgement.agreement.to_string(), format!("differ: {}", discrepancy.failure.message));
}

#[test]
fn differences_of_other_shapes_stay_apart_even_if_the_answers_are_the_same() {
    let other = r#"(module (memory 2) (func (export "g") (param i64) (local i64 i32)
        (local.set 2 (i32.wrap_i64 (local.get 0)))
        (i32.store8 offset=70000 (local.get 2) (local.get 2))))"#;
    let all = met(&[store(70_000, ""), other.to_owned()], &[], &[DISCREPANCY]);
    assert_eq!(all.len(), 2, "{all:?}");
    assert_eq!(all[0].failure, all[1].failure);
    assert_ne!(decoded(&all[0]).shape(), decoded(&all[1]).shape());
}

#[test]
fn many_of_a_kind_are_counted_and_few_of_them_shrunk() {
    let texts: Vec<String> = (0..40).map(|number| select("f", 2 + number, "nop")).collect();
    let all = met(&texts, &[], &[DISCREPANCY]);
    assert_eq!((all.len(), all[0].met), (1, 40), "{all:?}");
}

#[test]
fn with_the_fixes_there_is_no_discrepancy() {
    assert_eq!(met(&[select("f", 7, ""), store(70_000, "")], &["wasm-f1", "wasm-f2"], &[]), []);
}

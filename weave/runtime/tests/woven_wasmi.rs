//! The published wasmi, woven: probes fire, bugs switch, names are right.

use std::collections::BTreeSet;

use mutagen_weave::{Recorder, probes, prove, switch_on};

/// Whether wasmi accepts a module, under Wasm 1.0.
fn accepts(text: &str) -> bool {
    let mut config = wasmi::Config::default();
    config.wasm_multi_value(false).wasm_multi_memory(false).wasm_reference_types(false);
    let bytes = wat::parse_str(text).expect("the test's module is well-formed");
    wasmi::Module::validate(&wasmi::Engine::new(&config), &bytes).is_ok()
}

const VALID: &str = "(module (func (param i64) (result i32) local.get 0 i64.eqz))";

/// What the exported function `f` of a module gives for 5 and 3.
fn run(text: &str) -> i32 {
    let bytes = wat::parse_str(text).expect("the test's module is well-formed");
    let engine = wasmi::Engine::default();
    let module = wasmi::Module::new(&engine, &bytes).expect("the test's module is valid");
    let mut store = wasmi::Store::new(&engine, ());
    let instance =
        wasmi::Linker::new(&engine).instantiate_and_start(&mut store, &module).expect("it has no imports");
    let function = instance.get_typed_func::<(i32, i32), i32>(&store, "f").expect("it exports f");
    function.call(&mut store, (5, 3)).expect("f does not trap")
}

#[test]
fn this_program_is_woven() {
    assert_eq!(prove(|| assert!(accepts(VALID))), Ok(()));
}

#[test]
fn a_program_whose_exercise_reaches_no_woven_code_is_not_proven() {
    assert_eq!(prove(|| ()), Err(mutagen_weave::NotWoven::NoProbes));
}

#[test]
fn probes_of_all_woven_packages_are_present_and_no_others() {
    let packages: BTreeSet<&str> = probes::names()
        .expect("the test program names its probes")
        .iter()
        .map(|name| name.package.as_str())
        .filter(|package| package.starts_with("wasm"))
        .collect();
    let woven = ["wasmi-2.0.0", "wasmi_core-2.0.0", "wasmi_ir-2.0.0", "wasmparser-0.228.0"];
    assert_eq!(packages.into_iter().collect::<Vec<_>>(), woven);
}

#[test]
fn a_bug_is_in_the_engine_only_while_it_is_switched_on() {
    assert!(accepts(VALID));
    let on = switch_on(["wasm-6"]);
    assert!(!accepts(VALID));
    drop(on);
    assert!(accepts(VALID));
}

#[test]
fn a_bug_of_the_interpreter_acts_from_translation_to_the_call() {
    let subtract =
        r#"(module (func (export "f") (param i32 i32) (result i32) local.get 0 local.get 1 i32.sub))"#;
    assert_eq!(run(subtract), 2);
    let _on = switch_on(["wasm-11"]);
    assert_eq!(run(subtract), 8);
}

#[test]
fn a_recorded_run_can_be_read_by_name() {
    let mut recorder = Recorder::new(1 << 16);
    recorder.record(|| accepts(VALID));
    let names = probes::names().expect("the test program names its probes");
    let visited =
        |function: &str| recorder.events().iter().any(|&n| names[n as usize - 1].function.contains(function));
    assert!(visited("visit_i64_eqz"));
    assert!(!visited("visit_f32_min"));
}

/// Leaves `byte` all over the stack below the caller.
#[inline(never)]
fn litter_the_stack(byte: u8) {
    std::hint::black_box(&mut [byte; 1 << 17]);
}

/// Why the parser's probes are off by default. `Parser::parse_reader` matches on a state whose only payload is a count;
/// the optimiser tests the count for 0 before it tests whether the state has one. What it reads there in the other
/// states is whatever the stack held, harmless for the result but not for the probes on that branch.
#[test]
fn only_the_parsers_probes_follow_what_happens_to_lie_on_the_stack() {
    let names = probes::names().expect("the test program names its probes");
    let mut recorder = Recorder::new(1 << 16);
    let [zeros, ones] = [0, 0xff].map(|byte| {
        litter_the_stack(byte);
        recorder.record(|| accepts(VALID));
        recorder.events().to_vec()
    });
    assert_eq!(zeros.len(), ones.len());
    let differing: BTreeSet<&str> = std::iter::zip(&zeros, &ones)
        .filter(|(one, other)| one != other)
        .map(|(&one, _)| names[one as usize - 1].file.as_str())
        .collect();
    assert!(differing.iter().all(|file| *file == probes::UNSTABLE_FILE), "{differing:?}");
}

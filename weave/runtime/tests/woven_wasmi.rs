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
fn a_recorded_run_can_be_read_by_name() {
    let mut recorder = Recorder::new(1 << 16);
    recorder.record(|| accepts(VALID));
    let names = probes::names().expect("the test program names its probes");
    let visited = |function: &str| recorder.events().iter().any(|&n| names[n as usize - 1].function.contains(function));
    assert!(visited("visit_i64_eqz"));
    assert!(!visited("visit_f32_min"));
}

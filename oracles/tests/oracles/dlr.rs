//! What is particular to the adapter of dlr-wasm-interpreter: modules that are changed before they run, host functions that are
//! served between two pieces of a run, a validator that shares nothing with the others.

use mutagen_oracles::{
    Agreement, Call, Dlr, Ending, Engine, Feature, Features, HostAction, HostPlan, Instantiation, Script,
    Settings, TrapKind, Value, Wasmi, Which, judge,
};

use crate::support::{f, last_answer, wasm, wasmtime};

fn settings() -> Settings {
    Settings { features: Features::WASM2, ..Settings::default() }
}

fn dlr() -> Dlr {
    Dlr::new(&settings())
}

/// The agreement of wasmtime and dlr, which must be that of wasmi and dlr.
fn agreement<'a>(text: &str, script: impl Into<Script<'a>>) -> Agreement {
    let (settings, bytes, script) = (settings(), wasm(text), script.into());
    let agreement = judge(&bytes, script, &wasmtime(&settings), &dlr(), &settings).agreement;
    assert_eq!(judge(&bytes, script, &Wasmi::new(&settings), &dlr(), &settings).agreement, agreement);
    agreement
}

#[test]
fn a_module_that_needs_a_feature_that_is_off_is_rejected() {
    let features = Features::WASM2.without(Feature::SignExtension);
    let without = Dlr::new(&Settings { features, ..settings() });
    let extends = wasm("(module (func (param i32) (result i32) (i32.extend8_s (local.get 0))))");
    assert!(dlr().validate(&extends).is_accepted());
    assert!(!without.validate(&extends).is_accepted());
    assert!(matches!(without.instantiate(&extends).err(), Some(Instantiation::Rejected(_))));
    assert!(without.validate(&wasm("(module (func (param i32)))")).is_accepted());
    let two_memories = wasm("(module (memory 1) (memory 1))");
    assert!(!dlr().validate(&two_memories).is_accepted(), "it does not have this feature at all");
}

#[test]
fn memories_and_tables_grow_as_far_as_in_other_engines() {
    let grows = r#"(module (memory (export "m") 1) (table $t (export "t") 1 funcref)
        (func (export "f") (param i32 i32) (result i32 i32)
            (memory.grow (local.get 0)) (table.grow $t (ref.null func) (local.get 1))))"#;
    for (pages, elements) in [(1, 1), (254, 9_998), (255, 9_999), (1, 1), (300, 20_000)] {
        let calls = [f(&[Value::I32(pages), Value::I32(elements)]), f(&[Value::I32(0); 2])];
        assert_eq!(agreement(grows, &calls), Agreement::Equal, "{pages}, {elements}");
    }
}

#[test]
fn a_module_that_begins_beyond_our_limits_is_over_a_limit() {
    let limit = |text: &str| match dlr().instantiate(&wasm(text)).err() {
        Some(Instantiation::Ended { ending: Ending::Limited(which), .. }) => Some(which),
        _ => None,
    };
    assert_eq!(limit("(module (memory 257))"), Some(Which::MemoryPages));
    assert_eq!(limit(r#"(module (import "m" "m" (memory 257)))"#), Some(Which::MemoryPages));
    assert_eq!(limit("(module (table 10001 funcref))"), Some(Which::TableElements));
    assert_eq!(limit(&format!("(module {})", "(table 0 funcref)".repeat(11))), Some(Which::Tables));
    assert_eq!(limit("(module (memory 256) (table 10000 funcref))"), None);
}

#[test]
fn filling_memory_costs_fuel() {
    let fills = wasm(
        r#"(module (memory 256) (func (export "f") (loop $again
            (memory.fill (i32.const 0) (i32.const 1) (i32.const 0x1000000)) (br $again))))"#,
    );
    let mut instance = dlr().instantiate(&fills).expect("it is within the limits");
    for _ in 0..2 {
        assert_eq!(instance.call("f", &[]), Ending::Trapped(TrapKind::OutOfFuel));
    }
}

#[test]
fn a_start_function_may_call_the_host_and_is_no_export() {
    let module = r#"(module (import "h" "h" (func $h (param i32) (result i32))) (import "g" "g" (global $g (mut i32)))
        (memory (export "start") 1) (func $start (i32.store (i32.const 8) (call $h (i32.const 3))) (global.set $g (i32.const 4)))
        (func (export "start+") (result i32) (i32.load (i32.const 8))) (start $start))"#;
    assert_eq!(agreement(module, &[Call::new("start+", []), Call::new("start++", [])]), Agreement::Equal);
    let instance = dlr().instantiate(&wasm(module)).expect("nothing can fail here");
    let names: Vec<String> = instance.exports().into_iter().map(|function| function.name).collect();
    assert_eq!(names, ["start+"]);
}

#[test]
fn what_a_failed_start_left_behind_can_be_seen() {
    let module = r#"(module (import "m" "m" (memory 1)) (import "g" "g" (global $g (mut i32)))
        (func $start (i32.store (i32.const 8) (i32.const 3)) (global.set $g (i32.const 4)) unreachable)
        (data (i32.const 0) "x") (start $start))"#;
    assert_eq!(agreement(module, &[]), Agreement::Equal);
    let segment =
        r#"(module (import "m" "m" (memory 1)) (data (i32.const 0) "x") (data (i32.const 65536) "y"))"#;
    assert_eq!(agreement(segment, &[]), Agreement::Equal);
}

#[test]
fn imports_may_have_the_same_name() {
    let twice = r#"(module
        (import "a" "b" (func $f (param i32) (result i32))) (import "a" "b" (func $g (result i64)))
        (import "a" "b" (global $x i32)) (import "a" "b" (memory 1)) (import "a" "b" (table 3 funcref))
        (func (export "f") (result i32 i64 i32)
            (i32.add (call $f (i32.const 1)) (call $f (i32.const 2))) (call $g) (global.get $x)))"#;
    assert_eq!(agreement(twice, &[f(&[])]), Agreement::Equal);
}

#[test]
fn host_functions_change_what_they_see_call_back_and_trap() {
    let module = r#"(module (import "h" "h" (func $h (result i32))) (memory (export "m") 1) (table (export "t") 2 externref)
        (global (export "g") (mut i64) (i64.const 1)) (func (export "f") (result i32) (call $h))
        (func (export "g1") (param i32) (result i32) (i32.mul (local.get 0) (i32.const 3))))"#;
    let write = HostAction::Write { memory: 0, address: 65_534, bytes: vec![1, 2] };
    let beyond = HostAction::Write { memory: 0, address: 65_535, bytes: vec![1, 2] };
    let set = HostAction::SetGlobal { global: 0, value: Value::I64(9) };
    let element = HostAction::SetElement { table: 0, index: 1, value: Value::ExternRef(Some(4)) };
    let first = vec![write, beyond, set, element, HostAction::GrowMemory { memory: 0, pages: 2 }];
    let second = vec![
        HostAction::GrowTable { table: 0, elements: 3, value: Value::ExternRef(Some(5)) },
        HostAction::Call { function: 1, arguments: vec![Value::I32(5)] },
        HostAction::Call { function: 0, arguments: Vec::new() },
    ];
    let third = vec![HostAction::Return(vec![Value::I32(77)])];
    let hosts = [HostPlan { turns: vec![first, second, third, vec![HostAction::Trap]], repeats: false }];
    let calls = [f(&[]), f(&[]), f(&[]), f(&[]), f(&[])];
    assert_eq!(agreement(module, Script { calls: &calls, hosts: &hosts }), Agreement::Equal);
}

#[test]
fn calling_back_for_ever_ends() {
    let module = wasm(
        r#"(module (import "h" "h" (func $h)) (func (export "f") (loop $again (call $h) (br $again)))
            (func (export "g") (loop $again (br $again))))"#,
    );
    let back = HostAction::Call { function: 1, arguments: Vec::new() };
    let hosts = [HostPlan { turns: vec![vec![back]], repeats: true }];
    let mut instance = dlr().instantiate_with(&module, &hosts).expect("nothing runs yet");
    assert_eq!(instance.call("f", &[]), Ending::Trapped(TrapKind::OutOfFuel));
}

#[test]
fn references_are_the_same_functions_as_elsewhere() {
    let module = r#"(module (table (export "t") 3 funcref) (elem (i32.const 1) $b $a) (func $a) (func $b (export "b"))
        (func (export "f") (param funcref externref) (result funcref externref funcref)
            (local.get 0) (local.get 1) (table.get (i32.const 1))))"#;
    let calls = [
        f(&[Value::FuncRef(Some(0)), Value::ExternRef(Some(7))]),
        f(&[Value::FuncRef(None), Value::ExternRef(None)]),
    ];
    assert_eq!(agreement(module, &calls), Agreement::Equal);
}

#[test]
fn it_rejects_what_the_others_reject_by_its_own_rules() {
    for text in [
        "(module (func (result i32)))",
        "(module (func (drop (i32.add (i32.const 1) (i64.const 1)))))",
        r#"(module (func) (export "a" (func 0)) (export "a" (func 0)))"#,
        "(module (func (ref.func 0) (drop)))",
        "(module (func (data.drop 0)))",
    ] {
        let bytes = wasm(text);
        assert!(!dlr().validate(&bytes).is_accepted(), "{text}");
        assert!(!Wasmi::new(&settings()).validate(&bytes).is_accepted(), "{text}");
    }
}

/// The modules of `docs/discrepancies.md`, and what dlr says of each.
const DIFFERENCES: [(&str, &[Value], &str); 1] = [(
    r#"(module (memory 1) (func (export "f") (result i32) (memory.grow (i32.const -1))))"#,
    &[],
    "panicked: called `Result::unwrap()` on an `Err` value: TryFromIntError",
)];

#[test]
fn the_differences_that_are_documented_are_there() {
    for (text, arguments, said) in DIFFERENCES {
        let judgement = judge(&wasm(text), &[f(arguments)], &dlr(), &wasmtime(&settings()), &settings());
        assert!(judgement.agreement.is_finding(), "{text}");
        assert!(last_answer(&judgement).starts_with(said), "{text}: {}", last_answer(&judgement));
    }
}

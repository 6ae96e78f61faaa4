//! What is particular to the adapter of tinywasm: features that it cannot switch, limits that it does not ask about.

use mutagen_oracles::{
    Agreement, Call, Ending, Engine, Feature, HostAction, HostPlan, Instantiation, Script, Settings,
    Tinywasm, TrapKind, Value, Wasmi, Which, judge,
};

use crate::support::{f, last_answer, wasm, wasmtime};

fn tinywasm() -> Tinywasm {
    Tinywasm::new(&Settings::default())
}

/// The agreement of wasmtime and tinywasm, which must be that of wasmi and tinywasm.
fn agreement<'a>(text: &str, script: impl Into<Script<'a>>) -> Agreement {
    let (settings, bytes, script) = (Settings::default(), wasm(text), script.into());
    let tinywasm = tinywasm();
    let agreement = judge(&bytes, script, &wasmtime(&settings), &tinywasm, &settings).agreement;
    assert_eq!(judge(&bytes, script, &Wasmi::new(&settings), &tinywasm, &settings).agreement, agreement);
    agreement
}

#[test]
fn a_module_that_needs_a_feature_that_is_off_is_rejected() {
    let wide = wasm("(module (func (result i64 i64) (i64.mul_wide_s (i64.const 1) (i64.const 2))))");
    assert!(!tinywasm().validate(&wide).is_accepted());
    assert!(tinywasm().compile(&wide).is_err());
    assert!(matches!(tinywasm().instantiate(&wide).err(), Some(Instantiation::Rejected(_))));
    let features = Settings::default().features.with(Feature::WideArithmetic);
    let wider = Tinywasm::new(&Settings { features, ..Settings::default() });
    assert!(wider.validate(&wide).is_accepted() && wider.instantiate(&wide).is_ok());
    assert!(!wider.validate(&wasm("(module (func (result i32)))")).is_accepted());
}

#[test]
fn one_module_after_another_is_not_taken_for_the_one_before() {
    let returning =
        |number: i32| wasm(&format!(r#"(module (func (export "f") (result i32) (i32.const {number})))"#));
    let tinywasm = tinywasm();
    for number in [1, 2, 2, 1] {
        assert!(tinywasm.validate(&returning(number)).is_accepted());
        for other in [number, 3] {
            let mut instance = tinywasm.instantiate(&returning(other)).expect("nothing can fail here");
            assert_eq!(instance.call("f", &[]), Ending::Returned(vec![Value::I32(other as u32)]));
        }
    }
}

#[test]
fn memories_that_are_first_written_in_another_order_are_not_mixed_up() {
    let text = r#"(module (import "" "" (func $h)) (memory (export "m") 0) (memory (export "n") 1) (export "f" (func $h)))"#;
    let write = HostAction::Write { memory: 1, address: 0, bytes: vec![77] };
    let turns = vec![vec![write], vec![HostAction::GrowMemory { memory: 0, pages: 1 }]];
    let hosts = [HostPlan { turns, repeats: false }];
    let calls = [f(&[]), f(&[])];
    assert_eq!(agreement(text, Script { calls: &calls, hosts: &hosts }), Agreement::Equal);
}

#[test]
fn memories_and_tables_grow_as_far_as_in_other_engines() {
    let grows = r#"(module (memory (export "m") 1) (memory $big (export "n") 0) (table $t (export "t") 1 funcref)
        (func (export "f") (param i32 i32) (result i32 i32)
            (memory.grow $big (local.get 0)) (table.grow $t (ref.null func) (local.get 1))))"#;
    for (pages, elements) in [(1, 1), (255, 9_998), (1, 1), (300, 20_000), (-1, -1)] {
        let calls = [f(&[Value::I32(pages as u32), Value::I32(elements as u32)]), f(&[Value::I32(0); 2])];
        assert_eq!(agreement(grows, &calls), Agreement::Equal, "{pages}, {elements}");
    }
}

#[test]
fn a_module_that_begins_beyond_our_limits_is_over_a_limit() {
    let limit = |text: &str| match tinywasm().instantiate(&wasm(text)).err() {
        Some(Instantiation::Ended { ending: Ending::Limited(which), .. }) => Some(which),
        _ => None,
    };
    assert_eq!(limit("(module (memory 257))"), Some(Which::MemoryPages));
    assert_eq!(limit(r#"(module (import "m" "m" (memory 257)))"#), Some(Which::MemoryPages));
    assert_eq!(limit("(module (table 10001 funcref))"), Some(Which::TableElements));
    assert_eq!(limit(&format!("(module {})", "(memory 0)".repeat(11))), Some(Which::Memories));
    assert_eq!(limit(&format!("(module {})", "(table 0 funcref)".repeat(11))), Some(Which::Tables));
    assert_eq!(limit("(module (memory 256) (table 10000 funcref))"), None);
}

#[test]
fn filling_memory_costs_fuel() {
    let fills = wasm(
        r#"(module (memory 256) (func (export "f") (loop $again
            (memory.fill (i32.const 0) (i32.const 1) (i32.const 0x1000000)) (br $again))))"#,
    );
    let mut instance = tinywasm().instantiate(&fills).expect("it is within the limits");
    for _ in 0..2 {
        assert_eq!(instance.call("f", &[]), Ending::Trapped(TrapKind::OutOfFuel));
    }
    let once = r#"(module (memory (export "m") 1)
        (func (export "f") (memory.fill (i32.const 7) (i32.const 1) (i32.const 0xfff9)))
        (func (export "g") (memory.fill (i32.const 8) (i32.const 1) (i32.const 0xfff9))))"#;
    assert_eq!(agreement(once, &[f(&[]), Call::new("g", [])]), Agreement::Equal);
}

#[test]
fn imports_may_have_the_same_name() {
    let twice = r#"(module
        (import "a" "b" (func $f (param i32) (result i32))) (import "a" "b" (func $g (result i64)))
        (import "a" "b" (global $x i32)) (import "a" "b" (memory 1)) (import "a" "b" (memory 2))
        (func (export "f") (result i32 i64 i32)
            (i32.add (call $f (i32.const 1)) (call $f (i32.const 2))) (call $g) (global.get $x)))"#;
    assert_eq!(agreement(twice, &[f(&[])]), Agreement::Equal);
}

#[test]
fn host_functions_change_what_they_see_and_trap() {
    let module = r#"(module (import "h" "h" (func $h (result i32))) (memory (export "m") 1) (table (export "t") 2 externref)
        (global (export "g") (mut i64) (i64.const 1)) (func (export "f") (result i32) (call $h)))"#;
    let write = HostAction::Write { memory: 0, address: 65_534, bytes: vec![1, 2] };
    let beyond = HostAction::Write { memory: 0, address: 65_535, bytes: vec![1, 2] };
    let set = HostAction::SetGlobal { global: 0, value: Value::I64(9) };
    let element = HostAction::SetElement { table: 0, index: 1, value: Value::ExternRef(Some(4)) };
    let first = vec![write, beyond, set, element, HostAction::GrowMemory { memory: 0, pages: 2 }];
    let second = vec![HostAction::GrowTable { table: 0, elements: 3, value: Value::ExternRef(Some(5)) }];
    let third = vec![HostAction::Return(vec![Value::I32(77)])];
    let hosts = [HostPlan { turns: vec![first, second, third, vec![HostAction::Trap]], repeats: false }];
    let calls = [f(&[]), f(&[]), f(&[]), f(&[]), f(&[])];
    assert_eq!(agreement(module, Script { calls: &calls, hosts: &hosts }), Agreement::Equal);
}

#[test]
fn a_host_function_that_calls_back_cannot_be_asked_for() {
    let module = r#"(module (import "h" "h" (func $h)) (func (export "f") (call $h)) (func (export "g")))"#;
    let call = HostAction::Call { function: 1, arguments: Vec::new() };
    let hosts = [HostPlan { turns: vec![vec![call]], repeats: false }];
    let agreement = agreement(module, Script { calls: &[f(&[])], hosts: &hosts });
    assert!(matches!(agreement, Agreement::Infra(_)), "{agreement}");
}

#[test]
fn a_reference_that_is_null_in_tinywasm_alone_is_not_passed() {
    let module =
        wasm(r#"(module (func (export "f") (param externref) (result i32) (ref.is_null (local.get 0))))"#);
    let mut instance = tinywasm().instantiate(&module).expect("nothing can fail here");
    let ending = instance.call("f", &[Value::ExternRef(Some(u32::MAX))]);
    assert!(matches!(ending, Ending::Infra(_)), "{ending}");
    assert_eq!(instance.call("f", &[Value::ExternRef(Some(0))]), Ending::Returned(vec![Value::I32(0)]));
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

/// The modules of `docs/discrepancies.md`, and what tinywasm says of each.
const DIFFERENCES: [(&str, &[Value], &str); 7] = [
    (
        r#"(module (import "" "" (func $h (result i32))) (table 1 funcref) (elem (i32.const 0) $h)
            (func (export "f") (result i32) (block (return_call_indirect (result i32) (i32.const 0))) (i32.const 0)))"#,
        &[],
        "returned [i32:0]",
    ),
    (
        r#"(module (func (export "f") (param i32) (result i32)
            (if (result i32) (local.get 0) (then (i32.const 1)) (else (local.get 0))) (local.tee 0)))"#,
        &[Value::I32(7)],
        "returned [i32:7]",
    ),
    (
        r#"(module (memory 1) (data $d "")
            (func (export "f") (param i32) (memory.init $d (i32.const 0) (local.get 0) (i32.const 1))))"#,
        &[Value::I32(u32::MAX)],
        "panicked: range start index",
    ),
    (
        r#"(module (func (export "f") (result i32) (local funcref) (ref.is_null (local.get 0))))"#,
        &[],
        "returned [i32:0]",
    ),
    (
        r#"(module (memory i64 1) (func (export "f") (memory.fill (i64.const 0) (i32.const 1) (i64.const 0))))"#,
        &[],
        "panicked: internal error: entered unreachable code: ValueStack underflow",
    ),
    (
        r#"(module (import "" "" (func $h (param i32)))
            (func (export "f") (param i32) (return_call $h (local.get 0)) (select (result externref)) (drop)))"#,
        &[Value::I32(1)],
        "panicked: internal error: entered unreachable code: ValueStack underflow",
    ),
    (
        r#"(module (func (export "f") (result f64) (f64.promote_f32 (f32.const -nan:0x200000))))"#,
        &[],
        "returned [f64:NaN (0xfffc000000000000)]",
    ),
];

#[test]
fn the_differences_that_are_documented_are_there() {
    let settings = Settings::default();
    for (text, arguments, said) in DIFFERENCES {
        let judgement = judge(&wasm(text), &[f(arguments)], &tinywasm(), &wasmtime(&settings), &settings);
        assert!(judgement.agreement.is_finding(), "{text}");
        assert!(last_answer(&judgement).starts_with(said), "{text}: {}", last_answer(&judgement));
    }
}

#[test]
fn data_is_written_behind_an_element_segment_that_is_out_of_bounds() {
    let text = r#"(module (import "" "" (memory 1)) (table 0 funcref) (elem (i32.const 1) func) (data (i32.const 0) "a"))"#;
    let settings = Settings::default();
    let judgement = judge(&wasm(text), &[], &tinywasm(), &wasmtime(&settings), &settings);
    assert!(judgement.agreement.to_string().contains("memory"), "{}", judgement.agreement);
}

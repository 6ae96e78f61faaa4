//! Engines with known faults, asked in words that they understand: then they answer as all others do.

use mutagen_oracles::{
    Agreement, Call, Dlr, Ending, Engine, Features, HostAction, HostPlan, Script, Settings, Tinywasm,
    TrapKind, Value, judge,
};

use crate::support::{f, wasm, wasmtime};

fn mending(features: Features) -> Settings {
    Settings { features, mends: true, ..Settings::default() }
}

/// The agreement of wasmtime and tinywasm, with tinywasm asked in other words.
fn agreement<'a>(text: &str, script: impl Into<Script<'a>>) -> Agreement {
    let settings = mending(Features::WASMI);
    judge(&wasm(text), script, &wasmtime(&settings), &Tinywasm::new(&settings), &settings).agreement
}

/// Operators whose NaNs the hardware makes with a sign, and those that keep the bits of their operand.
const NANS: &str = r#"(module
    (func (export "f") (param f32 f64) (result f32 f32 f64 f32 f64 i32)
        (f32.div (f32.const 0) (local.get 0)) (f32.add (local.get 0) (f32.const 1)) (f64.sqrt (local.get 1))
        (f32.demote_f64 (local.get 1)) (f64.promote_f32 (local.get 0)) (i32.reinterpret_f32 (f32.sub (local.get 0) (local.get 0))))
    (func (export "g") (param f32 f64) (result v128 v128 v128 v128)
        (f32x4.demote_f64x2_zero (f64x2.splat (local.get 1))) (f64x2.promote_low_f32x4 (f32x4.splat (local.get 0)))
        (f32x4.div (f32x4.splat (f32.const 0)) (f32x4.splat (local.get 0)))
        (f64x2.sub (f64x2.splat (local.get 1)) (f64x2.splat (local.get 1)))))"#;

#[test]
fn nans_are_canonical_and_numbers_stay_as_they_are() {
    let numbers: [u64; 8] = [
        0,
        1 << 63,
        1,
        1.5f64.to_bits(),
        f64::INFINITY.to_bits(),
        f64::NEG_INFINITY.to_bits(),
        0x7ff0_0000_0000_0001,
        0xfff8_1234_0000_0000,
    ];
    let singles = [0, 1 << 31, 1, 1.5f32.to_bits(), 0x7f80_0000, 0xff80_0000, 0x7f80_0001, 0xffc1_2340];
    let calls: Vec<Call> = std::iter::zip(singles, numbers)
        .flat_map(|(single, double)| ["f", "g"].map(|name| (name, single, double)))
        .map(|(name, single, double)| Call::new(name, [Value::F32(single), Value::F64(double)]))
        .collect();
    assert_eq!(agreement(NANS, &calls), Agreement::Equal);
    let settings = mending(Features::WASM2);
    let with_dlr = |settings: &Settings| {
        judge(&wasm(NANS), &calls, &wasmtime(settings), &Dlr::new(settings), settings).agreement
    };
    assert_eq!(with_dlr(&settings), Agreement::Equal);
    assert!(with_dlr(&Settings { mends: false, ..settings }).is_finding(), "it makes other NaNs by itself");
}

#[test]
fn locals_are_null_and_tail_calls_of_the_host_return() {
    let locals = r#"(module (import "h" "h" (func $h (param i32) (result externref)))
        (func (export "f") (param i32) (result i32 i32 externref) (local externref i64 funcref funcref)
            (ref.is_null (local.get 1)) (ref.is_null (local.get 4)) (call $g (local.get 0)))
        (func $g (export "g") (param i32) (result externref)
            (return_call $h (local.get 0)) (select (result externref))))"#;
    let calls = [f(&[Value::I32(3)]), Call::new("g", [Value::I32(4)]), f(&[Value::I32(5)])];
    assert_eq!(agreement(locals, &calls), Agreement::Equal);
}

#[test]
fn an_indirect_tail_call_of_the_host_returns_and_a_local_takes_what_its_block_gave() {
    let text = r#"(module (import "h" "h" (func $h (result i32))) (table 1 funcref) (elem (i32.const 0) $h)
        (func (export "f") (param i32) (result i32)
            (block (br_if 0 (local.get 0)) (return_call_indirect (result i32) (i32.const 0))) (i32.const 0))
        (func (export "g") (param i32) (result i32)
            (if (result i32) (local.get 0) (then (i32.const 1)) (else (local.get 0))) (local.tee 0)))"#;
    let arguments = [0, 1, 7].map(|number| [Value::I32(number)]);
    let calls = arguments.each_ref().map(|argument| [f(argument), Call::new("g", *argument)]).concat();
    assert_eq!(agreement(text, &calls), Agreement::Equal);
}

#[test]
fn blocks_of_64_bit_memories_are_filled_copied_and_initialised() {
    let module = r#"(module (memory $w (export "w") i64 1) (memory $v (export "v") i64 1) (memory $n (export "n") 1)
        (data $d "some bytes")
        (func (export "f") (param i64 i64) (memory.fill $w (local.get 0) (i32.const 7) (local.get 1)))
        (func (export "c") (param i64 i64) (memory.copy $v $w (local.get 0) (i64.const 3) (local.get 1)))
        (func (export "d") (param i64 i64)
            (memory.copy $n $w (i32.const 9) (local.get 0) (i32.wrap_i64 (local.get 1)))
            (memory.copy $w $n (local.get 0) (i32.const 4) (i32.wrap_i64 (local.get 1)))
            (memory.copy $n $n (i32.const 1) (i32.const 2) (i32.const 3)))
        (func (export "i") (param i64 i64)
            (memory.init $w $d (local.get 0) (i32.const 1) (i32.wrap_i64 (local.get 1)))))"#;
    let operands = [
        (0, 5),
        (65_530, 6),
        (65_530, 7),
        (65_536, 0),
        (65_537, 0),
        (1 << 32, 0),
        (1 << 32, 1),
        (3, 1 << 33),
    ];
    let calls: Vec<Call> = operands
        .iter()
        .flat_map(|(at, length)| ["f", "c", "d", "i"].map(|name| (name, *at, *length)))
        .map(|(name, at, length)| Call::new(name, [Value::I64(at), Value::I64(length)]))
        .collect();
    assert_eq!(agreement(module, &calls), Agreement::Equal);
}

#[test]
fn code_that_cannot_be_reached_is_not_looked_at() {
    let dead = r#"(module (func (export "f") (param i32) (result i32)
        (block (result i32) (block (br_if 0 (local.get 0)) (br 1 (i32.const 7))
            select (if (then (loop (br 0)) (f32.demote_f64) (drop)) (else unreachable)))
            (if (result i32) (i32.eqz (local.get 0)) (then (return (i32.const 1)) (drop) (i64.const 5) (drop) (i32.const 6))
                (else (unreachable) (select) (f32.demote_f64) (drop) (i32.const 2))))))"#;
    assert_eq!(agreement(dead, &[f(&[Value::I32(0)]), f(&[Value::I32(1)])]), Agreement::Equal);
}

/// A host function that calls the second of the exported functions, in each of its turns.
fn calling_back() -> [HostPlan; 1] {
    let call = HostAction::Call { function: 1, arguments: vec![Value::I32(2)] };
    [HostPlan { turns: vec![vec![call]], repeats: true }]
}

#[test]
fn host_functions_call_back() {
    let module = r#"(module (import "h" "h" (func $h)) (global $g (export "ticks") (mut i32) (i32.const 5))
        (memory (export "m") 1) (func (export "f") (call $h) (call $h))
        (func (export "g") (param i32) (result i32) (i32.store (i32.const 8) (global.get $g))
            (loop (global.set $g (i32.mul (global.get $g) (local.get 0)))
                (br_if 0 (i32.lt_u (global.get $g) (i32.const 1000))))
            (global.get $g)))"#;
    let (calls, hosts) = ([f(&[]), Call::new("g", [Value::I32(3)]), f(&[])], calling_back());
    assert_eq!(agreement(module, Script { calls: &calls, hosts: &hosts }), Agreement::Equal);
    // Neither globals nor exports of its own, and a trap in the function that is called back.
    let small = r#"(module (import "h" "h" (func $h)) (func (export "a") (call $h)) (func (export "b") unreachable))"#;
    let calls = [Call::new("a", []), Call::new("a", [])];
    assert_eq!(agreement(small, Script { calls: &calls, hosts: &hosts }), Agreement::Equal);
}

#[test]
fn what_a_host_function_calls_ends_although_it_would_not() {
    let module = r#"(module (import "h" "h" (func $h)) (func (export "f") (call $h))
        (func (export "g") (param i32) (loop (br 0))) (func $r (export "r") (call $r) (call $r)))"#;
    let bytes = wasm(module);
    for function in [1, 2] {
        let call = HostAction::Call { function, arguments: Vec::new() };
        let hosts = [HostPlan { turns: vec![vec![call]], repeats: false }];
        let tinywasm = Tinywasm::new(&mending(Features::WASMI));
        let mut instance = tinywasm.instantiate_with(&bytes, &hosts).expect("nothing runs yet");
        let ending = instance.call("f", &[]);
        assert!(
            matches!(ending, Ending::Trapped(TrapKind::OutOfFuel | TrapKind::StackExhausted)),
            "{function}: {ending}"
        );
        assert_eq!(
            instance.call("f", &[]),
            Ending::Returned(Vec::new()),
            "the next call has ticks of its own"
        );
    }
}

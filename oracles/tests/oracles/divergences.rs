//! Every way in which engines may differ legally, N1 to N18 of the rule book: none of them may look like a finding,
//! and what is not legal must not hide behind them.

use std::sync::Arc;

use mutagen_oracles::{
    Agreement, Argument, Call, Ending, Engine, Feature, Features, Instantiation, Limits, Rejection, Settings,
    Validity, Value, Wasmi, Which, Why, on_stack,
};

use crate::support::{Liar, Lies, agreement, f, judge_bytes, judge_text, last_answer, wasm, wasmtime};

fn with(features: Features) -> Settings {
    Settings { features, ..Settings::default() }
}

fn with_fuel(fuel: u64) -> Settings {
    Settings { limits: Limits { fuel, ..Limits::default() }, ..Settings::default() }
}

#[test]
fn n1_nans_that_arithmetic_makes_are_equal_bit_for_bit() {
    let module = r#"(module
        (memory (export "memory") 1)
        (global (export "global") (mut f64) (f64.const 0))
        (func (export "f") (param f32 f32) (result f32 i32)
            (f32.store (i32.const 0) (f32.add (local.get 0) (local.get 1)))
            (global.set 0 (f64.promote_f32 (f32.mul (local.get 0) (f32.const nan:0x123))))
            (f32.div (local.get 0) (local.get 1))
            (i32.reinterpret_f32 (f32.max (local.get 0) (local.get 1)))))"#;
    let bits = [0x7fc0_0000, 0xffc0_1234, 0x7f80_0001, 0xff80_0000, 0x7f80_0000, 0];
    let pairs = bits.iter().flat_map(|a| bits.iter().map(move |b| f(&[Value::F32(*a), Value::F32(*b)])));
    assert_eq!(agreement(module, &pairs.collect::<Vec<_>>()), Agreement::Equal);
}

#[test]
fn n3_a_relaxed_dot_product_that_overflows_proves_nothing_and_hides_nothing_else() {
    let settings = with(Features::WASMI);
    let module = |operator: &str| {
        wasm(&format!(
            "(module (func (export \"f\") (param v128 v128) (result v128) ({operator} (local.get 0) (local.get 1) {})))",
            if operator.starts_with("i32x4") { "(v128.const i64x2 0 0)" } else { "" }
        ))
    };
    let judged = |operator: &str, byte: u8| {
        let lanes = Value::V128(u128::from_le_bytes([byte; 16]));
        judge_bytes(&settings, &module(operator), &[f(&[lanes, lanes])]).agreement
    };
    let add = "i32x4.relaxed_dot_i8x16_i7x16_add_s";
    assert_eq!(judged(add, 0x80), Agreement::Inconclusive(Why::RelaxedDot), "-128 times -128, twice");
    assert_eq!(judged(add, 0x81), Agreement::Equal);
    assert_eq!(judged("i16x8.relaxed_dot_i8x16_i7x16_s", 0x80), Agreement::Equal);
    // A panic is still a finding.
    let panics = Lies { ending: Arc::new(|_| panic!("out of ideas")), ..Lies::default() };
    let liar = Liar { engine: Wasmi::new(&settings), ..Liar::new(panics) };
    let text = format!(
        "(module (func (export \"f\") (param v128) (result v128) ({add} (local.get 0) (local.get 0) (local.get 0))))"
    );
    let agreement = liar.as_target_with(&settings, &text, &[f(&[Value::V128(0)])]);
    assert!(agreement.is_finding(), "{agreement}");
}

#[test]
fn n2_moving_a_nan_keeps_its_bits() {
    let module = r#"(module
        (memory 1)
        (global $g (mut f32) (f32.const 0))
        (func $id (param f32) (result f32) (local.get 0))
        (func (export "f") (param f32) (result f32)
            (f32.store (i32.const 8) (f32.reinterpret_i32 (i32.reinterpret_f32 (local.get 0))))
            (global.set $g (f32.load (i32.const 8)))
            (f32.neg (f32.neg (f32.copysign (select (call $id (global.get $g)) (f32.const 1) (i32.const 1))
                (local.get 0))))))"#;
    for bits in [0x7f80_0001, 0xffbf_ffff, 0x7fc0_0000, 0xffff_ffff] {
        let judgement = judge_text(module, &[f(&[Value::F32(bits)])]);
        assert_eq!(judgement.agreement, Agreement::Equal);
        assert_eq!(last_answer(&judgement), Ending::Returned(vec![Value::F32(bits)]).to_string());
    }
}

#[test]
fn n3_relaxed_vector_operators_have_one_result_when_they_are_on_and_are_off_by_default() {
    let module = r#"(module (func (export "f") (param v128 v128 v128) (result v128 v128 v128 v128 v128 v128)
        (f32x4.relaxed_min (local.get 0) (local.get 1))
        (f64x2.relaxed_max (local.get 0) (local.get 1))
        (f32x4.relaxed_madd (local.get 0) (local.get 1) (local.get 2))
        (f64x2.relaxed_nmadd (local.get 0) (local.get 1) (local.get 2))
        (i8x16.relaxed_swizzle (local.get 0) (local.get 1))
        (i32x4.relaxed_trunc_f32x4_s (local.get 0))))"#;
    let bits =
        [0, u128::MAX, 0x7fc0_0000_ff80_0000_8000_0000_7f80_0001, 0x3fff_ffff_ffff_ffff_4000_0000_3f80_0001];
    let mut calls = Vec::new();
    for a in bits {
        for b in bits {
            calls.push(f(&[Value::V128(a), Value::V128(b), Value::V128(a ^ b)]));
        }
    }
    let relaxed = with(Settings::default().features.with(Feature::RelaxedSimd));
    assert_eq!(judge_bytes(&relaxed, &wasm(module), &calls).agreement, Agreement::Equal);
    let usual = judge_text(module, &calls);
    assert_eq!(usual.agreement, Agreement::Equal);
    assert!(last_answer(&usual).starts_with("rejected"), "{}", last_answer(&usual));
}

#[test]
fn n4_growing_succeeds_and_fails_alike() {
    let module = r#"(module
        (memory (export "memory") 1)
        (memory $small (export "small") 1 3)
        (table $t (export "table") 1 funcref)
        (func (export "f") (param i32) (result i32 i32 i32)
            (memory.grow (local.get 0))
            (memory.grow $small (local.get 0))
            (table.grow $t (ref.null func) (local.get 0))))"#;
    let calls: Vec<_> =
        [0, 1, 2, 100, 152, 153, 9_000, 70_000, -1i32 as u32].map(|n| f(&[Value::I32(n)])).into();
    let judgement = judge_text(module, &calls);
    assert_eq!(judgement.agreement, Agreement::Equal);
    assert_eq!(last_answer(&judgement), "returned [i32:-1, i32:-1, i32:-1]");
}

#[test]
fn n5_what_cannot_be_allocated_at_the_start_is_a_limit() {
    assert_eq!(agreement("(module (memory 257))", &[]), Agreement::Limit(Which::MemoryPages));
    assert_eq!(agreement("(module (memory 65536))", &[]), Agreement::Limit(Which::MemoryPages));
    assert_eq!(agreement("(module (memory i64 0x1000000000000))", &[]), Agreement::Limit(Which::MemoryPages));
    assert_eq!(agreement("(module (table 10001 funcref))", &[]), Agreement::Limit(Which::TableElements));
    assert_eq!(agreement("(module (table 10000001 funcref))", &[]), Agreement::Limit(Which::TableElements));
    assert_eq!(
        agreement(r#"(module (import "" "" (memory 257)))"#, &[]),
        Agreement::Limit(Which::MemoryPages)
    );
    let memories = format!("(module {})", "(memory 1)".repeat(11));
    assert_eq!(agreement(&memories, &[]), Agreement::Limit(Which::Memories));
    let tables = format!("(module {})", "(table 1 funcref)".repeat(11));
    assert_eq!(agreement(&tables, &[]), Agreement::Limit(Which::Tables));
}

#[test]
fn n6_endless_recursion_is_inconclusive() {
    let direct = r#"(module (func $f (export "f") (call $f)))"#;
    let indirect =
        r#"(module (table funcref (elem $f)) (func $f (export "f") (call_indirect (i32.const 0))))"#;
    let frames = r#"(module (func $f (export "f") (param i64 i64 i64) (result i64)
        (i64.add (local.get 0) (call $f (local.get 1) (local.get 2) (i64.add (local.get 0) (i64.const 1))))))"#;
    let at_start = "(module (func $f (call $f)) (start $f))";
    assert_eq!(agreement(direct, &[f(&[])]), Agreement::Inconclusive(Why::Stack));
    assert_eq!(agreement(indirect, &[f(&[])]), Agreement::Inconclusive(Why::Stack));
    assert_eq!(agreement(frames, &[f(&[Value::I64(1); 3])]), Agreement::Inconclusive(Why::Stack));
    assert_eq!(agreement(at_start, &[]), Agreement::Inconclusive(Why::Stack));
}

#[test]
fn n6_frames_that_hold_the_many_results_of_calls_are_large() {
    // Short chains of small bodies are expected to fit on every stack, but these bodies are small as code only.
    let results = "i64 ".repeat(1000);
    let values = "i64.const 0 ".repeat(1000);
    let mut text = format!("(module (func $leaf (result {results}) {values})");
    for number in 0..16 {
        let export = if number == 0 { r#"(export "f")"# } else { "" };
        let next = if number < 15 { format!("(call $f{} (local.get 0))", number + 1) } else { String::new() };
        let calls = "(call $leaf) ".repeat(40);
        text += &format!(
            "(func $f{number} {export} (param i32)
               (if (i32.eqz (local.get 0)) (then {next}) (else {calls} unreachable)))"
        );
    }
    let agreement = agreement(&(text + ")"), &[f(&[Value::I32(0)])]);
    assert!(matches!(agreement, Agreement::Equal | Agreement::Inconclusive(Why::Stack)), "{agreement}");
}

#[test]
fn n7_running_out_of_fuel_is_inconclusive() {
    let call = r#"(module (func (export "f") (loop (br 0))))"#;
    let start = "(module (func $f (loop (br 0))) (start $f))";
    let tail = r#"(module (func $f (export "f") (return_call $f)))"#;
    assert_eq!(agreement(call, &[f(&[])]), Agreement::Inconclusive(Why::Fuel));
    assert_eq!(agreement(start, &[]), Agreement::Inconclusive(Why::Fuel));
    assert_eq!(agreement(tail, &[f(&[])]), Agreement::Inconclusive(Why::Fuel));
}

#[test]
fn n7_what_costs_the_target_all_its_fuel_is_spared_the_reference() {
    let module = r#"(module (memory 256) (func (export "f")
        (loop (memory.fill (i32.const 0) (i32.const 1) (i32.const 0x1000000)) (br 0))))"#;
    let judgement = judge_text(module, &[f(&[])]);
    assert_eq!(judgement.agreement, Agreement::Inconclusive(Why::Fuel));
    assert_eq!(judgement.steps[2].reference, None);
}

/// A counter that `f` steps, unless it gets 7: then it runs for ever, after a step.
const RUNS_AWAY: &str = r#"(module (global $g (export "g") (mut i32) (i32.const 0)) (table (export "t") 2 funcref)
    (elem (i32.const 0) func $hidden) (func $hidden)
    (func (export "f") (param i32) (result i32)
        (global.set $g (i32.add (global.get $g) (i32.const 1)))
        (if (i32.eq (local.get 0) (i32.const 7)) (then (loop (br 0))))
        (table.set 0 (i32.const 1) (ref.func $hidden))
        (global.get $g))
    (func $deep (export "deep") (call $deep)))"#;

#[test]
fn n7_a_call_that_runs_out_of_fuel_is_left_out_and_the_others_are_compared_as_if_it_had_not_been_made() {
    let calls = [1, 7, 2, 3].map(|number| f(&[Value::I32(number)]));
    let judgement = judge_text(RUNS_AWAY, &calls);
    assert_eq!((judgement.agreement.clone(), judgement.left_out), (Agreement::Equal, 1));
    assert_eq!(judgement.steps[3].reference, None);
    assert_eq!(last_answer(&judgement), "returned [i32:3]");
    // A lie in a call after it is caught.
    let lie = Lies {
        ending: Arc::new(|ending| match ending {
            Ending::Returned(values) if values == [Value::I32(3)] => Ending::Returned(vec![Value::I32(4)]),
            other => other,
        }),
        ..Lies::default()
    };
    assert!(Liar::new(lie).as_target(RUNS_AWAY, &calls).is_finding());
}

#[test]
fn n7_a_reference_to_a_result_of_a_call_that_was_left_out_is_what_is_used_otherwise() {
    let earlier = Argument::Result { call: 0, result: 0, otherwise: Value::I32(5) };
    let call = Call { export: "f".to_owned(), arguments: vec![earlier] };
    let judgement = judge_text(RUNS_AWAY, &[f(&[Value::I32(7)]), call]);
    assert_eq!((judgement.agreement.clone(), judgement.left_out), (Agreement::Equal, 1));
    assert_eq!(last_answer(&judgement), "returned [i32:1]");
}

#[test]
fn n7_a_comparison_ends_when_calls_run_out_of_fuel_too_often_and_proves_nothing_without_any_other() {
    let (away, home) = (f(&[Value::I32(7)]), f(&[Value::I32(1)]));
    let only = judge_text(RUNS_AWAY, &vec![away.clone(); 2]);
    assert_eq!(only.agreement, Agreement::Inconclusive(Why::Fuel));
    let many: Vec<_> = std::iter::once(home.clone()).chain(vec![away; 6]).chain([home]).collect();
    let judgement = judge_text(RUNS_AWAY, &many);
    assert_eq!((judgement.agreement.clone(), judgement.left_out), (Agreement::Equal, 4));
    assert_eq!(judgement.steps.len(), 2 + 5);
}

#[test]
fn n6_a_call_that_exhausts_the_stack_is_left_out_as_well() {
    let calls = [Call::new("deep", []), f(&[Value::I32(1)])];
    let judgement = judge_text(RUNS_AWAY, &calls);
    assert_eq!((judgement.agreement.clone(), judgement.left_out), (Agreement::Equal, 1));
    let only = judge_text(RUNS_AWAY, &calls[..1]);
    assert_eq!(only.agreement, Agreement::Inconclusive(Why::Stack));
}

#[test]
fn n7_every_call_has_fresh_fuel() {
    let module = r#"(module (func (export "f") (local i32)
        (loop (br_if 0 (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 5000))))))"#;
    assert_eq!(agreement(module, &vec![f(&[]); 50]), Agreement::Equal);
}

/// A module that needs one feature, for each of them.
const NEEDS: &[(Feature, &str)] = &[
    (Feature::MutableGlobal, r#"(module (global (export "g") (mut i32) (i32.const 0)))"#),
    (Feature::SaturatingFloatToInt, "(module (func (drop (i32.trunc_sat_f32_s (f32.const 0)))))"),
    (Feature::SignExtension, "(module (func (drop (i32.extend8_s (i32.const 0)))))"),
    (Feature::MultiValue, "(module (func (result i32 i32) (i32.const 0) (i32.const 0)))"),
    (
        Feature::BulkMemory,
        "(module (memory 1) (func (memory.fill (i32.const 0) (i32.const 0) (i32.const 0))))",
    ),
    (Feature::ReferenceTypes, "(module (func (param externref)))"),
    (Feature::Simd, "(module (func (param v128)))"),
    (
        Feature::RelaxedSimd,
        "(module (func (param v128) (result v128) (i8x16.relaxed_swizzle (local.get 0) (local.get 0))))",
    ),
    (Feature::TailCall, "(module (func (return_call 0)))"),
    (Feature::ExtendedConst, "(module (global i32 (i32.add (i32.const 1) (i32.const 2))))"),
    (Feature::MultiMemory, "(module (memory 1) (memory 1))"),
    (Feature::Memory64, "(module (memory i64 1))"),
    (
        Feature::WideArithmetic,
        "(module (func (param i64) (result i64 i64) (i64.mul_wide_s (local.get 0) (local.get 0))))",
    ),
];

#[test]
fn n9_a_feature_is_on_in_both_engines_or_off_in_both() {
    assert!(Feature::ALL.iter().all(|feature| NEEDS.iter().any(|need| need.0 == *feature)));
    for (feature, module) in NEEDS {
        let name = feature.name();
        let module = wasm(module);
        let on = judge_bytes(&with(Features::WASMI), &module, &[]);
        assert_eq!(
            (on.agreement, on.steps[0].target.to_string().as_str()),
            (Agreement::Equal, "accepted"),
            "{name} on"
        );
        let off = judge_bytes(&with(Features::WASMI.without(*feature)), &module, &[]);
        assert_eq!(off.agreement, Agreement::Equal, "{name} off");
        assert!(
            off.steps[0].target.to_string().starts_with("rejected"),
            "{name} off: {}",
            off.steps[0].target
        );
    }
}

#[test]
fn n9_the_named_sets_are_known_to_both_engines() {
    for features in
        [Features::NONE, Features::WASM1, Features::WASM2, Settings::default().features, Features::WASMI]
    {
        for (feature, module) in NEEDS {
            let judgement = judge_bytes(&with(features), &wasm(module), &[]);
            assert_eq!(judgement.agreement, Agreement::Equal, "{feature:?} with {features}");
        }
    }
}

#[test]
fn n9_what_wasmi_lacks_is_off_in_the_reference() {
    for module in [
        "(module (type (struct)))",
        "(module (func (param (ref func))))",
        "(module (tag))",
        "(module (func (param anyref)))",
        "(module (memory 1 1 shared))",
        "(module (memory 1 (pagesize 1)))",
    ] {
        let judgement = judge_bytes(&with(Features::WASMI), &wasm(module), &[]);
        assert_eq!(judgement.agreement, Agreement::Equal, "{module}");
        assert!(judgement.steps[0].target.to_string().starts_with("rejected"), "{module}");
    }
}

#[test]
fn n10_reasons_of_rejections_are_not_compared() {
    let liar = Liar::new(Lies {
        validity: Arc::new(|_| Validity::Rejected(Rejection::new("in other words"))),
        ..Lies::default()
    });
    assert_eq!(liar.as_target("(module (func (result i32) (i64.const 0)))", &[]), Agreement::Equal);
}

#[test]
fn n11_limits_of_the_translator_show_before_anything_is_called() {
    let module = wasm(&format!("(module (func {}))", "(local i32)".repeat(30_001)));
    let wasmi = Wasmi::new(&Settings::default());
    assert_eq!(wasmi.validate(&module), Validity::Accepted);
    assert!(matches!(wasmi.instantiate(&module), Err(Instantiation::Rejected(_))));
}

#[test]
fn n12_imports_are_pure_stubs_and_the_calls_to_them_are_compared() {
    let module = r#"(module
        (import "a" "b" (func $a (param i32 f64) (result i32 i64 f32 f64 v128 externref funcref)))
        (import "a" "b" (func $b (result i32)))
        (import "a" "g" (global $g i64))
        (import "a" "m" (global $m (mut f32)))
        (import "a" "t" (table 3 externref))
        (import "a" "memory" (memory 1))
        (func (export "f") (param i32) (result i32 i64 f32 f64 v128 externref funcref i32 i32 i64)
            (table.set (i32.const 1) (table.get (i32.const 0)))
            (i32.store8 (i32.const 77) (local.get 0))
            (global.set $m (f32.add (global.get $m) (f32.const 1)))
            (call $a (local.get 0) (f64.const nan:0x4))
            (call $b)
            (call $b)
            (global.get $g)))"#;
    let calls = [f(&[Value::I32(1)]), f(&[Value::I32(2)])];
    let judgement = judge_text(module, &calls);
    assert_eq!(judgement.agreement, Agreement::Equal);
    assert_ne!(
        judgement.steps[2].target, judgement.steps[3].target,
        "a stub's answer depends on earlier calls"
    );
    let mut instance = Wasmi::new(&Settings::default()).instantiate(&wasm(module)).expect("it links");
    instance.call("f", &[Value::I32(1)]);
    let state = instance.state();
    assert_eq!(
        (state.host.calls, state.memories.len(), state.globals.len(), state.tables.len()),
        (3, 1, 2, 1)
    );
    assert_eq!(&*state.memories[0].name, "import 0");
    assert_eq!(state.host.first[0].arguments, [Value::I32(1), Value::F64(0x7ff0_0000_0000_0004)]);
    assert_eq!(instance.memory(0)[77], 1);
}

#[test]
fn n13_references_are_compared_by_null_and_by_number() {
    let module = r#"(module
        (table (export "t") 3 externref)
        (table (export "u") 2 funcref)
        (elem declare func $f)
        (func $f (export "f") (param externref funcref) (result externref externref funcref funcref)
            (table.set 0 (i32.const 2) (local.get 0))
            (table.set 1 (i32.const 0) (ref.func $f))
            (local.get 0) (ref.null extern) (ref.func $f) (local.get 1)))"#;
    let judgement = judge_text(module, &[f(&[Value::ExternRef(Some(9)), Value::FuncRef(None)])]);
    assert_eq!(judgement.agreement, Agreement::Equal);
    assert_eq!(last_answer(&judgement), "returned [externref:9, externref:null, funcref:0, funcref:null]");
}

#[test]
fn n14_threads_are_off() {
    let atomics = "(module (memory 1) (func (drop (i32.atomic.load (i32.const 0)))))";
    let judgement = judge_bytes(&with(Features::WASMI), &wasm(atomics), &[]);
    assert_eq!(judgement.agreement, Agreement::Equal);
    assert!(judgement.steps[0].target.to_string().starts_with("rejected"));
}

#[test]
fn n15_a_store_that_is_partly_out_of_bounds_stores_nothing() {
    let module = r#"(module
        (memory (export "memory") 1)
        (func (export "f") (param i32) (i64.store (local.get 0) (i64.const -1))))"#;
    let judgement = judge_text(module, &[f(&[Value::I32(65_529)])]);
    assert_eq!(judgement.agreement, Agreement::Equal);
    assert_eq!(last_answer(&judgement), "trapped: out of bounds memory access");
    let settings = Settings::default();
    for engine in [&Wasmi::new(&settings) as &dyn Engine, &wasmtime(&settings)] {
        let mut instance = engine.instantiate(&wasm(module)).expect("it instantiates");
        instance.call("f", &[Value::I32(65_529)]);
        assert!(instance.memory(0).iter().all(|byte| *byte == 0), "{}", engine.name());
    }
}

#[test]
fn n16_custom_sections_mean_nothing() {
    let module = r#"(module $name
        (@custom "name" "garbage \ff\ff") (@custom "producers" (before first) "\00") (@custom "x" (after last) "y")
        (func (export "f") (result i32) (i32.const 3)))"#;
    assert_eq!(agreement(module, &[f(&[])]), Agreement::Equal);
}

#[test]
fn n17_every_kind_of_trap_is_the_same_in_both_engines() {
    let module = |body: &str| {
        format!(
            r#"(module (memory 1) (table 2 funcref) (elem (i32.const 1) func $other) (func $other (param i64))
                (func (export "f") {body}))"#
        )
    };
    for (body, answer) in [
        ("(unreachable)", "unreachable executed"),
        ("(drop (i32.div_u (i32.const 1) (i32.const 0)))", "integer division by zero"),
        ("(drop (i64.rem_s (i64.const 1) (i64.const 0)))", "integer division by zero"),
        ("(drop (i32.div_s (i32.const 0x80000000) (i32.const -1)))", "integer overflow"),
        ("(drop (i32.trunc_f32_s (f32.const 3e9)))", "integer overflow"),
        ("(drop (i64.trunc_f64_u (f64.const nan)))", "invalid conversion to integer"),
        ("(drop (i32.load (i32.const 65533)))", "out of bounds memory access"),
        ("(memory.fill (i32.const 65535) (i32.const 0) (i32.const 2))", "out of bounds memory access"),
        ("(memory.fill (i32.const 0) (i32.const 0) (i32.const -1))", "out of bounds memory access"),
        ("(call_indirect (i32.const 2))", "out of bounds table access"),
        ("(drop (table.get (i32.const 2)))", "out of bounds table access"),
        ("(table.copy (i32.const 1) (i32.const 0) (i32.const 2))", "out of bounds table access"),
        ("(call_indirect (i32.const 0))", "indirect call of null"),
        ("(call_indirect (i32.const 1))", "indirect call with another signature"),
    ] {
        let judgement = judge_text(&module(body), &[f(&[])]);
        assert_eq!(judgement.agreement, Agreement::Equal, "{body}");
        assert_eq!(last_answer(&judgement), format!("trapped: {answer}"), "{body}");
    }
}

#[test]
fn n18_what_a_failed_instantiation_has_written_is_compared() {
    let memory = r#"(module (import "" "" (memory 1))
        (data (i32.const 5) "kept") (data (i32.const 65535) "too long") (data (i32.const 0) "never"))"#;
    let table = r#"(module (import "" "" (table 2 funcref)) (func $f)
        (elem (i32.const 1) func $f) (elem (i32.const 1) func $f $f))"#;
    for (module, trap) in [(memory, "out of bounds memory access"), (table, "out of bounds table access")] {
        let judgement = judge_text(module, &[]);
        assert_eq!(judgement.agreement, Agreement::Equal);
        assert_eq!(last_answer(&judgement), format!("trapped: {trap}"));
    }
    let settings = Settings::default();
    let failure = Wasmi::new(&settings).instantiate(&wasm(memory)).err();
    let Some(Instantiation::Ended { state, .. }) = failure else { panic!("it must fail: {failure:?}") };
    let expected = Wasmi::new(&settings)
        .instantiate(&wasm(r#"(module (import "" "" (memory 1)) (data (i32.const 5) "kept"))"#))
        .expect("it instantiates")
        .state();
    assert_eq!(state.memories, expected.memories);
}

#[test]
fn endless_recursion_on_our_stack_is_a_trap_in_each_engine() {
    let module = wasm(r#"(module (func $f (export "f") (call $f)))"#);
    let settings = with_fuel(10_000_000);
    let (wasmi, wasmtime) = (Wasmi::new(&settings), wasmtime(&settings));
    on_stack(|| {
        for engine in [&wasmi as &dyn Engine, &wasmtime] {
            let ending = engine.instantiate(&module).expect("it instantiates").call("f", &[]);
            assert_eq!(ending.to_string(), "trapped: call stack exhausted", "{}", engine.name());
        }
    })
    .expect("there is a thread");
}

/// Versions 2.0 and 3.0 of the specification disagree, and so do engines.
#[test]
fn n19_a_limit_with_more_bytes_than_32_bits_need_proves_nothing() {
    let module = |sections: &[u8]| [b"\0asm\x01\0\0\0", sections].concat();
    let long = [0x81, 0x80, 0x80, 0x80, 0x80, 0x00];
    let memory = module(&[&[5, 8, 1, 0], &long[..]].concat());
    let maximum = module(&[&[5, 9, 1, 1, 0], &long[..]].concat());
    let table = module(&[&[4, 9, 1, 0x70, 0], &long[..]].concat());
    let imported = module(&[&[2, 14, 1, 1, b'm', 1, b'n', 2, 1, 0], &long[..]].concat());
    for bytes in [memory, maximum, table, imported] {
        let agreement = judge_bytes(&Settings::default(), &bytes, &[]).agreement;
        assert_eq!(agreement, Agreement::Inconclusive(Why::OverlongLimits), "{bytes:x?}");
        // Without 64-bit memories, both go by version 2.0.
        let features = Features::WASM2;
        let agreement = judge_bytes(&Settings { features, ..Settings::default() }, &bytes, &[]).agreement;
        assert_eq!(agreement, Agreement::Equal, "{bytes:x?}");
    }
    // As long as 32 bits may be, and longer where 64 bits are meant.
    for sections in [&[5, 7, 1, 0, 0x81, 0x80, 0x80, 0x80, 0][..], &[&[5, 8, 1, 4][..], &long].concat()] {
        assert_eq!(judge_bytes(&Settings::default(), &module(sections), &[]).agreement, Agreement::Equal);
    }
}

//! Raw mode: what comparing up to NaN-equivalence forgives, and what it does not.

use std::rc::Rc;

use mutagen_oracles::{Ending, NanMode, Settings, Value, Verdict, What, Why, judge};

use crate::support::{Liar, Lies, f, judge_bytes, wasm};

fn raw() -> Settings {
    Settings { nan: NanMode::Raw, ..Settings::default() }
}

#[test]
fn quiet_nans_agree_in_raw_mode_and_nothing_else_does() {
    let agree = |a, b| Value::F32(a).agrees(&Value::F32(b), NanMode::Raw);
    assert!(agree(0x7fc0_0000, 0xffc0_0000) && agree(0x7fc0_0000, 0x7fff_ffff));
    assert!(!agree(0x7fc0_0000, 0x7f80_0001), "a signalling NaN is never made by an operator");
    assert!(!agree(0x7f80_0001, 0x7f80_0002), "signalling NaNs are only moved, with all their bits");
    assert!(!agree(0x7fc0_0000, 0x7f80_0000) && !agree(0, 0x8000_0000));
    let agree = |a, b| Value::F64(a).agrees(&Value::F64(b), NanMode::Raw);
    assert!(agree(0x7ff8 << 48, 0xfff8 << 48) && !agree(0x7ff8 << 48, 0x7ff4 << 48));
    assert!(!Value::I32(0x7fc0_0000).agrees(&Value::I32(0xffc0_0000), NanMode::Raw));
}

#[test]
fn vectors_agree_in_raw_mode_lane_by_lane() {
    let agree = |a, b| Value::V128(a).agrees(&Value::V128(b), NanMode::Raw);
    assert!(agree(0x7fc0_0000_0000_0001_7fc0_0000_0000_0002, 0xffc0_0000_0000_0001_7fc0_1234_0000_0002));
    assert!(agree(0x7ff8_0000_0000_0000 << 64, 0xfff8_0000_0000_0001 << 64));
    assert!(!agree(0x7fc0_0000_0000_0001, 0xffc0_0000_0000_0002));
}

#[test]
fn nan_results_of_raw_arithmetic_agree() {
    let module = wasm(
        r#"(module (func (export "f") (param f32 f64) (result f32 f64 f32)
            (f32.div (local.get 0) (local.get 0)) (f64.sqrt (local.get 1)) (f32.demote_f64 (local.get 1))))"#,
    );
    let calls = [
        f(&[Value::F32(0), Value::F64(0xfff4_0000_0000_0001)]),
        f(&[Value::F32(0xff80_0001), Value::F64(1)]),
    ];
    assert_eq!(judge_bytes(&raw(), &module, &calls).verdict, Verdict::Equal);
}

#[test]
fn nan_bits_that_leak_into_memory_or_integers_are_inconclusive_in_raw_mode() {
    let calls = [f(&[Value::F32(0xffc0_1234)])];
    for body in [
        "(f32.store (i32.const 0) (f32.add (local.get 0) (f32.const 1))) (i32.const 0)",
        "(i32.reinterpret_f32 (f32.add (local.get 0) (f32.const 1)))",
        "(i32.trunc_f32_s (f32.copysign (f32.const 1) (f32.add (local.get 0) (f32.const 1))))",
    ] {
        let module = wasm(&format!(
            r#"(module (memory (export "m") 1) (func (export "f") (param f32) (result i32) {body}))"#
        ));
        let verdict = judge_bytes(&raw(), &module, &calls).verdict;
        assert_eq!(verdict, Verdict::Inconclusive(Why::NanBits), "{body}");
        assert_eq!(judge_bytes(&Settings::default(), &module, &calls).verdict, Verdict::Equal, "{body}");
    }
}

#[test]
fn a_difference_that_nans_cannot_explain_is_a_finding_in_raw_mode() {
    let liar =
        Liar::new(Lies { ending: Rc::new(|_| Ending::Returned(vec![Value::I32(1)])), ..Lies::default() });
    let settings = raw();
    for (body, finding) in [
        ("(i32.reinterpret_f32 (local.get 0))", true),
        ("(f32.lt (f32.add (local.get 0) (local.get 0)) (f32.const 0))", true),
        ("(i32.reinterpret_f32 (f32.add (local.get 0) (local.get 0)))", false),
    ] {
        let module = wasm(&format!(r#"(module (func (export "f") (param f32) (result i32) {body}))"#));
        let verdict = judge(&module, &[f(&[Value::F32(0)])], &liar, &liar.engine, &settings).verdict;
        match verdict {
            Verdict::Differ(difference) => assert!(finding && difference.what == What::Result(0), "{body}"),
            other => assert!(!finding && other == Verdict::Inconclusive(Why::NanBits), "{body}: {other}"),
        }
    }
}

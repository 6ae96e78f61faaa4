//! NaNs: bit for bit the same in the deterministic mode; and what comparing up to NaN-equivalence forgives in the raw
//! mode, and what it does not.

use std::sync::Arc;

use mutagen_oracles::{
    Agreement, Call, Ending, NanMode, Settings, Value, Wasmi, Wasmtime, What, Why, judge, on_stack,
};

use crate::support::{Liar, Lies, f, judge_bytes, wasm, wasmtime};

fn raw() -> Settings {
    Settings { nan: NanMode::Raw, ..Settings::default() }
}

/// How many special values there are: zeros, ones, the ends of the ranges, infinities, and NaNs of every kind.
const SPECIALS: usize = 16;

const SPECIAL32: [u32; SPECIALS] = [
    0,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    1,
    0x007f_ffff,
    0x7f7f_ffff,
    0xdf00_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_0000,
    0x7fc0_1234,
    0xffff_ffff,
    0x7f80_0001,
    0xffa0_0001,
];

const SPECIAL64: [u64; SPECIALS] = [
    0,
    1 << 63,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    1,
    0x000f_ffff_ffff_ffff,
    0x7fef_ffff_ffff_ffff,
    0xc3e0_0000_0000_0000,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0xfff8_0000_0000_0000,
    0x7ff8_0000_0000_1234,
    0xffff_ffff_ffff_ffff,
    0x7ff0_0000_0000_0001,
    0xfff4_0000_2000_0000,
];

const BINARY: [&str; 7] = ["add", "sub", "mul", "div", "min", "max", "copysign"];
const UNARY: [&str; 7] = ["sqrt", "ceil", "floor", "trunc", "nearest", "neg", "abs"];

fn special(ty: &str, index: usize) -> Value {
    if ty == "f32" { Value::F32(SPECIAL32[index]) } else { Value::F64(SPECIAL64[index]) }
}

/// The instruction that pushes a special value as an immediate.
fn constant(ty: &str, index: usize) -> String {
    let (number, payload) = match special(ty, index) {
        Value::F32(bits) => (f64::from(f32::from_bits(bits)), u64::from(bits & 0x7f_ffff)),
        _ => (f64::from_bits(SPECIAL64[index]), SPECIAL64[index] & 0xf_ffff_ffff_ffff),
    };
    let sign = if SPECIAL64[index] >> 63 == 1 { "-" } else { "" };
    match number.abs() {
        number if number.is_nan() => format!("({ty}.const {sign}nan:{payload:#x})"),
        number if number.is_infinite() => format!("({ty}.const {sign}inf)"),
        number => format!("({ty}.const {sign}{number:e})"),
    }
}

/// Judges a module of functions that each have an export, all called with all lists of special values, by wasmi and
/// wasmtime, and by wasmtime and its own optimiser.
fn assert_equal_everywhere(functions: &[(String, &str, usize)]) {
    let text: String = functions.iter().map(|(text, ..)| text.as_str()).collect();
    let module = wasm(&format!("(module {text})"));
    let mut calls = Vec::new();
    for (number, (_, ty, arity)) in functions.iter().enumerate() {
        for choice in 0..SPECIALS.pow(*arity as u32) {
            let digit = |at: usize| choice / SPECIALS.pow(at as u32) % SPECIALS;
            let arguments = (0..*arity).map(|at| special(ty, digit(at)));
            calls.push(Call::new(number.to_string(), arguments.collect::<Vec<_>>()));
        }
    }
    let settings = Settings::default();
    let (wasmi, wasmtime) = (Wasmi::new(&settings), wasmtime(&settings));
    let optimising = Wasmtime::optimising(&settings).expect("wasmtime takes these settings");
    on_stack(|| {
        assert_eq!(judge(&module, &calls, &wasmi, &wasmtime, &settings).agreement, Agreement::Equal);
        assert_eq!(judge(&module, &calls, &wasmtime, &optimising, &settings).agreement, Agreement::Equal);
    })
    .expect("there is a thread");
}

#[test]
fn every_scalar_operator_gives_the_same_bits_for_every_special_value() {
    let mut functions = Vec::new();
    let mut add = |ty: &'static str, result: &str, arity: usize, body: &str| {
        let parameters = format!("(param {})", format!("{ty} ").repeat(arity));
        let name = functions.len();
        functions.push((
            format!(r#"(func (export "{name}") {parameters} (result {result}) {body})"#),
            ty,
            arity,
        ));
    };
    for ty in ["f32", "f64"] {
        for operator in BINARY {
            add(ty, ty, 2, &format!("({ty}.{operator} (local.get 0) (local.get 1))"));
        }
        for operator in UNARY {
            add(ty, ty, 1, &format!("({ty}.{operator} (local.get 0))"));
        }
    }
    add("f32", "f64", 1, "(f64.promote_f32 (local.get 0))");
    add("f64", "f32", 1, "(f32.demote_f64 (local.get 0))");
    assert_equal_everywhere(&functions);
}

#[test]
fn every_binary_operator_gives_the_same_bits_with_a_constant_on_either_side() {
    let mut functions = Vec::new();
    for ty in ["f32", "f64"] {
        for (operator, index) in BINARY.iter().flat_map(|it| (0..SPECIALS).map(move |index| (it, index))) {
            let constant = constant(ty, index);
            for operands in [format!("{constant} (local.get 0)"), format!("(local.get 0) {constant}")] {
                let name = functions.len();
                let text = format!(
                    r#"(func (export "{name}") (param {ty}) (result {ty}) ({ty}.{operator} {operands}))"#
                );
                functions.push((text, ty, 1));
            }
        }
    }
    assert_equal_everywhere(&functions);
}

#[test]
fn every_vector_operator_gives_the_same_bits_for_every_special_value() {
    let mut functions = Vec::new();
    for (shape, ty) in [("f32x4", "f32"), ("f64x2", "f64")] {
        let binary = BINARY[..6].iter().chain(&["pmin", "pmax"]).map(|operator| (operator, 2));
        for (operator, arity) in binary.chain(UNARY.iter().map(|operator| (operator, 1))) {
            let name = functions.len();
            let operands: String = (0..arity).map(|at| format!("({shape}.splat (local.get {at}))")).collect();
            let parameters = format!("{ty} ").repeat(arity);
            let text = format!(
                r#"(func (export "{name}") (param {parameters}) (result v128) ({shape}.{operator} {operands}))"#
            );
            functions.push((text, ty, arity));
        }
    }
    assert_equal_everywhere(&functions);
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
    assert_eq!(judge_bytes(&raw(), &module, &calls).agreement, Agreement::Equal);
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
        let agreement = judge_bytes(&raw(), &module, &calls).agreement;
        assert_eq!(agreement, Agreement::Inconclusive(Why::NanBits), "{body}");
        assert_eq!(judge_bytes(&Settings::default(), &module, &calls).agreement, Agreement::Equal, "{body}");
    }
}

#[test]
fn a_difference_that_nans_cannot_explain_is_a_finding_in_raw_mode() {
    let liar =
        Liar::new(Lies { ending: Arc::new(|_| Ending::Returned(vec![Value::I32(1)])), ..Lies::default() });
    let settings = raw();
    for (body, finding) in [
        ("(i32.reinterpret_f32 (local.get 0))", true),
        ("(f32.lt (f32.add (local.get 0) (local.get 0)) (f32.const 0))", true),
        ("(i32.reinterpret_f32 (f32.add (local.get 0) (local.get 0)))", false),
    ] {
        let module = wasm(&format!(r#"(module (func (export "f") (param f32) (result i32) {body}))"#));
        let agreement = judge(&module, &[f(&[Value::F32(0)])], &liar, &liar.engine, &settings).agreement;
        match agreement {
            Agreement::Differ(difference) => assert!(finding && difference.what == What::Result(0), "{body}"),
            other => assert!(!finding && other == Agreement::Inconclusive(Why::NanBits), "{body}: {other}"),
        }
    }
}

#[test]
fn raw_mode_forgives_other_nan_bits_only_where_an_operator_makes_nans() {
    let other_nan = |ending| match ending {
        Ending::Returned(_) => Ending::Returned(vec![Value::F32(0xffc0_0001)]),
        other => other,
    };
    let liar = Liar::new(Lies { ending: Arc::new(other_nan), ..Lies::default() });
    let agreement = |text: &str| {
        let nan = f(&[Value::F32(0x7fc0_0000)]);
        judge(&wasm(text), &[nan], &liar, &liar.engine, &raw()).agreement
    };
    let adds =
        r#"(module (func (export "f") (param f32) (result f32) (f32.add (local.get 0) (local.get 0))))"#;
    let moves = r#"(module (func (export "f") (param f32) (result f32) (local f32)
        (local.set 1 (local.get 0)) (select (local.get 1) (f32.const 0) (i32.const 1))))"#;
    assert_eq!(agreement(adds), Agreement::Equal);
    assert!(agreement(moves).is_finding());
}

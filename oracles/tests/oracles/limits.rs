//! N8: limits of engines excuse what they explain, and nothing else; the gate protects the compiler.

use std::sync::Arc;

use mutagen_oracles::{Agreement, Rejection, Settings, Validity, Wasmi, What, Which, gate, judge};

use crate::support::{Liar, Lies, agreement, f, judge_bytes, judge_text, wasm, wasmtime};

fn repeated(before: &str, unit: &str, times: usize, after: &str) -> String {
    format!("{before}{}{after}", unit.repeat(times))
}

/// `(module (func nop nop ...))`, in binary, because the text of it takes long to read.
fn with_body_of_nops(nops: u32) -> Vec<u8> {
    let mut module = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x0a".to_vec();
    module.extend(padded_leb(nops + 2 + 5 + 1));
    module.push(1);
    module.extend(padded_leb(nops + 2));
    module.push(0);
    module.extend(std::iter::repeat_n(0x01, nops as usize));
    module.push(0x0b);
    module
}

/// A number in five bytes, whatever its size.
fn padded_leb(number: u32) -> [u8; 5] {
    [0, 7, 14, 21, 28].map(|shift| (number >> shift) as u8 & 0x7f | if shift < 28 { 0x80 } else { 0 })
}

#[test]
fn n8_more_locals_than_wasmi_takes_is_a_limit() {
    let module = |locals| repeated("(module (func ", "(local i32)", locals, "))");
    assert_eq!(agreement(&module(30_000), &[]), Agreement::Equal);
    assert_eq!(agreement(&module(30_001), &[]), Agreement::Limit(Which::Locals));
}

#[test]
fn n8_more_operands_than_wasmi_takes_is_a_limit() {
    let ones = |operands| repeated("(module (func ", "i32.const 1 ", operands, "unreachable))");
    assert_eq!(agreement(&ones(65_535), &[]), Agreement::Equal);
    assert_eq!(agreement(&ones(65_536), &[]), Agreement::Limit(Which::StackCells));
    // It counts two cells for a vector, and each local once more.
    let locals = |locals| repeated("(module (func (local i64) ", "(local v128)", locals, "))");
    assert_eq!(agreement(&locals(21_844), &[]), Agreement::Equal);
    assert_eq!(agreement(&locals(21_845), &[]), Agreement::Limit(Which::StackCells));
    let vectors =
        |operands| repeated("(module (func (param v128) ", "local.get 0 ", operands, "unreachable))");
    assert_eq!(agreement(&vectors(32_766), &[]), Agreement::Equal);
    assert_eq!(agreement(&vectors(32_767), &[]), Agreement::Limit(Which::StackCells));
}

#[test]
fn n8_a_longer_br_table_than_an_engine_takes_is_a_limit() {
    let module = |targets| repeated("(module (func (br_table ", "0 ", targets, "(i32.const 0))))");
    assert_eq!(agreement(&module(10_000), &[]), Agreement::Equal);
    assert_eq!(agreement(&module(65_521), &[]), Agreement::Limit(Which::BrTableTargets));
    // wasmi's own parser is the first to give up.
    let judgement = judge_text(&module(131_080), &[]);
    assert_eq!(judgement.agreement, Agreement::Limit(Which::BrTableTargets));
    assert_eq!(judgement.steps.len(), 1);
}

#[test]
fn n8_a_larger_body_than_wasmtime_takes_is_a_limit() {
    let module = with_body_of_nops(7_654_400);
    assert_eq!(judge_bytes(&Settings::default(), &module, &[]).agreement, Agreement::Limit(Which::BodyBytes));
}

#[test]
fn n8_where_both_engines_have_the_same_limit_they_agree_beyond_it() {
    for (before, unit, limit, after) in [
        ("(module (func (param ", "i32 ", 1_000, ")))"),
        ("(module (type (func (result ", "i32 ", 1_000, "))))"),
        ("(module ", "(table 0 funcref)", 100, ")"),
        ("(module ", "(memory 0)", 100, ")"),
    ] {
        let module = wasm(&repeated(before, unit, limit + 1, after));
        let judgement = judge_bytes(&Settings::default(), &module, &[]);
        assert_eq!(judgement.agreement, Agreement::Equal, "{unit}");
        assert!(judgement.steps[0].target.to_string().starts_with("rejected"), "{unit}");
    }
}

#[test]
fn n8_a_rejection_that_no_limit_explains_is_a_finding() {
    let liar = Liar::new(Lies {
        validity: Arc::new(|_| Validity::Rejected(Rejection::new("I do not feel like it"))),
        ..Lies::default()
    });
    let small = "(module (func (local i32)))";
    let large = repeated("(module (func ", "(local i32)", 30_001, "))");
    let Agreement::Differ(difference) = liar.as_target(small, &[]) else { panic!("no limit explains it") };
    assert_eq!(difference.what, What::Validity);
    assert!(liar.as_reference(small, &[]).is_finding());
    let boundless = Liar::new(Lies { limit: Arc::new(|_| None), ..liar.lies.clone() });
    let settings = Settings::default();
    let with_wasmtime =
        |liar: &Liar| judge(&wasm(&large), &[], liar, &wasmtime(&settings), &settings).agreement;
    assert_eq!(with_wasmtime(&liar), Agreement::Limit(Which::Locals));
    assert_eq!(liar.as_reference(&large, &[]), Agreement::Limit(Which::Locals));
    assert!(with_wasmtime(&boundless).is_finding(), "an engine without that limit has no excuse");
    assert!(boundless.as_reference(&large, &[]).is_finding());
}

#[test]
fn a_module_over_the_size_limit_is_not_even_read() {
    let mut settings = Settings::default();
    settings.limits.max_input_bytes = 7;
    let judgement = judge_bytes(&settings, b"\0asm\x01\0\0\0", &[]);
    assert_eq!(judgement.agreement, Agreement::Limit(Which::InputBytes));
    assert!(judgement.steps.is_empty());
}

#[test]
fn the_gate_holds_back_what_would_keep_the_compiler_busy() {
    let nested = |what: &str, times| {
        wasm(&format!("(module (func {} {}))", format!("{what} ").repeat(times), "end ".repeat(times)))
    };
    assert_eq!(gate(&nested("block", 2_000)), None);
    assert_eq!(gate(&nested("block", 2_001)), Some(Which::Nesting));
    let loops = |locals: usize, loops: usize| {
        let locals = "i64 ".repeat(locals);
        wasm(&format!("(module (func (param i64) (local {locals}) {}))", "(loop)".repeat(loops)))
    };
    assert_eq!(gate(&loops(499, 100)), None);
    assert_eq!(gate(&loops(500, 100)), Some(Which::LoopLocals));
    let functions = |number| wasm(&repeated("(module ", "(func)", number, ")"));
    assert_eq!(gate(&functions(2_000)), None);
    assert_eq!(gate(&functions(2_001)), Some(Which::Functions));
    assert_eq!(gate(&with_body_of_nops(262_142)), None);
    assert_eq!(gate(&with_body_of_nops(262_143)), Some(Which::BodyBytes));
}

#[test]
fn the_gate_lets_malformed_modules_through_to_be_rejected() {
    let module = wasm(
        r#"(module (type (func)) (func (export "f") (loop (br 0))) (memory 1) (data (i32.const 0) "x"))"#,
    );
    for length in 0..module.len() {
        assert_eq!(gate(&module[..length]), None);
    }
}

#[test]
fn what_the_gate_holds_back_still_runs_on_the_target() {
    let nested =
        format!("(module (func (export \"f\") {} {}))", "block ".repeat(2_001), "end ".repeat(2_001));
    let judgement = judge_text(&nested, &[f(&[])]);
    assert_eq!(judgement.agreement, Agreement::Limit(Which::Nesting));
    assert_eq!(judgement.steps[2].target.to_string(), "returned []");
    assert_eq!(judgement.steps[2].reference, None);
    let liar = Liar::new(Lies { ending: Arc::new(|_| panic!("a bug")), ..Lies::default() });
    let Agreement::Differ(difference) = liar.as_target(&nested, &[f(&[])]) else { panic!("a panic counts") };
    assert_eq!(difference.what, What::Panic);
}

#[test]
fn a_module_that_the_reference_rejects_is_never_executed() {
    let credulous = Liar::new(Lies {
        validity: Arc::new(|_| Validity::Accepted),
        ending: Arc::new(|_| panic!("executed")),
        ..Lies::default()
    });
    let module = wasm(r#"(module (func (export "f") (result i32) (i64.const 0)))"#);
    let settings = Settings::default();
    let judgement = judge(&module, &[f(&[])], &credulous, &wasmtime(&settings), &settings);
    assert_eq!(judgement.steps.len(), 1);
    let Agreement::Differ(difference) = judgement.agreement else { panic!("it accepts what is invalid") };
    assert_eq!((difference.what, difference.target.as_str()), (What::Validity, "accepted"));
}

#[test]
fn malformed_bytes_are_rejected_by_both_engines_at_every_length() {
    let module = wasm(
        r#"(module (memory 1) (data (i32.const 0) "x") (func (export "f") (param i32) (drop (local.get 0))))"#,
    );
    let settings = Settings::default();
    let (wasmi, wasmtime) = (Wasmi::new(&settings), wasmtime(&settings));
    for length in 0..module.len() {
        let judgement = judge(&module[..length], &[], &wasmi, &wasmtime, &settings);
        assert_eq!(judgement.agreement, Agreement::Equal, "{length} bytes");
    }
}

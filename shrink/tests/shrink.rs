//! Shrinking through its public interface.

use mutagen_shrink::{Limits, NotShrunk, Shrunk, shrink};
use mutagen_wasm_ast::Module;

fn assembled(text: &str) -> Vec<u8> {
    Module::assemble(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The text of a module on one line.
fn text_of(wasm: &[u8]) -> String {
    let text = Module::disassemble(wasm).expect("it can be printed");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Shrinks a module as long as its text contains all of these.
fn shrunk_around(text: &str, parts: &[&str]) -> (String, Shrunk) {
    let holds = |wasm: &[u8]| parts.iter().all(|part| text_of(wasm).contains(part));
    let shrunk = shrink(&assembled(text), Limits::default(), holds, |_| ()).expect("it is interesting");
    (text_of(&shrunk.wasm), shrunk)
}

#[test]
fn of_many_functions_the_interesting_one_is_left() {
    let filler: String = (0..200)
        .map(|n| format!("(func (export \"f{n}\") (result i32) i32.const {n} i32.const 2 i32.mul)"))
        .collect();
    let text = format!("(module (memory 1) {filler} (func (param f64) (result f64) local.get 0 f64.sqrt))");
    let (left, Shrunk { wasm, tests, .. }) = shrunk_around(&text, &["f64.sqrt"]);
    assert!(!left.contains("export") && !left.contains("memory") && !left.contains("i32.mul"), "{left}");
    assert!(wasm.len() < 40, "{} bytes: {left}", wasm.len());
    assert!(tests < 200, "halves go first: {tests}");
}

#[test]
fn code_that_piles_values_up_is_cut_and_the_stack_fits_again() {
    let pushes: String = (0..300).map(|n| format!("local.get 0 i32.const {n} ")).collect();
    let folds = "i32.add ".repeat(400) + "i32.rotl " + &"i32.xor ".repeat(198);
    let text = format!("(module (func (export \"f\") (param i32) (result i32) {pushes} {folds}))");
    let (left, Shrunk { wasm, .. }) = shrunk_around(&text, &["i32.rotl", "export"]);
    assert!(wasm.len() < 45, "{} bytes: {left}", wasm.len());
}

#[test]
fn blocks_are_opened_and_labels_still_lead_to_the_same_place() {
    let text = "(module (func (param i32) block block block local.get 0 br_if 2 local.get 0 i32.clz drop end end end))";
    let (left, _) = shrunk_around(text, &["i32.clz"]);
    assert!(!left.contains("block"), "{left}");
    // The label of the loop is the first, however many blocks are around the branch.
    let text = "(module (func (param i32) loop block block local.get 0 br_if 2 end end end))";
    let (left, _) = shrunk_around(text, &["loop", "br_if", "(;@1;)"]);
    assert!(!left.contains("block") && left.contains("br_if 0 (;@1;)"), "{left}");
}

#[test]
fn definitions_that_others_need_keep_their_meaning() {
    let text = r#"(module (import "a" "x" (func)) (import "a" "y" (func (param i64))) (global i32 (i32.const 1))
        (global (mut i64) (i64.const 2)) (table 4 funcref) (elem (i32.const 0) 2 3) (data "unused") (memory 1)
        (func nop) (func (export "f") global.get 1 call 1))"#;
    let (left, _) = shrunk_around(text, &["global.get", "call", "\"y\""]);
    assert!(left.contains("global.get 0") && left.contains("call 0"), "they have moved up: {left}");
    assert!(!left.contains("table") && !left.contains("data") && !left.contains("\"x\""), "{left}");
}

#[test]
fn valid_modules_stay_valid_and_invalid_ones_may_be_shrunk_as_well() {
    let text =
        "(module (func (result i32) i32.const 1) (func (result i32) i32.const 1 i32.const 2 i32.shl nop))";
    let holds = |wasm: &[u8]| text_of(wasm).contains("i32.shl");
    let shrunk = shrink(&assembled(text), Limits::default(), holds, |_| ()).expect("it is interesting");
    let left = text_of(&shrunk.wasm);
    assert!(left.contains("unreachable i32.shl"), "without operands it is invalid: {left}");
    let invalid = "(module (func (result i32) i64.const 1 nop nop i32.shl))";
    let shrunk = shrink(&assembled(invalid), Limits::default(), holds, |_| ()).expect("it is interesting");
    let left = text_of(&shrunk.wasm);
    assert!(["nop", "const", "unreachable"].iter().all(|part| !left.contains(part)), "{left}");
}

#[test]
fn each_smaller_module_is_told_and_smaller_than_the_one_before() {
    let mut told = vec![usize::MAX];
    let text = "(module (memory 1) (func nop) (func i32.const 1 drop))";
    let improved = |wasm: &[u8]| told.push(wasm.len());
    let shrunk = shrink(&assembled(text), Limits::default(), |_| true, improved).expect("it is interesting");
    assert_eq!(shrunk.wasm.len(), 8, "nothing is left");
    assert!(told.windows(2).all(|pair| pair[1] < pair[0]), "{told:?}");
    assert_eq!(told.last(), Some(&8));
}

#[test]
fn a_limit_ends_the_search() {
    let whole = assembled(&format!("(module {})", "(func i32.const 1 drop)".repeat(50)));
    let shrunk =
        shrink(&whole, Limits { tests: 5 }, |wasm| wasm == whole, |_| ()).expect("it is interesting");
    assert_eq!((shrunk.tests, shrunk.limited, shrunk.steps), (5, true, 0));
}

#[test]
fn what_cannot_be_shrunk_says_why() {
    let dull = shrink(&assembled("(module)"), Limits::default(), |_| false, |_| ());
    assert_eq!(dull, Err(NotShrunk::NotInteresting));
    let unknown = shrink(&assembled("(module (tag))"), Limits::default(), |_| true, |_| ());
    assert!(unknown.is_err_and(|error| error.to_string().contains("exceptions")));
}

//! `shrink`: smaller modules on which the engines differ, or that a command finds interesting.

#[path = "common/program.rs"]
mod program;

use std::fs;

use program::{Run, run_at, run_in};

/// `wasm-11` makes `i32.sub` add.
const MODULE: &str = r#"(module (memory 1) (func $g (param i32) (result i32) (i32.mul (local.get 0) (i32.const 3)))
    (func (export "f") (param i32) (result i32) (local i64 i64)
        (i32.store (i32.const 8) (call $g (local.get 0)))
        (i32.add (i32.sub (local.get 0) (i32.const 7)) (i32.load (i32.const 8))))
    (func (export "other") (result i64) (i64.const 8)))"#;

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    fs::write(directory.path().join("a.wat"), MODULE).expect("a file can be written");
    directory
}

#[test]
fn a_difference_of_the_engines_stays_while_all_else_goes() {
    let directory = directory();
    let Run { code, out, err } = run_at(directory.path(), "shrink a.wat --bug wasm-11");
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("bytes are left after") && out.contains("a.shrunk.wat"), "{out}");
    let text = fs::read_to_string(directory.path().join("a.shrunk.wat")).expect("it is stored");
    assert!(text.contains("i32.sub") && !text.contains("memory") && !text.contains("i32.mul"), "{text}");
    // It still shows the bug, and nothing smaller does.
    let Run { code, .. } = run_at(directory.path(), "interpret a.shrunk.wat --bug wasm-11");
    assert_eq!(code, 1);
    let Run { code, out, .. } = run_at(directory.path(), "shrink a.shrunk.wat --bug wasm-11 -o b.wasm");
    assert_eq!(code, 0);
    assert!(out.starts_with("nothing shrinks: of ") && out.contains("none is interesting"), "{out}");
    assert!(!directory.path().join("b.wasm").exists());
}

#[test]
fn a_difference_of_validators_is_shrunk_although_the_module_is_invalid() {
    let directory = directory();
    let text = "(module (memory 1) (func nop) (func (local i64) block (result i32) unreachable end i64.eqz drop nop nop))";
    fs::write(directory.path().join("v.wat"), text).expect("a file can be written");
    let Run { code, out, err } = run_at(directory.path(), "shrink v.wat --bug wasm-6 --property validator");
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let text = fs::read_to_string(directory.path().join("v.shrunk.wat")).expect("it is stored");
    assert!(text.contains("i64.eqz") && !text.contains("memory") && !text.contains("nop"), "{text}");
}

#[test]
fn a_command_can_say_what_is_interesting() {
    let directory = directory();
    let script = "#!/bin/sh\n# Multiplication is the byte 6c.\nod -An -tx1 -v \"$2\" | tr -d ' \\n' | grep -q 41036c && test \"$1\" = word\n";
    fs::write(directory.path().join("check.sh"), script).expect("a file can be written");
    let words = ["shrink", "a.wat", "--predicate", "sh ./check.sh word", "-o", "small.wasm"];
    let Run { code, out, err } = run_in(directory.path(), &words, b"");
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let wasm = fs::read(directory.path().join("small.wasm")).expect("it is stored");
    assert!(wasm.windows(3).any(|bytes| bytes == [0x41, 3, 0x6c]), "{wasm:x?}");
    assert!(wasm.len() < 40, "{} bytes", wasm.len());
}

#[test]
fn a_command_that_takes_too_long_finds_nothing_interesting() {
    let directory = directory();
    let words = ["shrink", "a.wat", "--predicate", "sleep 20;", "--timeout", "100ms"];
    let Run { code, err, .. } = run_in(directory.path(), &words, b"");
    assert_eq!(code, 3);
    assert!(err.contains("does not end with 0"), "{err}");
}

#[test]
fn what_cannot_be_shrunk_is_refused_with_the_reason() {
    let directory = directory();
    fs::write(directory.path().join("tag.wat"), "(module (tag))").expect("a file can be written");
    for (line, code, said) in [
        ("shrink a.wat", 3, "a.wat: nothing to shrink: the engines do not differ on it: equal"),
        ("shrink a.wat --predicate false", 3, "`false` does not end with 0 for it"),
        (
            "shrink tag.wat --predicate true",
            3,
            "tag.wat: the module cannot be taken apart: module uses exceptions",
        ),
        ("shrink nowhere.wat", 3, "nowhere.wat: No such file"),
        ("shrink - --predicate true", 3, "-: "),
        ("shrink a.wat --predicate true --bug wasm-11", 2, "cannot be used with"),
    ] {
        let Run { code: ended, err, .. } = run_at(directory.path(), line);
        assert_eq!(ended, code, "{line}: {err}");
        assert!(err.contains(said), "{line}: {err}");
    }
}

//! `coverage`, `cmin`, `show` and `shrink` survive what a module does to an engine, say it, and go on.

#[path = "common/faults.rs"]
mod faults;
#[path = "common/program.rs"]
mod program;

use std::fs;
use std::path::Path;

use faults::{crashing_engine, directory, json, write};
use mutagen_engine::stable;
use mutagen_wasm_ast::Module;

/// What the engine of `examples/crashing_engine.rs` does on a module with an instruction.
const DEADLY: [(&str, &str); 5] = [
    ("i32.rotl", "crashing died of SIGSEGV"),
    ("i32.clz", "crashing overflowed its stack"),
    ("i32.ctz", "crashing ended the process with exit code 7"),
    ("i64.rotl", "crashing gave no answer within 200ms of processor time"),
    ("i64.rotr", "crashing took more than 256 MiB of memory"),
];

const LIMITS: &str = "--target crashing --hang-limit 200ms --memory-limit 256";

fn module(instruction: &str) -> String {
    let ty = &instruction[..3];
    let second = if instruction.contains("rot") { "local.get 0" } else { "" };
    format!(
        "(module (memory 1) (global (mut i32) (i32.const 7))
            (func $g (param i64) (result i64) (i64.mul (local.get 0) (i64.const 3)))
            (func (export \"f\") (param {ty}) (result {ty}) local.get 0 {second} {instruction})
            (func (export \"other\") (result i64) (call $g (i64.const 8))))"
    )
}

/// A directory with the deadly modules and three others.
fn modules(directory: &Path) {
    fs::create_dir(directory.join("in")).expect("there is space");
    for (instruction, _) in DEADLY {
        write(&directory.join(format!("in/{instruction}.wat")), module(instruction));
    }
    for instruction in ["i32.popcnt", "i64.clz", "i64.extend8_s"] {
        write(&directory.join(format!("in/{instruction}.wat")), module(instruction));
    }
}

/// One line of standard error for each deadly module, and no other.
#[track_caller]
fn assert_named(err: &str) {
    assert_eq!(err.lines().count(), DEADLY.len(), "{err}");
    for (instruction, said) in DEADLY {
        let line =
            format!("error: in/{instruction}.wat: {said} when it was asked to instantiate; it is left out");
        assert!(err.lines().any(|known| known == line), "{line}\n{err}");
    }
}

#[test]
fn coverage_names_modules_that_end_the_process_and_counts_the_others() {
    let here = directory();
    modules(here.path());
    let all = crashing_engine(here.path(), &format!("coverage in {LIMITS}"));
    assert_eq!(all.code, 3, "{}", all.err);
    assert_named(&all.err);
    // What the others reach is what they reach alone.
    DEADLY.iter().for_each(|(name, _)| {
        fs::remove_file(here.path().join(format!("in/{name}.wat"))).expect("it is there");
    });
    let alone = crashing_engine(here.path(), &format!("coverage in {LIMITS}"));
    assert_eq!((alone.code, alone.err.as_str()), (0, ""));
    assert_eq!(all.out, alone.out);
    assert!(all.out.contains("3 modules reach "), "{}", all.out);
}

#[test]
fn a_module_of_the_corpus_that_ends_the_process_does_not_hide_what_the_others_reach() {
    let here = directory();
    let line = format!("interpret --property interpreter --features wasm1 --keep-going -q -o out {LIMITS}");
    let first = crashing_engine(here.path(), &format!("{line} --tests 60"));
    assert!(first.code <= 1, "{}", first.err);
    // As small as it can be: shrinking it takes no time.
    let deadly = "(module (func i32.const 0 i32.const 0 i32.rotl drop))";
    let wasm = Module::assemble(deadly.as_bytes()).expect("it is a module");
    let hash = format!("{:016x}", stable::hash(&wasm));
    let folder = here.path().join("out/corpus").join(&hash[..2]);
    fs::create_dir_all(&folder).expect("there is space");
    fs::write(folder.join(hash).with_extension("wasm"), wasm).expect("there is space");
    let again = crashing_engine(here.path(), &format!("{line} --resume --tests 60"));
    assert_eq!(again.code, 1, "{}", again.err);
    let stats = json(&fs::read_to_string(here.path().join("out/stats.json")).expect("it is stored"));
    assert!(stats["probes_reached"].as_u64().is_some_and(|probes| probes > 500), "{stats}");
    let page = fs::read_to_string(here.path().join("out/report.html")).expect("it is stored");
    assert!(stats["reached_modules"].as_u64().is_some_and(|part| part > 0), "one was left out: {stats}");
    assert!(page.contains("<figure id=\"files\">") && page.contains("This is a part: "), "{page}");
    // The page tells where the engine died.
    assert!(page.contains("last in: "), "{page}");
}

#[test]
fn cmin_keeps_modules_that_end_the_process() {
    let here = directory();
    modules(here.path());
    // The same code once more is surplus.
    write(&here.path().join("in/surplus.wat"), module("i64.clz").replace("i64.const 8", "i64.const 9"));
    let run = crashing_engine(here.path(), &format!("cmin in {LIMITS}"));
    assert_eq!(run.code, 3, "{}", run.err);
    assert_named(&run.err);
    assert!(run.out.contains("of 4 modules"), "{}", run.out);
    for (instruction, _) in DEADLY {
        assert!(here.path().join(format!("in/{instruction}.wat")).exists(), "{instruction}");
    }
    let left = fs::read_dir(here.path().join("in")).expect("it is there").count();
    assert!(left < DEADLY.len() + 4, "{left} files are left");
}

#[test]
fn show_tells_how_an_engine_dies() {
    let here = directory();
    modules(here.path());
    for (instruction, said) in DEADLY {
        let run = crashing_engine(here.path(), &format!("show in/{instruction}.wat {LIMITS}"));
        assert_eq!(run.code, 1, "{}", run.err);
        assert!(run.out.contains("contents:   3 functions"), "{}", run.out);
        let line = format!("engines:    {said} when it was asked to instantiate");
        assert!(run.out.lines().any(|known| known == line), "{line}\n{}", run.out);
        assert!(!run.out.contains("reached:"), "nothing is known of that: {}", run.out);
    }
}

#[test]
fn shrink_makes_a_module_smaller_that_ends_the_process_in_the_same_way() {
    let here = directory();
    modules(here.path());
    for instruction in ["i32.rotl", "i32.ctz", "i64.rotr"] {
        let run = crashing_engine(here.path(), &format!("shrink in/{instruction}.wat {LIMITS} -o small.wat"));
        assert_eq!(run.code, 0, "{}", run.err);
        let text = fs::read_to_string(here.path().join("small.wat")).expect("it is stored");
        assert!(text.contains(instruction), "{text}");
        assert!(!text.contains("memory") && !text.contains("mul") && !text.contains("global"), "{text}");
    }
}

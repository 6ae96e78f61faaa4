//! What an engine's maintainer gets: scripts that fail on the bug and pass without it, and directories that are whole.

use std::fs;
use std::path::Path;

use mutagen_campaign::{Finding, GroupResult, ModuleFinding, Results, StoredCall};
use mutagen_oracles::{
    Ending, Engine, EngineEntry, Function, HostAction, HostPlan, Instance, Instantiation, Registry, Settings,
    Signature, State, Validity, Value, ValueType, Wasmi, on_stack,
};
use mutagen_report::{bundle, public_crate};

#[path = "common/finding.rs"]
mod finding;
#[path = "common/runner.rs"]
mod runner;

/// Writes the bundle of one group. Returns its directory and what holds it.
fn bundled(group: GroupResult) -> (tempfile::TempDir, std::path::PathBuf) {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    let written = written(&finding::results(vec![group]), &place.path().join("bundle"));
    let [directory] = &written[..] else { panic!("there is one group: {written:?}") };
    let directory = directory.clone();
    (place, directory)
}

fn written(results: &Results, output: &Path) -> Vec<std::path::PathBuf> {
    let written = on_stack(|| bundle(results, &Registry::default(), output)).expect("there is a thread");
    written.unwrap_or_else(|error| panic!("{error}"))
}

fn text(directory: &Path, file: &str) -> String {
    fs::read_to_string(directory.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[track_caller]
fn fails_on_the_bug_alone(group: GroupResult, bug: &'static str) {
    let (_place, directory) = bundled(group);
    let script = text(&directory, "finding.wast");
    let with = runner::run(&script, &[bug]);
    assert!(with.is_err(), "{bug}: {with:?}\n{script}");
    let without = runner::run(&script, &[]);
    assert!(without.as_ref().is_ok_and(|assertions| *assertions > 0), "{bug}: {without:?}\n{script}");
}

#[test]
fn the_script_of_a_hunted_bug_fails_with_the_bug_and_passes_without_it() {
    for bug in ["wasm-6", "wasm-11"] {
        let output = tempfile::tempdir().expect("a temporary directory can be made");
        let results = finding::hunt(bug, &output.path().join("out"));
        let group = results.groups.into_iter().next().expect("the bug is found");
        fails_on_the_bug_alone(group, bug);
    }
}

#[test]
fn the_script_of_a_bug_of_the_published_engine_fails_as_published_and_passes_with_its_fix() {
    for fix in ["wasm-f1", "wasm-f2"] {
        let (_place, directory) = bundled(finding::of_witness(fix));
        let script = text(&directory, "finding.wast");
        assert!(runner::run(&script, &[]).is_err(), "{fix}: {script}");
        assert_eq!(runner::run(&script, &[fix]), Ok(1), "{fix}: {script}");
    }
}

#[test]
fn differences_in_what_is_left_behind_are_seen_by_scripts() {
    let stores = "(module (memory (export \"m\") 1) (func (export \"f\") (i32.store8 offset=4 (i32.const 8) (i32.const 7))))";
    let memory = finding::finding_of(Some("wasm-x11".into()), "wasm1", stores, Some("f"), &[]);
    assert_eq!(memory.group.kind, "memory");
    fails_on_the_bug_alone(memory, "wasm-x11");
}

#[test]
fn scripts_go_on_to_the_call_that_differed_when_the_finding_was_made() {
    let wat = "(module (func (export \"f\") (param i32) (result i32) (i32.sub (local.get 0) (i32.const 3))))";
    let mut draft = finding::draft("wasm1", wat, Some("f"), &["i32:5"]);
    draft.calls.push(StoredCall { export: "f".into(), arguments: vec!["i32:7".into()] });
    let mut group = finding::judged(ModuleFinding { bug: Some("wasm-11".into()), ..draft });
    let Some(Finding::Module(module)) = &mut group.finding else { panic!("it is about a module") };
    // The first call differs when it is asked again.
    module.question = module.question.replace("i32:5", "i32:7");
    let (_place, directory) = bundled(group);
    let script = text(&directory, "finding.wast");
    assert_eq!(runner::run(&script, &[]), Ok(2), "{script}");
}

#[test]
fn a_bundle_says_what_is_right_where_to_look_and_how_to_see_it_again() {
    let (_place, directory) = bundled(finding::of_witness("wasm-f1"));
    let readme = text(&directory, "README.md");
    for words in [
        "wasmi 2.0.0",
        "wasmtime 48.0.8",
        "section 4.4.4 Parametric Instructions",
        "mutagen-wasm replay finding.json",
        "Met once",
        "f64:2.0",
        "portable-dispatch",
    ] {
        assert!(readme.contains(words), "{words} is missing in\n{readme}");
    }
    assert!(!readme.contains("was injected"), "{readme}");
    let wasm = fs::read(directory.join("module.wasm")).expect("it is there");
    let wat = text(&directory, "module.wat");
    assert_eq!(mutagen_wasm_ast::Module::assemble(wat.as_bytes()).expect("it is a module"), wasm);
}

/// The bug `wasm-11` makes `i32.sub` add.
fn with_imports(wat: &str, hosts: Vec<HostPlan>) -> GroupResult {
    let draft = finding::draft("wasm2", wat, Some("f"), &["i32:5"]);
    finding::judged(ModuleFinding { bug: Some("wasm-11".into()), hosts, ..draft })
}

fn returns(actions: Vec<HostAction>) -> HostPlan {
    HostPlan { turns: vec![actions], repeats: true }
}

#[test]
fn imports_come_from_a_module_of_the_script_that_does_what_the_host_did() {
    let wat = r#"(module
        (import "a" "b" (func $b (param i32) (result i32)))
        (import "a" "m" (memory 1 3))
        (import "other \" module" "g" (global $g (mut i64)))
        (import "a" "t" (table 2 funcref))
        (func (export "f") (param i32) (result i32)
            (i32.sub
                (i32.add (call $b (local.get 0)) (i32.wrap_i64 (global.get $g)))
                (i32.add (i32.load (i32.const 8)) (memory.size)))))"#;
    let write = HostAction::Write { memory: 0, address: 8, bytes: vec![5, 1, 0, 0] };
    let grow = HostAction::GrowMemory { memory: 0, pages: 1 };
    let set = HostAction::SetGlobal { global: 0, value: Value::I64(9) };
    let result = HostAction::Return(vec![Value::I32(100)]);
    let group = with_imports(wat, vec![returns(vec![write, grow, set, result])]);
    assert_eq!(group.group.kind, "result");
    fails_on_the_bug_alone(group, "wasm-11");
    // A stub has results of its own.
    let stub = r#"(module (import "a" "b" (func $b (param i32) (result i32 i64)))
        (func $first (param i32) (result i32) (call $b (local.get 0)) drop)
        (func (export "f") (param i32) (result i32) (i32.sub (i32.const 3) (call $first (local.get 0)))))"#;
    fails_on_the_bug_alone(with_imports(stub, Vec::new()), "wasm-11");
}

#[test]
fn an_import_that_is_never_called_needs_no_result() {
    let wat = r#"(module (import "" "" (func (param i32) (result i32)))
        (func (export "f") (param i32) (result i32) (i32.sub (i32.const 0) (local.get 0))))"#;
    fails_on_the_bug_alone(with_imports(wat, Vec::new()), "wasm-11");
}

#[test]
fn imports_of_one_name_are_told_apart() {
    let wat = r#"(module (import "a" "b" (func $b (result i32))) (import "a" "b" (func $c (result i32)))
        (func (export "f") (param i32) (result i32) (i32.sub (call $b) (call $c))))"#;
    let value = |value| returns(vec![HostAction::Return(vec![Value::I32(value)])]);
    fails_on_the_bug_alone(with_imports(wat, vec![value(20), value(3)]), "wasm-11");
}

#[test]
fn what_imports_are_called_with_and_how_often_is_asserted_if_the_engines_differ_in_it() {
    let wat = r#"(module (import "a" "b" (func $b (param i32 f64)))
        (func (export "f") (param i32) (call $b (i32.sub (local.get 0) (i32.const 7)) (f64.const 2))))"#;
    let group = with_imports(wat, Vec::new());
    assert_eq!(group.group.kind, "host-calls");
    fails_on_the_bug_alone(group, "wasm-11");
    let wat = r#"(module (import "a" "b" (func $b))
        (func (export "f") (param i32) (if (i32.gt_s (i32.sub (local.get 0) (i32.const 7)) (i32.const 0)) (then (call $b)))))"#;
    fails_on_the_bug_alone(with_imports(wat, Vec::new()), "wasm-11");
}

#[test]
fn imported_memories_globals_and_traps_of_the_host_are_asserted() {
    let memory = r#"(module (import "a" "m" (memory 1))
        (func (export "f") (param i32) (i32.store8 (i32.const 4) (i32.sub (local.get 0) (i32.const 1)))))"#;
    let group = with_imports(memory, Vec::new());
    assert_eq!(group.group.kind, "memory");
    fails_on_the_bug_alone(group, "wasm-11");
    let global = r#"(module (import "a" "g" (global $g (mut i32)))
        (func (export "f") (param i32) (global.set $g (i32.sub (local.get 0) (i32.const 1)))))"#;
    let group = with_imports(global, Vec::new());
    assert_eq!(group.group.kind, "global");
    fails_on_the_bug_alone(group, "wasm-11");
    let trap = r#"(module (import "a" "b" (func $b))
        (func (export "f") (param i32) (if (i32.lt_s (i32.sub (local.get 0) (i32.const 7)) (i32.const 0)) (then (call $b)))))"#;
    let group = with_imports(trap, vec![returns(vec![HostAction::Trap])]);
    assert_eq!(group.group.kind, "ending");
    fails_on_the_bug_alone(group, "wasm-11");
}

#[test]
fn what_a_script_cannot_say_is_said_in_words_and_the_test_has_it_all_the_same() {
    let wat = r#"(module (import "a" "b" (func $b)) (global (export "g") (mut i32) (i32.const 0))
        (func (export "f") (param i32) (result i32) (call $b) (i32.sub (global.get 0) (i32.const 7))))"#;
    let set = HostAction::SetGlobal { global: 0, value: Value::I32(50) };
    let (_place, directory) = bundled(with_imports(wat, vec![returns(vec![set])]));
    let script = text(&directory, "finding.wast");
    assert!(
        script.contains(";; there is no assertion: an imported function changes what the module exports"),
        "{script}"
    );
    let test = text(&directory, "tests/finding.rs");
    assert!(test.contains("let place = exported(caller, \"g\");"), "{test}");
    assert!(test.contains("set_global(caller, &place, Val::I32(50));"), "{test}");
    assert!(test.contains("Ok(vec![\"i32:43\".to_string()])"), "{test}");
}

#[test]
fn a_crash_has_the_answers_of_the_reference_and_the_last_functions() {
    let (_place, directory) = bundled(finding::crash_of_witness("wasm-f8"));
    let script = text(&directory, "finding.wast");
    assert!(script.contains("(assert_return (invoke \"f\") (i64.const 0))"), "{script}");
    // Without the fix it would end this process.
    assert_eq!(runner::run(&script, &["wasm-f8"]), Ok(1), "{script}");
    assert!(text(&directory, "tests/finding.rs").contains("Ok(vec![\"i64:0\".to_string()])"));
    let readme = text(&directory, "README.md");
    assert!(readme.contains("last in: engine::innermost") && readme.contains("ends no process"), "{readme}");
    assert!(readme.contains("`finding.wast` has the assertions"), "{readme}");
}

#[test]
fn an_engine_in_a_process_of_its_own_has_the_test_of_its_crate() {
    let GroupResult { finding, .. } = finding::crash_of_witness("wasm-f8");
    let Some(Finding::Module(mut module)) = finding else { panic!("it is about a module") };
    for (target, mode) in [("isolated:wasmi", "Eager"), ("isolated:wasmi-lazy", "Lazy")] {
        module.target_engine = target.into();
        let (_place, directory) = bundled(finding::group_of(Finding::Module(module.clone())));
        assert!(text(&directory, "Cargo.toml").contains("wasmi = { version = \"=2.0.0\""));
        let test = text(&directory, "tests/finding.rs");
        assert!(test.contains(&format!("CompilationMode::{mode})")), "{target}: {test}");
    }
}

#[test]
fn what_no_assertion_can_tell_is_said_in_script_test_and_page() {
    // With the bug it is another function, which nothing outside can tell from the right one.
    let wat = r#"(module (table 3 funcref) (elem (i32.const 0) $a $f $f) (func $a)
        (func $f (export "f") (param i32) (result funcref) (table.get (i32.sub (local.get 0) (i32.const 1)))))"#;
    let group = finding::finding_of(Some("wasm-11".into()), "wasm2", wat, Some("f"), &["i32:1"]);
    let (_place, directory) = bundled(group);
    for file in ["finding.wast", "tests/finding.rs", "README.md"] {
        let text = text(&directory, file);
        assert!(
            text.to_lowercase().contains("not asserted: the engines differ in which function"),
            "{file}: {text}"
        );
    }
    // A function and null are told apart, so there is nothing to say.
    let wat = r#"(module (table 3 funcref) (elem (i32.const 0) $f)
        (func $f (export "f") (param i32) (result funcref) (table.get (i32.sub (local.get 0) (i32.const 1)))))"#;
    let group = finding::finding_of(Some("wasm-11".into()), "wasm2", wat, Some("f"), &["i32:1"]);
    let (_place, directory) = bundled(group.clone());
    assert!(!text(&directory, "finding.wast").contains("not asserted"));
    fails_on_the_bug_alone(group, "wasm-11");
}

#[test]
fn a_script_without_assertions_is_not_praised_for_them() {
    let wat = r#"(module (import "a" "b" (func $b)) (global (export "g") (mut i32) (i32.const 0))
        (func (export "f") (param i32) (result i32) (call $b) (i32.sub (global.get 0) (i32.const 7))))"#;
    let set = HostAction::SetGlobal { global: 0, value: Value::I32(50) };
    let (_place, directory) = bundled(with_imports(wat, vec![returns(vec![set])]));
    let readme = text(&directory, "README.md");
    assert!(readme.contains("`finding.wast` has the module and no assertion, and says why"), "{readme}");
}

/// wasmi, but it exports nothing whose name begins with an `h`, or a function more.
struct Exports {
    wasmi: Wasmi,
    hides: bool,
}

impl Engine for Exports {
    fn name(&self) -> &str {
        "wasmi"
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        self.wasmi.validate(bytes)
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        let inner = self.wasmi.instantiate(bytes)?;
        Ok(Box::new(Instantiated { inner, hides: self.hides }))
    }
}

struct Instantiated {
    inner: Box<dyn Instance>,
    hides: bool,
}

impl Instance for Instantiated {
    fn exports(&self) -> Vec<Function> {
        let mut functions = self.inner.exports();
        match self.hides {
            true => functions.retain(|function| !function.name.starts_with('h')),
            false => {
                let signature = Signature { parameters: vec![ValueType::I32], results: Vec::new() };
                functions.push(Function { name: "more".into(), signature });
                functions.sort_by(|one, other| one.name.cmp(&other.name));
            }
        }
        functions
    }

    fn call(&mut self, export: &str, arguments: &[Value]) -> Ending {
        self.inner.call(export, arguments)
    }

    fn state(&mut self) -> State {
        self.inner.state()
    }

    fn memory(&mut self, number: usize) -> Vec<u8> {
        self.inner.memory(number)
    }

    fn table(&mut self, number: usize) -> Vec<Value> {
        self.inner.table(number)
    }
}

#[test]
fn differences_in_exports_are_asserted_by_linking() {
    let wat =
        r#"(module (func (export "f")) (func (export "hidden") (param f32 i64) (result i32) i32.const 1))"#;
    for (hides, assertion, type_of_test) in [
        (
            true,
            "(module (import \"subject\" \"hidden\" (func (param f32 i64) (result i32))))",
            "\"hidden\").as_deref(), Some(\"(f32, i64) -> (i32)\")",
        ),
        (
            false,
            "(assert_unlinkable\n  (module (import \"subject\" \"more\" (func (param i32))))",
            "\"more\").as_deref(), None)",
        ),
    ] {
        let make = move |settings: &Settings| {
            Ok(Box::new(Exports { wasmi: Wasmi::new(settings), hides }) as Box<dyn Engine>)
        };
        let engines = Registry::default().with(EngineEntry::new("wasmi", "2.0.0", make));
        let finding = finding::judged_by(finding::draft("wasm1", wat, None, &[]), &engines);
        assert_eq!(finding.group.kind, "export");
        let place = tempfile::tempdir().expect("a temporary directory can be made");
        let written =
            on_stack(|| bundle(&finding::results(vec![finding]), &engines, &place.path().join("b")));
        let directory = written.expect("there is a thread").expect("it can be written").remove(0);
        let script = text(&directory, "finding.wast");
        assert!(script.contains(assertion), "{script}");
        assert!(runner::run(&script, &[]).is_ok(), "{script}");
        let test = text(&directory, "tests/finding.rs");
        assert!(test.contains(type_of_test), "{test}");
        // An engine that differs does not pass.
        let wrong = script
            .replace("(param f32 i64) (result i32)", "(param f32)")
            .replace("\"more\" (func (param i32))", "\"f\" (func)");
        // The module itself has the type as well, but no name of the second one.
        let wrong = wrong.replacen("(param f32)", "(param f32 i64) (result i32)", 1);
        assert!(runner::run(&wrong, &[]).is_err(), "{wrong}");
    }
}

#[test]
fn of_a_nan_as_much_is_asserted_as_the_specification_says() {
    let asserted = |body: &str, arguments: &[&str]| {
        let wat = format!("(module (func (export \"f\") (param f32) (result f32) {body}))");
        let (_place, directory) = bundled(finding::crash("wasm1", &wat, Some("f"), arguments));
        let script = text(&directory, "finding.wast");
        assert_eq!(runner::run(&script, &[]), Ok(1), "{script}");
        script
    };
    // 0 / 0 is canonical, of one sign or the other.
    assert!(asserted("(f32.div (f32.const 0) (f32.const 0))", &["f32:1"]).contains("nan:canonical"));
    // Where another NaN goes in, any arithmetic one may come out.
    let other = "(f32.add (local.get 0) (f32.const 1))";
    assert!(
        asserted(other, &["f32:0x7fe00000"])
            .contains("(assert_return (invoke \"f\" (f32.const nan:0x600000)) (f32.const nan:arithmetic))")
    );
    // What is only moved keeps its bits.
    assert!(asserted("(f32.neg (local.get 0))", &["f32:0x7fe00000"]).contains("(f32.const -nan:0x600000)"));
}

#[test]
fn a_bundle_is_written_as_a_whole_and_never_over_something() {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    let output = place.path().join("bundle");
    let results = finding::results(vec![finding::of_witness("wasm-f1")]);
    assert_eq!(written(&results, &output).len(), 1);
    let again = on_stack(|| bundle(&results, &Registry::default(), &output)).expect("there is a thread");
    let error = again.expect_err("the place is taken").to_string();
    assert!(error.contains("is there already"), "{error}");
    let left: Vec<_> = fs::read_dir(place.path()).expect("it can be listed").collect();
    assert_eq!(left.len(), 1, "nothing unfinished is left: {left:?}");
}

#[test]
fn the_test_asks_for_the_features_with_which_the_engine_is_compiled_here() {
    let manifest = include_str!("../../Cargo.toml");
    for engine in ["wasmi", "wasmtime"] {
        let krate = public_crate(engine).expect("it is a crate");
        let start = manifest.find(&format!("\n{engine} = {{")).expect("it is a dependency");
        let entry = &manifest[start..][..manifest[start..].find("] }").expect("it ends")];
        let features = entry.split_once("features = [").expect("it has features").1;
        // Words between quotes, but for comments.
        let lines = features.lines().filter(|line| !line.trim_start().starts_with('#'));
        let named: Vec<&str> = lines.flat_map(|line| line.split('"').skip(1).step_by(2)).collect();
        assert_eq!(named, krate.features, "{engine}");
    }
}

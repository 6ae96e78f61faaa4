//! Engines by name: which there are, what they say, and what users are told who ask for another one.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering::Relaxed},
};

use mutagen_oracles::{
    Agreement, Around, Call, Engine, EngineEntry, EngineError, Features, Registry, Role, Settings, Value,
    Which, Wrapped, judge, judge_validity, on_stack,
};

use crate::support::{f, wasm};

fn engine(name: &str, settings: &Settings) -> Box<dyn Engine> {
    Registry::default().find(name).expect("it is built in").make(settings).expect("it takes the settings")
}

/// What the two engines with these names make of a module.
fn judge_named([target, reference]: [&str; 2], module: &[u8], calls: &[Call]) -> Agreement {
    let settings = Settings::default();
    let (target, reference) = (engine(target, &settings), engine(reference, &settings));
    on_stack(|| judge(module, calls, &target, &reference, &settings).agreement).expect("there is a thread")
}

#[test]
fn every_engine_says_the_name_by_which_it_is_chosen() {
    let registry = Registry::default();
    let names: Vec<&str> = registry.entries().iter().map(|entry| entry.name).collect();
    for name in
        ["wasmi", "wasmi-lazy", "wasmtime", "wasmtime-speed", "tinywasm", "dlr", "node", "node-turbofan"]
    {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
    for entry in linked(&registry) {
        assert!(!entry.about.is_empty() && !entry.roles.is_empty(), "{entry:?}");
        if let Some(engine) = made(entry) {
            assert_eq!(engine.name(), entry.name);
        }
    }
}

/// The engines of this process, which need nothing that may be installed or not.
fn linked(registry: &Registry) -> impl Iterator<Item = &EngineEntry> {
    registry.entries().iter().filter(|entry| !entry.version.is_empty())
}

/// The engine with those of the usual features that it has. `None` if this program was built without it.
fn made(entry: &EngineEntry) -> Option<Box<dyn Engine>> {
    let features = Settings::default().features & entry.features;
    match entry.make(&Settings { features, ..Settings::default() }) {
        Err(EngineError::Missing { .. }) => None,
        made => Some(made.expect("it is built in")),
    }
}

#[test]
fn the_versions_are_those_that_are_linked() {
    let lock = include_str!("../../../Cargo.lock");
    for entry in linked(&Registry::default()) {
        let package = match entry.name.split('-').next().expect("a name has a first word") {
            "dlr" => "dlr-wasm-interpreter",
            "sf" => "sf-nano-core",
            "stitch" => "makepad-stitch",
            package => package,
        };
        let locked = format!("name = \"{package}\"\nversion = \"{}\"\n", entry.version);
        assert!(lock.contains(&locked), "Cargo.lock has another version of {package} than {}", entry.version);
    }
}

#[test]
fn every_engine_agrees_with_every_other_one() {
    let module = wasm(
        r#"(module (memory (export "m") 1) (func $g (param i32) (result i32) (i32.div_u (i32.const 7) (local.get 0)))
            (func (export "f") (param i32) (result i32) (i32.store (i32.const 3) (local.get 0)) (call $g (local.get 0))))"#,
    );
    let calls = [f(&[Value::I32(2)]), f(&[Value::I32(0)])];
    let settings = Settings::default();
    let engines: Vec<Box<dyn Engine>> = linked(&Registry::default()).filter_map(made).collect();
    for (target, reference) in engines.iter().flat_map(|target| engines.iter().map(move |it| (target, it))) {
        let judged = on_stack(|| judge(&module, &calls, target, reference, &settings).agreement);
        assert_eq!(
            judged.expect("there is a thread"),
            Agreement::Equal,
            "{}, {}",
            target.name(),
            reference.name()
        );
    }
}

#[test]
fn a_function_that_is_too_large_for_the_translator_is_a_limit_also_when_it_is_translated_late() {
    let large = "(local i32)".repeat(30_001);
    let called = wasm(&format!(r#"(module (func (export "f") {large}))"#));
    let at_start = wasm(&format!("(module (func $f {large}) (start $f))"));
    let never_called = wasm(&format!(r#"(module (func {large}) (func (export "f")))"#));
    for pair in [["wasmi-lazy", "wasmtime"], ["wasmtime", "wasmi-lazy"], ["wasmi-lazy", "wasmi"]] {
        assert_eq!(judge_named(pair, &called, &[f(&[])]), Agreement::Limit(Which::Locals), "{pair:?}");
        assert_eq!(judge_named(pair, &at_start, &[]), Agreement::Limit(Which::Locals), "{pair:?}");
    }
    assert_eq!(judge_named(["wasmi-lazy", "wasmtime"], &never_called, &[f(&[])]), Agreement::Equal);
    assert_eq!(judge_named(["wasmi", "wasmtime"], &never_called, &[]), Agreement::Limit(Which::Locals));
    let mut instance =
        engine("wasmi-lazy", &Settings::default()).instantiate(&called).expect("nothing is called");
    let ending = instance.call("f", &[]);
    assert!(
        ending.ends_comparison() && ending.to_string().starts_with("a function was not compiled"),
        "{ending}"
    );
}

/// An import of a function of exactly one type: a feature that is off, which wasmtime's check of validity accepts.
const EXACT_IMPORT: &[u8] = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x02\x05\x01\0\0\x20\0";

/// Counts the questions that an engine is asked.
#[derive(Clone, Default)]
struct Count(Arc<AtomicU32>);

impl Around for Count {
    fn around<R>(&self, ask: impl FnOnce() -> R) -> R {
        self.0.fetch_add(1, Relaxed);
        ask()
    }
}

#[test]
fn a_module_that_the_reference_calls_valid_and_does_not_compile_is_rejected_by_both() {
    let settings = Settings::default();
    let (wasmi, wasmtime) = (engine("wasmi", &settings), engine("wasmtime", &settings));
    assert!(wasmtime.validate(EXACT_IMPORT).is_accepted(), "this test is about such a module");
    for judgement in [
        judge_validity(EXACT_IMPORT, &wasmi, &wasmtime, &settings),
        judge(EXACT_IMPORT, &[], &wasmi, &wasmtime, &settings),
    ] {
        assert_eq!(judgement.agreement, Agreement::Equal);
        let reference = judgement.steps[0].reference.as_ref().expect("it was asked").to_string();
        assert!(reference.starts_with("rejected"), "{reference}");
    }
}

#[test]
fn the_reference_compiles_only_to_settle_a_difference() {
    let settings = Settings::default();
    let count = Count::default();
    let (wasmi, wasmtime) = (engine("wasmi", &settings), engine("wasmtime", &settings));
    let wasmtime = Wrapped::new(wasmtime, count.clone());
    let asked = |module: &[u8]| {
        count.0.store(0, Relaxed);
        judge_validity(module, &wasmi, &wasmtime, &settings);
        count.0.load(Relaxed)
    };
    assert_eq!(asked(&wasm("(module (func))")), 1, "both accept");
    assert_eq!(asked(&wasm("(module (func (result i32)))")), 1, "both reject");
    assert_eq!(asked(EXACT_IMPORT), 2, "only the target rejects");
}

#[test]
fn a_name_that_nobody_has_is_answered_with_the_nearest_one_and_with_all() {
    let message = |name: &str| Registry::default().find(name).expect_err("nobody has it").to_string();
    assert!(message("wasmtine").contains("did you mean `wasmtime`?"));
    assert!(message("wasmi-laxy").contains("did you mean `wasmi-lazy`?"));
    let far = message("spidermonkey");
    assert!(
        !far.contains("did you mean") && far.contains("wasmi, wasmi-lazy, wasmtime, wasmtime-speed"),
        "{far}"
    );
}

#[test]
fn a_missing_engine_is_listed_and_says_how_to_get_it() {
    let missing = EngineEntry::missing("quick", "0.1", "build with `--features quick`");
    let registry = Registry::default().with(missing.roles(&[Role::Reference]));
    let entry = registry.find("quick").expect("it is listed");
    assert_eq!(entry.how_to_get, Some("build with `--features quick`"));
    let error = entry.make(&Settings::default()).err().expect("it is missing");
    assert!(error.to_string().contains("build with"), "{error}");
}

#[test]
fn engines_that_share_code_are_of_one_lineage() {
    let registry = Registry::default();
    let lineage = |name: &str| registry.find(name).expect("it is built in").lineage;
    assert_eq!(lineage("wasmtime"), lineage("wasmtime-speed"));
    assert_eq!(lineage("wasmi").validation, lineage("tinywasm").validation, "both have wasmparser");
    assert_ne!(lineage("wasmi").execution, lineage("tinywasm").execution);
    let own = EngineEntry::missing("quick", "0.1", "build it").lineage;
    assert_eq!((own.validation, own.execution), ("quick", "quick"));
}

#[test]
fn an_engine_is_not_made_with_features_that_it_lacks() {
    let wasmi = Registry::default().find("wasmi").expect("it is built in").clone().features(Features::WASM1);
    let error = wasmi.make(&Settings::default()).err().expect("it lacks features");
    let EngineError::Unsupported { features, .. } = error else { panic!("{error}") };
    assert!(features.includes(Features::NONE.with(mutagen_oracles::Feature::Simd)));
    assert!(!features.includes(Features::WASM1));
}

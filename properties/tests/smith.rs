//! wasm-smith as a generator: valid modules of our features that the syntax tree can express.

use mutagen_engine::{Property, Source, Verdict, stable};
use mutagen_properties::{Context, Modules, Smith, Validator};
use mutagen_wasm_ast::{Features, Module};

const SETS: [Features; 3] = [Features::WASM1, Features::WASM2, Features::WASMI];

fn modules(features: Features, count: usize) -> (Vec<Module>, u64) {
    let smith = Smith::new(features);
    let mut source = Source::seeded(7);
    let modules = (0..count).map(|size| smith.generate(&mut source, size % 6)).collect();
    (modules, smith.refused())
}

#[test]
fn nothing_that_smith_makes_with_our_features_is_refused_by_the_syntax_tree() {
    for features in SETS {
        let (modules, refused) = modules(features, 300);
        assert_eq!(refused, 0, "{features}");
        assert!(modules.iter().all(|module| !module.functions.is_empty()), "{features}");
    }
}

#[test]
fn both_engines_accept_what_smith_makes() {
    for features in SETS {
        let context = Context::new(features);
        let mut validator = Validator::new(&context, Default::default()).expect("the settings are fine");
        for module in modules(features, 100).0 {
            let outcome = validator.check(&module);
            assert_ne!(outcome.verdict, Verdict::Discarded, "{features}: {module:?}: {:?}", outcome.labels);
        }
    }
}

#[test]
fn exported_functions_of_smith_modules_are_called() {
    let context = Context::new(Features::WASM1);
    let modules_property = Modules::new(&context).expect("the settings are fine");
    let is_called = |module: &&Module| !modules_property.seeded_calls(&module.encode(), 0).is_empty();
    let called = modules(Features::WASM1, 50).0.iter().filter(is_called).count();
    assert!(called > 25, "functions of {called} modules out of 50");
}

#[test]
fn functions_are_called_with_boundary_arguments_and_with_random_ones_that_follow_from_the_seed() {
    let property = Modules::new(&Context::new(Features::WASM1)).expect("the settings are fine");
    let text = |constant: u32| {
        format!("(module (func (export \"f\") (param i64) (result i32) (i32.const {constant})))")
    };
    let lists = |constant| {
        let wasm = Module::assemble(text(constant).as_bytes()).expect("it is a module");
        let calls = property.seeded_calls(&wasm, stable::hash(&wasm));
        assert_eq!(calls, property.seeded_calls(&wasm, stable::hash(&wasm)), "the same seed, the same calls");
        calls.into_iter().map(|call| call.arguments).collect::<Vec<_>>()
    };
    let (one, other) = (lists(1), lists(2));
    assert_eq!((one.len(), &one[..6]), (8, &other[..6]), "boundary values");
    assert!(one[6..].iter().all(|list| !other.contains(list)), "{one:?} and {other:?}");
}

#[test]
fn the_same_bytes_give_the_same_module() {
    let smith = Smith::new(Features::WASM2);
    let mut source = Source::from_bytes_then_random(Vec::new(), 3);
    let module = smith.generate(&mut source, 4);
    let again = smith.generate(&mut Source::from_bytes(source.consumed().to_vec()), 4);
    assert_eq!(module, again);
}

//! Functions that the reference runs in batches.

use mutagen_engine::{Outcome, Property, Verdict};
use mutagen_oracles::on_stack;
use mutagen_properties::{Context, Functions, Injection, Modules, Scenario};
use mutagen_wasm_ast::{Features, Module, Stub};

/// The inside of a function of the paper's type.
fn stub(body: &str) -> Stub {
    let text = format!("(module (memory 1) (func (param i32 f32) (result i32) (local i64) {body}))");
    let function = Module::from_text(&text).expect("it is a module").functions.swap_remove(0);
    Stub { locals: function.locals, body: function.body }
}

/// Functions that return, trap, change the memory, and call themselves. No two do the same.
fn different(count: usize) -> Vec<Stub> {
    let body = |number: usize| match number % 5 {
        0 => format!("i32.const {number}"),
        1 => format!("(i32.store (i32.const {number}) (local.get 0)) (memory.size)"),
        2 => format!("(i32.div_s (i32.const {number}) (local.get 0))"),
        3 => format!("(memory.grow (i32.const {}))", number % 3),
        _ => format!(
            "(if (result i32) (local.get 0) (then (call 0 (i32.const 0) (local.get 1))) (else (i32.const {number})))"
        ),
    };
    (0..count).map(|number| stub(&body(number))).collect()
}

/// Tests all functions. Returns their late outcomes, and how often a function had to be run alone.
fn test(bug: Option<&'static str>, stubs: Vec<Stub>) -> (Vec<(Stub, Outcome)>, u64) {
    on_stack(move || {
        let context = Context::new(Features::WASM1).inject(Injection { bug, fixes: Vec::new() });
        let mut property = Functions::new(&context, Functions::paper_type()).expect("the settings are fine");
        let mut late = Vec::new();
        for stub in &stubs {
            let outcome = property.check(stub);
            assert_eq!(outcome.verdict, Verdict::Passed, "{stub:?}");
            late.extend(std::iter::from_fn(|| property.late(false)));
        }
        late.extend(std::iter::from_fn(|| property.late(true)));
        (late, property.asked_alone())
    })
    .expect("there is a thread")
}

#[test]
fn every_function_of_a_batch_is_called_and_agrees_without_being_asked_about_alone() {
    for count in [1, 2, 31, 32, 70] {
        assert_eq!(test(None, different(count)), (Vec::new(), 0), "{count} functions");
    }
}

#[test]
fn the_one_function_of_a_batch_that_differs_is_named() {
    for place in [0, 17, 31, 45] {
        let subtracts = stub("(i32.sub (i32.const 5) (local.get 0))");
        let mut stubs = different(50);
        stubs[place] = subtracts.clone();
        let (late, asked_alone) = test(Some("wasm-11"), stubs);
        assert_eq!(asked_alone, 1);
        let [(found, outcome)] = &late[..] else { panic!("{late:?}") };
        assert_eq!(*found, subtracts, "place {place}");
        assert!(matches!(outcome.verdict, Verdict::Failed(_)), "{outcome:?}");
    }
}

#[test]
fn a_module_over_a_limit_is_discarded_and_not_inconclusive() {
    let mut property = Modules::new(&Context::new(Features::WASM1)).expect("the settings are fine");
    let module = Module::from_text("(module (table 4294967295 funcref))").expect("it is a module");
    let outcome = property.check(&Scenario::of(module));
    assert_eq!(outcome.verdict, Verdict::Discarded);
    assert!(outcome.labels.iter().any(|label| label.contains("limit")), "{outcome:?}");
}

#[test]
fn repaired_functions_without_an_end_count_their_steps_and_are_compared() {
    let context = Context::new(Features::WASM1);
    let plain = || Functions::new(&context, Functions::paper_type()).expect("the settings are fine");
    for text in ["(call 0 (local.get 0) (local.get 1))", "(loop br 0) i32.const 0"] {
        let stub = stub(text);
        let [as_it_is, counted] =
            [plain(), plain().repairing().expect("the settings are fine")].map(|mut property| {
                on_stack(|| (property.check(&stub).verdict, property.late(true).is_none()))
                    .expect("there is a thread")
            });
        assert!(matches!(as_it_is.0, Verdict::Inconclusive(_)), "{text}: {as_it_is:?}");
        assert_eq!(counted, (Verdict::Passed, true), "{text}");
    }
}

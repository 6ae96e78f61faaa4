//! Engines that misbehave in ways that are not differences: errors without a trap, panics, moods.

use std::{cell::Cell, rc::Rc};

use mutagen_oracles::{
    Ending, Engine, Guarded, Instance, Instantiation, Settings, Validity, Value, Verdict, Wasmi, What, Why,
    catch, confirm, judge,
};

use crate::support::{Liar, Lies, f, judge_text, wasm, wasmtime};

const MODULE: &str =
    r#"(module (memory (export "memory") 1) (func (export "f") (result i32) (i32.const 1)))"#;

fn panicking_while(part: &str) -> Lies {
    let mut lies = Lies::default();
    match part {
        "validate" => lies.validity = Rc::new(|_| panic!("a bug in validate")),
        "call" => lies.ending = Rc::new(|_| panic!("a bug in call")),
        "state" => lies.state = Rc::new(|_| panic!("a bug in state")),
        "drop" => lies.drop = Rc::new(|| panic!("a bug in drop")),
        other => panic!("no such part: {other}"),
    }
    lies
}

#[test]
fn f1_f3_an_error_that_is_no_trap_is_never_a_finding() {
    let liar =
        Liar::new(Lies { ending: Rc::new(|_| Ending::Infra("mmap failed".to_owned())), ..Lies::default() });
    assert_eq!(liar.as_target(MODULE, &[f(&[])]), Verdict::Infra("mmap failed".to_owned()));
    assert_eq!(liar.as_reference(MODULE, &[f(&[])]), Verdict::Infra("mmap failed".to_owned()));
}

#[test]
fn a_trap_without_a_counterpart_is_inconclusive_even_if_both_say_it() {
    let unmapped = || Ending::Unmapped("cast failure".to_owned());
    let liar = Liar::new(Lies { ending: Rc::new(move |_| unmapped()), ..Lies::default() });
    let why = Verdict::Inconclusive(Why::UnmappedTrap("cast failure".to_owned()));
    assert_eq!(liar.as_target(MODULE, &[f(&[])]), why);
    let settings = Settings::default();
    assert_eq!(judge(&wasm(MODULE), &[f(&[])], &liar, &liar, &settings).verdict, why);
}

#[test]
fn f2_a_panic_of_the_target_is_a_finding_wherever_it_happens() {
    for part in ["validate", "call", "state", "drop"] {
        let verdict = Liar::new(panicking_while(part)).as_target(MODULE, &[f(&[])]);
        let Verdict::Differ(difference) = verdict else { panic!("{part}: {verdict}") };
        assert_eq!(difference.what, What::Panic, "{part}");
        let message = format!("a bug in {part} (faults.rs:");
        assert!(difference.target.contains(&message), "{}", difference.target);
    }
}

#[test]
fn f2_a_panic_of_the_reference_is_never_a_finding() {
    for part in ["validate", "call", "state"] {
        let verdict = Liar::new(panicking_while(part)).as_reference(MODULE, &[f(&[])]);
        assert!(matches!(verdict, Verdict::Infra(_)), "{part}: {verdict}");
    }
    assert_eq!(Liar::new(panicking_while("drop")).as_reference(MODULE, &[f(&[])]), Verdict::Equal);
}

#[test]
fn f2_a_panic_while_instantiating_is_an_ending() {
    struct Panics;
    impl Engine for Panics {
        fn name(&self) -> &str {
            "panics"
        }
        fn validate(&self, _: &[u8]) -> Validity {
            Validity::Accepted
        }
        fn instantiate(&self, _: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
            panic!("a bug in instantiate")
        }
    }
    let settings = Settings::default();
    let verdict = judge(&wasm(MODULE), &[], &Panics, &Wasmi::new(&settings), &settings).verdict;
    assert!(matches!(verdict, Verdict::Differ(difference) if difference.what == What::Panic));
}

#[test]
fn an_instance_that_panicked_is_not_asked_again() {
    let calls = Rc::new(Cell::new(0));
    let count = calls.clone();
    let ending = Rc::new(move |_| {
        count.set(count.get() + 1);
        panic!("again and again")
    });
    let liar = Guarded(Liar::new(Lies { ending, ..panicking_while("drop") }));
    let mut instance = liar.open(&wasm(MODULE)).expect("it instantiates");
    assert!(matches!(instance.call("f", &[]), Ending::Panicked(_)));
    assert!(matches!(instance.call("f", &[]), Ending::Infra(_)));
    assert_eq!((calls.get(), instance.state().memories.len(), instance.exports().len()), (1, 0, 0));
    assert_eq!(instance.close(), Ok(()));
}

#[test]
fn catching_gives_message_and_place_and_nests() {
    let inner = catch(|| catch(|| panic!("inside {}", 1)).unwrap_err());
    assert!(inner.expect("the outer one did not panic").starts_with("inside 1 (faults.rs:"));
    assert_eq!(
        catch(|| std::panic::panic_any(7)).unwrap_err().split(" (").next(),
        Some("a panic without a message")
    );
    assert_eq!(catch(|| 5), Ok(5));
}

#[test]
fn f4_a_difference_that_does_not_show_again_is_flaky() {
    let mood = Rc::new(Cell::new(0));
    let moody = |good_from: u32| {
        let mood = mood.clone();
        mood.set(0);
        Liar::new(Lies {
            ending: Rc::new(move |ending| {
                mood.set(mood.get() + 1);
                if mood.get() >= good_from { ending } else { Ending::Returned(vec![Value::I32(2)]) }
            }),
            ..Lies::default()
        })
    };
    let settings = Settings::default();
    let confirmed =
        |liar: &Liar| confirm(5, || judge(&wasm(MODULE), &[f(&[])], liar, &liar.engine, &settings)).verdict;
    for good_from in 2..=5 {
        assert_eq!(confirmed(&moody(good_from)), Verdict::Inconclusive(Why::Flaky));
    }
    assert!(confirmed(&moody(6)).is_finding());
    assert_eq!(
        (confirmed(&moody(1)), mood.get()),
        (Verdict::Equal, 1),
        "what is no finding is not judged again"
    );
}

#[test]
fn a_call_that_does_not_fit_is_refused_by_both_engines() {
    let module = r#"(module (func (export "f") (param i32 f32) (result i32) (local.get 0)))"#;
    for arguments in [
        &[] as &[Value],
        &[Value::I32(1)],
        &[Value::I32(1), Value::F32(0), Value::I32(0)],
        &[Value::F32(0), Value::I32(1)],
        &[Value::I32(1), Value::F64(0)],
    ] {
        let judgement = judge_text(module, &[f(arguments)]);
        assert_eq!(judgement.verdict, Verdict::Equal);
        assert!(judgement.steps[2].target.starts_with("refused"), "{:?}", judgement.steps[2]);
        assert!(judgement.steps[2].reference.as_ref().is_some_and(|it| it.starts_with("refused")));
    }
    assert_eq!(judge_text(module, &[f(&[Value::I32(1), Value::F32(0)])]).steps[2].target, "returned [i32:1]");
    let missing = judge_text("(module)", &[f(&[])]);
    assert_eq!((missing.verdict, missing.steps[2].target.starts_with("refused")), (Verdict::Equal, true));
}

#[test]
fn both_engines_list_the_same_exports() {
    let module = wasm(
        r#"(module (memory (export "m") 1) (table (export "t") 1 funcref) (global (export "g") i32 (i32.const 0))
            (func (export "z") (param i32 i64 f32 f64 v128) (result externref funcref) unreachable)
            (func (export "a")))"#,
    );
    let settings = Settings::default();
    let exports = |engine: &dyn Engine| engine.instantiate(&module).expect("it instantiates").exports();
    let ours = exports(&Wasmi::new(&settings));
    assert_eq!(ours, exports(&wasmtime(&settings)));
    assert_eq!(ours.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["a", "z"]);
    assert_eq!(ours[1].signature.parameters.len(), 5);
}

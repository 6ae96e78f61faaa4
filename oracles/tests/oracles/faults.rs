//! Engines that misbehave in ways that are not differences: errors without a trap, panics, moods.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering::Relaxed},
};

use mutagen_oracles::{
    Agreement, Ending, Engine, Guarded, Instance, Instantiation, Settings, Validity, Value, Wasmi, What, Why,
    catch, confirm, judge,
};

use crate::support::{Liar, Lies, f, judge_text, wasm, wasmtime};

const MODULE: &str =
    r#"(module (memory (export "memory") 1) (func (export "f") (result i32) (i32.const 1)))"#;

fn panicking_while(part: &str) -> Lies {
    let mut lies = Lies::default();
    match part {
        "validate" => lies.validity = Arc::new(|_| panic!("a bug in validate")),
        "call" => lies.ending = Arc::new(|_| panic!("a bug in call")),
        "state" => lies.state = Arc::new(|_| panic!("a bug in state")),
        "drop" => lies.drop = Arc::new(|| panic!("a bug in drop")),
        other => panic!("no such part: {other}"),
    }
    lies
}

#[test]
fn f1_f3_an_error_that_is_no_trap_is_never_a_finding() {
    let liar =
        Liar::new(Lies { ending: Arc::new(|_| Ending::Infra("mmap failed".to_owned())), ..Lies::default() });
    assert_eq!(liar.as_target(MODULE, &[f(&[])]), Agreement::Infra("mmap failed".to_owned()));
    assert_eq!(liar.as_reference(MODULE, &[f(&[])]), Agreement::Infra("mmap failed".to_owned()));
}

#[test]
fn a_trap_without_a_counterpart_is_inconclusive_even_if_both_say_it() {
    let unmapped = || Ending::Unmapped("cast failure".to_owned());
    let liar = Liar::new(Lies { ending: Arc::new(move |_| unmapped()), ..Lies::default() });
    let why = Agreement::Inconclusive(Why::UnmappedTrap("cast failure".to_owned()));
    assert_eq!(liar.as_target(MODULE, &[f(&[])]), why);
    let settings = Settings::default();
    assert_eq!(judge(&wasm(MODULE), &[f(&[])], &liar, &liar, &settings).agreement, why);
}

#[test]
fn f2_a_panic_of_the_target_is_a_finding_wherever_it_happens() {
    for part in ["validate", "call", "state", "drop"] {
        let agreement = Liar::new(panicking_while(part)).as_target(MODULE, &[f(&[])]);
        let Agreement::Differ(difference) = agreement else { panic!("{part}: {agreement}") };
        assert_eq!(difference.what, What::Panic, "{part}");
        let message = format!("a bug in {part} (faults.rs:");
        assert!(difference.target.contains(&message), "{}", difference.target);
    }
}

#[test]
fn f2_a_panic_of_the_reference_is_never_a_finding() {
    for part in ["validate", "call", "state"] {
        let agreement = Liar::new(panicking_while(part)).as_reference(MODULE, &[f(&[])]);
        assert!(matches!(agreement, Agreement::Infra(_)), "{part}: {agreement}");
    }
    assert_eq!(Liar::new(panicking_while("drop")).as_reference(MODULE, &[f(&[])]), Agreement::Equal);
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
    let agreement = judge(&wasm(MODULE), &[], &Panics, &Wasmi::new(&settings), &settings).agreement;
    assert!(matches!(agreement, Agreement::Differ(difference) if difference.what == What::Panic));
}

#[test]
fn an_instance_that_panicked_is_not_asked_again() {
    let calls = Arc::new(AtomicU32::new(0));
    let count = calls.clone();
    let ending = Arc::new(move |_| {
        count.fetch_add(1, Relaxed);
        panic!("again and again")
    });
    let liar = Guarded(Liar::new(Lies { ending, ..panicking_while("drop") }));
    let mut instance = liar.open(&wasm(MODULE), &[]).expect("it instantiates");
    assert!(matches!(instance.call("f", &[]), Ending::Panicked(_)));
    assert!(matches!(instance.call("f", &[]), Ending::Infra(_)));
    assert_eq!((calls.load(Relaxed), instance.state().memories.len(), instance.exports().len()), (1, 0, 0));
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
    let mood = Arc::new(AtomicU32::new(0));
    let moody = |good_from: u32| {
        let mood = mood.clone();
        mood.store(0, Relaxed);
        Liar::new(Lies {
            ending: Arc::new(move |ending| {
                if mood.fetch_add(1, Relaxed) + 1 >= good_from {
                    ending
                } else {
                    Ending::Returned(vec![Value::I32(2)])
                }
            }),
            ..Lies::default()
        })
    };
    let settings = Settings::default();
    let confirmed =
        |liar: &Liar| confirm(5, || judge(&wasm(MODULE), &[f(&[])], liar, &liar.engine, &settings)).agreement;
    for good_from in 2..=5 {
        assert_eq!(confirmed(&moody(good_from)), Agreement::Inconclusive(Why::Flaky));
    }
    assert!(confirmed(&moody(6)).is_finding());
    assert_eq!(
        (confirmed(&moody(1)), mood.load(Relaxed)),
        (Agreement::Equal, 1),
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
        assert_eq!(judgement.agreement, Agreement::Equal);
        assert!(judgement.steps[2].target.to_string().starts_with("refused"), "{:?}", judgement.steps[2]);
        assert!(
            judgement.steps[2].reference.as_ref().is_some_and(|it| it.to_string().starts_with("refused"))
        );
    }
    assert_eq!(
        judge_text(module, &[f(&[Value::I32(1), Value::F32(0)])]).steps[2].target.to_string(),
        "returned [i32:1]"
    );
    let missing = judge_text("(module)", &[f(&[])]);
    assert_eq!(
        (missing.agreement, missing.steps[2].target.to_string().starts_with("refused")),
        (Agreement::Equal, true)
    );
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

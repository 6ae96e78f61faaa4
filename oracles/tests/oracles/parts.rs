//! A difference is seen by the comparison of its part, and overlooked by that of any other.

use std::sync::Arc;

use mutagen_oracles::{
    Agreement, Ending, Instantiation, Part, Parts, Rejection, Settings, State, TrapKind, Validity, Value,
};

use crate::support::{Liar, Lies, f};

const MODULE: &str = r#"(module
    (import "" "" (func $h (param i32)))
    (memory (export "memory") 1) (global (export "global") i32 (i32.const 3)) (table (export "table") 2 funcref)
    (func (export "f") (result i32) (call $h (i32.const 1)) (i32.const 7)))"#;

/// The parts that see the lie when nothing else is compared.
fn seen_by(lies: Lies) -> Vec<Part> {
    let liar = Liar::new(lies);
    let sees = |part: &Part| judged(&liar, Parts::only(*part)).is_finding();
    Part::ALL.into_iter().filter(sees).collect()
}

fn judged(liar: &Liar, compared: Parts) -> Agreement {
    liar.as_target_with(&Settings { compared, ..Settings::default() }, MODULE, &[f(&[])])
}

fn ending(lie: impl Fn() -> Ending + Send + Sync + 'static) -> Lies {
    Lies { ending: Arc::new(move |_| lie()), ..Lies::default() }
}

fn state(change: impl Fn(&mut State) + Send + Sync + 'static) -> Lies {
    let state = Arc::new(move |mut state| {
        change(&mut state);
        state
    });
    Lies { state, ..Lies::default() }
}

#[test]
fn each_part_sees_its_own_differences_and_no_others() {
    let refuse = |_| Validity::Rejected(Rejection::new("no"));
    let lies = [
        (Part::Validity, Lies { validity: Arc::new(refuse), ..Lies::default() }),
        (Part::Results, ending(|| Ending::Returned(vec![Value::I32(8)]))),
        (Part::Results, ending(|| Ending::Returned(vec![]))),
        (Part::Results, ending(|| Ending::Refused("no".to_owned()))),
        (Part::Traps, ending(|| Ending::Trapped(TrapKind::Unreachable))),
        (Part::Memory, state(|state| state.memories[0].digest ^= 1)),
        (Part::Globals, state(|state| state.globals[0].value = Value::I32(4))),
        (Part::Tables, state(|state| state.tables[0].length += 1)),
        (Part::HostCalls, state(|state| state.host.calls += 1)),
        (Part::Exports, Lies { exports: Arc::new(|_| Vec::new()), ..Lies::default() }),
    ];
    for (part, lie) in lies {
        assert_eq!(seen_by(lie), [part]);
    }
}

#[test]
fn a_part_that_is_overlooked_does_not_hide_the_one_behind_it() {
    let lie = Lies {
        ending: Arc::new(|_| Ending::Trapped(TrapKind::Unreachable)),
        ..state(|state| {
            state.memories[0].digest ^= 1;
            state.host.calls += 1;
        })
    };
    assert_eq!(seen_by(lie), [Part::Traps, Part::Memory, Part::HostCalls]);
}

#[test]
fn a_trap_of_another_kind_is_seen_by_traps_alone() {
    let module = r#"(module (func (export "f") unreachable))"#;
    let liar = Liar::new(ending(|| Ending::Trapped(TrapKind::DivisionByZero)));
    for part in Part::ALL {
        let settings = Settings { compared: Parts::only(part), ..Settings::default() };
        let seen = liar.as_target_with(&settings, module, &[f(&[])]).is_finding();
        assert_eq!(seen, part == Part::Traps, "{}", part.name());
    }
}

#[test]
fn a_panic_is_seen_whatever_is_compared() {
    assert_eq!(seen_by(ending(|| Ending::Panicked("oh".to_owned()))), Part::ALL);
}

#[test]
fn without_traps_an_instance_that_only_one_engine_has_is_nothing_to_compare() {
    let module = "(module (func $f unreachable) (start $f))";
    let trapped = |_| Instantiation::ended(Ending::Trapped(TrapKind::DivisionByZero), State::default());
    let liar = Liar::new(Lies { instantiation: Arc::new(trapped), ..Lies::default() });
    let settings = Settings { compared: Parts::only(Part::Results), ..Settings::default() };
    assert_eq!(liar.as_target_with(&settings, module, &[]), Agreement::Equal);
    assert!(liar.as_target(module, &[]).is_finding());
}

#[test]
fn parts_are_written_as_they_are_read() {
    for text in ["results", "results,memory", "validity,host-calls", "all"] {
        let parts: Parts = text.parse().expect("these parts exist");
        assert_eq!(parts.to_string(), text);
    }
    let every: Vec<&str> = Part::ALL.iter().map(|part| part.name()).collect();
    assert_eq!(every.join(",").parse(), Ok(Parts::ALL));
    assert!("".parse::<Parts>().is_err() && "results,".parse::<Parts>().is_err());
}

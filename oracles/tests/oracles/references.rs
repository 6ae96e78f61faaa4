//! References: which function it is, and handing results of one call to the next.

use std::sync::Arc;

use mutagen_oracles::{Agreement, Argument, Call, Ending, Value, What};

use crate::support::{Liar, Lies, f, judge_text, last_answer};

/// Functions a, b and the hidden one, in a table; `pick` returns one of them, `put` stores one, `same` returns its
/// arguments, `fails` traps.
const MODULE: &str = r#"(module
    (table $t (export "t") 4 funcref)
    (elem (i32.const 0) func $a $b $hidden)
    (func $a (export "a") (result i32) (i32.const 10))
    (func $b (export "b") (result i32) (i32.const 20))
    (func $hidden (result i32) (i32.const 30))
    (func (export "pick") (param i32) (result funcref) (table.get $t (local.get 0)))
    (func (export "put") (param i32 funcref) (table.set $t (local.get 0) (local.get 1)))
    (func (export "run") (param i32) (result i32) (call_indirect $t (result i32) (local.get 0)))
    (func (export "same") (param externref i64 funcref) (result externref i64 funcref)
        (local.get 0) (local.get 1) (local.get 2))
    (func (export "fails") (result i64) unreachable))"#;

fn earlier(call: usize, result: usize, otherwise: Value) -> Argument {
    Argument::Result { call, result, otherwise }
}

fn call(export: &str, arguments: &[Argument]) -> Call {
    Call { export: export.to_owned(), arguments: arguments.to_vec() }
}

#[test]
fn a_function_is_shown_by_its_place_among_the_exports_and_others_by_when_they_first_show() {
    for (index, number) in [(0, "0"), (1, "1"), (2, "7"), (3, "null")] {
        let judgement = judge_text(MODULE, &[Call::new("pick", [Value::I32(index)])]);
        assert_eq!(judgement.agreement, Agreement::Equal);
        assert_eq!(last_answer(&judgement), format!("returned [funcref:{number}]"));
    }
}

#[test]
fn a_function_that_one_call_returned_is_handed_to_the_next_also_if_it_is_not_exported() {
    let calls = [
        Call::new("pick", [Value::I32(2)]),
        call("put", &[Value::I32(3).into(), earlier(0, 0, Value::FuncRef(None))]),
        Call::new("run", [Value::I32(3)]),
    ];
    let judgement = judge_text(MODULE, &calls);
    assert_eq!(judgement.agreement, Agreement::Equal);
    assert_eq!(last_answer(&judgement), "returned [i32:30]");
}

#[test]
fn an_exported_function_can_be_passed_by_its_number() {
    let calls = [
        Call::new("put", [Value::I32(3), Value::FuncRef(Some(1))]),
        Call::new("run", [Value::I32(3)]),
        Call::new("put", [Value::I32(3), Value::FuncRef(Some(99))]),
    ];
    let judgement = judge_text(MODULE, &calls);
    assert_eq!(judgement.agreement, Agreement::Equal);
    assert_eq!(judgement.steps[3].target.to_string(), "returned [i32:20]");
    assert!(last_answer(&judgement).starts_with("refused"), "{}", last_answer(&judgement));
}

#[test]
fn results_of_every_type_are_handed_on_and_others_are_used_where_there_is_none() {
    let calls = [
        Call::new("same", [Value::ExternRef(Some(7)), Value::I64(5), Value::FuncRef(Some(0))]),
        Call::new("fails", []),
        call(
            "same",
            &[
                earlier(0, 0, Value::ExternRef(None)),
                earlier(0, 1, Value::I64(0)),
                earlier(0, 2, Value::FuncRef(None)),
            ],
        ),
        // A call that trapped, a result of another type, a call that has not been made.
        call(
            "same",
            &[
                earlier(0, 1, Value::ExternRef(Some(3))),
                earlier(1, 0, Value::I64(4)),
                earlier(9, 9, Value::FuncRef(Some(1))),
            ],
        ),
    ];
    let judgement = judge_text(MODULE, &calls);
    assert_eq!(judgement.agreement, Agreement::Equal);
    assert_eq!(judgement.steps[4].target.to_string(), "returned [externref:7, i64:5, funcref:0]");
    assert_eq!(last_answer(&judgement), "returned [externref:3, i64:4, funcref:1]");
}

#[test]
fn another_function_differs_as_a_result_and_in_a_table_and_a_global() {
    let ending = Arc::new(|ending| match ending {
        Ending::Returned(values) if values == [Value::FuncRef(Some(0))] => {
            Ending::Returned(vec![Value::FuncRef(Some(1))])
        }
        other => other,
    });
    let liar = Liar::new(Lies { ending, ..Lies::default() });
    let Agreement::Differ(result) = liar.as_target(MODULE, &[Call::new("pick", [Value::I32(0)])]) else {
        panic!("the lie was not caught")
    };
    assert_eq!(result.what, What::Result(0));

    // The engine is honest here: the modules differ in which function they refer to.
    let states = ["$a", "$b"].map(|function| {
        let module = format!(
            r#"(module (table (export "t") 1 funcref) (elem (i32.const 0) func {function})
                (global (export "g") funcref (ref.func {function})) (func $a (export "a")) (func $b (export "b")))"#
        );
        let engine = mutagen_oracles::Wasmi::new(&mutagen_oracles::Settings::default());
        let mut instance = mutagen_oracles::Engine::instantiate(&engine, &crate::support::wasm(&module))
            .expect("it can be instantiated");
        instance.state()
    });
    assert_ne!(states[0].tables, states[1].tables);
    assert_ne!(states[0].globals, states[1].globals);
}

#[test]
fn external_references_differ_by_their_number() {
    let lie =
        Lies { ending: Arc::new(|_| Ending::Returned(vec![Value::ExternRef(Some(2))])), ..Lies::default() };
    let module = r#"(module (func (export "f") (param externref) (result externref) (local.get 0)))"#;
    let agreement = Liar::new(lie).as_target(module, &[f(&[Value::ExternRef(Some(1))])]);
    assert!(matches!(agreement, Agreement::Differ(difference) if difference.what == What::Result(0)));
}

#[test]
fn an_imported_function_has_one_identity_however_it_is_reached() {
    let module = r#"(module (import "" "h" (func $h)) (export "h" (func $h))
        (table (export "t") 1 funcref) (elem (i32.const 0) func $h)
        (global (export "g") funcref (ref.func $h))
        (func (export "f") (result funcref funcref funcref)
            (ref.func $h) (global.get 0) (table.get 0 (i32.const 0))))"#;
    let judgement = judge_text(module, &[f(&[])]);
    assert_eq!(judgement.agreement, Agreement::Equal);
    assert_eq!(last_answer(&judgement), "returned [funcref:1, funcref:1, funcref:1]");
}

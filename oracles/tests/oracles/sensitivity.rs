//! The comparison itself must be awake: an engine that lies in one small thing is always caught.

use std::sync::Arc;

use mutagen_oracles::{Agreement, Ending, Function, Instantiation, State, TrapKind, Value, What, Why};

use crate::support::{Liar, Lies, f};

/// What differs when the target lies in this way.
fn caught(lies: Lies, module: &str) -> What {
    match Liar::new(lies).as_target(module, &[f(&[])]) {
        Agreement::Differ(difference) => difference.what,
        other => panic!("the lie was not caught: {other}"),
    }
}

fn returning(values: &'static [Value]) -> Lies {
    Lies { ending: Arc::new(|_| Ending::Returned(values.to_vec())), ..Lies::default() }
}

fn trapping(kind: TrapKind) -> Lies {
    Lies { ending: Arc::new(move |_| Ending::Trapped(kind)), ..Lies::default() }
}

fn in_state(change: impl Fn(&mut State) + Send + Sync + 'static) -> Lies {
    let state = Arc::new(move |mut state| {
        change(&mut state);
        state
    });
    Lies { state, ..Lies::default() }
}

const ZERO: &str = r#"(module (func (export "f") (result f32 f64) (f32.const 0) (f64.const nan)))"#;
const TRAP: &str = r#"(module
    (memory (export "memory") 1) (global (export "global") i32 (i32.const 3)) (table (export "table") 2 funcref)
    (func (export "f") (i32.store (i32.const 8) (i32.const 1)) unreachable))"#;
const HOST: &str =
    r#"(module (import "" "" (func $h (param i32))) (func (export "f") (call $h (i32.const 1))))"#;

#[test]
fn an_honest_engine_is_not_accused() {
    for module in [ZERO, TRAP, HOST] {
        assert_eq!(Liar::new(Lies::default()).as_target(module, &[f(&[])]), Agreement::Equal);
    }
}

#[test]
fn minus_zero_is_not_zero() {
    let lie = returning(&[Value::F32(0x8000_0000), Value::F64(0x7ff8_0000_0000_0000)]);
    assert_eq!(caught(lie, ZERO), What::Result(0));
}

#[test]
fn one_nan_is_not_another() {
    let lie = returning(&[Value::F32(0), Value::F64(0x7ff8_0000_0000_0001)]);
    assert_eq!(caught(lie, ZERO), What::Result(1));
}

#[test]
fn a_value_of_another_type_with_the_same_bits_differs() {
    let lie = returning(&[Value::I32(0), Value::F64(0x7ff8_0000_0000_0000)]);
    assert_eq!(caught(lie, ZERO), What::Result(0));
}

#[test]
fn a_missing_result_differs() {
    assert_eq!(caught(returning(&[Value::F32(0)]), ZERO), What::Result(1));
}

#[test]
fn another_kind_of_trap_differs() {
    assert_eq!(caught(trapping(TrapKind::MemoryOutOfBounds), TRAP), What::Trap);
}

#[test]
fn returning_instead_of_trapping_differs_and_the_other_way_round() {
    assert_eq!(caught(returning(&[]), TRAP), What::Ending);
    assert_eq!(caught(trapping(TrapKind::Unreachable), ZERO), What::Ending);
}

#[test]
fn refusing_a_call_that_fits_differs() {
    let lie = Lies { ending: Arc::new(|_| Ending::Refused("no".to_owned())), ..Lies::default() };
    assert_eq!(caught(lie, ZERO), What::Refusal);
}

#[test]
fn a_byte_of_memory_differs_also_after_a_trap_and_its_address_is_named() {
    let lie = Lies {
        memory: Arc::new(|mut bytes| {
            bytes[65_000] = 7;
            bytes
        }),
        ..in_state(|state| state.memories[0].digest ^= 1)
    };
    assert_eq!(caught(lie, TRAP), What::Memory("memory".to_owned(), 65_000));
}

#[test]
fn a_longer_memory_differs_where_the_shorter_one_ends() {
    let lie = Lies {
        memory: Arc::new(|mut bytes| {
            bytes.push(0);
            bytes
        }),
        ..in_state(|state| state.memories[0].length += 1)
    };
    assert_eq!(caught(lie, TRAP), What::Memory("memory".to_owned(), 65_536));
}

#[test]
fn a_missing_memory_global_or_table_differs() {
    assert!(matches!(caught(in_state(|state| state.memories.clear()), TRAP), What::Memory(..)));
    assert!(matches!(caught(in_state(|state| state.globals.clear()), TRAP), What::Global(_)));
    assert!(matches!(caught(in_state(|state| state.tables.clear()), TRAP), What::Table(..)));
}

#[test]
fn a_global_differs_also_after_a_trap() {
    let lie = in_state(|state| state.globals[0].value = Value::I32(4));
    assert_eq!(caught(lie, TRAP), What::Global("global".to_owned()));
}

#[test]
fn an_element_of_a_table_differs_and_its_place_is_named() {
    let lie = Lies {
        table: Arc::new(|mut elements| {
            elements[1] = Value::FuncRef(Some(0));
            elements
        }),
        ..in_state(|state| state.tables[0].digest ^= 1)
    };
    assert_eq!(caught(lie, TRAP), What::Table("table".to_owned(), 1));
}

#[test]
fn calls_of_imports_that_differ_in_number_or_arguments_differ() {
    assert_eq!(caught(in_state(|state| state.host.calls += 1), HOST), What::HostCalls);
    assert_eq!(caught(in_state(|state| state.host.digest ^= 1), HOST), What::HostCalls);
}

#[test]
fn an_exported_function_that_is_missing_or_has_another_type_differs() {
    let module =
        r#"(module (func (export "a") (result i32) i32.const 0) (func (export "f")) (func (export "z")))"#;
    let exporting = |change: fn(&mut Vec<Function>)| {
        let exports = Arc::new(move |mut functions| {
            change(&mut functions);
            functions
        });
        Lies { exports, ..Lies::default() }
    };
    let missing = |name: &str| What::Export(name.to_owned());
    assert_eq!(caught(exporting(|functions| drop(functions.remove(0))), module), missing("a"));
    assert_eq!(caught(exporting(|functions| drop(functions.pop())), module), missing("z"));
    assert_eq!(caught(exporting(|functions| functions[0].signature.results.clear()), module), missing("a"));
    let added = |functions: &mut Vec<Function>| functions[0].name = "0".to_owned();
    assert_eq!(caught(exporting(added), module), missing("0"));
}

#[test]
fn state_is_compared_after_instantiation_already() {
    let lie = in_state(|state| state.globals[0].value = Value::I32(4));
    assert!(Liar::new(lie).as_target(TRAP, &[]).is_finding());
}

#[test]
fn what_a_failed_instantiation_left_behind_is_compared() {
    let module =
        r#"(module (import "" "" (memory 1)) (data (i32.const 5) "kept") (data (i32.const 65536) "!"))"#;
    let forget = Arc::new(|failure| match failure {
        Instantiation::Ended { ending, mut state } => {
            state.memories[0].digest = 0;
            Instantiation::Ended { ending, state }
        }
        other => other,
    });
    let lie = Lies { instantiation: forget, ..Lies::default() };
    assert_eq!(caught(lie, module), What::Memory("import 0".to_owned(), 0));
}

#[test]
fn a_start_function_that_traps_in_one_engine_only_differs() {
    let module = "(module (func $f unreachable) (start $f))";
    let lie = Lies {
        instantiation: Arc::new(|_| Instantiation::Ended {
            ending: Ending::Trapped(TrapKind::DivisionByZero),
            state: Box::default(),
        }),
        ..Lies::default()
    };
    assert_eq!(caught(lie, module), What::Trap);
}

#[test]
fn exhausting_the_stack_where_nothing_recurs_differs() {
    let shallow = r#"(module (func $g) (func $h (call $g) (call $g)) (func (export "f") (call $h)))"#;
    let recursive = r#"(module (func $f (export "f") (if (i32.const 0) (then (call $f)))))"#;
    let indirect = r#"(module (table 1 funcref) (type $t (func)) (elem (i32.const 0) func $g) (func $g)
        (func (export "f") (call_indirect (type $t) (i32.const 0))))"#;
    let chain: String =
        (0..8).map(|n| format!("(func $f{n} {} call $f{})", "(local i64)".repeat(9_000), n + 1)).collect();
    let large = format!(r#"(module {chain} (func $f8) (export "f" (func $f0)))"#);
    let lie = || Liar::new(trapping(TrapKind::StackExhausted));
    assert_eq!(caught(trapping(TrapKind::StackExhausted), shallow), What::Stack);
    assert!(lie().as_reference(shallow, &[f(&[])]).is_finding());
    for module in [recursive, indirect, &large] {
        assert_eq!(lie().as_target(module, &[f(&[])]), Agreement::Inconclusive(Why::Stack));
    }
}

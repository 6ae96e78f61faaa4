//! Host functions with behaviour: both engines perform every action in the same way, what they did is in the log, and an
//! engine that lies about it is caught.

use std::sync::Arc;

use mutagen_oracles::{
    Agreement, Call, Ending, Engine, HostAction, HostEffect, HostPlan, HostResult, Settings, State, TrapKind,
    Value, Wasmi, What, Why, judge, on_stack,
};

use crate::support::{Liar, Lies, f, wasm, wasmtime};

/// A module that imports something of each kind and a host function `h`, which `f` calls. Its memory, table and global are
/// imported (number 0 of their kind) and exported (number 1).
const MODULE: &str = r#"(module
    (import "" "h" (func $h (param i32) (result i32)))
    (import "" "m" (memory 1 3))
    (import "" "t" (table $t 2 4 funcref))
    (import "" "g" (global $g (mut i32)))
    (export "m" (memory 0)) (export "t" (table $t)) (export "g" (global $g))
    (global (export "constant") i32 (i32.const 7))
    (func $f (export "f") (result i32) (call $h (i32.const 5)))
    (func $k (export "k") (param i32) (result i32) (i32.div_s (i32.const 12) (local.get 0)))
    (func $r (export "r") (param i32) (result i32)
        (if (result i32) (local.get 0) (then (call $h (local.get 0))) (else (i32.const 0))))
    (func (export "size") (result i32 i32 i32) (memory.size) (table.size $t) (global.get $g))
    (elem declare func $f $k))"#;

fn plan(actions: &[HostAction]) -> [HostPlan; 1] {
    [HostPlan { turns: vec![actions.to_vec()], repeats: true }]
}

/// The state of an instance, and the ending of its first call, after calls of these functions without arguments.
fn asked(
    engine: &dyn Engine,
    module: &str,
    hosts: &[HostPlan],
    calls: &[&str],
) -> (Vec<Ending>, State, Vec<u8>) {
    let mut instance = engine.instantiate_with(&wasm(module), hosts).expect("it can be instantiated");
    let endings = calls.iter().map(|name| instance.call(name, &[])).collect();
    let state = instance.state();
    let memory = instance.memory(0);
    (endings, state, memory)
}

/// The same, of both engines, which must agree.
fn both(hosts: &[HostPlan], calls: &[&str]) -> (Vec<Ending>, State, Vec<u8>) {
    let settings = Settings::default();
    let (wasmi, lazy) = (Wasmi::new(&settings), Wasmi::lazy(&settings));
    let wasmtime = wasmtime(&settings);
    on_stack(|| {
        let answers = asked(&wasmi, MODULE, hosts, calls);
        assert_eq!(asked(&wasmtime, MODULE, hosts, calls), answers);
        assert_eq!(asked(&lazy, MODULE, hosts, calls), answers);
        let calls: Vec<Call> = calls.iter().map(|name| Call::new(*name, [])).collect();
        let script = mutagen_oracles::Script { calls: &calls, hosts };
        let agreement = judge(&wasm(MODULE), script, &wasmi, &wasmtime, &settings).agreement;
        assert_eq!(agreement, Agreement::Equal);
        answers
    })
    .expect("there is a thread")
}

/// What came of the actions of the first call.
fn results(state: &State) -> Vec<HostResult> {
    state.host.first[0].effects.iter().map(|effect| effect.result.clone()).collect()
}

#[test]
fn a_host_function_returns_what_its_plan_says() {
    let (endings, ..) = both(&plan(&[HostAction::Return(vec![Value::I32(42)])]), &["f"]);
    assert_eq!(endings, [Ending::Returned(vec![Value::I32(42)])]);
}

#[test]
fn results_of_another_type_and_missing_ones_are_a_stubs() {
    let (stub, ..) = both(&[], &["f"]);
    for values in [vec![], vec![Value::I64(42)]] {
        assert_eq!(both(&plan(&[HostAction::Return(values)]), &["f"]).0, stub);
    }
}

#[test]
fn turns_are_taken_call_by_call_and_start_again_only_if_they_repeat() {
    let returns = |number| vec![HostAction::Return(vec![Value::I32(number)])];
    let turns = vec![returns(1), returns(2)];
    let calls = ["f", "f", "f", "f"];
    let returned = |repeats| both(&[HostPlan { turns: turns.clone(), repeats }], &calls).0;
    let number = |number| Ending::Returned(vec![Value::I32(number)]);
    assert_eq!(returned(true), [1, 2, 1, 2].map(number));
    let once = returned(false);
    assert_eq!(once[..2], [1, 2].map(number));
    assert_eq!(once[2..], both(&[], &calls).0[2..]);
}

#[test]
fn a_host_function_writes_to_memory_or_not_at_all() {
    let write = |address| HostAction::Write { memory: 0, address, bytes: vec![1, 2, 3] };
    let (_, state, memory) = both(&plan(&[write(8), write(65_533), write(65_534), write(u64::MAX)]), &["f"]);
    assert_eq!(memory[8..11], [1, 2, 3]);
    assert_eq!(memory[65_533..], [1, 2, 3]);
    use HostResult::{Done, Refused};
    assert_eq!(results(&state), [Done, Done, Refused, Refused]);
}

#[test]
fn a_host_function_grows_memories_and_tables_within_their_limits() {
    let grow = HostAction::GrowMemory { memory: 1, pages: 1 };
    let more = HostAction::GrowTable { table: 0, elements: 2, value: Value::FuncRef(Some(0)) };
    let actions = [grow.clone(), grow.clone(), grow, more.clone(), more];
    let (endings, state, _) = both(&plan(&actions), &["f", "size"]);
    use HostResult::{Grew, Refused};
    assert_eq!(results(&state), [Grew(1), Grew(2), Refused, Grew(2), Refused]);
    let Ending::Returned(sizes) = &endings[1] else { panic!("{endings:?}") };
    assert_eq!(sizes[..2], [Value::I32(3), Value::I32(4)]);
}

#[test]
fn a_host_function_sets_globals_and_elements_of_tables() {
    let set = |global, value| HostAction::SetGlobal { global, value };
    let element = |index, value| HostAction::SetElement { table: 0, index, value };
    let actions = [
        set(0, Value::I32(77)),
        // The exports come after the import, by name: `constant` cannot be changed, `g` is the import.
        set(1, Value::I32(78)),
        set(0, Value::I64(79)),
        element(1, Value::FuncRef(Some(1))),
        element(2, Value::FuncRef(Some(1))),
        element(0, Value::I32(1)),
    ];
    let (endings, state, _) = both(&plan(&actions), &["f", "size"]);
    use HostResult::{Done, Refused};
    assert_eq!(results(&state), [Done, Refused, Refused, Done, Refused, Refused]);
    let Ending::Returned(sizes) = &endings[1] else { panic!("{endings:?}") };
    assert_eq!(sizes[2], Value::I32(77));
}

#[test]
fn a_host_function_calls_back_and_goes_on_after_a_trap_of_what_it_called() {
    // The exported functions are f, k, r, size.
    let call = |argument| HostAction::Call { function: 1, arguments: vec![Value::I32(argument)] };
    let actions = [call(3), call(0), HostAction::Return(vec![Value::I32(9)])];
    let (endings, state, _) = both(&plan(&actions), &["f"]);
    assert_eq!(endings, [Ending::Returned(vec![Value::I32(9)])]);
    let called = |ending| HostResult::Called(ending);
    let expected = [
        called(Ending::Returned(vec![Value::I32(4)])),
        called(Ending::Trapped(TrapKind::DivisionByZero)),
        HostResult::Done,
    ];
    assert_eq!(results(&state), expected);
}

#[test]
fn calls_within_calls_of_host_functions_end() {
    let again = HostAction::Call { function: 2, arguments: vec![Value::I32(1)] };
    let (endings, state, _) = both(&plan(&[again]), &["f"]);
    assert!(matches!(endings[0], Ending::Returned(_)));
    assert_eq!(state.host.calls, 3);
    assert_eq!(state.host.first[2].effects[0].result, HostResult::TooDeep);
    assert!(matches!(state.host.first[0].effects[0].result, HostResult::Called(Ending::Returned(_))));
}

#[test]
fn a_call_back_without_arguments_gets_zeros() {
    let (_, state, _) = both(&plan(&[HostAction::Call { function: 1, arguments: vec![] }]), &["f"]);
    assert_eq!(results(&state), [HostResult::Called(Ending::Trapped(TrapKind::DivisionByZero))]);
}

#[test]
fn a_host_function_traps_in_a_way_of_its_own_and_what_it_did_before_stays() {
    let write = HostAction::Write { memory: 0, address: 0, bytes: vec![9] };
    let (endings, state, memory) = both(&plan(&[write, HostAction::Trap]), &["f", "f"]);
    assert_eq!(endings, [Ending::Trapped(TrapKind::Host), Ending::Trapped(TrapKind::Host)]);
    assert_eq!((memory[0], state.host.calls), (9, 2));
}

#[test]
fn what_is_not_there_is_left_alone() {
    let actions = [
        HostAction::Write { memory: 2, address: 0, bytes: vec![1] },
        HostAction::GrowTable { table: 9, elements: 1, value: Value::FuncRef(None) },
        HostAction::SetGlobal { global: 9, value: Value::I32(1) },
        HostAction::Call { function: 9, arguments: vec![] },
    ];
    assert_eq!(results(&both(&plan(&actions), &["f"]).1), vec![HostResult::Absent; 4]);
}

/// A start function that calls a host function, and then traps.
const START: &str = r#"(module (import "" "h" (func $h)) (import "" "m" (memory 1))
    (func $s (call $h) unreachable) (start $s) (func (export "f")))"#;

#[test]
fn host_functions_see_the_imports_while_a_start_function_runs_and_what_they_did_stays() {
    let write = |byte| HostAction::Write { memory: 0, address: 3, bytes: vec![byte] };
    let call = HostAction::Call { function: 0, arguments: vec![] };
    let settings = Settings::default();
    let (wasmi, wasmtime) = (Wasmi::new(&settings), wasmtime(&settings));
    let left = |engine: &dyn Engine, byte| match engine
        .instantiate_with(&wasm(START), &plan(&[write(byte), call.clone()]))
    {
        Err(mutagen_oracles::Instantiation::Ended { ending, state }) => (ending, *state),
        _ => panic!("the start function traps"),
    };
    on_stack(|| {
        let ours = left(&wasmi, 1);
        assert_eq!(ours.0, Ending::Trapped(TrapKind::Unreachable));
        assert_eq!(results(&ours.1), [HostResult::Done, HostResult::Absent]);
        assert_eq!(left(&wasmtime, 1), ours);
        assert_ne!(left(&wasmi, 2).1.memories, ours.1.memories);
    })
    .expect("there is a thread");
}

#[test]
fn running_out_of_fuel_in_a_call_back_ends_the_whole_call() {
    let module = r#"(module (import "" "h" (func $h)) (func (export "f") (call $h))
        (func (export "g") (loop (br 0))))"#;
    let hosts = plan(&[HostAction::Call { function: 1, arguments: vec![] }]);
    let settings = Settings::default();
    let (wasmi, wasmtime) = (Wasmi::new(&settings), wasmtime(&settings));
    let calls = [f(&[])];
    let script = mutagen_oracles::Script { calls: &calls, hosts: &hosts };
    let agreement = on_stack(|| judge(&wasm(module), script, &wasmi, &wasmtime, &settings).agreement);
    assert_eq!(agreement.expect("there is a thread"), Agreement::Inconclusive(Why::Fuel));
}

/// What differs when the target lies about its log.
fn caught(hosts: &[HostPlan], change: impl Fn(&mut State) + Send + Sync + 'static) -> Agreement {
    let state = Arc::new(move |mut state: State| {
        change(&mut state);
        state
    });
    let liar = Liar::new(Lies { state, ..Lies::default() });
    let calls = [f(&[])];
    let script = mutagen_oracles::Script { calls: &calls, hosts };
    judge(&wasm(MODULE), script, &liar, &liar.engine, &Settings::default()).agreement
}

#[test]
fn an_engine_that_lies_about_an_effect_of_a_host_function_is_caught() {
    let hosts = plan(&[
        HostAction::GrowMemory { memory: 0, pages: 1 },
        HostAction::Call { function: 1, arguments: vec![Value::I32(1)] },
    ]);
    assert_eq!(caught(&hosts, |_| ()), Agreement::Equal);
    let lies: [fn(&mut HostEffect); 3] = [
        |effect| effect.result = HostResult::Refused,
        |effect| effect.result = HostResult::Grew(2),
        |effect| effect.result = HostResult::Called(Ending::Returned(vec![Value::I32(0)])),
    ];
    for lie in lies {
        for place in [0, 1] {
            let agreement = caught(&hosts, move |state| {
                Arc::make_mut(&mut state.host.first)
                    .iter_mut()
                    .for_each(|call| lie(&mut call.effects[place]));
            });
            assert!(
                matches!(&agreement, Agreement::Differ(difference) if difference.what == What::HostCalls),
                "{agreement}"
            );
        }
    }
    let order = caught(&hosts, |state| {
        Arc::make_mut(&mut state.host.first).iter_mut().for_each(|call| call.effects.reverse())
    });
    assert!(order.is_finding());
    // Calls after the first sixteen are in the digest alone.
    assert!(caught(&hosts, |state| state.host.digest ^= u64::from(state.host.calls > 0)).is_finding());
}

#[test]
fn an_engine_that_traps_otherwise_where_a_host_function_traps_is_caught() {
    let lie = Lies { ending: Arc::new(|_| Ending::Trapped(TrapKind::Unreachable)), ..Lies::default() };
    let (liar, calls, hosts) = (Liar::new(lie), [f(&[])], plan(&[HostAction::Trap]));
    let script = mutagen_oracles::Script { calls: &calls, hosts: &hosts };
    let agreement = judge(&wasm(MODULE), script, &liar, &liar.engine, &Settings::default()).agreement;
    assert!(matches!(agreement, Agreement::Differ(difference) if difference.what == What::Trap));
}

#[test]
fn an_engine_that_forgets_its_plans_is_caught() {
    for action in [
        HostAction::Return(vec![Value::I32(1234)]),
        HostAction::Write { memory: 0, address: 0, bytes: vec![1] },
        HostAction::GrowMemory { memory: 0, pages: 1 },
        HostAction::GrowTable { table: 0, elements: 1, value: Value::FuncRef(None) },
        HostAction::SetGlobal { global: 0, value: Value::I32(1234) },
        HostAction::SetElement { table: 0, index: 0, value: Value::FuncRef(Some(1)) },
        HostAction::Call { function: 1, arguments: vec![Value::I32(1)] },
        HostAction::Trap,
    ] {
        let (liar, calls, hosts) = (Liar::forgetful(), [f(&[])], plan(std::slice::from_ref(&action)));
        let script = mutagen_oracles::Script { calls: &calls, hosts: &hosts };
        let agreement = judge(&wasm(MODULE), script, &liar, &liar.engine, &Settings::default()).agreement;
        assert!(agreement.is_finding(), "{action}: {agreement}");
    }
}

#[test]
fn an_engine_without_host_functions_is_inconclusive_only_if_there_is_a_plan() {
    struct Plain(Wasmi);
    impl Engine for Plain {
        fn name(&self) -> &str {
            "plain"
        }
        fn validate(&self, bytes: &[u8]) -> mutagen_oracles::Validity {
            self.0.validate(bytes)
        }
        fn instantiate(
            &self,
            bytes: &[u8],
        ) -> Result<Box<dyn mutagen_oracles::Instance>, mutagen_oracles::Instantiation> {
            self.0.instantiate(bytes)
        }
    }
    let settings = Settings::default();
    let (plain, wasmi, calls) = (Plain(Wasmi::new(&settings)), Wasmi::new(&settings), [f(&[])]);
    let agreement = |hosts: &[HostPlan]| {
        let script = mutagen_oracles::Script { calls: &calls, hosts };
        judge(&wasm(MODULE), script, &plain, &wasmi, &settings).agreement
    };
    assert_eq!(agreement(&[]), Agreement::Equal);
    assert!(matches!(agreement(&plan(&[HostAction::Trap])), Agreement::Infra(_)));
}

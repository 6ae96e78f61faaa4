//! Calls with a history and host functions with behaviour are part of the test: stored, read back, mutated and shrunk
//! with the module.

use mutagen_engine::{Mutable, MutantsConfig, Property, Source, Verdict, mutants, shrink_in};
use mutagen_oracles::{
    Argument, Call, Ending, Engine, EngineEntry, Function, HostAction, Instance, Instantiation, State,
    TrapKind, Validity, Value, Wasmi, on_stack,
};
use mutagen_properties::{
    Case, Choice, Context, Deed, HostScript, Injection, Invoke, ModuleGenerator, ModuleSubject, Modules,
    Pick, Scenario, Subject,
};
use mutagen_wasm_ast::{Bytes, Features, Module};

fn subject(generator: ModuleGenerator) -> ModuleSubject {
    ModuleSubject::new(Context::new(Features::WASMI), generator)
}

fn scenario(text: &str) -> Scenario {
    let module = Module::from_text(text).expect("it is a module");
    Scenario { sweep: false, ..Scenario::of(module) }
}

fn stored(scenario: &Scenario) -> (Vec<u8>, Vec<Call>, Vec<mutagen_oracles::HostPlan>) {
    match subject(ModuleGenerator::Derived).case(scenario) {
        Case::Module { wasm, calls, hosts } => (wasm, calls, hosts),
        Case::States(_) => panic!("it is a module"),
    }
}

fn verdict(scenario: &Scenario) -> Verdict {
    let context = Context::new(Features::WASMI);
    let mut property = Modules::new(&context).expect("the settings are fine");
    on_stack(|| property.check(scenario).verdict).expect("there is a thread")
}

/// Functions `a` and `b` in this order, which take and return these.
const TWO: &str = r#"(module (memory 1) (global (mut i64) (i64.const 0))
    (func (export "b") (param i32 f64) (result i64) (i64.const 77) (global.set 0 (i64.const 5)))
    (func (export "a") (param i64 funcref externref) (result funcref i64) (local.get 1) (local.get 0)))"#;

fn invoke(function: u32, arguments: &[Choice]) -> Invoke {
    Invoke { function: Pick(function), arguments: arguments.to_vec() }
}

#[test]
fn choices_become_values_of_the_types_that_the_functions_have() {
    let boundary = |number| Choice::Boundary(Pick(number));
    let calls = vec![
        invoke(1, &[Choice::Bits(1 << 40 | 9), Choice::Met(Pick(0))]),
        // There are two functions: number 2 is the first again. The latest i64 is that of `b`.
        invoke(2, &[Choice::Earlier(Pick(0)), boundary(2), boundary(8)]),
        invoke(0, &[Choice::Met(Pick(1)), Choice::Earlier(Pick(0))]),
        invoke(1, &[]),
    ];
    let (_, calls, _) = stored(&Scenario { calls, ..scenario(TWO) });
    let value = Argument::Value;
    let earlier = |call, result, otherwise| Argument::Result { call, result, otherwise };
    let expected = [
        ("b", vec![value(Value::I32(9)), value(Value::F64(0))]),
        (
            "a",
            vec![
                earlier(0, 0, Value::I64(0)),
                value(Value::FuncRef(Some(1))),
                value(Value::ExternRef(Some(7))),
            ],
        ),
        (
            "a",
            vec![
                // The constants of type i64 are those of the global, then those of the body.
                value(Value::I64(77)),
                earlier(1, 0, Value::FuncRef(None)),
                value(Value::ExternRef(None)),
            ],
        ),
        ("b", vec![value(Value::I32(0)), value(Value::F64(0))]),
    ];
    let expected = expected.map(|(export, arguments)| Call { export: export.to_owned(), arguments });
    assert_eq!(calls, expected);
}

#[test]
fn a_module_without_calls_has_every_function_called_and_one_with_calls_only_if_it_sweeps() {
    let calls = vec![invoke(0, &[])];
    let (_, swept, _) = stored(&Scenario { sweep: true, ..scenario(TWO) });
    assert_eq!(swept.len(), 2 * 8);
    assert_eq!(stored(&Scenario { calls: calls.clone(), ..scenario(TWO) }).1.len(), 1);
    assert_eq!(stored(&Scenario { calls, sweep: true, ..scenario(TWO) }).1.len(), 1 + 2 * 8);
    let read = subject(ModuleGenerator::Derived).value(&Case::of(stored(&scenario(TWO)).0, Vec::new()));
    assert!(read.is_some_and(|read| read.sweep && read.calls.is_empty()));
}

#[test]
fn all_state_is_visible_whatever_the_module_exports() {
    let (wasm, ..) = stored(&scenario(TWO));
    let names: Vec<String> = Module::decode(&wasm)
        .expect("it is a module")
        .exports
        .into_iter()
        .map(|export| export.name.0)
        .collect();
    assert_eq!(names, ["b", "a", "memory 0", "global 0"]);
}

/// A module whose function calls two host functions, with memory, table and globals.
const HOSTS: &str = r#"(module
    (import "" "h" (func $h (result i32 funcref))) (import "" "i" (func $i (param i64)))
    (import "" "g" (global f32)) (memory 1 2) (table 2 4 externref)
    (global (mut f64) (f64.const 1))
    (func (export "f") (param i64) (result i32) (call $i (local.get 0)) (drop (call $h))))"#;

fn hosts() -> Vec<HostScript> {
    let zero = Choice::Boundary(Pick(0));
    let deeds = vec![
        Deed::Return(vec![Choice::Bits(3), Choice::Boundary(Pick(1))]),
        Deed::Write { memory: Pick(5), address: 9, bytes: Bytes(vec![1, 2]) },
        Deed::GrowMemory { memory: Pick(0), pages: 1 },
        Deed::GrowTable { table: Pick(0), elements: 1, value: Choice::Boundary(Pick(4)) },
        Deed::SetGlobal { global: Pick(3), value: Choice::Met(Pick(0)) },
        Deed::SetElement { table: Pick(1), index: 0, value: zero.clone() },
        Deed::Call { function: Pick(7), arguments: vec![Choice::Bits(8)] },
    ];
    let trap = HostScript { turns: vec![vec![], vec![Deed::Trap]], repeats: false };
    vec![HostScript { turns: vec![deeds], repeats: true }, trap]
}

#[test]
fn deeds_become_actions_on_what_the_module_has() {
    let (_, _, plans) = stored(&Scenario { hosts: hosts(), ..scenario(HOSTS) });
    let expected = [
        HostAction::Return(vec![Value::I32(3), Value::FuncRef(Some(0))]),
        HostAction::Write { memory: 0, address: 9, bytes: vec![1, 2] },
        HostAction::GrowMemory { memory: 0, pages: 1 },
        HostAction::GrowTable { table: 0, elements: 1, value: Value::ExternRef(Some(3)) },
        // Global 0 is imported and cannot be changed.
        HostAction::SetGlobal { global: 1, value: Value::F64(1f64.to_bits()) },
        HostAction::SetElement { table: 0, index: 0, value: Value::ExternRef(None) },
        HostAction::Call { function: 0, arguments: vec![Value::I64(8)] },
    ];
    assert_eq!(plans[0].turns, [expected]);
    assert_eq!(plans[1].turns, [vec![], vec![HostAction::Trap]]);
    assert_eq!((plans[0].repeats, plans[1].repeats), (true, false));
}

#[test]
fn a_stored_scenario_is_read_back_as_the_same_test() {
    let calls = vec![invoke(0, &[Choice::Bits(1)]), invoke(0, &[Choice::Earlier(Pick(0))])];
    for given in [
        Scenario { hosts: hosts(), calls: calls.clone(), ..scenario(HOSTS) },
        Scenario { calls, ..scenario(TWO) },
    ] {
        let subject = subject(ModuleGenerator::Derived);
        let case = subject.case(&given);
        let read = subject.value(&case).expect("it can be read");
        assert_eq!(subject.case(&read), case);
    }
}

#[test]
fn everything_that_is_generated_is_stored_and_read_back_as_the_same_test_also_after_a_mutation() {
    let subject = subject(ModuleGenerator::Typed);
    let scope = subject.scope();
    for seed in 0..300 {
        let mut source = Source::seeded(seed).with_scope(scope.clone());
        let mut scenario = subject.generate(&mut source, 5);
        assert!((1..=6).contains(&scenario.calls.len()));
        for _ in 0..3 {
            let case = subject.case(&scenario);
            let explicit = subject.explicit(scenario.clone());
            assert_eq!(subject.case(&explicit), case, "seed {seed}");
            scenario.mutate_randomly(&mut source, 5);
        }
    }
}

#[test]
fn the_history_is_mutated() {
    let calls = vec![invoke(0, &[Choice::Boundary(Pick(0))]), invoke(1, &[])];
    let given = Scenario { calls, hosts: hosts(), ..scenario(HOSTS) };
    let module = given.module.clone();
    let config = MutantsConfig::default();
    let scope = subject(ModuleGenerator::Typed).scope();
    let others: Vec<Scenario> = mutants(&given, &config, &scope)
        .map(|(_, mutant)| mutant)
        .filter(|mutant| mutant.module == module)
        .collect();
    let some = |wanted: &dyn Fn(&Scenario) -> bool| others.iter().any(wanted);
    let swapped: Vec<Invoke> = given.calls.iter().rev().cloned().collect();
    assert!(some(&|mutant| mutant.calls == swapped), "calls change places");
    assert!(some(&|mutant| mutant.calls.len() == 1), "calls go");
    assert!(some(&|mutant| mutant.calls.len() == 3), "calls come");
    let first = |mutant: &Scenario| mutant.calls.first().cloned();
    let calls_other = |mutant: &Scenario| first(mutant).is_some_and(|call| call.function == Pick(1));
    assert!(
        some(&|mutant| mutant.calls.get(1..) == given.calls.get(1..) && calls_other(mutant)),
        "others are called"
    );
    let deeds = |mutant: &Scenario| mutant.hosts.first().and_then(|host| Some(host.turns.first()?.len()));
    assert!(some(&|mutant| deeds(mutant) == Some(6)), "deeds go");
    assert!(some(&|mutant| mutant.sweep), "all functions are called");
    let earlier = |choice: &Choice| matches!(choice, Choice::Earlier(_));
    let reuses = |mutant: &Scenario| first(mutant).is_some_and(|call| call.arguments.iter().any(earlier));
    assert!(some(&reuses), "results are reused");
}

#[test]
fn calls_and_deeds_that_a_failure_does_not_need_are_shrunk_away() {
    let calls = vec![invoke(3, &[Choice::Bits(900)]), invoke(1, &[]), invoke(0, &[Choice::Bits(5)])];
    let given = Scenario { calls, sweep: true, hosts: hosts(), ..scenario(HOSTS) };
    let subject = subject(ModuleGenerator::Derived);
    let explicit = subject.explicit(given);
    assert!(explicit.calls.len() > 8 && !explicit.sweep);
    // The failure needs a host function that grows the memory, and one call.
    let fails = |scenario: &Scenario| match subject.case(scenario) {
        Case::Module { calls, hosts, .. } => {
            let grows = |action: &HostAction| matches!(action, HostAction::GrowMemory { .. });
            !calls.is_empty() && hosts.iter().flat_map(|plan| plan.turns.iter().flatten()).any(grows)
        }
        Case::States(_) => false,
    };
    let shrunk = shrink_in(&subject.scope(), explicit, fails, 20_000).value;
    assert_eq!((shrunk.calls.len(), shrunk.sweep), (1, false));
    let deeds: Vec<&Deed> = shrunk.hosts.iter().flat_map(|script| script.turns.iter().flatten()).collect();
    assert!(matches!(deeds[..], [Deed::GrowMemory { .. }]), "{deeds:?}");
}

#[test]
fn engines_agree_on_a_scenario_in_which_everything_happens() {
    let calls = vec![invoke(0, &[Choice::Bits(1)]), invoke(0, &[Choice::Earlier(Pick(0))])];
    assert_eq!(verdict(&Scenario { calls, hosts: hosts(), sweep: true, ..scenario(HOSTS) }), Verdict::Passed);
}

/// wasmi with another answer: whatever a call returns, it says that it trapped.
struct Trapping(Wasmi);

struct TrappingInstance(Box<dyn Instance>);

impl Engine for Trapping {
    fn name(&self) -> &str {
        "trapping"
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        self.0.validate(bytes)
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        Ok(Box::new(TrappingInstance(self.0.instantiate(bytes)?)))
    }
}

impl Instance for TrappingInstance {
    fn exports(&self) -> Vec<Function> {
        self.0.exports()
    }

    fn call(&mut self, name: &str, arguments: &[Value]) -> Ending {
        self.0.call(name, arguments);
        Ending::Trapped(TrapKind::Unreachable)
    }

    fn state(&mut self) -> State {
        self.0.state()
    }

    fn memory(&mut self, index: usize) -> Vec<u8> {
        self.0.memory(index)
    }

    fn table(&mut self, index: usize) -> Vec<Value> {
        self.0.table(index)
    }
}

/// A function that returns a number, and one call of it.
fn returning(number: i32) -> Scenario {
    let text = format!(r#"(module (func (export "f") (result i32) (i32.const {number})))"#);
    Scenario { calls: vec![invoke(0, &[])], ..scenario(&text) }
}

#[test]
fn the_targets_other_way_to_run_is_asked_about_a_share_of_the_tests_and_always_while_shrinking() {
    let trapping = EngineEntry::new("trapping", "1", |settings| Ok(Box::new(Trapping(Wasmi::new(settings)))));
    let context = Context { twin: Some(trapping), ..Context::new(Features::WASMI) };
    let subject = ModuleSubject::new(context, ModuleGenerator::Derived);
    let mut property = subject.property().expect("the settings are fine");
    let outcomes: Vec<bool> = on_stack(|| {
        let fails = |outcome: mutagen_engine::Outcome| match outcome.verdict {
            Verdict::Failed(failure) => {
                let named = |name: &str| failure.details.iter().any(|detail| detail.1 == name);
                assert!(named("trapping") && named("wasmi"), "{failure:?}");
                true
            }
            _ => false,
        };
        assert!((0..20).all(|number| fails(subject.judge(&mut property, &returning(number)))));
        (0..200).map(|number| fails(property.check(&returning(number)))).collect()
    })
    .expect("there is a thread");
    let asked = outcomes.iter().filter(|fails| **fails).count();
    assert!((10..45).contains(&asked), "{asked} of 200");
}

#[test]
fn lazy_and_eager_translation_agree() {
    let context = Context::new(Features::WASMI);
    assert!(context.twin.as_ref().is_some_and(|twin| twin.name == "wasmi-lazy"));
    // Typed modules meet the known bugs of wasmi, too.
    let fixes =
        ["wasm-f1", "wasm-f2", "wasm-f3", "wasm-f4", "wasm-f5", "wasm-f6", "wasm-f7", "wasm-f8", "wasm-f9"];
    let context = context.inject(Injection::default().with(fixes));
    let subject = ModuleSubject::new(context, ModuleGenerator::Typed);
    let mut property = subject.property().expect("the settings are fine");
    on_stack(|| {
        for seed in 0..50 {
            let mut source = Source::seeded(seed).with_scope(subject.scope());
            let outcome = subject.judge(&mut property, &subject.generate(&mut source, 5));
            assert!(!matches!(outcome.verdict, Verdict::Failed(_)), "seed {seed}: {outcome:?}");
        }
    })
    .expect("there is a thread");
}

//! First opinions and votes: they save work, and change nothing about what is found.

use std::sync::{Arc, Mutex, PoisonError};

use mutagen_engine::{Campaign, Event, Property, Strategy, Verdict};
use mutagen_oracles::{
    Call, Ending, Engine, EngineEntry, Function, Instance, Instantiation, Lineage, Registry, Rejection,
    State, Tinywasm, Validity, Value, Wasmi, on_stack,
};
use mutagen_properties::{
    Context, Direction, FunctionGenerator, FunctionSubject, Functions, Injection, ModuleGenerator,
    ModuleSubject, OddOneOut, OpinionCounts, Pair, Scenario, Subject, TARGET_ENGINE, Validator,
};
use mutagen_wasm_ast::{Features, Module};

const FIXES: [&str; 9] =
    ["wasm-f1", "wasm-f2", "wasm-f3", "wasm-f4", "wasm-f5", "wasm-f6", "wasm-f7", "wasm-f8", "wasm-f9"];

fn context(bug: Option<&'static str>) -> Context {
    let mut context = Context::new(Features::WASMI).find_voters(&Registry::default());
    // V8 votes only where a Node is installed, and others only where they are compiled.
    let always = ["wasmi", "wasmtime", "tinywasm", "dlr"];
    context.voters.retain(|voter| always.contains(&voter.lineage.execution));
    context.inject(Injection { bug, fixes: FIXES.to_vec() })
}

fn asking(opinion: EngineEntry, context: Context) -> Context {
    Context { first_opinions: vec![opinion], ..context }
}

fn built_in(name: &str) -> EngineEntry {
    Registry::default().find(name).expect("it is built in").clone()
}

fn tinywasm() -> EngineEntry {
    built_in("tinywasm")
}

/// The context with the usual first opinions.
fn usual(context: Context) -> Context {
    Context { first_opinions: Registry::OPINIONS.iter().map(|name| built_in(name)).collect(), ..context }
}

/// What a campaign does: the verdict and the trace of each test, and what fails late.
fn history<S: Subject>(subject: S, tests: u64) -> Vec<String> {
    let (subject, mut history) = (Arc::new(subject), Vec::new());
    // Without it, probes are on that fire differently each time.
    subject.watch().expect("the target is woven");
    let strategy: Strategy = "mutagen".parse().expect("it is a strategy");
    let report = Campaign::new(5)
        .tests(tests)
        .keep_going(true)
        .events(|event| match event {
            Event::Tested { verdict, trace, .. } => {
                let events: Vec<u8> = trace.events.iter().flat_map(|event| event.to_le_bytes()).collect();
                history.push(format!("{verdict:?} {:016x}", mutagen_engine::stable::hash(&events)));
            }
            Event::Failed(found) => {
                history.push(format!("{} {} {}", found.tests, found.late, found.failure.message));
            }
            _ => {}
        })
        .run_jobs(1, |worker| {
            (subject.guidance(&strategy, worker.seed), subject.property().expect("the settings are fine"))
        });
    history.push(format!("{} {} {}", report.passed, report.discarded, report.inconclusive));
    history
}

/// What is watched holds for the whole process.
static WATCHED: Mutex<()> = Mutex::new(());

fn same_with_and_without<S: Subject>(
    subject: impl Fn(Context) -> S + Sync,
    bug: Option<&'static str>,
    tests: u64,
) {
    let _watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    on_stack(|| {
        let without = history(subject(context(bug)), tests);
        let asked = usual(context(bug));
        let counts = asked.opinions.clone();
        assert_eq!(history(subject(asked), tests), without);
        let OpinionCounts { asked, agreed, checked, contradicted, .. } = counts.counts();
        assert!(asked * 10 > tests && agreed * 20 > asked * 19, "{:?}", counts.counts());
        assert!((1..agreed / 20).contains(&checked) && contradicted == 0, "{:?}", counts.counts());
    })
    .expect("there is a thread");
}

#[test]
fn a_campaign_on_functions_is_the_same_with_and_without_a_first_opinion() {
    for bug in [None, Some("wasm-11")] {
        let ty = Functions::paper_type();
        same_with_and_without(
            |context| FunctionSubject::new(context, ty.clone(), FunctionGenerator::Repaired),
            bug,
            3_000,
        );
    }
}

#[test]
fn a_campaign_on_modules_is_the_same_with_and_without_a_first_opinion() {
    same_with_and_without(|context| ModuleSubject::new(context, ModuleGenerator::Typed), None, 800);
}

/// What an engine says in place of its answers to calls.
type Lie = Arc<dyn Fn(Ending) -> Ending + Send + Sync>;

/// An engine that lies about what calls return.
struct Liar<E> {
    engine: E,
    name: &'static str,
    lie: Lie,
}

impl<E: Engine> Engine for Liar<E> {
    fn name(&self) -> &str {
        self.name
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        self.engine.validate(bytes)
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        let instance = self.engine.instantiate(bytes)?;
        Ok(Box::new(Lying { instance, lie: self.lie.clone() }))
    }
}

struct Lying {
    instance: Box<dyn Instance>,
    lie: Lie,
}

impl Instance for Lying {
    fn exports(&self) -> Vec<Function> {
        self.instance.exports()
    }

    fn call(&mut self, name: &str, arguments: &[Value]) -> Ending {
        (self.lie)(self.instance.call(name, arguments))
    }

    fn state(&mut self) -> State {
        self.instance.state()
    }

    fn memory(&mut self, index: usize) -> Vec<u8> {
        self.instance.memory(index)
    }

    fn table(&mut self, index: usize) -> Vec<Value> {
        self.instance.table(index)
    }
}

/// An engine that lies, around wasmi.
fn liar(name: &'static str, lie: impl Fn(Ending) -> Ending + Send + Sync + 'static) -> EngineEntry {
    let lie: Lie = Arc::new(lie);
    EngineEntry::new(name, "1", move |settings| {
        Ok(Box::new(Liar { engine: Wasmi::new(settings), name, lie: lie.clone() }))
    })
}

fn wrong(_: Ending) -> Ending {
    Ending::Returned(vec![Value::I32(13)])
}

fn returning(number: usize) -> Scenario {
    let text = format!(r#"(module (func (export "f") (result i32) (i32.const {number})))"#);
    Scenario::of(Module::from_text(&text).expect("it is a module"))
}

#[test]
fn only_the_reference_finds_something_wrong() {
    // The opinion disagrees with the target, and is wrong itself.
    let context = asking(liar("liar", wrong), context(None));
    let counts = context.opinions.clone();
    let subject = ModuleSubject::new(context, ModuleGenerator::Derived);
    let mut property = subject.property().expect("the settings are fine");
    on_stack(|| {
        assert!((0..50).all(|number| property.check(&returning(number)).verdict == Verdict::Passed));
    })
    .expect("there is a thread");
    let OpinionCounts { asked, agreed, contradicted, .. } = counts.counts();
    // It is right about the number that it always says.
    assert_eq!((asked, agreed, contradicted), (50, 1, 0));
}

#[test]
fn an_opinion_with_the_targets_own_fault_is_contradicted_by_the_reference() {
    let target = liar("wrong", wrong);
    // It has no other way to run.
    let context = Context { target, twin: None, ..asking(liar("also wrong", wrong), context(None)) };
    let counts = context.opinions.clone();
    let subject = ModuleSubject::new(context, ModuleGenerator::Derived);
    let mut property = subject.property().expect("the settings are fine");
    let failed = on_stack(|| {
        let verdicts = (100..1100).map(|number| property.check(&returning(number)).verdict);
        verdicts.filter(|verdict| matches!(verdict, Verdict::Failed(_))).count() as u64
    })
    .expect("there is a thread");
    let OpinionCounts { asked, agreed, checked, contradicted, .. } = counts.counts();
    // About one in 64 is checked, and what is checked is found.
    assert!((4..40).contains(&checked), "{checked}");
    assert_eq!((asked, agreed, contradicted, failed), (1000, 1000 - checked, checked, checked));
}

/// How many of twenty modules the first of these engines that can tell settles.
fn settled_by(first_opinions: Vec<EngineEntry>, module: &str) -> u64 {
    let context = Context { first_opinions, ..context(None) };
    let counts = context.opinions.clone();
    let subject = ModuleSubject::new(context, ModuleGenerator::Derived);
    let mut property = subject.property().expect("the settings are fine");
    on_stack(|| {
        for number in 100..120 {
            let text = module.replace("NUMBER", &number.to_string());
            let scenario = Scenario::of(Module::from_text(&text).expect("it is a module"));
            assert_eq!(property.check(&scenario).verdict, Verdict::Passed);
        }
    })
    .expect("there is a thread");
    let OpinionCounts { asked, agreed, contradicted, .. } = counts.counts();
    assert_eq!((asked, contradicted), (20, 0));
    agreed
}

#[test]
fn an_engine_that_cannot_tell_makes_way_for_the_next_and_one_that_differs_does_not() {
    let module = r#"(module (func (export "f") (result i32) (i32.const NUMBER)))"#;
    let silent = liar("silent", |_| Ending::Infra("it has nothing to say".to_owned()));
    let panics = liar("panics", |_| panic!("the opinion is broken"));
    assert_eq!(settled_by(vec![silent.clone(), panics, tinywasm()], module), 20);
    assert_eq!(settled_by(vec![silent.clone()], module), 0);
    assert_eq!(settled_by(vec![silent, liar("liar", wrong), tinywasm()], module), 0);
}

#[test]
fn the_engine_that_knows_what_a_module_needs_is_asked() {
    let wide = r#"(module (memory i64 1) (func (export "f") (result i64) (i64.add (memory.size) (i64.const NUMBER))))"#;
    assert_eq!(settled_by(vec![built_in("dlr")], wide), 0);
    assert_eq!(settled_by(vec![built_in("dlr"), tinywasm()], wide), 20);
}

#[test]
fn a_panic_of_the_opinion_is_its_own_problem() {
    let panics = liar("panics", |_| panic!("the opinion is broken"));
    let context = asking(panics, context(None));
    let counts = context.opinions.clone();
    let ty = Functions::paper_type();
    let modules = ModuleSubject::new(context.clone(), ModuleGenerator::Derived);
    on_stack(|| {
        let mut property = modules.property().expect("the settings are fine");
        assert!((0..5).all(|number| property.check(&returning(number)).verdict == Verdict::Passed));
        let functions = FunctionSubject::new(context, ty, FunctionGenerator::Repaired);
        assert!(history(functions, 100).iter().all(|line| !line.contains("Failed")));
    })
    .expect("there is a thread");
    let OpinionCounts { agreed, panicked, .. } = counts.counts();
    assert_eq!(agreed, 0);
    assert!(panicked > 50, "{panicked}");
}

#[test]
fn a_module_on_which_it_ended_a_process_is_judged_without_it() {
    let context = asking(tinywasm(), context(None));
    let counts = context.opinions.clone();
    let subject = ModuleSubject::new(context.clone(), ModuleGenerator::Derived);
    let hash =
        |scenario: &Scenario| mutagen_engine::stable::hash(&subject.module(scenario).expect("it has one"));
    context.unasked.bar(hash(&returning(3)));
    on_stack(|| {
        let mut property = subject.property().expect("the settings are fine");
        assert!((0..5).all(|number| property.check(&returning(number)).verdict == Verdict::Passed));
    })
    .expect("there is a thread");
    assert_eq!(counts.counts().asked, 4);
}

/// Who votes how on a function that returns 5.
fn votes(context: &Context) -> Option<mutagen_properties::Votes> {
    let module = Module::from_text(r#"(module (func (export "f") (result i32) (i32.const 5)))"#);
    let wasm = module.expect("it is a module").encode();
    let calls = [Call::new("f", [])];
    on_stack(|| Pair::new(context).expect("the settings are fine").votes(&wasm, &calls))
        .expect("there is a thread")
}

#[test]
fn the_odd_one_out_is_the_engine_whose_answer_has_fewer_lineages() {
    let target = Context { target: liar("liar", wrong), ..context(None) };
    let voted = votes(&target).expect("others can answer");
    assert_eq!(voted.odd_one_out, OddOneOut::Target);
    let sides: Vec<(&str, usize)> =
        voted.sides.iter().map(|side| (side.answer.as_str(), side.votes)).collect();
    assert_eq!(sides, [("i32:13", 1), ("i32:5", 4)], "{voted}");
    // wasmtime and wasmi run in two ways each, and have one vote each. dlr lacks features, but this module needs none of them.
    assert!(voted.sides[1].engines.len() >= 6, "{voted}");

    let reference = Context { reference: liar("liar", wrong), ..context(None) };
    let voted = votes(&reference).expect("others can answer");
    assert_eq!((voted.odd_one_out, voted.sides[0].votes), (OddOneOut::Reference, 4), "{voted}");
    assert_eq!(votes(&context(None)), None, "they agree");
}

#[test]
fn an_engine_with_an_answer_of_its_own_has_a_side_of_its_own() {
    let third = liar("third", |_| Ending::Trapped(mutagen_oracles::TrapKind::Unreachable));
    let silent = liar("silent", |_| Ending::Infra("it has nothing to say".to_owned()));
    let mut context = Context { target: liar("liar", wrong), ..context(None) };
    context.voters = vec![third, silent];
    let voted = votes(&context).expect("one can answer");
    assert_eq!(voted.sides.len(), 3, "{voted}");
    assert_eq!(voted.sides[2].engines, ["third"]);
    assert_eq!(voted.odd_one_out, OddOneOut::Nobody);
}

#[test]
fn engines_that_share_a_validator_have_one_vote_on_validity() {
    // Only this target accepts an invalid module. All engines that reject it have wasmparser, as it has itself.
    struct Lenient(Tinywasm);
    impl Engine for Lenient {
        fn name(&self) -> &str {
            "lenient"
        }
        fn validate(&self, _: &[u8]) -> Validity {
            Validity::Accepted
        }
        fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
            self.0.instantiate(bytes)
        }
    }
    let lenient = EngineEntry::new("lenient", "1", |settings| Ok(Box::new(Lenient(Tinywasm::new(settings)))));
    let invalid = Module::from_text("(module (func (result i32)))").expect("it is a module").encode();
    let voted = |lineage: Option<Lineage>| {
        let target = lineage.map_or(lenient.clone(), |lineage| lenient.clone().lineage(lineage));
        let context = Context { target, ..context(None) };
        let calls: [Call; 0] = [];
        let pair = Pair::new(&context).expect("the settings are fine");
        on_stack(|| pair.votes(&invalid, &calls)).expect("there is a thread").expect("others can answer")
    };
    for lineage in [None, Some(Lineage { validation: "wasmparser", execution: "lenient" })] {
        let voted = voted(lineage);
        // The other vote is that of dlr, which has a validator of its own.
        assert_eq!((voted.sides[0].votes, voted.sides[1].votes), (1, 2), "{voted}");
        assert!(voted.sides[1].engines.len() >= 5, "{voted}");
        assert_eq!(voted.odd_one_out, OddOneOut::Target);
    }
}

#[test]
fn an_engine_without_a_feature_that_a_module_needs_has_no_vote_on_it() {
    let module = "(module (memory i64 1) (func (export \"f\") (result i64) (memory.size)))";
    let wasm = Module::from_text(module).expect("it is a module").encode();
    let liar = liar("liar", |_| Ending::Returned(vec![Value::I64(13)]));
    let pair = Pair::new(&Context { target: liar, ..context(None) }).expect("the settings are fine");
    let voted = on_stack(|| pair.votes(&wasm, &[Call::new("f", [])])).expect("there is a thread");
    let voted = voted.expect("others can answer");
    let who: Vec<&String> = voted.sides.iter().flat_map(|side| &side.engines).collect();
    assert!(who.iter().any(|name| *name == "tinywasm"), "{voted}");
    assert!(who.iter().all(|name| *name != "dlr"), "{voted}");
}

/// An engine that takes no module at all.
fn strict() -> EngineEntry {
    struct Strict;
    impl Engine for Strict {
        fn name(&self) -> &str {
            "strict"
        }
        fn validate(&self, _: &[u8]) -> Validity {
            Validity::Rejected(Rejection::new("it takes none"))
        }
        fn instantiate(&self, _: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
            Err(Rejection::new("it takes none").into())
        }
    }
    EngineEntry::new("strict", "1", |_| Ok(Box::new(Strict)))
}

fn third(opinion: EngineEntry, module: &str) -> Verdict {
    let context = Context { third_opinion: Some(opinion), ..context(None) };
    let module = Module::from_text(module).expect("it is a module");
    let check = || Validator::new(&context, Direction::Both).expect("the settings are fine").check(&module);
    on_stack(check).expect("there is a thread").verdict
}

#[test]
fn a_third_opinion_that_target_and_reference_do_not_share_is_a_finding_of_its_own() {
    let Verdict::Failed(failure) = third(strict(), "(module)") else { panic!("it disagrees") };
    let named = failure.details.iter().find(|(name, _)| name == TARGET_ENGINE);
    assert_eq!(named.map(|(_, engine)| engine.as_str()), Some("strict"));
    let dlr = Registry::default().find("dlr").expect("it is built in").clone();
    assert_eq!(third(dlr, "(module)"), Verdict::Passed);
    // It rejects what target and reference reject, so it agrees.
    assert_eq!(third(strict(), "(module (func (result i32)))"), Verdict::Discarded);
}

#[test]
fn a_third_opinion_says_nothing_about_modules_that_need_features_that_it_lacks() {
    let narrow = strict().features(Features::WASM1);
    assert_eq!(third(narrow.clone(), "(module (memory i64 1))"), Verdict::Passed);
    assert!(matches!(third(narrow, "(module (memory 1))"), Verdict::Failed(_)));
}

#[test]
fn all_vote_on_a_difference_of_engines_that_are_not_those_of_the_campaign() {
    let context = Context { third_opinion: Some(strict()), ..context(None) };
    let wasm = Module::from_text("(module)").expect("it is a module").encode();
    let calls: [Call; 0] = [];
    let voted = |names| {
        let pair = Pair::new(&context).expect("the settings are fine");
        on_stack(|| pair.votes_between(names, &wasm, &calls)).expect("there is a thread")
    };
    let votes = voted(["strict", "wasmtime"]).expect("others can answer");
    assert_eq!((votes.odd_one_out, votes.sides[0].votes, votes.sides[1].votes), (OddOneOut::Target, 1, 2));
    assert_eq!(voted(["nobody", "wasmtime"]), None);
    assert_eq!(voted(["wasmi", "wasmtime"]), None, "they agree");
}

#[test]
fn an_engine_that_may_end_the_process_votes_from_another_one() {
    let registry = Registry::default().with(strict().may_end_the_process());
    let context = Context::new(Features::WASMI).find_voters(&registry);
    let names: Vec<&str> = context.voters.iter().map(|voter| voter.name).collect();
    assert!(names.contains(&"isolated:strict") && !names.contains(&"strict"), "{names:?}");
}

#[test]
fn votes_on_validity_are_those_of_validators_alone() {
    let target = strict();
    let pair = Pair::new(&Context { target, ..context(None) }).expect("the settings are fine");
    let wasm = Module::from_text("(module)").expect("it is a module").encode();
    let votes = on_stack(|| pair.votes_on_validity(&wasm)).expect("there is a thread");
    let votes = votes.expect("others can answer");
    assert_eq!((votes.sides[0].votes, votes.sides[1].votes), (1, 2), "{votes}");
}

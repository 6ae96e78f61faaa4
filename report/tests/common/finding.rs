//! Findings for tests.

use std::path::Path;

use mutagen_bugs::{Bug, Kind, entries};
use mutagen_campaign::{
    Earlier, Executable, Finding, Group, GroupResult, ModuleFinding, Moment, Replayed, Results, Setup, Spec,
    State, StoredCall, replay, run,
};
use mutagen_oracles::{Agreement, Registry, on_stack};
use mutagen_properties::Shape;
use mutagen_wasm_ast::Module;

/// Hunts a bug of the catalogue. Its results go to this directory.
#[allow(dead_code, reason = "not all tests hunt")]
pub fn hunt(bug: &str, output: &Path) -> Results {
    let spec = Spec::hunting(&Bug::find(bug).expect("it exists")).expect("it can be hunted");
    let engines = Registry::default();
    let setup = Setup { output: Some((output.to_owned(), Earlier::Refuse)), ..Setup::new(&engines) };
    on_stack(|| run(&spec, setup)).expect("there is a thread").expect("it runs");
    Results::read(output).expect("it is an output directory")
}

/// The finding that the witness of a catalogue entry is. A bug is injected; a fix repairs a bug of the published engine, which
/// is not repaired.
#[allow(dead_code, reason = "not all tests need it")]
pub fn of_witness(entry: &str) -> GroupResult {
    let entry = entries().iter().find(|known| known.id == entry).expect("it is in the catalogue");
    let (bug, witness) = ((entry.kind == Kind::Bug).then(|| entry.id.to_owned()), entry.witnesses[0]);
    finding_of(bug, witness.features, witness.module, witness.invoke, witness.arguments)
}

/// A finding about this module and call, as a campaign would have made it.
#[allow(dead_code, reason = "not all tests need it")]
pub fn finding_of(
    bug: Option<String>,
    features: &str,
    wat: &str,
    invoke: Option<&str>,
    arguments: &[&str],
) -> GroupResult {
    judged(ModuleFinding { bug, ..draft(features, wat, invoke, arguments) })
}

/// A module and a call, before the engines are asked: no bug, wasmi and wasmtime, no plans of host functions.
pub fn draft(features: &str, wat: &str, invoke: Option<&str>, arguments: &[&str]) -> ModuleFinding {
    let wasm = Module::assemble(wat.as_bytes()).expect("it is a module");
    let wat = Module::decode(&wasm).expect("it can be read").to_text().expect("it can be printed");
    let call = |export: &str| StoredCall {
        export: export.into(),
        arguments: arguments.iter().map(|text| (*text).into()).collect(),
    };
    ModuleFinding {
        format: 3,
        version: "0.1.0".into(),
        property: "interpreter".into(),
        bug: None,
        fixes: false,
        late_fixes: Vec::new(),
        features: features.parse().expect("they exist"),
        target_engine: "wasmi".into(),
        reference_engine: "wasmtime".into(),
        nans: Default::default(),
        compare: Default::default(),
        kind: String::new(),
        question: String::new(),
        part: String::new(),
        target: String::new(),
        reference: String::new(),
        calls: invoke.into_iter().map(call).collect(),
        hosts: Vec::new(),
        host: String::new(),
        votes: None,
        functions: Vec::new(),
        wasm,
        wat,
    }
}

/// The finding that a draft becomes when the engines are asked, which must differ.
pub fn judged(module: ModuleFinding) -> GroupResult {
    judged_by(module, &Registry::default())
}

/// The same, by these engines.
pub fn judged_by(mut module: ModuleFinding, engines: &Registry) -> GroupResult {
    let whole = Finding::Module(Box::new(module.clone()));
    let program = Executable::this().expect("a test knows its own file");
    let replayed = on_stack(|| replay(&whole, engines, &program))
        .expect("there is a thread")
        .expect("it can be replayed");
    let Replayed::Module { judgement, .. } = replayed else { panic!("it is a module") };
    let Agreement::Differ(difference) = judgement.agreement else {
        panic!("the engines differ: {}", judgement.agreement)
    };
    module.kind = difference.what.kind().to_owned();
    module.part = difference.what.to_string();
    module.question = judgement.steps.last().expect("something was asked").question.to_string();
    (module.target, module.reference) = (difference.target, difference.reference);
    group_of(Finding::Module(Box::new(module)))
}

/// A finding of a target that ended its process, as a supervisor tells it. No engine is asked, so the module may do so here as well.
#[allow(dead_code, reason = "not all tests need it")]
pub fn crash(features: &str, wat: &str, invoke: Option<&str>, arguments: &[&str]) -> GroupResult {
    let question = match invoke {
        Some(export) => format!("call {export:?} with [{}]", arguments.join(", ")),
        None => "instantiate".to_owned(),
    };
    group_of(Finding::Module(Box::new(ModuleFinding {
        kind: "crash".into(),
        question,
        part: "the process".into(),
        target: "was ended by SIGABRT".into(),
        reference: "gave an answer".into(),
        functions: vec!["engine::innermost".into(), "engine::outer".into()],
        ..draft(features, wat, invoke, arguments)
    })))
}

/// The witness of a catalogue entry that ends the process.
#[allow(dead_code, reason = "not all tests need it")]
pub fn crash_of_witness(entry: &str) -> GroupResult {
    let entry = entries().iter().find(|known| known.id == entry).expect("it is in the catalogue");
    let witness = entry.witnesses[0];
    crash(witness.features, witness.module, witness.invoke, witness.arguments)
}

/// The group of a finding.
pub fn group_of(finding: Finding) -> GroupResult {
    let shape = Shape::of(finding.kind(), &finding.case().expect("it has a value"));
    let message = match &finding {
        Finding::Module(module) => format!("{}: {} and {}", module.part, module.target, module.reference),
        Finding::Leak(leak) => leak.target.clone(),
    };
    let group = Group {
        kind: shape.kind.clone(),
        shape,
        message,
        fix: None,
        count: 1,
        first: Moment::default(),
        last: Moment::default(),
        silenced: None,
        curbed: None,
        site: None,
        file: None,
    };
    GroupResult { group, finding: Some(finding) }
}

/// Results with these groups.
#[allow(dead_code, reason = "not all tests need it")]
pub fn results(groups: Vec<GroupResult>) -> Results {
    Results {
        groups,
        version: "0.1.0".into(),
        state: State::Ended(mutagen_campaign::CampaignOutcome::Finding),
        ..Results::default()
    }
}

//! Replaying a finding.

use mutagen_engine::{Property, Verdict};
use mutagen_oracles::{Judgement, Registry, Script};
use mutagen_properties::{
    Case, MachinePair, Noninterference, Pair, Subject, Votes, register_machine, stack_machine,
};

use crate::finding::explanation;
use crate::run::{Visitor, context, register_fault, stack_fault, visit};
use crate::supervise::{how_it_dies, switch_on};
use crate::{
    EngineProperty, EngineSpec, Error, Executable, Finding, LeakFinding, Machine, MachineSpec, ModuleFinding,
    Spec, SpecError, SubjectSpec,
};

/// A finding with more calls is not replayed: no campaign makes so many.
pub(crate) const MOST_CALLS: usize = 10_000;

/// The result of a replay.
#[derive(Clone, Debug)]
pub enum Replayed {
    /// Two engines were asked about a module.
    Module {
        /// The name of the target.
        target: String,
        /// The name of the reference.
        reference: String,
        /// Their answers.
        judgement: Box<Judgement>,
        /// What all engines say, if the two differ.
        votes: Option<Votes>,
    },
    /// The target ended a process, or never answered, when the finding was made. Holds how it did so now, if it did.
    Process(Option<String>),
    /// A machine was run. Holds the leak, if it is still there.
    Leak(Option<String>),
}

impl Replayed {
    /// Whether the finding still stands.
    pub fn stands(&self) -> bool {
        match self {
            Replayed::Module { judgement, .. } => judgement.agreement.is_finding(),
            Replayed::Process(died) => died.is_some(),
            Replayed::Leak(leak) => leak.is_some(),
        }
    }
}

/// Replays a finding. The finding contains everything that is needed; nothing is written, and a replay takes
/// no longer than a few tests. A module that ended a process is judged in a process of its own: `program` again.
///
/// # Errors
///
/// If the finding names a bug, an engine or a property that does not exist.
pub fn replay(finding: &Finding, engines: &Registry, program: &Executable) -> Result<Replayed, Error> {
    match finding {
        Finding::Module(module) if finding.ends_the_process() => replay_apart(module, engines, program),
        Finding::Module(finding) => replay_module(finding, engines),
        Finding::Leak(finding) => replay_leak(finding),
    }
}

/// How the module of a finding ends a process that judges it, if it does: then [`replay`] would end this one as well.
///
/// # Errors
///
/// As [`replay`].
pub fn ends_a_process(
    finding: &Finding,
    engines: &Registry,
    program: &Executable,
) -> Result<Option<Replayed>, Error> {
    let Finding::Module(module) = finding else { return Ok(None) };
    Ok(Some(replay_apart(module, engines, program)?).filter(Replayed::stands))
}

/// The campaign of a finding. It has the module and the calls, so any property on these engines will do.
fn spec_of(finding: &ModuleFinding) -> Result<(Spec, EngineSpec), Error> {
    if finding.calls.len() > MOST_CALLS {
        return Err(SpecError::TooManyCalls(finding.calls.len()).into());
    }
    let engines = EngineSpec {
        target: finding.target_engine.clone(),
        reference: finding.reference_engine.clone(),
        features: finding.features,
        nans: finding.nans,
        compare: finding.compare,
        fixes: finding.fixes,
        ..EngineSpec::new(EngineProperty::Interpreter { generator: Default::default() })
    };
    let spec = Spec { bug: finding.bug.clone(), ..Spec::new(SubjectSpec::Engines(engines.clone())) };
    Ok((spec, engines))
}

fn replay_apart(
    finding: &ModuleFinding,
    registry: &Registry,
    program: &Executable,
) -> Result<Replayed, Error> {
    let (spec, engines) = spec_of(finding)?;
    // The process would say the same, but not why.
    context(&spec, &engines, registry)?;
    let calls = finding.calls().map_err(|error| Error::from(SpecError::Argument(error)))?;
    let case = Case::Module { wasm: finding.wasm.clone(), calls, hosts: finding.hosts.clone() };
    Ok(Replayed::Process(how_it_dies(program, &spec, finding.late_fixes.clone(), &case)))
}

fn replay_module(finding: &ModuleFinding, registry: &Registry) -> Result<Replayed, Error> {
    let (spec, engines) = spec_of(finding)?;
    let context = context(&spec, &engines, registry)?;
    switch_on(&context, &finding.late_fixes);
    let calls = finding.calls().map_err(|error| Error::from(SpecError::Argument(error)))?;
    let script = Script { calls: &calls, hosts: &finding.hosts };
    let pair = Pair::new(&context)?;
    let judgement = Box::new(pair.judge(&finding.wasm, script));
    let votes = pair.votes(&finding.wasm, script);
    Ok(Replayed::Module { target: engines.target, reference: engines.reference, judgement, votes })
}

fn replay_leak(finding: &LeakFinding) -> Result<Replayed, Error> {
    let machine = match finding.pair {
        MachinePair::Stack(_) => Machine::Stack,
        MachinePair::Register(_) => Machine::Register,
    };
    let name = finding.property.split('-').next().unwrap_or_default();
    let property: Noninterference = name.parse().map_err(SpecError::from)?;
    let subject = MachineSpec { machine, property, generator: Default::default() };
    let spec = Spec { bug: finding.bug.clone(), ..Spec::new(SubjectSpec::Machine(subject)) };
    let outcome = match &finding.pair {
        MachinePair::Stack(pair) => stack_machine(property, stack_fault(&spec)?).check(pair),
        MachinePair::Register(pair) => register_machine(register_fault(&spec)?).check(pair),
    };
    Ok(Replayed::Leak(match outcome.verdict {
        Verdict::Failed(failure) => Some(explanation(&failure)),
        _ => None,
    }))
}

/// Whether the property of a campaign fails on the case of a finding, which another property may have found. `None` if the
/// property cannot be tested on it.
///
/// # Errors
///
/// If something is wrong with the spec, or an argument of the finding is no value.
///
/// ```
/// use mutagen_bugs::Bug;
/// use mutagen_campaign::{Setup, Spec, SubjectSpec, fails_on, run};
/// use mutagen_oracles::{Registry, on_stack};
/// use mutagen_properties::Noninterference;
///
/// let engines = Registry::default();
/// let mut spec = Spec::hunting(&Bug::find("stack-7")?).expect("it is a bug");
/// spec.budget.tests = Some(100_000);
/// let found = on_stack(|| run(&spec, Setup::new(&engines)))??.report.finding.expect("it is found at once");
/// assert_eq!(fails_on(&spec, &found.finding, &engines)?, Some(true));
///
/// // Without the fault, the same states show nothing.
/// spec.bug = None;
/// assert_eq!(fails_on(&spec, &found.finding, &engines)?, Some(false));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fails_on(spec: &Spec, finding: &Finding, engines: &Registry) -> Result<Option<bool>, Error> {
    spec.check()?;
    let case = finding.case().map_err(SpecError::from)?;
    visit(spec, engines, Judge(case))
}

struct Judge(Case);

impl Visitor for Judge {
    type Result = Result<Option<bool>, Error>;

    fn subject<S: Subject>(self, subject: S) -> Self::Result {
        let Some(value) = subject.value(&self.0) else { return Ok(None) };
        let outcome = subject.judge(&mut subject.property()?, &value);
        Ok(Some(matches!(outcome.verdict, Verdict::Failed(_))))
    }
}

//! The whole comparison of one module and some calls, step by step.

use std::fmt;

use crate::{
    engine::{Ending, Engine, Instance, Instantiation},
    guard::{Guarded, GuardedInstance},
    limits::{Side, Which, gate, is_shallow},
    scan::Scan,
    settings::{NanMode, Settings},
    state::{Extent, State},
    value::{Value, list},
    verdict::{
        Difference, Verdict, What, Why, compare_endings, compare_states, compare_validity, differ, one_sided,
        settled,
    },
};

/// A call of an exported function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// Name of the export.
    pub export: String,
    /// Its arguments.
    pub arguments: Vec<Value>,
}

impl Call {
    /// A call of `export` with `arguments`.
    pub fn new(export: impl Into<String>, arguments: impl Into<Vec<Value>>) -> Self {
        Self { export: export.into(), arguments: arguments.into() }
    }
}

/// What was asked of both engines.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Is the module valid?
    Validate,
    /// What does instantiating it do?
    Instantiate,
    /// What does this call do?
    Call(Call),
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Validate => f.write_str("validate"),
            Self::Instantiate => f.write_str("instantiate"),
            Self::Call(call) => write!(f, "call {:?} with {}", call.export, list(&call.arguments)),
        }
    }
}

/// A question and its answers, as text for a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What was asked.
    pub question: Question,
    /// What the target answered.
    pub target: String,
    /// What the reference answered; `None` if it was not asked, because the gate kept the module from it or because
    /// the target's answer settled the matter.
    pub reference: Option<String>,
}

/// A verdict, and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The questions that were asked until then.
    pub steps: Vec<Step>,
    /// The fuel that the calls used on the target.
    pub fuel: u64,
}

/// Asks both engines about a module, one question after the other, until something is not equal: is it valid, what
/// does instantiating it do, what does each call do and leave behind. The target goes first each time.
///
/// A module that the reference rejects is never executed. One that the gate holds back runs on the target alone, where
/// only a panic counts.
pub fn judge(
    bytes: &[u8],
    calls: &[Call],
    target: &dyn Engine,
    reference: &dyn Engine,
    settings: &Settings,
) -> Judgement {
    if bytes.len() > settings.limits.max_input_bytes {
        return Judgement { verdict: Verdict::Limit(Which::InputBytes), steps: Vec::new(), fuel: 0 };
    }
    // Where no operator makes a NaN, all that is done to NaNs is to move them, and that keeps every bit.
    let moves_bits = settings.nan == NanMode::Raw && !makes_nans(&Scan::of(bytes));
    let exact = moves_bits.then_some(Settings { nan: NanMode::Deterministic, ..*settings });
    let settings = exact.as_ref().unwrap_or(settings);
    let mut trial = Trial { bytes, settings, steps: Vec::new(), fuel: 0 };
    let verdict = trial.run(calls, &Guarded(target), &Guarded(reference));
    Judgement { verdict: trial.pardon_nan_bits(verdict), steps: trial.steps, fuel: trial.fuel }
}

/// Judges again, with whatever fresh engines `judge` makes, until a finding has shown `times` times in all. One that
/// does not is flaky and no finding.
pub fn confirm(times: usize, mut judge: impl FnMut() -> Judgement) -> Judgement {
    let mut first = judge();
    let again = |judgement: &Judgement| judgement.verdict == first.verdict;
    if first.verdict.is_finding() && !(1..times).all(|_| again(&judge())) {
        first.verdict = Verdict::Inconclusive(Why::Flaky);
    }
    first
}

type Guard<'a> = Guarded<&'a dyn Engine>;

struct Trial<'a> {
    bytes: &'a [u8],
    settings: &'a Settings,
    steps: Vec<Step>,
    fuel: u64,
}

impl Trial<'_> {
    fn run(&mut self, calls: &[Call], target: &Guard<'_>, reference: &Guard<'_>) -> Verdict {
        let (ours, theirs) = (target.validate(self.bytes), reference.validate(self.bytes));
        self.step(Question::Validate, &ours, Some(&theirs));
        let verdict = compare_validity(self.bytes, &ours, &theirs, self.settings);
        if verdict != Verdict::Equal || !ours.is_accepted() {
            return verdict;
        }
        match gate(self.bytes) {
            Some(which) => self.run_alone(calls, target, which),
            None => self.run_both(calls, target, reference),
        }
    }

    fn step(&mut self, question: Question, target: &dyn fmt::Display, reference: Option<&dyn fmt::Display>) {
        let reference = reference.map(ToString::to_string);
        self.steps.push(Step { question, target: target.to_string(), reference });
    }

    /// Only a panic can be a finding where the reference is not asked.
    fn run_alone(&mut self, calls: &[Call], target: &Guard<'_>, which: Which) -> Verdict {
        let opened = target.open(self.bytes);
        self.step(Question::Instantiate, &Opened(&opened), None);
        let mut instance = match opened {
            Ok(instance) => instance,
            Err(Instantiation::Ended { ending, .. }) => return panic_or_limit(&ending, which),
            Err(Instantiation::Rejected(_)) => return Verdict::Limit(which),
        };
        for call in calls {
            let ending = instance.call(&call.export, &call.arguments);
            self.step(Question::Call(call.clone()), &ending, None);
            if let Ending::Panicked(_) = ending {
                return panic_or_limit(&ending, which);
            }
        }
        closed(instance).and_then(|| Verdict::Limit(which))
    }

    fn run_both(&mut self, calls: &[Call], target: &Guard<'_>, reference: &Guard<'_>) -> Verdict {
        let ours = target.open(self.bytes);
        if let Err(Instantiation::Ended { ending, .. }) = &ours
            && let Some(verdict) = settled(ending)
        {
            self.step(Question::Instantiate, ending, None);
            return verdict;
        }
        let theirs = reference.open(self.bytes);
        self.step(Question::Instantiate, &Opened(&ours), Some(&Opened(&theirs)));
        match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => self.run_calls(calls, ours, theirs),
            (ours, theirs) => self.compare_failures(ours.err(), theirs.err()),
        }
    }

    /// At least one of the two gave no instance.
    fn compare_failures(&self, ours: Option<Instantiation>, theirs: Option<Instantiation>) -> Verdict {
        use Instantiation::{Ended, Rejected};
        match (&ours, &theirs) {
            (Some(Rejected(_)), Some(Rejected(_))) => Verdict::Equal,
            (Some(Rejected(reason)), _) => self.refused_by(Side::Target, reason),
            (_, Some(Rejected(reason))) => self.refused_by(Side::Reference, reason),
            (Some(Ended { ending: a, state: x }), Some(Ended { ending: b, state: y })) => {
                self.compare(a, b).and_then(|| compare_states(x, y, self.settings.nan))
            }
            (Some(Ended { ending, .. }), None) => self.compare(ending, &Ending::Returned(Vec::new())),
            (None, Some(Ended { ending, .. })) => self.compare(&Ending::Returned(Vec::new()), ending),
            (None, None) => Verdict::Equal,
        }
    }

    fn refused_by(&self, side: Side, reason: &str) -> Verdict {
        let (target, reference) = match side {
            Side::Target => (reason, "compiled"),
            Side::Reference => ("compiled", reason),
        };
        one_sided(self.bytes, self.settings, side, differ(What::Compilation, target, reference))
    }

    fn compare(&self, target: &Ending, reference: &Ending) -> Verdict {
        match compare_endings(target, reference, self.settings.nan) {
            Verdict::Inconclusive(Why::Stack) if target != reference && is_shallow(self.bytes) => {
                differ(What::Stack, target, reference)
            }
            verdict => verdict,
        }
    }

    fn run_calls(
        &mut self,
        calls: &[Call],
        mut ours: GuardedInstance,
        mut theirs: GuardedInstance,
    ) -> Verdict {
        let mut verdict = self.compare_left_behind(&mut ours, &mut theirs);
        for call in calls {
            verdict = verdict.and_then(|| self.run_call(call, &mut ours, &mut theirs));
        }
        self.fuel = ours.fuel_used();
        verdict.and_then(|| closed(ours))
    }

    fn run_call(&mut self, call: &Call, ours: &mut GuardedInstance, theirs: &mut GuardedInstance) -> Verdict {
        let a = ours.call(&call.export, &call.arguments);
        if let Some(verdict) = settled(&a) {
            self.step(Question::Call(call.clone()), &a, None);
            return verdict;
        }
        let b = theirs.call(&call.export, &call.arguments);
        self.step(Question::Call(call.clone()), &a, Some(&b));
        self.compare(&a, &b).and_then(|| self.compare_left_behind(ours, theirs))
    }

    /// Compares states, and finds out where memories or tables differ.
    fn compare_left_behind(&self, ours: &mut GuardedInstance, theirs: &mut GuardedInstance) -> Verdict {
        let (a, b) = match (ours.try_state(), theirs.try_state()) {
            (Ok(a), Ok(b)) => (a, b),
            (Err(message), _) => return differ(What::Panic, format!("panicked: {message}"), "nothing yet"),
            (_, Err(message)) => return Verdict::Infra(format!("the reference panicked: {message}")),
        };
        match compare_states(&a, &b, self.settings.nan) {
            Verdict::Differ(difference) => Verdict::Differ(locate(difference, &a, ours, theirs)),
            verdict => verdict,
        }
    }

    /// In raw mode, a difference that free NaN bits may have caused proves nothing.
    fn pardon_nan_bits(&self, verdict: Verdict) -> Verdict {
        let Verdict::Differ(difference) = &verdict else { return verdict };
        let of_values =
            !matches!(difference.what, What::Validity | What::Compilation | What::Stack | What::Panic);
        if self.settings.nan == NanMode::Raw && of_values && nan_bits_may_leak(self.bytes) {
            return Verdict::Inconclusive(Why::NanBits);
        }
        verdict
    }
}

fn panic_or_limit(ending: &Ending, which: Which) -> Verdict {
    match ending {
        Ending::Panicked(_) => differ(What::Panic, ending, "nothing: it was not asked"),
        _ => Verdict::Limit(which),
    }
}

/// Finds the place where two memories or tables differ.
fn locate(
    difference: Difference,
    state: &State,
    ours: &mut dyn Instance,
    theirs: &mut dyn Instance,
) -> Difference {
    let place = match &difference.what {
        What::Memory(name, _) => index_of(&state.memories, name).and_then(|index| {
            let place = first_difference(&ours.memory(index), &theirs.memory(index));
            place.map(|(at, a, b)| (What::Memory(name.clone(), at), a, b))
        }),
        What::Table(name, _) => index_of(&state.tables, name).and_then(|index| {
            let place = first_difference(&ours.table(index), &theirs.table(index));
            place.map(|(at, a, b)| (What::Table(name.clone(), at), a, b))
        }),
        _ => None,
    };
    place.map_or(difference, |(what, target, reference)| Difference { what, target, reference })
}

fn index_of(extents: &[Extent], name: &str) -> Option<usize> {
    extents.iter().position(|extent| extent.name == name)
}

fn nan_bits_may_leak(bytes: &[u8]) -> bool {
    let scan = Scan::of(bytes);
    makes_nans(&scan) && scan.bodies.iter().any(|body| body.leaks_nan_bits)
}

fn makes_nans(scan: &Scan) -> bool {
    scan.bodies.iter().any(|body| body.makes_nans)
}

/// Cleaning up is part of the engine, too.
fn closed(target: GuardedInstance) -> Verdict {
    match target.close() {
        Ok(()) => Verdict::Equal,
        Err(message) => differ(What::Panic, format!("panicked while cleaning up: {message}"), "cleaned up"),
    }
}

/// The first place where two sequences differ, with what stands there.
fn first_difference<T: PartialEq + fmt::Display>(a: &[T], b: &[T]) -> Option<(u64, String, String)> {
    let common = a.iter().zip(b).position(|(a, b)| a != b);
    let at = common.or_else(|| (a.len() != b.len()).then(|| a.len().min(b.len())))?;
    let shown = |side: &[T]| side.get(at).map_or_else(|| "its end".to_owned(), T::to_string);
    Some((at as u64, shown(a), shown(b)))
}

/// How an instantiation went, for the report.
struct Opened<'a>(&'a Result<GuardedInstance, Instantiation>);

impl fmt::Display for Opened<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Ok(_) => f.write_str("instantiated"),
            Err(Instantiation::Rejected(reason)) => write!(f, "not compiled: {reason}"),
            Err(Instantiation::Ended { ending, .. }) => ending.fmt(f),
        }
    }
}

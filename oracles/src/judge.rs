//! The whole comparison of one module and some calls, step by step.

mod calls;
mod locate;
mod report;

pub use self::report::{Answer, Judgement, Question, Step};
use self::{calls::Running, locate::locate};
use crate::{
    agreement::{Agreement, Difference, What, Why, differ, reference_panicked},
    answer::{Ending, Instantiation},
    compare::{compare_endings, compare_states, settled},
    engine::Engine,
    guard::{EnginePanic, Guarded, GuardedInstance},
    host::{HostLog, HostPlan},
    limits::{Which, gate, is_shallow},
    parts::Part,
    scan::Scan,
    script::{Call, Script},
    settings::{NanMode, Settings},
    validity::{Opinion, compare_validity, one_sided},
};

/// Asks both engines about a module, one question after the other, until something is not equal: is it valid, what
/// does instantiating it do, what does each call do and leave behind. The target goes first each time.
///
/// What is asked is a [`Script`]; calls alone will do. A call that ends on the target without fuel or without stack tells
/// nothing, and is left out: the target starts again and makes the calls before it once more, and both go on with those
/// after it. If no call could be compared, the judgement is inconclusive.
///
/// A module that the reference rejects is never executed. One that the gate holds back runs on the target alone, where
/// only a panic counts.
pub fn judge<'a>(
    bytes: &[u8],
    script: impl Into<Script<'a>>,
    target: &dyn Engine,
    reference: &dyn Engine,
    settings: &Settings,
) -> Judgement {
    if bytes.len() > settings.limits.max_input_bytes {
        let agreement = Agreement::Limit(Which::InputBytes);
        return Judgement { agreement, steps: Vec::new(), fuel: 0, host: HostLog::default(), left_out: 0 };
    }
    // Where no operator makes a NaN, all that is done to NaNs is to move them, and that keeps every bit.
    let moves_bits = settings.nan == NanMode::Raw && !makes_nans(&Scan::of(bytes));
    let exact = moves_bits.then_some(Settings { nan: NanMode::Deterministic, ..*settings });
    let settings = exact.as_ref().unwrap_or(settings);
    let mut trial = Comparing::new(bytes, script.into(), target, reference, settings);
    let agreement = trial.run();
    let agreement = trial.pardon_relaxed_dot(trial.pardon_nan_bits(agreement));
    trial.judgement(agreement)
}

/// Asks both engines whether a module is valid, and nothing else.
pub fn judge_validity(
    bytes: &[u8],
    target: &dyn Engine,
    reference: &dyn Engine,
    settings: &Settings,
) -> Judgement {
    let mut trial = Comparing::new(bytes, Script::default(), target, reference, settings);
    let agreement = trial.validate().err().unwrap_or(Agreement::Equal);
    trial.judgement(agreement)
}

/// Judges again, with whatever fresh engines `judge` makes, until a finding has shown `times` times in all. One that
/// does not is flaky and no finding.
pub fn confirm(times: usize, mut judge: impl FnMut() -> Judgement) -> Judgement {
    let mut first = judge();
    let again = |judgement: &Judgement| judgement.agreement == first.agreement;
    if first.agreement.is_finding() && !(1..times).all(|_| again(&judge())) {
        first.agreement = Agreement::Inconclusive(Why::Flaky);
    }
    first
}

type Guard<'a> = Guarded<&'a dyn Engine>;

struct Comparing<'a> {
    bytes: &'a [u8],
    script: Script<'a>,
    target: Guard<'a>,
    reference: Guard<'a>,
    settings: &'a Settings,
    steps: Vec<Step>,
    fuel: u64,
    host: HostLog,
    left_out: usize,
}

impl<'a> Comparing<'a> {
    fn new(
        bytes: &'a [u8],
        script: Script<'a>,
        target: &'a dyn Engine,
        reference: &'a dyn Engine,
        settings: &'a Settings,
    ) -> Self {
        let (target, reference) = (Guarded(target), Guarded(reference));
        let (steps, host) = (Vec::new(), HostLog::default());
        Self { bytes, script, target, reference, settings, steps, fuel: 0, host, left_out: 0 }
    }

    fn judgement(self, agreement: Agreement) -> Judgement {
        let Self { steps, fuel, host, left_out, .. } = self;
        Judgement { agreement, steps, fuel, host, left_out }
    }

    fn run(&mut self) -> Agreement {
        match self.validate() {
            Err(settled) => settled,
            Ok(()) => match gate(self.bytes) {
                Some(which) => self.run_alone(which),
                None => self.run_both(),
            },
        }
    }

    /// Whether both accept the module; otherwise there is nothing to run.
    fn validate(&mut self) -> Result<(), Agreement> {
        let ours = Opinion::of_target(self.target.0, self.bytes);
        let theirs = Opinion::of_reference(self.reference.0, self.bytes, &ours);
        let answer = |opinion: &Opinion<'_>| Answer::Validity(opinion.validity().clone());
        self.step(Question::Validate, answer(&ours), Some(answer(&theirs)));
        let agreement = compare_validity(self.bytes, &ours, &theirs, self.settings.features);
        match self.settings.compared.overlook(agreement) {
            Agreement::Equal if ours.validity().is_accepted() && theirs.validity().is_accepted() => Ok(()),
            agreement => Err(agreement),
        }
    }

    fn step(&mut self, question: Question, target: Answer, reference: Option<Answer>) {
        self.steps.push(Step { question, target, reference });
    }

    /// A call, and how it ended on the engines that were asked.
    fn step_of_call(&mut self, call: &Call, target: &Ending, reference: Option<&Ending>) {
        let answer = |ending: &Ending| Answer::Ended(ending.clone());
        self.step(Question::Call(call.clone()), answer(target), reference.map(answer));
    }

    /// Only a panic can be a finding where the reference is not asked.
    fn run_alone(&mut self, which: Which) -> Agreement {
        let opened = self.target.open(self.bytes, self.script.hosts);
        self.step(Question::Instantiate, Answer::of_opening(&opened), None);
        let mut running = match opened {
            Ok(instance) => Running::new(instance),
            Err(Instantiation::Ended { ending, .. }) => return panic_or_limit(&ending, which),
            Err(Instantiation::Rejected(_)) => return Agreement::Limit(which),
        };
        for call in self.script.calls {
            let ending = running.call(call);
            self.step_of_call(call, &ending, None);
            if let Ending::Panicked(_) = ending {
                return panic_or_limit(&ending, which);
            }
        }
        closed(running.instance).and_then(|| Agreement::Limit(which))
    }

    fn run_both(&mut self) -> Agreement {
        let ours = self.target.open(self.bytes, self.script.hosts);
        if let Err(Instantiation::Ended { ending, .. }) = &ours
            && let Some(agreement) = settled(ending)
        {
            self.step(Question::Instantiate, Answer::Ended(ending.clone()), None);
            return agreement;
        }
        let theirs = self.reference.open(self.bytes, self.script.hosts);
        self.step(Question::Instantiate, Answer::of_opening(&ours), Some(Answer::of_opening(&theirs)));
        match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => self.run_calls(Running::new(ours), Running::new(theirs)),
            (ours, theirs) => self.compare_failures(ours.err(), theirs.err()),
        }
    }

    /// At least one of the two gave no instance.
    fn compare_failures(&mut self, ours: Option<Instantiation>, theirs: Option<Instantiation>) -> Agreement {
        use Instantiation::{Ended, Rejected};
        match (&ours, &theirs) {
            (Some(Rejected(_)), Some(Rejected(_))) => Agreement::Equal,
            (Some(Rejected(reason)), _) => {
                self.rejected_by(self.target, differ(What::Compilation, reason, "compiled"))
            }
            (_, Some(Rejected(reason))) => {
                self.rejected_by(self.reference, differ(What::Compilation, "compiled", reason))
            }
            (Some(Ended { ending: a, state: x }), Some(Ended { ending: b, state: y })) => {
                self.host = x.host.clone();
                self.compare(a, b)
                    .and_then(|| compare_states(x, y, self.settings.nan, self.settings.compared))
            }
            (Some(Ended { ending, .. }), None) => self.compare(ending, &Ending::Returned(Vec::new())),
            (None, Some(Ended { ending, .. })) => self.compare(&Ending::Returned(Vec::new()), ending),
            (None, None) => Agreement::Equal,
        }
    }

    /// What it means that only one engine compiles the module, or a function of it.
    fn rejected_by(&self, engine: Guard<'_>, difference: Agreement) -> Agreement {
        self.settings.compared.overlook(one_sided(self.bytes, self.settings.features, engine.0, difference))
    }

    fn compare(&self, target: &Ending, reference: &Ending) -> Agreement {
        let Settings { nan, compared, .. } = *self.settings;
        let agreement = compare_endings(target, reference, nan, compared);
        match (&agreement, target) {
            (Agreement::Inconclusive(Why::Stack), _)
                if compared.contains(Part::Traps) && target != reference && self.is_shallow() =>
            {
                differ(What::Stack, target, reference)
            }
            (Agreement::Differ(Difference { what: What::Compilation, .. }), Ending::Uncompiled(_)) => {
                self.rejected_by(self.target, agreement)
            }
            (Agreement::Differ(Difference { what: What::Compilation, .. }), _) => {
                self.rejected_by(self.reference, agreement)
            }
            _ => agreement,
        }
    }

    /// Whether neither the module nor its host functions can exhaust a stack.
    fn is_shallow(&self) -> bool {
        !self.script.hosts.iter().any(HostPlan::calls_back) && is_shallow(self.bytes)
    }

    /// Compares states, and finds out where memories or tables differ.
    fn compare_left_behind(&self, ours: &mut GuardedInstance, theirs: &mut GuardedInstance) -> Agreement {
        let (a, b) = match (ours.try_state(), theirs.try_state()) {
            (Ok(a), Ok(b)) => (a, b),
            (Err(panic), _) => return differ(What::Panic, panic, "nothing yet"),
            (_, Err(EnginePanic(message))) => return reference_panicked(&message),
        };
        match compare_states(&a, &b, self.settings.nan, self.settings.compared) {
            Agreement::Differ(difference) => Agreement::Differ(locate(difference, &a, ours, theirs)),
            agreement => agreement,
        }
    }

    /// In raw mode, a difference that free NaN bits may have caused proves nothing.
    fn pardon_nan_bits(&self, agreement: Agreement) -> Agreement {
        let free =
            self.settings.nan == NanMode::Raw && is_of_values(&agreement) && nan_bits_may_leak(self.bytes);
        if free { Agreement::Inconclusive(Why::NanBits) } else { agreement }
    }

    /// A difference that an overflow in the relaxed dot product may have caused proves nothing. The sum of two products has
    /// 16 bits and overflows only if all four factors are -128. There the text of the specification saturates, one engine
    /// wraps, and another adds with more bits; the official tests do not ask.
    fn pardon_relaxed_dot(&self, agreement: Agreement) -> Agreement {
        let asked = || Scan::of(self.bytes).bodies.iter().any(|body| body.has_relaxed_dot);
        let free = is_of_values(&agreement) && asked();
        if free { Agreement::Inconclusive(Why::RelaxedDot) } else { agreement }
    }
}

/// Whether engines differ in what they computed, rather than in whether they can compute it.
fn is_of_values(agreement: &Agreement) -> bool {
    let Agreement::Differ(difference) = agreement else { return false };
    !matches!(
        difference.what,
        What::Validity | What::Compilation | What::Export(_) | What::Stack | What::Panic
    )
}

fn panic_or_limit(ending: &Ending, which: Which) -> Agreement {
    match ending {
        Ending::Panicked(_) => differ(What::Panic, ending, "nothing: it was not asked"),
        _ => Agreement::Limit(which),
    }
}

fn nan_bits_may_leak(bytes: &[u8]) -> bool {
    let scan = Scan::of(bytes);
    makes_nans(&scan) && scan.bodies.iter().any(|body| body.leaks_nan_bits)
}

fn makes_nans(scan: &Scan) -> bool {
    scan.bodies.iter().any(|body| body.makes_nans)
}

/// Cleaning up is part of the engine, too.
fn closed(target: GuardedInstance) -> Agreement {
    match target.close() {
        Ok(()) => Agreement::Equal,
        Err(EnginePanic(message)) => {
            differ(What::Panic, format!("panicked while cleaning up: {message}"), "cleaned up")
        }
    }
}

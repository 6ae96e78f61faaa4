//! Judging tests that end a process: each of them in a process of its own.

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use mutagen_engine::{Failure, Outcome};
use mutagen_oracles::Question;
use mutagen_properties::{Case, Subject, TARGET_ENGINE};

use super::order::{JudgeOrder, Message, Order};
use super::process::{Cause, Files, Process, Remains};
use crate::finding::FUNCTIONS;
use crate::run::{Judge, SITE as SITE_DETAIL};
use crate::{EngineSpec, Executable, Spec, SubjectSpec, WorkerLimits};

/// How often a test must end a process before it is believed.
const CONFIRMATIONS: usize = 3;
/// How many functions tell where a process died.
const SITE: usize = 3;

/// What became of a test in a process of its own.
#[derive(Clone, Debug)]
pub(super) enum Apart {
    /// The process ended well. Whether the engines agreed.
    Answered { agree: bool },
    /// The process died.
    Died(Death),
    /// No process could be started, or it refused the test.
    Unknown,
}

/// The death of a process that asked engines.
#[derive(Clone, Debug)]
pub struct Death {
    pub(super) cause: Cause,
    /// The engine that was being asked. `None` if no question was open.
    engine: Option<String>,
    /// What it was asked.
    question: Option<Question>,
    /// The last functions of the target that it was in, the very last one first.
    functions: Vec<String>,
}

impl Death {
    pub(super) fn of(remains: &Remains) -> Self {
        let (engine, question) = remains.noted().map(|noted| (noted.engine, noted.question)).unzip();
        Death {
            cause: remains.cause,
            engine: engine.flatten(),
            question,
            functions: remains.last_functions(),
        }
    }

    /// Where it happened: deaths in the same place are about the same thing, unless something speaks against it. `None` if
    /// the functions of the target are not known: then two that have nothing else in common may have the same cause.
    fn site(&self) -> Option<String> {
        let functions: Vec<&str> = self.functions.iter().take(SITE).map(String::as_str).collect();
        let cause = self.cause.to_string();
        let words = std::iter::once(cause.as_str()).chain(functions.iter().copied());
        (!functions.is_empty()).then(|| words.collect::<Vec<_>>().join(" < "))
    }

    /// Whether it was killed at a limit, rather than died by itself.
    fn is_limit(&self) -> bool {
        matches!(self.cause, Cause::Hang(_) | Cause::Stuck(_) | Cause::Memory(_))
    }

    /// Which engine died in which way: what must stay the same while a module is shrunk.
    pub fn way(&self) -> String {
        format!("{} {}", self.engine.as_deref().unwrap_or("the process"), self.cause)
    }

    /// Whether this is the same way to die. Which limit a test meets first that takes more and more of everything depends on how
    /// busy the machine is.
    fn is_like(&self, other: &Death) -> bool {
        self.kind() == other.kind() || self.is_limit() && other.is_limit()
    }

    /// Its kind, in a word: `crash`, `hang` or `out-of-memory`.
    fn kind(&self) -> &'static str {
        match self.cause {
            Cause::Signal(_) | Cause::Overflow | Cause::Exit(_) => "crash",
            Cause::Hang(_) | Cause::Stuck(_) => "hang",
            Cause::Memory(_) => "out-of-memory",
        }
    }
}

impl fmt::Display for Death {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.way())?;
        self.question
            .as_ref()
            .map_or(Ok(()), |question| write!(formatter, " when it was asked to {question}"))
    }
}

/// Who is to blame for a death.
#[derive(Clone, Debug)]
pub(super) enum Blame {
    /// The engine under test.
    Target(Failure, Cause),
    /// The engine that it is compared with.
    Reference(Failure),
    /// Nobody knows: the test does not end a process again.
    Nobody,
}

/// Judges tests of a campaign in processes of their own.
pub(super) struct Coroner<'a, S> {
    pub(super) spec: &'a Spec,
    pub(super) subject: &'a S,
    pub(super) program: &'a Executable,
    pub(super) limits: WorkerLimits,
    /// Only deaths in this way count, if it is set: shrinking must not slip from one bug to another.
    pub(super) cause: Option<Cause>,
    /// Tests that are judged later than this count as if they ended no process, so that shrinking ends.
    pub(super) deadline: Option<Instant>,
    /// Once this is set, nothing more is found out.
    pub(super) ended: &'a AtomicBool,
}

impl<S: Subject> Coroner<'_, S> {
    /// Finds out who is to blame if this test ends a process again, a few times in the same way.
    pub(super) fn examine(&self, case: &Case) -> Blame {
        let mut deaths = Vec::new();
        for _ in 0..CONFIRMATIONS {
            match self.ask(self.spec, &[], case) {
                Apart::Died(death) => deaths.push(death),
                _ => return Blame::Nobody,
            }
        }
        let last = deaths.pop().expect("there were some");
        if deaths.iter().any(|death| !death.is_like(&last)) {
            return Blame::Nobody;
        }
        let reference = self.ask_reference(case);
        let failure = failure(self.spec, &last, &reference);
        match reference {
            Apart::Died(_) => Blame::Reference(failure),
            _ => Blame::Target(failure, last.cause),
        }
    }

    /// Judges a test with the reference in the place of the target: if that ends a process as well, the target is not to
    /// blame, whoever was being asked.
    fn ask_reference(&self, case: &Case) -> Apart {
        let SubjectSpec::Engines(engines) = &self.spec.subject else { return Apart::Unknown };
        let engines = EngineSpec { target: engines.reference.clone(), ..engines.clone() };
        let alone = Spec { bug: None, subject: SubjectSpec::Engines(engines), ..self.spec.clone() };
        self.ask(&alone, &[], case)
    }

    /// Judges a test in a process of its own, with these fixes as well.
    pub(super) fn ask(&self, spec: &Spec, more_fixes: &[&str], case: &Case) -> Apart {
        let on = self.subject.context().map(|context| context.late_fixes.list()).unwrap_or_default();
        let fixes = on.into_iter().chain(more_fixes.iter().copied()).map(str::to_owned).collect();
        judge_apart(self.program, self.limits, spec, fixes, case, self.ended)
    }
}

/// Judges a test of a campaign in a process of its own, with these fixes besides those of the spec, until `ended` is set.
pub(super) fn judge_apart(
    program: &Executable,
    limits: WorkerLimits,
    spec: &Spec,
    fixes: Vec<String>,
    case: &Case,
    ended: &AtomicBool,
) -> Apart {
    let Some(order) = JudgeOrder::new(spec, fixes, case) else { return Apart::Unknown };
    let order = Order::Judge(Box::new(order));
    match Process::follow(program, &Files::default(), &order, limits, ended) {
        Ok((Some(Message::Judged { agree }), _)) => Apart::Answered { agree },
        Ok((Some(_), _)) | Err(_) => Apart::Unknown,
        // Somebody has killed it, so that it says nothing.
        Ok((None, remains)) if remains.cause.is_somebody() => Apart::Unknown,
        Ok((None, remains)) => Apart::Died(Death::of(&remains)),
    }
}

impl<S: Subject> Judge<S> for Coroner<'_, S> {
    fn judge(&mut self, value: &S::Value) -> Outcome {
        if self.deadline.is_some_and(|deadline| Instant::now() > deadline) {
            return Outcome::discarded();
        }
        match self.ask(self.spec, &[], &self.case(value)) {
            Apart::Died(death) if self.cause.is_none_or(|cause| cause == death.cause) => {
                match self.ask_reference(&self.case(value)) {
                    Apart::Died(_) => Outcome::discarded(),
                    reference => failure(self.spec, &death, &reference).into(),
                }
            }
            _ => Outcome::passed(),
        }
    }

    fn case(&self, value: &S::Value) -> Case {
        self.subject.case_as_is(value)
    }

    fn explicit(&self, value: S::Value) -> S::Value {
        value
    }

    fn asks_apart(&self) -> bool {
        true
    }

    fn is_explained(&mut self, case: &Case, fixes: &[&'static str]) -> bool {
        let is_on = |fix: &&'static str| {
            self.subject.context().is_some_and(|context| {
                context.injection.fixes.contains(fix) || context.late_fixes.list().contains(fix)
            })
        };
        !fixes.iter().all(is_on)
            && matches!(self.ask(self.spec, fixes, case), Apart::Answered { agree: true })
    }
}

/// The death of a worker as a failure of its last test, before anybody has judged that apart.
pub(super) fn failure_as_found(spec: &Spec, remains: &Remains) -> Failure {
    failure(spec, &Death::of(remains), &Apart::Unknown)
}

/// A death as a failure of the test.
fn failure(spec: &Spec, death: &Death, reference: &Apart) -> Failure {
    let SubjectSpec::Engines(engines) = &spec.subject else { return Failure::new(death.cause.to_string()) };
    let engine = death.engine.clone().unwrap_or_else(|| engines.target.clone());
    let question = death.question.as_ref().map(ToString::to_string).unwrap_or_default();
    let reference = match reference {
        Apart::Answered { .. } => "gave an answer",
        Apart::Died(_) => "died as well",
        Apart::Unknown => "was not asked",
    };
    let failure = Failure::new(format!("{engine} {}", death.cause))
        .kind(death.kind())
        .detail("question", question)
        .detail("part", "the process")
        .detail("target", death.cause.to_string())
        .detail("reference", reference)
        .detail(FUNCTIONS, death.functions.join("\n"));
    let failure = match death.site() {
        Some(site) => failure.detail(SITE_DETAIL, site),
        None => failure,
    };
    let is_other = engine != engines.target && engine != engines.reference;
    if is_other { failure.detail(TARGET_ENGINE, engine) } else { failure }
}

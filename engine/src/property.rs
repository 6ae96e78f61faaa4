//! Properties: what must hold of every value, and what one test says about it.

use serde::Serialize;
use std::borrow::Cow;

mod panics;

pub(crate) use panics::check_quietly;
pub use panics::judged;

/// What a property says about one value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// The property holds.
    Passed,
    /// The value does not satisfy the precondition, so the test says nothing about the property.
    Discarded,
    /// The precondition holds, but whether the property does cannot be told, for this reason: a limit was met, or the
    /// code under test may behave in more than one way here. Such a test is no finding, whatever came out.
    Inconclusive(Cow<'static, str>),
    /// The property does not hold. Boxed, because verdicts are moved at every test and hardly any is a failure.
    Failed(Box<Failure>),
}

/// Why a property does not hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Failure {
    /// A short name for this sort of failure, such as `panic`. Findings of the same kind are about the same thing.
    pub kind: String,
    /// One sentence for people.
    pub message: String,
    /// Whether the code under test panicked.
    pub panicked: bool,
    /// What else belongs into a report, by name, such as two answers that disagree.
    pub details: Vec<(String, String)>,
}

impl Failure {
    /// A failure of the plain kind `failed`.
    pub fn new(message: impl Into<String>) -> Self {
        Failure { kind: "failed".into(), message: message.into(), ..Self::default() }
    }

    /// Names the sort of failure.
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.kind = kind.into();
        self
    }

    /// What it has in common with other failures of the same sort: kind and message, without numbers.
    pub(crate) fn shape(&self) -> String {
        let message: String = self.message.chars().filter(|letter| !letter.is_ascii_digit()).collect();
        format!("{}: {message}", self.kind)
    }

    /// Adds a named part of the report.
    pub fn detail(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.details.push((name.into(), value.into()));
        self
    }
}

/// What one test says: a verdict, labels that sort the test among others, and what it cost.
///
/// Made from what a property naturally returns: `bool`, `()`, `Option<bool>` (where `None` discards), or
/// `Result<(), String>`.
///
/// ```
/// use mutagen_engine::{Outcome, Verdict};
///
/// assert_eq!(Outcome::from(None::<bool>).verdict, Verdict::Discarded);
/// let outcome = Outcome::from(1 + 1 == 2).label("small");
/// assert_eq!(outcome.labels, ["small"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The labels. The report says how many tests had each.
    pub labels: Vec<Cow<'static, str>>,
    /// What the test cost, by whatever measure the property has, such as fuel. 0 if it has none.
    pub cost: u64,
}

impl Outcome {
    /// The property holds.
    pub fn passed() -> Self {
        Verdict::Passed.into()
    }

    /// The precondition does not hold.
    pub fn discarded() -> Self {
        Verdict::Discarded.into()
    }

    /// Nothing can be concluded, for this reason.
    ///
    /// ```
    /// use mutagen_engine::{Campaign, Outcome, Random};
    ///
    /// let mut property = |_: &u8| Outcome::inconclusive("fuel ran out");
    /// let report = Campaign::new(0).tests(10).run(&mut Random::new(0), &mut property);
    /// assert_eq!((report.inconclusive, report.discarded), (10, 10));
    /// assert_eq!(report.labels["inconclusive: fuel ran out"], 10);
    /// ```
    pub fn inconclusive(why: impl Into<Cow<'static, str>>) -> Self {
        Verdict::Inconclusive(why.into()).into()
    }

    /// The property does not hold, for this reason.
    pub fn failed(message: impl Into<String>) -> Self {
        Failure::new(message).into()
    }

    /// Sorts the test under a label.
    pub fn label(mut self, label: impl Into<Cow<'static, str>>) -> Self {
        self.labels.push(label.into());
        self
    }

    /// Says what the test cost.
    pub fn costing(mut self, cost: u64) -> Self {
        self.cost = cost;
        self
    }

    /// Sorts the test under a label if `condition` holds.
    pub fn labelled_if(self, condition: bool, label: impl Into<Cow<'static, str>>) -> Self {
        if condition { self.label(label) } else { self }
    }
}

impl From<Verdict> for Outcome {
    fn from(verdict: Verdict) -> Self {
        Outcome { verdict, labels: Vec::new(), cost: 0 }
    }
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Self {
        Verdict::Failed(Box::new(failure)).into()
    }
}

impl From<bool> for Outcome {
    fn from(holds: bool) -> Self {
        if holds { Outcome::passed() } else { Outcome::failed("the property is false") }
    }
}

impl From<()> for Outcome {
    fn from((): ()) -> Self {
        Outcome::passed()
    }
}

impl From<Option<bool>> for Outcome {
    fn from(holds: Option<bool>) -> Self {
        holds.map_or_else(Outcome::discarded, Outcome::from)
    }
}

impl From<Result<(), String>> for Outcome {
    fn from(result: Result<(), String>) -> Self {
        result.map_or_else(Outcome::failed, Outcome::from)
    }
}

/// What must hold of every value.
///
/// Any function from a reference to something that is an [`Outcome`] is a property. Implement the trait for a
/// property that keeps state, such as an engine or a batch of open questions.
///
/// A panic inside [`check`](Property::check) is a failure of that test; the campaign catches it, quietly.
///
/// ## Invariants
///
/// The verdict depends on the value alone. A property that does not repeat itself makes campaigns that do not repeat
/// themselves.
pub trait Property<T> {
    /// Tests one value.
    fn check(&mut self, value: &T) -> Outcome;

    /// A verdict that `check` postponed, for properties that ask a slow reference in batches. Such a property answers
    /// `Passed` at first, which is what the guidance learns from. If that was wrong, it gives the value and the right
    /// outcome here.
    ///
    /// The campaign calls this after each test with `finish` false, until the answer is `None`. At the end it does the
    /// same with `finish` true, and then nothing may stay open.
    fn late(&mut self, finish: bool) -> Option<(T, Outcome)> {
        let _ = finish;
        None
    }
}

impl<T, F, R> Property<T> for F
where
    F: FnMut(&T) -> R,
    R: Into<Outcome>,
{
    fn check(&mut self, value: &T) -> Outcome {
        self(value).into()
    }
}

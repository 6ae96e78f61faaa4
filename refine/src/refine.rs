//! The way in: functions, properties, budgets.

use crate::properties::{Named, Property};
use crate::run::Run;
use crate::{Effort, Error, KillMatrix, RefineReport, Switch, UnderTest};
use mutagen_engine::{Listable, Outcome};
use std::fmt::Debug;
use std::time::{Duration, Instant};

/// Functions and their properties, of which is asked: are these properties enough?
///
/// ```
/// use mutagen_refine::{Refine, function};
///
/// let report = Refine::new((function("not", |p: bool| !p), function("and", |p: bool, q: bool| p && q)))
///     .property("and is idempotent", |(_, and), p: bool| and(p, p) == p)
///     .property("p and not p is false", |(not, and), p: bool| !and(p, not(p)))
///     .property("p and not false is p", |(not, and), p: bool| and(p, not(false)) == p)
///     .run()?;
/// assert!(report.is_complete() && report.is_minimal());
/// # Ok::<(), mutagen_refine::Error>(())
/// ```
pub struct Refine<S: UnderTest> {
    subject: S,
    properties: Vec<Box<dyn Property<S::Functions>>>,
    given: Vec<(String, S::Functions)>,
    switches: Vec<Switch>,
    mutants: usize,
    tests: usize,
    time: Duration,
}

impl<S: UnderTest> Refine<S> {
    /// Refines the properties of a function, or of a tuple of functions: up to 4000 mutants, and 4000 tests of each
    /// property.
    pub fn new(subject: S) -> Self {
        Refine {
            subject,
            properties: Vec::new(),
            given: Vec::new(),
            switches: Vec::new(),
            mutants: 4000,
            tests: 4000,
            time: Duration::ZERO,
        }
    }

    /// Adds a property: a predicate of the function, or of the tuple of functions, and one argument. Several arguments are a tuple, no
    /// argument is `()`.
    ///
    /// It says what a [`Property`](mutagen_engine::Property) of the engine may say: a `bool`, an `Option<bool>` that is `None` where the property
    /// is not about the arguments, a `Result<(), String>`, or `()` and panics. It must be deterministic, and call the functions
    /// that it is given, not the originals.
    pub fn property<X, R>(
        mut self,
        name: impl Into<String>,
        predicate: impl Fn(&S::Functions, X) -> R + 'static,
    ) -> Self
    where
        X: Listable + Debug,
        R: Into<Outcome> + 'static,
    {
        self.properties.push(Box::new(Named::new(name.into(), predicate)));
        self
    }

    /// Adds a mutant of your own behind the generated ones, which differ from the original in finitely many cases only: a function that
    /// ignores its argument, say.
    pub fn mutant(mut self, name: impl Into<String>, functions: S::Functions) -> Self {
        self.given.push((name.into(), functions));
        self
    }

    /// Adds mutants that are woven into the code: for each id, the functions as they are, with the bug switch of that id on
    /// while they run. So code that is too large to be listed case by case can have mutants, too: an edit of its source, which
    /// the weaver inserts when it is compiled. See [`mutagen_weave::switch_on`].
    ///
    /// The tests that run no code behind a switch cannot kill its mutant. The report names such switches; if there is no test
    /// that reaches any of them, [`run`](Refine::run) says so instead.
    pub fn mutants_by_switch<'a>(mut self, ids: impl IntoIterator<Item = &'a str>) -> Self {
        for switch in ids.into_iter().map(Switch::new) {
            self.given.push((switch.id().to_owned(), self.subject.switched(&switch)));
            self.switches.push(switch);
        }
        self
    }

    /// Tries so many mutants, the smallest ones, besides those of your own.
    pub fn mutants(mut self, mutants: usize) -> Self {
        self.mutants = mutants;
        self
    }

    /// Tests each property with so many arguments, the smallest ones.
    pub fn tests(mut self, tests: usize) -> Self {
        self.tests = tests;
        self
    }

    /// When done, goes on with half as many mutants and tests more, again and again for this time or until there are no
    /// more. The report is about the last round that was finished.
    pub fn grow_for(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// Tests all mutants against all properties.
    pub fn run(self) -> Result<RefineReport, Error> {
        if self.properties.is_empty() {
            return Err(Error::NoProperties);
        }
        if self.tests == 0 {
            return Err(Error::NoTests);
        }
        let deadline = Instant::now() + self.time;
        let (mut mutants, mut tests) = (self.mutants, self.tests);
        let mut run = Run::new(self.subject, self.properties, self.given);
        run.extend(mutants, tests, None)?;
        let mut round = Round::of(&mut run);
        while Instant::now() < deadline {
            (mutants, tests) = (mutants + mutants / 2, tests + tests / 2);
            if !run.extend(mutants, tests, Some(deadline))? {
                break;
            }
            let larger = Round::of(&mut run);
            if larger.is_as_large_as(&round) {
                break;
            }
            round = larger;
        }
        let report = RefineReport::of(round.matrix)?.with_extents(round.tests, round.mutants);
        with_unreached(report, &self.switches)
    }
}

/// Names the switches whose code no test ran.
fn with_unreached(report: RefineReport, switches: &[Switch]) -> Result<RefineReport, Error> {
    let unreached: Vec<&str> =
        switches.iter().filter(|switch| !switch.is_reached()).map(Switch::id).collect();
    match unreached.join(", ") {
        none if none.is_empty() => Ok(report),
        all if unreached.len() == switches.len() => Err(Error::NotReached(all)),
        some => Ok(report.with_about(format!("no test reaches the code behind {some}"))),
    }
}

/// What a finished round leaves behind.
struct Round {
    matrix: KillMatrix,
    tests: Vec<Effort>,
    mutants: Effort,
}

impl Round {
    fn of<S: UnderTest>(run: &mut Run<S>) -> Self {
        Round { matrix: run.matrix(), tests: run.tests(), mutants: run.mutants() }
    }

    /// Whether there were no more mutants and tests than in the other round.
    fn is_as_large_as(&self, other: &Round) -> bool {
        (&self.tests, self.mutants) == (&other.tests, other.mutants)
    }
}

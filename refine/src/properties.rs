//! Properties of functions, with the arguments that they are tested with.

use mutagen_engine::{Listable, Outcome, Tier, Verdict};
use mutagen_weave::catch;
use std::fmt::Debug;

/// A property whose arguments are listed one after the other, the smallest first. `F` are the functions that it is about.
pub(crate) trait Property<F> {
    /// Its name.
    fn name(&self) -> &str;
    /// Lists arguments until there are so many, or all. Returns how many there are.
    fn list(&mut self, tests: usize) -> usize;
    /// Whether all arguments are listed.
    fn is_exhausted(&mut self) -> bool;
    /// Tests the functions with the arguments of this number.
    fn check(&self, functions: &F, test: usize) -> Result<(), FailedTest>;
    /// The arguments of this number, for people.
    fn arguments(&self, test: usize) -> String;
}

/// Why a property is false.
pub(crate) struct FailedTest {
    pub(crate) reason: String,
    pub(crate) panicked: bool,
}

/// A function of functions and arguments as a property.
pub(crate) struct Named<X, P> {
    name: String,
    predicate: P,
    listed: Vec<X>,
    rest: std::iter::Peekable<Tier<X>>,
}

impl<X: Listable, P> Named<X, P> {
    pub(crate) fn new(name: String, predicate: P) -> Self {
        let all: Tier<X> = Box::new(X::tiers().values());
        Named { name, predicate, listed: Vec::new(), rest: all.peekable() }
    }
}

impl<F, X, P, R> Property<F> for Named<X, P>
where
    X: Listable + Debug,
    P: Fn(&F, X) -> R,
    R: Into<Outcome>,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn list(&mut self, tests: usize) -> usize {
        let missing = tests.saturating_sub(self.listed.len());
        self.listed.extend(self.rest.by_ref().take(missing));
        self.listed.len()
    }

    fn is_exhausted(&mut self) -> bool {
        self.rest.peek().is_none()
    }

    fn check(&self, functions: &F, test: usize) -> Result<(), FailedTest> {
        let arguments = self.listed[test].clone();
        let outcome: Result<Outcome, _> = catch(|| (self.predicate)(functions, arguments).into());
        match outcome {
            Err(panic) => Err(FailedTest { reason: panic.to_string(), panicked: true }),
            Ok(Outcome { verdict: Verdict::Failed(failure), .. }) => {
                Err(FailedTest { reason: failure.message, panicked: false })
            }
            // A discarded test says nothing against the functions.
            Ok(_) => Ok(()),
        }
    }

    fn arguments(&self, test: usize) -> String {
        format!("{:?}", self.listed[test])
    }
}

//! Properties inside `cargo test`.

use crate::property::check_quietly;
use crate::{
    Campaign, Counterexample, Mutable, Mutagen, MutagenConfig, Property, Report, SHRINK_TESTS, Scope,
    ShrunkFailure, shrink_failure,
};
use std::collections::BTreeMap;
use std::fmt::{Debug, Write};

/// Tests a property with a fixed seed and budget, and panics with a small counterexample if it finds one.
///
/// `#[mutagen_engine::test]` does the same. [`Check`] sets seed and budget.
///
/// ```
/// mutagen_engine::check("reversing twice changes nothing", |list: &Vec<u8>| {
///     let twice: Vec<u8> = list.iter().rev().rev().copied().collect();
///     twice == *list
/// });
/// ```
pub fn check<T, P>(name: &str, property: P)
where
    T: Mutable + Clone + Debug,
    P: Property<T>,
{
    Check::new(name).run(property);
}

/// A property inside `cargo test`. The seed is 0 and the budget 10,000 tests, unless this type sets others. The environment
/// variables `MUTAGEN_SEED` and `MUTAGEN_TESTS` override both.
///
/// The values need not be hashable. Therefore equal mutants are tested again; a campaign with
/// [`Mutagen::hashed`](crate::Mutagen::hashed) skips them.
///
/// ```should_panic
/// use mutagen_engine::Check;
///
/// // Panics, and shows [0, 0, 0, 0, 0] as a counterexample.
/// Check::new("lists are short").seed(7).tests(5000).run(|list: &Vec<u8>| list.len() < 5);
/// ```
#[derive(Clone, Debug)]
pub struct Check {
    name: String,
    seed: u64,
    tests: u64,
}

impl Check {
    /// A check of a test function with this name.
    pub fn new(name: &str) -> Self {
        Check { name: name.to_owned(), seed: 0, tests: 10_000 }
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the number of tests.
    pub fn tests(mut self, tests: u64) -> Self {
        self.tests = tests;
        self
    }

    /// Tests the property.
    ///
    /// # Panics
    ///
    /// If the property does not hold, if not a single test satisfied its precondition, or if an environment variable is not a
    /// number.
    pub fn run<T, P>(mut self, mut property: P)
    where
        T: Mutable + Clone + Debug,
        P: Property<T>,
    {
        self.seed = from_environment("MUTAGEN_SEED").unwrap_or(self.seed);
        self.tests = from_environment("MUTAGEN_TESTS").unwrap_or(self.tests);
        let mut guidance = Mutagen::new(MutagenConfig::default(), self.seed);
        let mut report = Campaign::new(self.seed).tests(self.tests).run(&mut guidance, &mut property);
        if let Some(counterexample) = report.findings.pop() {
            panic!("{}", self.describe_failure(&report, counterexample, &mut property));
        }
        if report.passed == 0 && report.discarded > 0 {
            panic!("{}", self.describe_discards(&report));
        }
        println!(
            "{}: {} passed, {} discarded{}",
            self.name,
            report.passed,
            report.discarded,
            shares(&report)
        );
    }

    fn describe_failure<T, P>(
        &self,
        report: &Report<T>,
        counterexample: Counterexample<T>,
        property: &mut P,
    ) -> String
    where
        T: Mutable + Clone + Debug,
        P: Property<T>,
    {
        let found_by = counterexample.tests;
        let check = |value: &T| check_quietly(property, value);
        let ShrunkFailure { value, failure, labels, .. } =
            shrink_failure(&Scope::new(), counterexample, check, SHRINK_TESTS);
        let mut text = format!("property `{}` does not hold\n\n", self.name);
        let _ = writeln!(text, "counterexample: {value:#?}");
        let _ = writeln!(text, "failure: {}", failure.message);
        for (name, detail) in &failure.details {
            let _ = writeln!(text, "{name}: {detail}");
        }
        if !labels.is_empty() {
            let _ = writeln!(text, "labels: {}", labels.join(", "));
        }
        let Report { passed, discarded, .. } = report;
        let _ =
            writeln!(text, "found by test {found_by}, after {passed} passed and {discarded} discarded ones");
        let _ = write!(text, "rerun with: {}", self.rerun());
        text
    }

    fn describe_discards<T>(&self, report: &Report<T>) -> String {
        format!(
            "property `{}` was not tested: all {} tests were discarded. Weaken its precondition, or allow more \
             tests: {}",
            self.name,
            report.discarded,
            Check { tests: self.tests.saturating_mul(10), ..self.clone() }.rerun(),
        )
    }

    fn rerun(&self) -> String {
        // The test runner names its threads after the tests; the name of a property need not be that of a test.
        let thread = std::thread::current();
        let test = thread.name().filter(|name| *name != "main").unwrap_or(&self.name);
        // In quotes where a shell would take it apart.
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "_:-".contains(letter);
        let quote = if test.chars().all(plain) { "" } else { "'" };
        format!("MUTAGEN_SEED={} MUTAGEN_TESTS={} cargo test {quote}{test}{quote}", self.seed, self.tests)
    }
}

/// The labels with their shares.
fn shares<T>(report: &Report<T>) -> String {
    let tests = report.tests.max(1);
    let share = |(label, count): (&String, &u64)| format!("\n  {:3} % {label}", count * 100 / tests);
    BTreeMap::iter(&report.labels).map(share).collect()
}

/// The number in an environment variable, if it is set.
fn from_environment(variable: &str) -> Option<u64> {
    let text = std::env::var_os(variable)?;
    let number = text.to_str().and_then(|text| text.trim().parse().ok());
    Some(number.unwrap_or_else(|| {
        panic!("the environment variable {variable} must be a whole number, such as {variable}=42, but it is {text:?}")
    }))
}

//! Properties inside `cargo test`, and under `cargo mutagen`.

use crate::property::check_quietly;
use crate::{
    Afl, AflConfig, Campaign, Counterexample, Crowbar, CrowbarConfig, FuzzChick, FuzzChickConfig, Guidance,
    LibFuzzer, Mutable, Mutagen, MutagenConfig, Outcome, Property, Random, Report, SHRINK_TESTS, Scope,
    ShrunkFailure, Verdict, Zest, ZestConfig, shrink_failure,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Debug, Write};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

mod coverage;
mod folder;
mod keeping;
pub mod request;
mod watch;

use coverage::Reached;
use folder::{Folder, Stored, values};
use keeping::Keeping;
use request::{Answer, Request, Task};
use watch::Watched;

#[doc(hidden)]
pub use folder::{ENDING, inside as folder_of};

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
    folder: Option<Folder>,
    guided: bool,
}

/// In front of the path of every property in a test program; a zero byte ends it. `cargo mutagen` looks for it there.
pub const MARK: &str = "\u{1}mutagen-property-1:";

/// The guidances that [`request::Task::Fuzz`] can name.
#[doc(hidden)]
pub const GUIDANCES: [&str; 7] = ["mutagen", "random", "fuzzchick", "zest", "crowbar", "afl", "libfuzzer"];

/// `cargo mutagen test` runs so many times as many tests as `cargo test`: it has more to learn from them.
const GUIDED_TESTS: u64 = 30;

/// How long a stored counterexample may take. One of a loop without end would hold up `cargo test` for ever.
const REPLAY_LIMIT: Duration = Duration::from_secs(60);

impl Check {
    /// A check of a test function with this name.
    pub fn new(name: &str) -> Self {
        Check { name: name.to_owned(), seed: 0, tests: 10_000, folder: None, guided: false }
    }

    /// A check of a property that `#[mutagen_engine::test]` made a test of: its path behind a [`MARK`], and the package it
    /// was compiled in. Its counterexamples are stored below `mutagen/` there, and tested first.
    #[doc(hidden)]
    pub fn marked(mark: &'static str, package: Option<&str>, package_name: Option<&str>) -> Self {
        // Opaque, so that the mark stands in the program in one piece.
        let mark = std::hint::black_box(mark).trim_end_matches('\0');
        let path = mark.split_once(':').map_or(mark, |(_, path)| path);
        // Cargo says where the package lies now; it may have been moved since it was compiled.
        let package =
            std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).or(package.map(PathBuf::from));
        let folder = package.map(|package| Folder::new(&package, package_name.unwrap_or_default(), path));
        Check { folder, ..Check::new(path) }
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
    /// If the property does not hold, if not a single test satisfied its precondition, if a stored counterexample cannot be
    /// read, or if an environment variable is not a number.
    pub fn run<T, P>(mut self, property: P)
    where
        T: Mutable + Clone + Debug,
        P: Property<T>,
    {
        let request = Request::from_environment();
        if let Some(request) = &request {
            self.guided = true;
            self.tests = request.tests.unwrap_or(self.tests.saturating_mul(GUIDED_TESTS));
            self.seed = request.seed.unwrap_or(self.seed);
        }
        self.seed = from_environment("MUTAGEN_SEED").unwrap_or(self.seed);
        self.tests = from_environment("MUTAGEN_TESTS").unwrap_or(self.tests);
        let Some(request) = request else { return self.test(property) };
        let limit = request.hang.map(Duration::from_millis);
        let name = self.name.clone();
        let mut property = Watched::new(property, &name, limit, request.note.clone());
        match &request.task {
            Task::Test => self.test(property),
            Task::Fuzz(guidance) => self.fuzz(guidance, &request, property),
            Task::Cover(file) => self.cover(file, property),
            Task::Hunt(bug) => self.hunt(bug, &mut property),
        }
    }

    fn test<T, P>(&self, mut property: P)
    where
        T: Mutable + Clone + Debug,
        P: Property<T>,
    {
        if let Some(folder) = &self.folder {
            let limit = (!self.guided).then_some(REPLAY_LIMIT);
            let mut watched = Watched::new(|value: &T| property.check(value), &self.name, limit, None);
            self.replay(&folder.findings(), &mut watched);
        }
        if self.guided && mutagen_weave::probes::count() == 0 {
            println!("{}: no woven code is in this test program, so tests are chosen at random", self.name);
        }
        let mut guidance = Mutagen::new(MutagenConfig::default(), self.seed);
        let mut report = Campaign::new(self.seed).tests(self.tests).run(&mut guidance, &mut property);
        if let Some(counterexample) = report.findings.pop() {
            panic!("{}", self.describe_failure(&report, counterexample, &mut property));
        }
        if report.passed == 0 && report.discarded > 0 {
            panic!("{}", self.describe_discards(&report));
        }
        let Report { passed, discarded, .. } = report;
        println!("{}: {passed} passed, {discarded} discarded{}", self.name, shares(&report));
    }

    /// Tests stored counterexamples.
    fn replay<T, P>(&self, directory: &Path, property: &mut P)
    where
        T: Mutable + Debug,
        P: Property<T>,
    {
        for stored in values::<T>(directory) {
            if stored.ends_the_process() {
                // Said now, because nothing may be said later. Not by `eprintln`, which the test runner keeps for itself.
                let _ = writeln!(
                    std::io::stderr(),
                    "property `{}`: tests {}, which ended the process",
                    self.name,
                    stored.file.display()
                );
            }
            let Stored { file, value } = stored;
            let value = value.unwrap_or_else(|reason| {
                panic!(
                    "the counterexample in {} cannot be read any more: {reason}. Correct it, or delete the file",
                    file.display()
                )
            });
            if let Verdict::Failed(failure) = check_quietly(property, &value).verdict {
                panic!(
                    "property `{}` does not hold\n\ncounterexample: {value:#?}\nfailure: {}\nstored in: {}\n\
                     rerun with: cargo test {}",
                    self.name,
                    failure.message,
                    file.display(),
                    self.test_name(),
                );
            }
        }
    }

    fn fuzz<T, P>(&self, guidance: &str, request: &Request, mut property: P)
    where
        T: Mutable + Clone + Debug,
        P: Property<T>,
    {
        let folder = self.folder.as_ref().expect("only properties with a mark are asked to fuzz");
        let mut unreadable = None;
        let mut read = |directory: &Path| {
            let mut stored = values::<T>(directory);
            for one in stored.extract_if(.., |one| one.ends_the_process()) {
                Answer::Known(one.file).tell();
            }
            stored.retain(|one| request.before.is_none_or(|before| one.is_before(before)));
            let readable = |Stored { file, value }| match value {
                Ok(value) => Some((file, value)),
                Err(reason) => {
                    unreadable.get_or_insert(format!("{} is left out: {reason}", file.display()));
                    None
                }
            };
            stored.into_iter().filter_map(readable).collect::<Vec<_>>()
        };
        let (findings, corpus) = (read(&folder.findings()), read(&folder.corpus()));
        if let Some(first) = unreadable {
            Answer::Note(first).tell();
        }
        // A finding that is still open is not found again, nor is what fails in the same way.
        let mut known = BTreeSet::new();
        for (file, value) in &findings {
            if let Verdict::Failed(failure) = check_quietly(&mut property, value).verdict {
                known.insert(failure.shape());
                Answer::Known(file.clone()).tell();
            }
        }
        let mut property = |value: &T| {
            let outcome = check_quietly(&mut property, value);
            match &outcome.verdict {
                Verdict::Failed(failure) if known.contains(&failure.shape()) => Outcome::inconclusive(KNOWN),
                _ => outcome,
            }
        };
        let examples = findings.into_iter().chain(corpus).map(|(_, value)| value).collect();
        let mut guidance = Keeping::new(self.guidance(guidance), folder, &self.name);
        let mut campaign = Campaign::new(self.seed).examples(examples);
        match request.seconds {
            Some(seconds) => campaign = campaign.time(Duration::from_secs(seconds)),
            None => campaign = campaign.tests(self.tests),
        }
        let mut report = campaign.run(&mut guidance, &mut property);
        guidance.tell();
        if let Some(trouble) = &report.trouble {
            panic!("{trouble}");
        }
        if let Some(counterexample) = report.findings.pop() {
            panic!("{}", self.describe_failure(&report, counterexample, &mut property));
        }
    }

    /// The guidance with this name. Those that compare values by their hash do without.
    fn guidance<T: Mutable + Clone>(&self, name: &str) -> Box<dyn Guidance<T>> {
        match name {
            "mutagen" => Box::new(Mutagen::new(MutagenConfig::default(), self.seed)),
            "random" => Box::new(Random::new(self.seed)),
            "fuzzchick" => Box::new(FuzzChick::new(FuzzChickConfig::default(), self.seed)),
            "zest" => Box::new(Zest::new(ZestConfig::default(), self.seed)),
            "crowbar" => Box::new(Crowbar::new(CrowbarConfig::default(), self.seed)),
            "afl" => Box::new(Afl::new(AflConfig::default(), self.seed)),
            "libfuzzer" => Box::new(LibFuzzer::new(self.seed)),
            _ => panic!("there is no guidance `{name}`; known are {}", GUIDANCES.join(", ")),
        }
    }

    fn cover<T, P>(&self, output: &Path, mut property: P)
    where
        T: Mutable + Clone + Debug,
        P: Property<T>,
    {
        let folder = self.folder.as_ref().expect("only properties with a mark are asked for coverage");
        let mut reached = Reached::new();
        for directory in [folder.findings(), folder.corpus()] {
            let stored = values::<T>(&directory).into_iter().filter(|stored| !stored.ends_the_process());
            for value in stored.filter_map(|stored| stored.value.ok()) {
                reached.record(|| drop(check_quietly(&mut property, &value)));
            }
        }
        reached.write(output).unwrap_or_else(|reason| panic!("{reason}"));
    }

    /// Hunts a bug: a test fails with it, and does not without it.
    fn hunt<T, P>(&self, bug: &str, property: &mut P)
    where
        T: Mutable + Clone + Debug,
        P: Property<T>,
    {
        let mut reached = false;
        let mut with_bug = |value: &T| {
            let on = mutagen_weave::switch_on([bug]);
            let outcome = check_quietly(property, value);
            reached |= on.was_reached();
            drop(on);
            match outcome.verdict {
                Verdict::Failed(_) if fails(property, value) => {
                    Outcome::inconclusive("it fails without the bug as well")
                }
                _ => outcome,
            }
        };
        let mut guidance = Mutagen::new(MutagenConfig::default(), self.seed);
        let mut report = Campaign::new(self.seed).tests(self.tests).run(&mut guidance, &mut with_bug);
        let Some(counterexample) = report.findings.pop() else {
            if !reached {
                Answer::Unreached.tell();
            }
            return;
        };
        let (tests, micros) = (counterexample.tests, (counterexample.seconds * 1e6) as u64);
        let shrunk = shrink_failure(&Scope::new(), counterexample, with_bug, SHRINK_TESTS);
        Answer::Caught { tests, micros, value: format!("{:?}", shrunk.value) }.tell();
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
        if let Some(folder) = self.folder.as_ref().filter(|_| self.guided) {
            match folder.store_finding(&self.name, &value, &failure) {
                Ok(file) => {
                    Answer::Stored(file.clone()).tell();
                    let _ = writeln!(text, "stored in: {}", file.display());
                    let _ = write!(text, "rerun with: cargo test {}", self.test_name());
                    return text;
                }
                Err(reason) => {
                    let _ = writeln!(text, "not stored: {reason}");
                    Answer::Unstored(text.clone()).tell();
                }
            }
        }
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
        let command = if self.guided { "cargo mutagen test" } else { "cargo test" };
        format!("MUTAGEN_SEED={} MUTAGEN_TESTS={} {command} {}", self.seed, self.tests, self.test_name())
    }

    fn test_name(&self) -> String {
        // The test runner names its threads after the tests; the name of a property need not be that of a test.
        let thread = std::thread::current();
        let test = thread.name().filter(|name| *name != "main").unwrap_or(&self.name);
        // In quotes where a shell would take it apart.
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "_:-".contains(letter);
        let quote = if test.chars().all(plain) { "" } else { "'" };
        format!("{quote}{test}{quote}")
    }
}

/// What is said about a test that fails as a stored counterexample does.
const KNOWN: &str = "it fails as a known counterexample does";

fn fails<T, P: Property<T>>(property: &mut P, value: &T) -> bool {
    matches!(check_quietly(property, value).verdict, Verdict::Failed(_))
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

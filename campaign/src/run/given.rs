//! Values given by users, to start from or to test again.

use std::path::PathBuf;

use mutagen_engine::{Outcome, Property, Verdict};
use mutagen_properties::{Case, Subject};
use mutagen_wasm_ast::Module;

use crate::{Error, GivenOutcome, GivenReport, Observer, input};

/// The values from the given files and directories.
pub(super) struct Given<T> {
    /// The values, each with the file that it comes from.
    pub(super) values: Vec<(PathBuf, T)>,
    /// Whether a file was left out.
    pub(super) left_out: bool,
}

impl<T> Given<T> {
    /// Reads the values from the given files and directories. Files that cannot be read, and modules that
    /// this property cannot be tested on, are reported and left out.
    pub(super) fn collect<S>(paths: &[PathBuf], subject: &S, observer: &mut dyn Observer) -> Self
    where
        S: Subject<Value = T>,
    {
        let mut given = Given { values: Vec::new(), left_out: false };
        for module in input::collect(paths) {
            match module.and_then(|(file, case)| value(subject, file, &case)) {
                Ok(value) => given.values.push(value),
                Err(error) => {
                    observer.left_out(&error);
                    given.left_out = true;
                }
            }
        }
        given
    }

    /// Begins with the value after so many tests: a campaign tests its given values first, and others have begun.
    pub(super) fn begin_after(&mut self, tested: u64) {
        let tested = tested.checked_rem(self.values.len() as u64).unwrap_or(0);
        self.values.rotate_left(tested as usize);
    }

    /// Checks that there are values, if files were given or if the campaign tests nothing else.
    pub(super) fn require(&self, tests_nothing_else: bool) -> Result<(), Error> {
        match self.values.is_empty() {
            true if self.left_out => {
                Err(Error::NothingGiven("none of the modules given by --input can be used"))
            }
            true if tests_nothing_else => Err(Error::NothingGiven(
                "--guidance repro needs modules: name files or directories with --input",
            )),
            _ => Ok(()),
        }
    }
}

fn value<S: Subject>(subject: &S, file: PathBuf, case: &Case) -> Result<(PathBuf, S::Value), Error> {
    if let Some(value) = subject.value(case) {
        return Ok((file, value));
    }
    let why = match case {
        Case::Module { wasm, .. } => Module::decode(wasm).err(),
        Case::States(_) => None,
    };
    let why = why.map_or_else(String::new, |error| format!(": {error}"));
    Err(Error::unusable(file, format!("this property cannot be tested on such a module{why}")))
}

/// A property that judges every value at once.
pub(super) struct AtOnce<'a, S: Subject> {
    pub(super) subject: &'a S,
    pub(super) property: S::Property,
}

impl<S: Subject> Property<S::Value> for AtOnce<'_, S> {
    fn check(&mut self, value: &S::Value) -> Outcome {
        self.subject.judge(&mut self.property, value)
    }
}

/// The result of the value from this file.
pub(super) fn told(file: PathBuf, verdict: &Verdict) -> GivenReport {
    let (outcome, message) = match verdict {
        Verdict::Passed => (GivenOutcome::Passed, ""),
        Verdict::Discarded => (GivenOutcome::Discarded, ""),
        Verdict::Inconclusive(why) => (GivenOutcome::Discarded, why.as_ref()),
        Verdict::Failed(failure) => (GivenOutcome::Failed, failure.message.as_str()),
    };
    GivenReport { file, outcome, message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_takes_the_place_of_another_begins_with_the_value_that_comes_next() {
        let begin_after = |tested| {
            let values = ["a", "b", "c"].map(|value| (PathBuf::new(), value)).to_vec();
            let mut given = Given { values, left_out: false };
            given.begin_after(tested);
            given.values.into_iter().map(|(_, value)| value).collect::<String>()
        };
        assert_eq!([0, 1, 2, 3, 4].map(begin_after), ["abc", "bca", "cab", "abc", "bca"]);
        let mut none = Given::<()> { values: Vec::new(), left_out: false };
        none.begin_after(5);
        assert!(none.values.is_empty());
    }
}

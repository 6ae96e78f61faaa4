//! What `cargo mutagen` asks of a property, and what the property answers. One process talks to another: the request comes
//! in an environment variable, the answers are lines of standard output.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The environment variable that holds a request.
pub const REQUEST: &str = "MUTAGEN_REQUEST";

/// What a property is asked to do in place of what it does under `cargo test`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The work.
    pub task: Task,
    /// The seed; the property's own if there is none.
    pub seed: Option<u64>,
    /// How many tests.
    pub tests: Option<u64>,
    /// For how long.
    pub seconds: Option<u64>,
    /// How many milliseconds a test may take until it is said to hang.
    pub hang: Option<u64>,
    /// Only values that were stored before this many microseconds after the year 1970 began are examples. So a run can be
    /// repeated.
    pub before: Option<u64>,
    /// Where values are written down before they are tested.
    pub note: Option<Note>,
}

/// Where values are written down before they are tested, for the one that ends the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The file, which holds the last of them.
    pub file: PathBuf,
    /// After how many tests that begins.
    pub from: u64,
}

/// The exit code of a process with a test that did not end in time.
pub const HUNG: i32 = 124;

/// What there is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Test as under `cargo test`, with guidance and more tests, and store a counterexample.
    Test,
    /// Test until the time is up, from the corpus on, and store what is new. The guidance with this name chooses.
    Fuzz(String),
    /// Run the corpus and write what it reaches to this file.
    Cover(PathBuf),
    /// Hunt the bug with this id.
    Hunt(String),
}

impl Request {
    /// A request without any number.
    pub fn new(task: Task) -> Self {
        Request { task, seed: None, tests: None, seconds: None, hang: None, before: None, note: None }
    }

    /// The request in the environment, if there is one.
    ///
    /// # Panics
    ///
    /// If it cannot be read: `cargo mutagen` and the engine do not fit together.
    pub(crate) fn from_environment() -> Option<Self> {
        let text = std::env::var(REQUEST).ok()?;
        let request = text.parse();
        Some(request.unwrap_or_else(|error| {
            panic!("{REQUEST} cannot be read ({error}): install the `cargo mutagen` of this version of mutagen-engine")
        }))
    }
}

impl fmt::Display for Request {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.task {
            Task::Test => formatter.write_str("test"),
            Task::Fuzz(guidance) => write!(formatter, "fuzz {guidance}"),
            Task::Cover(file) => write!(formatter, "cover {}", file.display()),
            Task::Hunt(bug) => write!(formatter, "hunt {bug}"),
        }?;
        let numbers = [
            ("seed", self.seed),
            ("tests", self.tests),
            ("seconds", self.seconds),
            ("hang", self.hang),
            ("before", self.before),
        ];
        for (name, number) in numbers {
            if let Some(number) = number {
                write!(formatter, "\n{name} {number}")?;
            }
        }
        match &self.note {
            Some(note) => write!(formatter, "\nnote {} {}", note.from, note.file.display()),
            None => Ok(()),
        }
    }
}

impl FromStr for Request {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().map(|line| line.split_once(' ').unwrap_or((line, "")));
        let task = match lines.next() {
            Some(("test", _)) => Task::Test,
            Some(("fuzz", guidance)) => Task::Fuzz(guidance.to_owned()),
            Some(("cover", file)) => Task::Cover(file.into()),
            Some(("hunt", bug)) => Task::Hunt(bug.to_owned()),
            other => return Err(format!("unknown task {other:?}")),
        };
        let mut request = Request::new(task);
        for (name, number) in lines {
            if name == "note" {
                let (from, file) = number.split_once(' ').ok_or("a note without a file")?;
                let from = from.parse().map_err(|_| format!("`{from}` is not a number"))?;
                request.note = Some(Note { file: file.into(), from });
                continue;
            }
            let place = match name {
                "seed" => &mut request.seed,
                "tests" => &mut request.tests,
                "seconds" => &mut request.seconds,
                "hang" => &mut request.hang,
                "before" => &mut request.before,
                _ => return Err(format!("unknown setting `{name}`")),
            };
            *place = Some(number.parse().map_err(|_| format!("`{number}` is not a number"))?);
        }
        Ok(request)
    }
}

/// Stands in front of an answer on its line of standard output. Other things may stand in front of it.
pub const ANSWER: &str = "\u{1}mutagen-answer: ";

/// What a property tells `cargo mutagen`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// How far it is. The last one tells the totals.
    Progress(Progress),
    /// A counterexample was found and stored in this file.
    Stored(PathBuf),
    /// A counterexample of the hunted bug: the number of tests, microseconds, and the value on one line.
    Caught {
        /// How many tests it took.
        tests: u64,
        /// How long it took.
        micros: u64,
        /// The counterexample.
        value: String,
    },
    /// A counterexample was found that cannot be stored. This says all about it.
    Unstored(String),
    /// The property fails as it did when this file was stored. Such failures are passed over.
    Known(PathBuf),
    /// No test came to a place where the hunted bug changes something.
    Unreached,
    /// A test does not end: the one with this number, counted from 1.
    Hung {
        /// Which test.
        tests: u64,
    },
    /// Something that people should know.
    Note(String),
}

/// How far a property is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Tests that held.
    pub passed: u64,
    /// Tests that said nothing.
    pub discarded: u64,
    /// Edges that are known.
    pub known: u64,
    /// Values in the corpus.
    pub corpus: u64,
}

impl Answer {
    /// Tells `cargo mutagen`.
    pub(crate) fn tell(&self) {
        println!("{ANSWER}{self}");
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Progress(Progress { passed, discarded, known, corpus }) => {
                write!(formatter, "progress {passed} {discarded} {known} {corpus}")
            }
            Answer::Stored(file) => write!(formatter, "stored {}", file.display()),
            Answer::Caught { tests, micros, value } => write!(formatter, "caught {tests} {micros} {value}"),
            Answer::Unstored(text) => {
                write!(formatter, "unstored {}", text.replace('\\', "\\\\").replace('\n', "\\n"))
            }
            Answer::Known(file) => write!(formatter, "known {}", file.display()),
            Answer::Unreached => formatter.write_str("unreached"),
            Answer::Hung { tests } => write!(formatter, "hung {tests}"),
            Answer::Note(text) => write!(formatter, "note {}", text.replace('\n', " ")),
        }
    }
}

impl FromStr for Answer {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        let number = |word: Option<&str>| word.and_then(|word| word.parse::<u64>().ok()).ok_or(line);
        let mut words = rest.splitn(3, ' ');
        match kind {
            "progress" => {
                let mut words = rest.split(' ').map(|word| number(Some(word)));
                let mut next = || words.next().unwrap_or(Err(line));
                let (passed, discarded, known, corpus) = (next()?, next()?, next()?, next()?);
                Ok(Answer::Progress(Progress { passed, discarded, known, corpus }))
            }
            "stored" => Ok(Answer::Stored(rest.into())),
            "caught" => Ok(Answer::Caught {
                tests: number(words.next())?,
                micros: number(words.next())?,
                value: words.next().unwrap_or_default().to_owned(),
            }),
            "unstored" => Ok(Answer::Unstored(lines_of(rest))),
            "known" => Ok(Answer::Known(rest.into())),
            "unreached" => Ok(Answer::Unreached),
            "hung" => Ok(Answer::Hung { tests: number(words.next())? }),
            "note" => Ok(Answer::Note(rest.to_owned())),
            _ => Err(format!("unknown answer `{line}`")),
        }
    }
}

/// Undoes what keeps several lines on one.
fn lines_of(text: &str) -> String {
    let mut lines = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        lines.push(match letter {
            '\\' if letters.next() == Some('n') => '\n',
            letter => letter,
        });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_answers_are_read_as_they_were_written() {
        for task in [
            Task::Test,
            Task::Fuzz("zest".into()),
            Task::Cover("/a b/c.txt".into()),
            Task::Hunt("x-1".into()),
        ] {
            let note = Some(Note { file: "/a b/note".into(), from: 7 });
            let request =
                Request { seed: Some(3), hang: Some(500), before: Some(9), note, ..Request::new(task) };
            assert_eq!(request.to_string().parse(), Ok(request));
        }
        for answer in [
            Answer::Progress(Progress { passed: 1, discarded: 2, known: 3, corpus: 4 }),
            Answer::Stored("/a b/c.txt".into()),
            Answer::Caught { tests: 5, micros: 6, value: "Node(Leaf, 3, Leaf)".into() },
            Answer::Unstored("a \\n b\n\\ c".into()),
            Answer::Known("/a b/c.txt".into()),
            Answer::Unreached,
            Answer::Hung { tests: 4 },
            Answer::Note("two words".into()),
        ] {
            assert_eq!(answer.to_string().parse(), Ok(answer));
        }
    }
}

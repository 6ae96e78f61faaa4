//! Tests that hang, or end the process of their property.
//!
//! Such a process cannot say which value it was. So the same tests are run again in another process, which writes every value
//! down before it tests it. The last one is the counterexample.

use crate::child::{self, Ended};
use crate::error::Error;
use crate::properties::Property;
use mutagen_engine::request::{HUNG, Note, Request};
use mutagen_engine::{ENDING, stable};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::SystemTime;

/// The exit code of a test runner with a test that failed.
const FAILED: i32 = 101;

/// A way to end that no test runner has by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// A test went on for too long.
    Hung,
    /// It ended like this.
    Died(String),
}

impl End {
    /// How the process ended, if a test did that.
    pub fn of(status: &ExitStatus) -> Option<Self> {
        match status.code() {
            Some(0 | FAILED) => None,
            Some(HUNG) => Some(End::Hung),
            _ => Some(End::Died(status.to_string())),
        }
    }

    fn describe(&self, request: &Request) -> String {
        match self {
            End::Hung => format!("a test did not end within {} s", request.hang.unwrap_or(0) as f64 / 1000.0),
            End::Died(how) => format!("a test ended the process ({how})"),
        }
    }

    fn kind(&self) -> &'static str {
        ENDING[usize::from(*self != End::Hung)]
    }
}

/// A property that hangs or dies.
pub struct Culprit {
    how: String,
    /// The value, if the second run came to it: as it is stored, or as people read it.
    value: Option<String>,
    stored: Option<PathBuf>,
}

impl Culprit {
    /// Runs the tests of a request again, which ended like this, and stores the value. The first `from` tests went well.
    pub fn find(property: &Property, request: &Request, end: &End, from: u64) -> Result<Self, Error> {
        let mut culprit = Self::find_without_storing(property, request, end, from)?;
        let value = culprit.value.as_deref();
        culprit.stored = value.and_then(|value| store(&property.folder(), value, &culprit.how, end.kind()));
        Ok(culprit)
    }

    /// The same for a value that the code as it is may have no trouble with.
    pub fn find_without_storing(
        property: &Property,
        request: &Request,
        end: &End,
        from: u64,
    ) -> Result<Self, Error> {
        let file = std::env::temp_dir().join(format!("mutagen-note-{}", std::process::id()));
        let note = Some(Note { file: file.clone(), from });
        let again = child::ask(property, &Request { note, ..request.clone() });
        let value = fs::read_to_string(&file).ok();
        let _ = fs::remove_file(&file);
        let Ended { status, .. } = again?;
        let how = end.describe(request);
        // Another end would be another value's.
        let value = value.filter(|_| End::of(&status).as_ref() == Some(end));
        Ok(Culprit { how, value, stored: None })
    }

    /// The value on one line, if it is known.
    pub fn value(&self) -> Option<String> {
        let lines = self.value.as_ref()?.lines().filter(|line| !line.starts_with('#'));
        Some(lines.map(str::trim).collect::<Vec<_>>().join(" "))
    }

    /// What happened.
    pub fn how(&self) -> &str {
        &self.how
    }

    /// Shows it as other counterexamples are shown.
    pub fn show(&self, property: &Property) {
        println!("property `{}` does not hold\n", property.path);
        match self.value() {
            Some(value) => println!("counterexample: {value}"),
            None => {
                println!("counterexample: unknown, because a second run of the same tests went otherwise")
            }
        }
        println!("failure: {}", self.how);
        match &self.stored {
            Some(file) => println!("stored in: {}", file.display()),
            None => println!("not stored"),
        }
        println!("rerun with: cargo test {}", property.test());
    }
}

/// Stores a value that was written down, with what became of it.
fn store(folder: &Path, value: &str, how: &str, kind: &str) -> Option<PathBuf> {
    let (header, rest) = value.split_once('\n').filter(|(header, _)| header.starts_with('#'))?;
    let text: String = rest.lines().filter(|line| !line.starts_with('#')).collect();
    let findings = folder.join("findings");
    let file = findings.join(format!("{kind}{:016x}.txt", stable::hash(text.as_bytes())));
    fs::create_dir_all(&findings).ok()?;
    fs::write(&file, format!("{header}\n# failure: {how}\n{rest}")).ok()?;
    Some(file)
}

/// Now, in microseconds after 1970 began.
pub fn now() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(0, |now| now.as_micros() as u64)
}

//! What the program says of modules, all those of a table in one run. Runs get little memory: no count or size in a module
//! may decide how much is taken.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::program::{Run, command, end, run_in};

/// The address space that a run gets, in KiB: less than a count or a size of 32 bits can ask for.
const ADDRESS_SPACE: u32 = 1_000_000;

/// A module, after a name that says what is odd about it, which is the name of its file, and before what is to be said of it.
pub type Case<'a> = (&'a str, Vec<u8>, &'a str);

/// A directory with these files.
pub fn directory_with<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    for (name, content) in files {
        fs::write(directory.path().join(name), content).expect("it can be written");
    }
    directory
}

fn directory_of(cases: &[Case]) -> TempDir {
    directory_with(cases.iter().map(|(name, bytes, _)| (*name, &bytes[..])))
}

fn words<'a>(subcommand: &'a str, cases: &[Case<'a>]) -> Vec<&'a str> {
    std::iter::once(subcommand).chain(cases.iter().map(|(name, ..)| *name)).collect()
}

fn run_in_little_memory(directory: &Path, words: &[&str]) -> Run {
    let program = command(directory, words);
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -v {ADDRESS_SPACE}; exec \"$0\" \"$@\"")]);
    shell.arg(program.get_program()).args(program.get_args()).current_dir(directory);
    shell.env_remove("MUTAGEN_TESTS").env_remove("MUTAGEN_TIME");
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    end(shell.spawn().expect("there is a shell"))
}

/// The lines that the program prints about each module, without its name. All modules must be usable, and the engines must
/// not differ.
#[track_caller]
pub fn judged(subcommand: &str, cases: &[Case]) -> Vec<Vec<String>> {
    let run = run_in_little_memory(directory_of(cases).path(), &words(subcommand, cases));
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    let about = |name: &str| {
        let prefix = format!("{name}: ");
        run.out.lines().filter_map(|line| line.strip_prefix(&prefix)).map(str::to_owned).collect()
    };
    cases.iter().map(|(name, ..)| about(name)).collect()
}

/// Each case with the lines of `validate` and `interpret` about it.
#[track_caller]
fn judged_twice<'a>(cases: &'a [Case<'a>]) -> impl Iterator<Item = (&'a Case<'a>, [Vec<String>; 2])> {
    let [validated, interpreted] = ["validate", "interpret"].map(|subcommand| judged(subcommand, cases));
    let lines =
        validated.into_iter().zip(interpreted).map(|(validated, interpreted)| [validated, interpreted]);
    cases.iter().zip(lines)
}

/// Both engines reject each module, and the target for this reason. It is not run.
#[track_caller]
pub fn assert_rejected(cases: &[Case]) {
    for ((name, _, reason), [validated, interpreted]) in judged_twice(cases) {
        let [answers] = &validated[..] else { panic!("{name}: {validated:?}") };
        let (target, reference) = answers.split_once("; wasmtime: ").expect("both are asked");
        assert!(target.starts_with("wasmi: rejected: ") && target.contains(reason), "{name}: {answers}");
        assert!(
            reference.starts_with("rejected: ") && !reference.contains("over a limit"),
            "{name}: {answers}"
        );
        let [validity, outcome] = &interpreted[..] else { panic!("{name}: it is run: {interpreted:?}") };
        assert!(validity.starts_with("validate: ") && outcome == "equal", "{name}: {interpreted:?}");
    }
}

/// What `validate` prints about a module that both engines accept.
pub const ACCEPTED: &str = "wasmi: accepted; wasmtime: accepted";

/// Both engines accept each module. What comes of running it, in the last line, is as given.
#[track_caller]
pub fn assert_accepted(cases: &[Case]) {
    for ((name, _, outcome), [validated, interpreted]) in judged_twice(cases) {
        assert_eq!(validated, [ACCEPTED], "{name}");
        assert_eq!(interpreted.last().map(String::as_str), Some(*outcome), "{name}: {interpreted:?}");
    }
}

/// Both engines accept each module and instantiate it, as far as the given answer says. The outcome is the same for all.
#[track_caller]
pub fn assert_instantiation(outcome: &str, cases: &[Case]) {
    for ((name, _, answer), lines) in cases.iter().zip(judged("interpret", cases)) {
        let wanted = ["validate: both accepted", &format!("instantiate: {answer}"), outcome];
        assert_eq!(lines, wanted, "{name}");
    }
}

/// Both commands refuse each file in one line that has these words.
#[track_caller]
pub fn assert_refused(cases: &[Case]) {
    let directory = directory_of(cases);
    for subcommand in ["validate", "interpret"] {
        let run = run_in(directory.path(), &words(subcommand, cases), b"");
        assert_eq!((run.code, run.out.as_str()), (3, ""), "{}", run.err);
        assert_eq!(run.err.lines().count(), cases.len(), "{}", run.err);
        for ((name, _, words), line) in cases.iter().zip(run.err.lines()) {
            assert!(line.starts_with(&format!("error: {name}: ")) && line.contains(words), "{name}: {line}");
        }
    }
}

//! Runs the program in tests.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// How a run ended.
pub struct Run {
    /// The exit status.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// The path at which cargo puts the program: beside the directory of its tests. (Cargo also says so in a
/// variable, but the rustc wrapper is a shell script, and shells drop variables with a hyphen in their name.)
pub fn program() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own file");
    let directory = test.ancestors().nth(2).expect("tests lie two levels below the target directory");
    directory.join("mutagen-wasm").with_extension(std::env::consts::EXE_EXTENSION)
}

/// The program with these words, in `directory`, with pipes all around.
pub fn command(directory: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(program());
    command
        .args(words)
        .current_dir(directory)
        .env_remove("MUTAGEN_TESTS")
        .env_remove("MUTAGEN_TIME")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs the program with these words, in `directory`, with `input` on standard input.
pub fn run_in(directory: &Path, words: &[&str], input: &[u8]) -> Run {
    let mut child = command(directory, words).spawn().expect("the program can be run");
    // The program may not read its input at all.
    let _ = child.stdin.take().expect("it is piped").write_all(input);
    end(child)
}

/// Waits for the end of a run.
pub fn end(child: Child) -> Run {
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Run { code: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) }
}

/// Runs the program with the words of a line, in an empty directory.
#[allow(dead_code, reason = "not all test programs need it")]
pub fn run(line: &str) -> Run {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    run_at(directory.path(), line)
}

/// Runs the program with the words of a line, in `directory`.
#[allow(dead_code, reason = "not all test programs need it")]
pub fn run_at(directory: &Path, line: &str) -> Run {
    run_in(directory, &line.split_whitespace().collect::<Vec<_>>(), b"")
}

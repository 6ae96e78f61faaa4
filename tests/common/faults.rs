//! Steps of tests about faults: shells, signals, campaigns that run, refusals.

#![allow(dead_code, reason = "not all test programs need everything")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::program::{Run, command, end};

/// An empty directory.
pub fn directory() -> TempDir {
    tempfile::tempdir().expect("a temporary directory can be made")
}

/// The value of a JSON text.
#[track_caller]
pub fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Writes a file.
#[track_caller]
pub fn write(path: &Path, content: impl AsRef<[u8]>) {
    fs::write(path, content).expect("it can be written");
}

/// Runs a line of a shell in which `$P` is the program.
pub fn shell(directory: &Path, line: &str) -> Run {
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).env("P", command(directory, &[]).get_program()).current_dir(directory);
    end(piped(&mut shell).spawn().expect("there is a shell"))
}

/// `examples/crashing_engine.rs` with the words of a line, which cargo compiles together with all tests.
pub fn crashing_engine(directory: &Path, line: &str) -> Run {
    let program = PathBuf::from(command(directory, &[]).get_program());
    let example = program.with_file_name("examples").join("crashing_engine");
    assert!(example.exists(), "a single file of tests needs `cargo build --release --examples` first");
    let mut command = Command::new(example);
    command.args(line.split_whitespace()).current_dir(directory);
    end(piped(&mut command).spawn().expect("it is compiled"))
}

/// The same command without input, with pipes for what it says, and without settings of whoever runs the tests.
fn piped(command: &mut Command) -> &mut Command {
    command.env_remove("MUTAGEN_TESTS").env_remove("MUTAGEN_TIME");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped())
}

/// Sends a signal, such as `-TERM`.
#[track_caller]
pub fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args([name, &process.to_string()]).status().expect("there is `kill`");
    assert!(sent.success());
}

/// Waits until something is so, but not for ever.
#[track_caller]
pub fn wait_until(mut is_so: impl FnMut() -> bool) {
    let longest = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < longest, "a minute passed");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Starts a campaign that would run for an hour, and waits until it works.
pub fn start(directory: &Path, words: &[&str]) -> Child {
    let endless = ["--fixes", "--time", "1h", "-q", "-o", "out", "--json"];
    let child = command(directory, &[words, &endless].concat()).spawn().expect("the program can be run");
    wait_until(|| directory.join("out/stats.json").exists());
    child
}

/// The code, and a last line on standard error that is an error with all these words, but no internal one.
#[track_caller]
pub fn assert_refused(run: &Run, code: i32, words: &[&str]) {
    assert_eq!(run.code, code, "{}{}", run.out, run.err);
    let last = run.err.lines().last().unwrap_or_default();
    assert!(last.starts_with("error: ") && !last.contains("internal error"), "{}", run.err);
    for word in words {
        assert!(last.contains(word), "`{word}` is not in: {last}");
    }
}

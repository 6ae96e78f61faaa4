//! Bad input, directories that cannot be written to, closed pipes and killed runs: the program prints one
//! clear line, ends with the documented exit code, does not panic, and loses no finding.

#[path = "common/program.rs"]
mod program;

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use mutagen_wasm_ast::Module;
use program::{Run, command, end, run_in};
use serde_json::Value;
use tempfile::TempDir;

/// The commands that take modules or run campaigns.
const BOTH: [&str; 2] = ["validate", "interpret"];

/// A directory that exists, but in which not even root can make a file.
const NOT_WRITABLE: &str = "/proc";

fn directory() -> TempDir {
    tempfile::tempdir().expect("a temporary directory can be made")
}

/// Runs `command` with the words of a line behind it.
fn run(directory: &Path, command: &str, line: &str) -> Run {
    let words: Vec<&str> = std::iter::once(command).chain(line.split_whitespace()).collect();
    run_in(directory, &words, b"")
}

/// The code, and one line on standard error that has all these words.
#[track_caller]
fn assert_one_line(run: &Run, code: i32, words: &[&str]) {
    assert_eq!((run.code, run.err.lines().count()), (code, 1), "{}{}", run.out, run.err);
    assert!(run.err.starts_with("error: ") && !run.err.contains("internal error"), "{}", run.err);
    for word in words {
        assert!(run.err.contains(word), "`{word}` is not in: {}", run.err);
    }
}

/// Like [`assert_one_line`], for both commands, which must also print nothing on standard output.
#[track_caller]
fn assert_both_refuse(directory: &Path, line: &str, code: i32, words: &[&str]) {
    for command in BOTH {
        let run = run(directory, command, line);
        assert_one_line(&run, code, words);
        assert_eq!(run.out, "", "{command} {line}");
    }
}

/// The files in a directory, including hidden ones.
fn files(directory: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(directory).expect("the directory is there");
    files.map(|file| file.expect("it can be listed").path()).collect()
}

#[track_caller]
fn assert_finding_is_stored(output: &Path) {
    let mut findings = files(&output.join("findings"));
    findings.retain(|file| !file.ends_with("README.md"));
    assert_eq!(findings.len(), 3, "wat, wasm and json: {findings:?}");
    let replayed = run_in(output, &["replay", findings[0].to_str().expect("it is text")], b"");
    assert_eq!(replayed.code, 1, "{}{}", replayed.out, replayed.err);
}

#[test]
fn a_file_that_is_no_module_is_named_with_the_reason() {
    let directory = directory();
    let cases: [(&[u8], &str); 6] = [
        (b"", "empty"),
        (b"\0as", "ends inside"),
        (b"(module\n  (func i32.cost 1))", "2:9"),
        (b"(module (func", "1:14"),
        (b"\0asm\x0d\0\x01\0", "component"),
        (b"\xff\xfe", "not a text"),
    ];
    for (content, reason) in cases {
        fs::write(directory.path().join("m"), content).expect("it can be written");
        assert_both_refuse(directory.path(), "m", 3, &["error: m: ", reason]);
    }
}

#[test]
fn a_module_that_is_cut_off_anywhere_is_judged_and_not_run() {
    let directory = directory();
    let text = br#"(module (memory 1) (func (export "f") (result i32) i32.const 1 i32.load) (data (i32.const 0) "x"))"#;
    let whole = Module::assemble(text).expect("it is a module");
    for length in 4..whole.len() {
        fs::write(directory.path().join("m"), &whole[..length]).expect("it can be written");
        for command in BOTH {
            let run = run(directory.path(), command, "m");
            assert_eq!((run.code, run.err.as_str()), (0, ""), "{command}, {length} bytes: {}", run.out);
            assert!(run.out.starts_with("m: ") && !run.out.contains("panic"), "{}", run.out);
        }
    }
}

#[test]
fn what_is_no_file_is_named_with_the_reason() {
    let directory = directory();
    assert_both_refuse(directory.path(), "missing.wasm", 3, &["missing.wasm: ", "No such file"]);
    assert_both_refuse(directory.path(), ".", 3, &[".: ", "directory"]);
    assert_both_refuse(directory.path(), "/dev/zero", 3, &["/dev/zero: ", "not a regular file"]);
    symlink("loop", directory.path().join("loop")).expect("a link can be made");
    assert_both_refuse(directory.path(), "loop", 3, &["loop: "]);
}

#[test]
fn a_file_that_cannot_be_read_is_named_with_the_reason() {
    let directory = directory();
    // A regular file that even root can open but not read, since nothing is mapped at address 0.
    assert_both_refuse(directory.path(), "/proc/self/mem", 3, &["/proc/self/mem: ", "Input/output error"]);
    let secret = directory.path().join("secret");
    fs::write(&secret, "(module)").expect("it can be written");
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).expect("it is ours");
    // Root can read it, and then there is nothing to test here.
    if File::open(&secret).is_err() {
        assert_both_refuse(directory.path(), "secret", 3, &["secret: ", "Permission denied"]);
    }
}

#[test]
fn a_file_larger_than_the_limit_is_refused() {
    let directory = directory();
    let large = File::create(directory.path().join("large")).expect("it can be made");
    large.set_len((16 << 20) + 1).expect("it takes no space");
    assert_both_refuse(directory.path(), "large", 3, &["large: ", "larger than 16 MiB"]);
    for name in BOTH {
        let large = File::open(directory.path().join("large")).expect("it is there");
        let child =
            command(directory.path(), &[name, "-"]).stdin(large).spawn().expect("the program can be run");
        assert_one_line(&end(child), 3, &["-: ", "larger than 16 MiB"]);
    }
}

#[test]
fn a_file_that_cannot_be_used_does_not_hide_what_the_others_show() {
    let directory = directory();
    let text = r#"(module (func (export "f") (result i32) i32.const 5 i32.const 3 i32.sub))"#;
    fs::write(directory.path().join("m"), text).expect("it can be written");
    let valid = run(directory.path(), "validate", "missing m");
    assert_one_line(&valid, 3, &["missing: "]);
    assert_eq!(valid.out, "m: wasmi: accepted; wasmtime: accepted\n");
    let differs = run(directory.path(), "interpret", "--bug wasm-11 m missing");
    assert_one_line(&differs, 1, &["missing: "]);
    assert!(differs.out.contains("wasmi returned [i32:8]; wasmtime returned [i32:2]"), "{}", differs.out);
}

#[test]
fn a_call_that_a_module_cannot_take_is_named_with_what_it_can() {
    let directory = directory();
    let modules = [
        (
            "m",
            r#"(module (func (export "first") (param i32 f32)) (func (export "other")) (memory (export "mem") 1))"#,
        ),
        ("none", r#"(module (memory (export "mem") 1))"#),
    ];
    for (name, text) in modules {
        fs::write(directory.path().join(name), text).expect("it can be written");
    }
    let refused = |line: &str, words: &[&str]| {
        let run = run(directory.path(), "interpret", line);
        assert_one_line(&run, 3, words);
        assert_eq!(run.out, "", "{line}");
    };
    let exports = "exports \"first\", \"other\"";
    refused("m --invoke frist i32:1", &["error: m: ", "\"frist\"", exports, "did you mean \"first\"?"]);
    refused("m --invoke mem", &["error: m: ", "no function \"mem\"", exports]);
    refused("none --invoke f", &["error: none: ", "no function \"f\"", "exports none"]);
    let wanted = "\"first\" takes (i32, f32)";
    refused("m --invoke first", &["error: m: ", wanted, "given ()"]);
    refused("m --invoke first i32:1", &["error: m: ", wanted, "given (i32)"]);
    refused("m --invoke first f32:1 i32:1", &["error: m: ", wanted, "given (f32, i32)"]);
    refused("m --invoke other i32:1", &["error: m: ", "\"other\" takes ()", "given (i32)"]);

    let nonsense = run(directory.path(), "interpret", "m --invoke first 1 x");
    assert_one_line(&nonsense, 2, &["`1` is no value", "i32:-1"]);
    let both = run(directory.path(), "interpret", "none m --invoke other");
    assert_one_line(&both, 3, &["error: none: "]);
    assert!(both.out.contains("call \"other\" with []: both returned []"), "{}", both.out);
}

#[test]
fn a_call_of_a_module_that_does_not_start_says_so() {
    let directory = directory();
    let modules =
        [("trap", "(module (func $s unreachable) (start $s))"), ("invalid", "(module (func drop))")];
    for (name, text) in modules {
        fs::write(directory.path().join(name), text).expect("it can be written");
        let run = run(directory.path(), "interpret", &format!("{name} --invoke f"));
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
        assert!(run.out.contains("both trapped") || run.out.contains("both rejected"), "{}", run.out);
    }
}

#[test]
fn unknown_names_are_named_with_those_that_are_known() {
    let directory = directory();
    let refused = |line: &str, words: &[&str]| assert_both_refuse(directory.path(), line, 2, words);
    refused("--bug wasm-111", &["wasm-111", "did you mean `wasm-11`", "bugs list"]);
    refused("--bug stack-1", &["stack machine", "mutagen-wasm ifc"]);
    refused("--features wasm3", &["wasm3", "wasm1", "wasm2"]);
    refused("--features wasm2,+sind", &["+sind", "simd"]);
    refused("--guidance mutagn", &["mutagn", "possible values", "a similar value exists: 'mutagen'"]);
    refused("--preset papre", &["papre", "possible values", "a similar value exists: 'paper'"]);
    refused("--switch triee", &["triee", "trie"]);
    refused("--tme 3s", &["--tme", "a similar argument exists: '--time'"]);
}

#[test]
fn budgets_that_make_no_sense_are_refused() {
    let directory = directory();
    let refused = |line: &str, words: &[&str]| assert_both_refuse(directory.path(), line, 2, words);
    for nothing in ["0", "0s", "0m"] {
        refused(&format!("--time {nothing}"), &["--time", "more than no time"]);
    }
    for nonsense in ["-3s", "-1", "soon", "30", "3x", "s", "1e9s", "99999999999999999999999s"] {
        refused(&format!("--time {nonsense}"), &[nonsense, "30s"]);
    }
    refused("--time", &["--time"]);
    for nonsense in ["0", "-5", "many"] {
        refused(&format!("--tests {nonsense}"), &[nonsense, "--tests", "at least 1"]);
    }
    refused("--seed -1", &["-1", "--seed", "from 0"]);
    refused("--jobs 0", &["0", "--jobs"]);
}

#[test]
fn a_time_longer_than_the_clock_can_count_is_no_limit() {
    let directory = directory();
    for command in BOTH {
        let run = run(directory.path(), command, "--fixes --tests 20 -q --time 18446744073709551615s");
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    }
}

#[test]
fn an_output_directory_that_cannot_be_made_stops_before_any_work() {
    let directory = directory();
    fs::write(directory.path().join("file"), "").expect("it can be written");
    fs::create_dir(directory.path().join("half")).expect("it can be made");
    fs::write(directory.path().join("half/findings"), "").expect("it can be written");
    for place in ["file", "file/out", "half", NOT_WRITABLE, "/proc/out"] {
        assert_both_refuse(
            directory.path(),
            &format!("--bug wasm-4 -o {place}"),
            2,
            &["output directory", place],
        );
    }
}

#[test]
fn a_wrong_command_line_leaves_nothing_in_the_output_directory() {
    let directory = directory();
    for line in ["--switch triee -o out", "--bug wasm-99 -o out", "--time 0 -o out"] {
        assert_both_refuse(directory.path(), line, 2, &[]);
        assert!(!directory.path().join("out").exists(), "{line}");
    }
}

#[test]
fn links_inside_of_the_output_directory_are_refused() {
    let directory = directory();
    fs::create_dir(directory.path().join("out")).expect("it can be made");
    symlink(directory.path(), directory.path().join("out/findings")).expect("a link can be made");
    assert_both_refuse(directory.path(), "--bug wasm-4 -q -o out", 2, &["out/findings", "link"]);
}

#[test]
fn a_full_disk_behind_standard_output_is_said_and_costs_no_finding() {
    let directory = directory();
    let full = File::create("/dev/full").expect("the device is there");
    let words = ["validate", "--bug", "wasm-4", "-q", "-o", "out"];
    let child = command(directory.path(), &words).stdout(full).spawn().expect("the program can be run");
    assert_one_line(&end(child), 5, &["standard output", "No space left"]);
    assert_finding_is_stored(&directory.path().join("out"));
}

#[test]
fn a_closed_pipe_is_no_error_and_costs_no_finding() {
    let directory = directory();
    for (number, extra) in [&[][..], &["--json"][..]].into_iter().enumerate() {
        let output = format!("out-{number}");
        let words = [&["validate", "--bug", "wasm-4", "-o", &output][..], extra].concat();
        let mut child = command(directory.path(), &words).spawn().expect("the program can be run");
        drop((child.stdout.take(), child.stderr.take()));
        let run = end(child);
        assert_eq!(run.code, 1, "{words:?}");
        assert_finding_is_stored(&directory.path().join(output));
    }
    for words in [&["bugs"][..], &["--help"], &["validate", "--help"]] {
        let mut child = command(directory.path(), words).spawn().expect("the program can be run");
        drop(child.stdout.take());
        let run = end(child);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{words:?}");
    }
}

/// Without known bugs there is nothing to find, so the run would go on for its whole minute.
const ENDLESS: &str = "--fixes --time 60s -q -o out";

#[test]
fn a_killed_run_leaves_whole_files_and_can_be_resumed() {
    for name in BOTH {
        let directory = directory();
        let output = directory.path().join("out");
        let words: Vec<&str> = std::iter::once(name).chain(ENDLESS.split_whitespace()).collect();
        let mut killed =
            command(directory.path(), &words).stderr(Stdio::null()).spawn().expect("the program can be run");
        while !output.join("corpus").exists() || files(&output.join("corpus")).len() < 20 {
            assert!(killed.try_wait().expect("it can be asked").is_none(), "it ended before it was killed");
            std::thread::sleep(Duration::from_millis(1));
        }
        killed.kill().expect("it is running");
        killed.wait().expect("it ends");
        fs::write(output.join("corpus/.mutagen-begun.part"), "half").expect("it can be written");

        // Before it is refused, this run waits for the workers of the one that was killed.
        assert_one_line(&run(directory.path(), name, ENDLESS), 4, &["--resume", "--fresh"]);
        let kept = modules_in(&output);
        assert!(kept >= 1, "{kept}");
        json_in(&output, "run.json");
        let resumed = run(directory.path(), name, "--fixes --tests 300 -q -o out --resume");
        assert_eq!((resumed.code, resumed.err.as_str()), (0, ""), "{}", resumed.out);
        assert_eq!(json_in(&output, "run.json")["resumed_with"], kept);
        assert_eq!(json_in(&output, "stats.json")["tests"], 300);
        assert!(!output.join("corpus/.mutagen-begun.part").exists(), "what was begun is gone");
        assert!(modules_in(&output) > 0);
    }
}

/// The number of modules in the corpus. Checks that each is complete.
fn modules_in(output: &Path) -> usize {
    let mut corpus: Vec<PathBuf> = files(&output.join("corpus"))
        .iter()
        .filter(|folder| folder.is_dir())
        .flat_map(|folder| files(folder))
        .collect();
    corpus.retain(|file| file.extension().is_some_and(|extension| extension == "wasm"));
    for file in &corpus {
        let bytes = fs::read(file).expect("it is there");
        let decoded = Module::decode(&bytes);
        assert!(decoded.is_ok(), "{}: {decoded:?}", file.display());
    }
    corpus.len()
}

fn json_in(output: &Path, file: &str) -> Value {
    let text = fs::read_to_string(output.join(file)).expect("it is there");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
}

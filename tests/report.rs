//! Reports of campaigns, through the program: forms, bundles, the page and its server.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

#[path = "common/program.rs"]
mod program;

use program::{command, run_at};
use serde_json::Value;

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory can be made")
}

/// A directory with the results of a hunt in `out`.
fn hunted() -> tempfile::TempDir {
    let place = directory();
    assert_eq!(run_at(place.path(), "interpret --bug wasm-11 -o out").code, 1);
    place
}

#[test]
fn a_report_has_every_form_on_standard_output_or_in_a_file() {
    let place = hunted();
    let markdown = run_at(place.path(), "report out");
    assert_eq!(markdown.code, 0, "{}", markdown.err);
    assert!(
        markdown.out.contains("i32.sub") && markdown.out.contains("mutagen-wasm replay out/findings/"),
        "{}",
        markdown.out
    );
    let sarif: Value =
        serde_json::from_str(&run_at(place.path(), "report out --format sarif").out).expect("it is JSON");
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "result");
    let file = run_at(place.path(), "report out --format junit -o findings.xml");
    assert_eq!((file.code, file.out.as_str()), (0, ""));
    assert!(
        fs::read_to_string(place.path().join("findings.xml"))
            .expect("it is there")
            .contains("<failure type=\"result\"")
    );
    assert!(run_at(place.path(), "report out --format html").out.starts_with("<!DOCTYPE html>"));
    assert!(
        fs::read_to_string(place.path().join("out/report.html"))
            .expect("the campaign wrote it")
            .contains("i32.sub")
    );
    assert!(
        fs::read_to_string(place.path().join("out/plot.csv"))
            .expect("the campaign wrote it")
            .starts_with("seconds,tests,")
    );
}

#[test]
fn a_bundle_goes_to_a_new_directory() {
    let place = hunted();
    let first = run_at(place.path(), "report out --bundle bundle");
    assert_eq!(first.code, 0, "{}", first.err);
    let group = PathBuf::from(first.out.trim());
    for file in [
        "README.md",
        "module.wat",
        "module.wasm",
        "finding.wast",
        "finding.json",
        "Cargo.toml",
        "tests/finding.rs",
    ] {
        assert!(place.path().join(&group).join(file).is_file(), "{file}");
    }
    let again = run_at(place.path(), &format!("replay {}/finding.json", group.display()));
    assert_eq!(again.code, 1, "{}", again.err);
    let second = run_at(place.path(), "report out --bundle bundle");
    assert_eq!((second.code, second.err.lines().count()), (4, 1), "{}", second.err);
}

#[test]
fn what_is_no_output_directory_is_refused_in_one_line() {
    let place = directory();
    for (line, code, words) in [
        ("report nowhere", 3, "no output directory"),
        ("report .", 3, "no output directory"),
        ("report . --format pdf", 2, "markdown"),
        ("report . --bundle a --format html", 2, "cannot be used with"),
        ("interpret --serve 0", 2, "--output"),
        ("interpret --tests 1 -o out --serve nowhere:x", 2, "cannot serve at `nowhere:x`"),
    ] {
        let run = run_at(place.path(), line);
        assert_eq!((run.code, run.err.lines().count()), (code, 1), "`{line}`: {}", run.err);
        assert!(run.err.contains(words), "`{line}`: {}", run.err);
    }
}

#[test]
fn a_killed_campaign_is_reported_with_what_it_had() {
    let place = directory();
    let words = ["interpret", "--time", "5m", "-o", "out", "-q"];
    let mut child =
        command(place.path(), &words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    while !place.path().join("out/report.html").exists() {
        std::thread::sleep(Duration::from_millis(50));
    }
    let running = run_at(place.path(), "report out");
    child.kill().and_then(|()| child.wait()).expect("it can be killed");
    assert!(running.out.contains("still running"), "{}{}", running.out, running.err);
    let killed = run_at(place.path(), "report out --format html");
    assert!(killed.out.contains("killed before it could end"), "{}{}", killed.out, killed.err);
    assert!(killed.out.contains("<figure id=\"tests\">"), "there is a plot");
    assert!(run_at(place.path(), "report out --format junit").out.contains("<error message=\"killed"));
}

#[test]
fn annotations_come_in_the_ci_of_github_alone() {
    let place = hunted();
    let said = |value: &str| {
        let output = command(place.path(), &["report", "out", "-o", "report.md"])
            .env("GITHUB_ACTIONS", value)
            .output();
        String::from_utf8(output.expect("it runs").stderr).expect("it is text")
    };
    assert!(said("true").starts_with("::error file=out/findings/result-"), "{}", said("true"));
    assert_eq!(said(""), "");
}

/// What a browser would be sent.
fn fetched(address: &str, path: &str) -> String {
    let mut connection = TcpStream::connect(address).expect("it listens");
    write!(connection, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")
        .expect("it takes requests");
    let mut answer = String::new();
    connection.read_to_string(&mut answer).expect("it answers");
    answer
}

/// The program with these words, and the address at which it says that its page is.
fn serving(place: &Path, words: &str) -> (Child, String) {
    let words: Vec<&str> = words.split_whitespace().collect();
    let mut child = command(place, &words).stdout(Stdio::null()).spawn().expect("it runs");
    let said = BufReader::new(child.stderr.take().expect("it is piped"));
    let line = said.lines().map_while(Result::ok).find(|line| line.contains("the page is at "));
    let line = line.expect("it says where");
    let address = line.split("http://").nth(1).expect("it is an address").trim_end_matches('/').to_owned();
    (child, address)
}

#[test]
fn a_running_campaign_and_its_results_are_served() {
    let place = directory();
    let (mut campaign, address) = serving(place.path(), "interpret --time 5m -o out -q --serve 0");
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    while !place.path().join("out/report.html").exists() {
        std::thread::sleep(Duration::from_millis(50));
    }
    let page = fetched(&address, "/");
    assert!(page.starts_with("HTTP/1.1 200 OK") && page.contains("still running"), "{page}");
    assert!(page.contains("http-equiv=\"refresh\""), "a running campaign is loaded again");
    campaign.kill().and_then(|()| campaign.wait()).expect("it can be killed");
    // Afterwards, `report` serves what is left.
    let (mut report, address) = serving(place.path(), "report out --serve 0");
    let page = fetched(&address, "/");
    assert!(page.contains("killed before it could end") && page.contains("<figure id=\"tests\">"), "{page}");
    assert!(!page.contains("http-equiv=\"refresh\""), "nothing changes any more");
    assert!(fetched(&address, "/plot.csv").contains("seconds,tests,"));
    // Unlike SIGINT, no shell ignores it for jobs in the background.
    let stopped = Command::new("kill").args(["-TERM", &report.id().to_string()]).status();
    assert!(stopped.expect("there is `kill`").success());
    assert_eq!(report.wait().expect("it ends").code(), Some(143));
}

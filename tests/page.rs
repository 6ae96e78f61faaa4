//! The page of campaigns that this program ran, in a real browser: one that was killed, one that is served, and one about a module
//! with markup in its names. Without a browser the tests say so and check the text alone.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

#[path = "../report/tests/common/browser.rs"]
mod browser;
#[path = "common/program.rs"]
mod program;

use program::{command, run_in};
use serde_json::Value;

fn figures(page: &str) -> usize {
    page.matches("<figure id=").count()
}

#[test]
fn what_a_killed_campaign_leaves_is_drawn_and_so_is_what_was_served() {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    let words = ["interpret", "--time", "5m", "-o", "out", "-q", "--serve", "0"];
    let mut campaign = command(place.path(), &words).stdout(Stdio::null()).spawn().expect("it runs");
    let said = BufReader::new(campaign.stderr.take().expect("it is piped"));
    let line = said
        .lines()
        .map_while(Result::ok)
        .find(|line| line.contains("the page is at "))
        .expect("it says where");
    let address = line.split("http://").nth(1).expect("it is an address").trim_end_matches('/').to_owned();
    // A row of the plot after the first one.
    let plot = place.path().join("out/plot.csv");
    while !fs::read_to_string(&plot).is_ok_and(|text| text.lines().count() > 2) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let mut connection = TcpStream::connect(&address).expect("it listens");
    write!(connection, "GET / HTTP/1.1\r\nHost: {address}\r\n\r\n").expect("it takes requests");
    let mut answer = String::new();
    connection.read_to_string(&mut answer).expect("it answers");
    campaign.kill().and_then(|()| campaign.wait()).expect("it can be killed");
    let left = fs::read_to_string(place.path().join("out/report.html")).expect("it was written");
    assert!(left.contains("If that is long ago, the campaign was killed"), "{left}");
    browser::checked(
        &left.replace("http-equiv=\"refresh\"", "name=\"refresh\""),
        figures(&left),
        left.matches("<details class=\"group").count(),
    );
    // Its policy holds where the page is served; here it stands in the page.
    let (head, served) = answer.split_once("\r\n\r\n").expect("there is a head");
    let policy =
        head.lines().find_map(|line| line.strip_prefix("Content-Security-Policy: ")).expect("there is one");
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    let guarded = served.replace("http-equiv=\"refresh\"", "name=\"refresh\"").replacen(
        "<head>",
        &format!("<head><meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">"),
        1,
    );
    assert!(guarded.contains("Content-Security-Policy"), "{served}");
    browser::checked(&guarded, figures(served), served.matches("<details class=\"group").count());
}

#[test]
fn names_and_custom_sections_of_a_module_cannot_inject_markup() {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    let evil = "<script>alert(1)</script>'><img src=x onerror=alert(2)></pre></details>&lt;b&gt;";
    let text = format!(
        "(module $name (func (export \"{evil}\") (param i32) (result i32) (i32.sub (local.get 0) (i32.const 7))))"
    );
    let mut wasm = mutagen_wasm_ast::Module::assemble(text.as_bytes()).expect("it is a module");
    // A custom section: its number, its size, the size of its name, its name, and bytes.
    let name = evil.as_bytes();
    wasm.extend([0, name.len() as u8 + 5, name.len() as u8]);
    wasm.extend([name, b"<b>!"].concat());
    fs::write(place.path().join("evil.wasm"), &wasm).expect("it can be written");
    let words = [
        "interpret",
        "--bug",
        "wasm-11",
        "--guidance",
        "repro",
        "--property",
        "interpreter",
        "--input",
        "evil.wasm",
        "-q",
        "-o",
        "out",
    ];
    let run = run_in(place.path(), &words, b"");
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    // Shrinking has taken the names away. In the stored finding they are there again.
    let findings = fs::read_dir(place.path().join("out/findings")).expect("it is there");
    let is_json = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
    let file =
        findings.map(|file| file.expect("it can be listed").path()).find(is_json).expect("it is stored");
    let mut finding: Value =
        serde_json::from_slice(&fs::read(&file).expect("it is there")).expect("it is JSON");
    let module = mutagen_wasm_ast::Module::decode(&wasm).expect("it can be read");
    finding["wat"] = module.to_text().expect("it can be printed").into();
    finding["wasm"] = wasm.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into();
    finding["calls"][0]["export"] = evil.into();
    finding["question"] = format!("call {evil:?} with [i32:5]").into();
    // The name of the file has the hash of the module, by which the group finds it: without a group it is one of its own.
    fs::remove_file(place.path().join("out/stats.json")).expect("it is there");
    fs::write(&file, finding.to_string()).expect("it can be written");
    let page = run_in(place.path(), &["report", "out", "--format", "html"], b"").out;
    assert!(
        !page.contains("<script") && !page.contains("<img") && !page.contains("<b>"),
        "markup got through: {page}"
    );
    assert!(page.contains("&lt;script&gt;alert(1)"), "the name is shown: {page}");
    browser::checked(&page, figures(&page), 1);
}

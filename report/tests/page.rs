//! The page of a campaign, its server, and the other forms of a report: what holds without a browser.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

use mutagen_campaign::{CampaignOutcome, CampaignReport, FileReach, Results, State};
use mutagen_report::{Format, Live, Page, Server, annotations};

#[path = "common/campaigns.rs"]
mod campaigns;
#[path = "common/finding.rs"]
mod finding;

#[test]
fn the_page_has_every_plot_with_its_data_under_it() {
    let place = campaigns::directory(10);
    let results = campaigns::results(place.path(), 2, State::Killed);
    let page = Page::default().of(&Results { report: Some(reached(None)), corpus: 2, ..results }, None);
    for id in [
        "tests", "speed", "probes", "edges", "modules", "findings", "discards", "shares", "opcodes",
        "features", "files",
    ] {
        let figure = page.find(&format!("<figure id=\"{id}\">")).map(|start| &page[start..]).expect(id);
        let figure = &figure[..figure.find("</figure>").expect("it ends")];
        assert!(figure.contains("<svg") && figure.contains("class=\"mark"), "{id} is no plot");
        assert!(figure.contains("<details>") && figure.contains("<td>"), "{id} has no data");
    }
    assert!(page.contains("killed before it could end in good order"));
    assert!(page.contains("i32.extend8_s") && page.contains("sign-extension"));
    assert!(
        !page.contains("<script") && !page.contains("http://") && !page.contains("https://"),
        "the page needs nothing else"
    );
}

/// A report with what so many modules of the corpus reach, or all of them.
fn reached(part: Option<u64>) -> CampaignReport {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    let report = finding::hunt("wasm-11", &place.path().join("out")).report.expect("it has ended");
    let file = |name: &str, reached| FileReach { file: name.into(), reached, all: 100 };
    CampaignReport {
        probes_reached: Some(120),
        probes_all: Some(200),
        reached_files: vec![file("engine-1.0.0/src/a.rs", 70), file("engine-1.0.0/src/b.rs", 50)],
        reached_modules: part,
        ..report
    }
}

#[test]
fn what_is_said_of_coverage_is_true_in_every_state() {
    let place = campaigns::directory(3);
    let ended = State::Ended(CampaignOutcome::Interrupted);
    let page = |report: Option<CampaignReport>, state, corpus| {
        let results = campaigns::results(place.path(), 0, state);
        let page = Page::default().of(&Results { report, corpus, ..results }, None);
        page[page.find("<section id=\"coverage\">").expect("there is one")..].to_owned() + &page
    };
    let none = |mut report: CampaignReport| {
        (report.reached_files, report.probes_reached, report.probes_all) = (Vec::new(), None, None);
        report
    };
    let whole = page(Some(reached(None)), ended, 9);
    assert!(
        !whole.contains("This is a part") && whole.contains("of the target&#39;s probes<")
            || whole.contains("of the target's probes<"),
        "{whole}"
    );
    let part = page(Some(reached(Some(5))), ended, 9);
    assert!(
        part.contains("This is a part: of 9 modules, new and small ones first, 5 could be looked at"),
        "{part}"
    );
    assert!(part.contains("probes, at least"), "{part}");
    assert!(page(None, State::Running, 9).contains("is found out when the campaign ends; "));
    assert!(page(None, State::Killed, 9).contains("The campaign was killed before it was found out"));
    assert!(
        page(Some(none(reached(None))), ended, 9).contains("It was not found out what the corpus reaches")
    );
    assert!(
        page(Some(none(reached(None))), ended, 0)
            .contains("The corpus has no modules, so that it reaches nothing")
    );
    let unwoven = CampaignReport { probes_all: Some(0), ..none(reached(None)) };
    assert!(page(Some(unwoven), ended, 9).contains("has no probes in this program"));
}

#[test]
fn the_last_functions_of_a_crash_are_in_every_form() {
    let results = finding::results(vec![finding::crash_of_witness("wasm-f8")]);
    for text in [Page::default().of(&results, None), Format::Markdown.render(&results)] {
        assert!(text.contains("last in: engine::innermost\nlast in: engine::outer"), "{text}");
    }
}

#[test]
fn only_the_page_of_a_running_campaign_loads_itself_again() {
    let place = campaigns::directory(2);
    let page = |state| Page::default().of(&campaigns::results(place.path(), 0, state), Some(5));
    assert!(page(State::Running).contains("http-equiv=\"refresh\" content=\"5\""));
    assert!(!page(State::Ended(CampaignOutcome::Passed)).contains("http-equiv"));
    // A kill leaves the page as it is, so it says when it was written, and what to do.
    let command = format!("report {} --format html", place.path().display());
    assert!(page(State::Running).contains("As of 2") && page(State::Running).contains(&command));
    assert!(!page(State::Killed).contains("As of 2"));
}

#[test]
fn the_page_of_a_campaign_that_ended_is_in_its_directory() {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    let output = place.path().join("out");
    let live = Live::start(&output);
    let results = finding::hunt("wasm-11", &output);
    assert_eq!(results.state, State::Ended(CampaignOutcome::Finding));
    live.finish().expect("it can be written");
    let page = fs::read_to_string(output.join(Page::FILE)).expect("it is there");
    assert!(page.contains("i32.sub") && page.contains("one group of findings"));
    assert!(page.contains("wasmi-2.0.0/src/"), "what the corpus reaches is told by file");
    assert!(page.contains("votes: wasmi, wasmi-lazy: "), "what all engines say is told");
}

/// What the server answers to a request, as it is.
fn asked(server: &Server, request: &str) -> String {
    let mut connection = TcpStream::connect(server.address).expect("it listens");
    connection.write_all(request.as_bytes()).expect("it takes requests");
    let mut answer = String::new();
    // A server that has heard enough may close before all is sent.
    let _ = connection.read_to_string(&mut answer);
    answer
}

#[test]
fn the_server_shows_the_page_and_refuses_everything_else() {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    let output = place.path().join("out");
    finding::hunt("wasm-11", &output);
    let server = Server::start("0", &output).expect("a port is free");
    assert!(server.address.ip().is_loopback());
    let get = |path: &str| {
        asked(&server, &format!("GET {path} HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", server.address.port()))
    };
    let page = get("/");
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("<!DOCTYPE html>"), "{page}");
    assert!(page.contains("Content-Security-Policy: default-src 'none'"), "{page}");
    assert!(get("/plot.csv").contains("\nseconds,tests,"));
    for path in ["/run.json", "/../run.json", "/findings/", "/%2e%2e/run.json", "*"] {
        assert!(get(path).starts_with("HTTP/1.1 404"), "{path}");
    }
    let host = format!("Host: 127.0.0.1:{}\r\n\r\n", server.address.port());
    for method in ["POST", "PUT", "DELETE", "nonsense"] {
        assert!(
            asked(&server, &format!("{method} / HTTP/1.1\r\n{host}")).starts_with("HTTP/1.1 405"),
            "{method}"
        );
    }
    // A page of the internet must not read it through a name of its own.
    for named in ["Host: example.org\r\n\r\n", "\r\n"] {
        assert!(asked(&server, &format!("GET / HTTP/1.1\r\n{named}")).starts_with("HTTP/1.1 403"), "{named}");
    }
    let long = asked(&server, &format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(20_000)));
    assert!(long.is_empty() || long.starts_with("HTTP/1.1 400"), "{long}");
    assert!(get("/").starts_with("HTTP/1.1 200"), "it still answers");
}

#[test]
fn junit_has_a_case_for_each_group_and_one_for_the_campaign() {
    let mut silenced = finding::of_witness("wasm-f2");
    silenced.group.silenced = Some("reported \u{1} & known".into());
    let results = finding::results(vec![finding::of_witness("wasm-f1"), silenced]);
    let xml = Format::Junit.render(&results);
    assert!(xml.contains("tests=\"3\" failures=\"1\" errors=\"0\""), "{xml}");
    assert!(xml.contains("<skipped message=\"reported \u{fffd} &amp; known\">"), "{xml}");
    let killed = Format::Junit.render(&Results { state: State::Killed, ..finding::results(Vec::new()) });
    assert!(killed.contains("errors=\"1\"") && killed.contains("<error message=\"killed"), "{killed}");
}

#[test]
fn markdown_cannot_be_left_by_what_a_module_says() {
    let mut results = finding::results(vec![finding::of_witness("wasm-f1")]);
    let Some(mutagen_campaign::Finding::Module(module)) = &mut results.groups[0].finding else {
        panic!("it is a module")
    };
    module.wat = "(module ;; ````\n````\n# not a title\n)".into();
    module.part = "<img src=x> [a](b)".into();
    let text = Format::Markdown.render(&results);
    assert!(text.contains("`````wat\n(module"), "the fence is longer than any in the module:\n{text}");
    assert!(text.contains("differ in \\<img src=x\\> \\[a\\](b)"), "{text}");
}

#[test]
fn what_came_after_release_2_is_cited_where_it_is() {
    let cited = |wat: &str| {
        let group = finding::crash("wasmi", wat, None, &[]);
        let paragraphs = mutagen_report::paragraphs(group.finding.as_ref().expect("it has one"));
        paragraphs.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let tail = cited("(module (func $f (export \"f\") (return_call $f)))");
    assert!(
        tail.contains("WebAssembly Core Specification 3.0, section Execution, Control Instructions"),
        "{tail}"
    );
    assert!(!tail.contains("4.4.8"), "{tail}");
    let wide = cited("(module (memory i64 1) (func (drop (i32.load (i64.const 0)))))");
    assert!(
        wide.contains("2.0, section 4.4.7") && wide.contains("3.0, section Execution, Memory Instructions"),
        "{wide}"
    );
    let constant = cited("(module (global i32 (i32.add (i32.const 1) (i32.const 2))))");
    assert!(constant.contains("in constant expressions"), "{constant}");
    let proposal =
        "(module (func (param i64 i64) (result i64 i64) (i64.mul_wide_u (local.get 0) (local.get 1))))";
    let proposal = cited(proposal);
    assert!(proposal.contains("proposal Wide Arithmetic") && !proposal.contains("4.4.1"), "{proposal}");
    assert!(!cited("(module (func nop))").contains("3.0"));
}

#[test]
fn annotations_are_one_line_each_and_at_most_ten() {
    let mut group = finding::of_witness("wasm-f1");
    group.group.message = "one: 100%\ntwo".into();
    group.group.file = Some("out/findings/a,b:c.json".into());
    let lines = annotations::lines(&finding::results(vec![group; 12]));
    assert_eq!(lines.len(), 11);
    assert!(lines[0].starts_with("::error file=out/findings/a%2Cb%3Ac.wat,title=wasmi and wasmtime differ in result 0::one: 100%25%0Atwo%0A"), "{}", lines[0]);
    assert_eq!(lines[10], "::notice title=mutagen-wasm::2 more groups of findings");
    assert!(lines.iter().all(|line| !line.contains('\n')));
}

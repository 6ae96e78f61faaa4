//! Pages in a real browser: Chromium or Chrome, the one that `MUTAGEN_BROWSER` names, or one on the `PATH`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const NAMES: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome-headless-shell"];

/// The ways in which the page is looked at: a name, the width in pixels, and whether it is dark.
const VIEWS: [(&str, u32, bool); 4] =
    [("light", 1200, false), ("dark", 1200, true), ("phone", 390, false), ("dark phone", 390, true)];

fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("MUTAGEN_BROWSER").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let known = std::env::split_paths(&path).flat_map(|directory| NAMES.map(|name| directory.join(name)));
    named.or_else(|| known.into_iter().find(|file| file.is_file()))
}

/// A page with the measured one in a frame per view, and a script that measures them.
fn host(measured: &str) -> String {
    let frame = |(name, width, dark): (&str, u32, bool)| {
        // The preference of the reader's system cannot be set from here, but the style rule for it can.
        let always = if dark { "all" } else { "not all" };
        let page = measured.replace("(prefers-color-scheme: dark)", always);
        let page = page.replace('&', "&amp;").replace('"', "&quot;");
        format!("<iframe name=\"{name}\" width=\"{width}\" height=\"800\" srcdoc=\"{page}\"></iframe>\n")
    };
    let frames: String = VIEWS.into_iter().map(frame).collect();
    format!("<!DOCTYPE html><body>{frames}<script>{}</script></body>", include_str!("measure.js"))
}

/// Checks what holds of every page. Returns the measurements.
pub fn checked(page: &str, figures: usize, groups: usize) -> Option<Value> {
    let measured = measured(page)?;
    assert_eq!(measured["errors"], json!([]), "the page runs into errors");
    for (view, width, _) in VIEWS {
        let seen = &measured["views"][view];
        for (name, expected) in [
            ("width", json!(width)),
            ("overflows", json!(false)),
            ("scripts", json!(0)),
            ("foreign", json!(0)),
            ("groups", json!(groups)),
        ] {
            assert_eq!(seen[name], expected, "{view}: {name}");
        }
        let drawn = seen["figures"].as_array().expect("it is a list");
        assert_eq!(drawn.len(), figures, "{view}");
        for figure in drawn {
            let number = |name: &str| {
                figure[name].as_f64().unwrap_or_else(|| panic!("{view}: {figure} has no {name}"))
            };
            assert!(
                number("marks") >= 1.0 && number("marks") == number("drawn"),
                "{view}: not all marks are drawn: {figure}"
            );
            assert!(number("width") >= 300.0 && number("height") >= 40.0, "{view}: too small: {figure}");
            assert!(number("smallest_text") >= 8.0, "{view}: text is too small: {figure}");
            assert_eq!(number("clipped"), 0.0, "{view}: text is cut off: {figure}");
        }
        let text = seen["contrast"]["text"].as_f64().expect("it was measured");
        assert!(text >= 4.5, "{view}: text does not stand out: {}", seen["contrast"]);
        if figures > 2 {
            let series = seen["contrast"]["series"].as_f64().expect("it was measured");
            assert!(series >= 3.0, "{view}: marks do not stand out: {}", seen["contrast"]);
        }
    }
    assert_ne!(measured["views"]["light"]["background"], measured["views"]["dark"]["background"]);
    Some(measured)
}

/// The measurements of a page, one per view. `None` if there is no browser.
fn measured(page: &str) -> Option<Value> {
    let Some(browser) = browser() else {
        eprintln!("skipped: no browser found; set MUTAGEN_BROWSER to Chromium or Chrome to run this test");
        return None;
    };
    let server = TcpListener::bind("127.0.0.1:0").expect("a local port is free");
    let address = server.local_addr().expect("it has an address");
    let profile = tempfile::tempdir().expect("a temporary directory can be made");
    let mut running = Command::new(&browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("http://{address}/"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("{} cannot be run: {error}", browser.display()));
    let answer = serve(&server, &host(page));
    running.kill().and_then(|()| running.wait()).expect("the browser can be ended");
    Some(answer.expect("the browser loads the page and says within a minute what it measured"))
}

/// Serves the page to the browser until the browser posts its measurements. `None` if it never does.
fn serve(server: &TcpListener, page: &str) -> Option<Value> {
    server.set_nonblocking(true).ok()?;
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(60) {
        match server.accept() {
            Ok((connection, _)) => {
                if let Some(posted) = answer(connection, page) {
                    return serde_json::from_str(&posted).ok();
                }
            }
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
    None
}

/// Answers a request with the page. Returns the posted data, if there is any.
fn answer(connection: TcpStream, page: &str) -> Option<String> {
    connection.set_nonblocking(false).ok()?;
    connection.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    let mut reader = BufReader::new(&connection);
    let (mut request, mut length) = (String::new(), 0);
    reader.read_line(&mut request).ok()?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        page.len()
    );
    (&connection).write_all((head + page).as_bytes()).ok()?;
    request.starts_with("POST").then(|| String::from_utf8_lossy(&body).into_owned())
}

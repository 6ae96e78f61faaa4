//! A small server that shows the page of a campaign to a browser. It only reads, and answers nothing but GET.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mutagen_campaign::Plot;

use crate::Page;

/// A request is no longer than this.
const LONGEST_REQUEST: usize = 8 * 1024;
/// A browser must have sent its request, and taken the answer, within this time.
const PATIENCE: Duration = Duration::from_secs(5);
/// So many browsers are answered at once.
const MOST_AT_ONCE: usize = 16;
/// A page is made at most so often.
const FRESH: Duration = Duration::from_secs(2);
/// A browser loads the page of a running campaign again after so many seconds.
const REFRESH: u32 = 5;

/// A server. Its thread runs until the program ends.
#[derive(Debug)]
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
}

/// What all connections share.
struct Shown {
    directory: PathBuf,
    /// Whether only this machine can connect.
    is_local: bool,
    page: Mutex<(Page, Option<(Instant, String)>)>,
    open: AtomicUsize,
}

impl Server {
    /// Starts to serve the page of an output directory. `address` is `HOST:PORT`, or a port alone, which is one of this machine
    /// for this machine; port 0 is any that is free.
    ///
    /// # Errors
    ///
    /// If the address makes no sense or is taken.
    pub fn start(address: &str, directory: &Path) -> io::Result<Self> {
        let address =
            if address.parse::<u16>().is_ok() { format!("127.0.0.1:{address}") } else { address.to_owned() };
        let addresses: Vec<SocketAddr> = address.to_socket_addrs()?.collect();
        let listener = TcpListener::bind(&addresses[..])?;
        let address = listener.local_addr()?;
        let shown = Arc::new(Shown {
            directory: directory.to_owned(),
            is_local: address.ip().is_loopback(),
            page: Mutex::default(),
            open: AtomicUsize::new(0),
        });
        std::thread::Builder::new().name("server".into()).spawn(move || accept(&listener, &shown))?;
        Ok(Server { address })
    }
}

fn accept(listener: &TcpListener, shown: &Arc<Shown>) {
    for connection in listener.incoming() {
        let Ok(connection) = connection else {
            // Too many open files, for example: they may be closed soon.
            std::thread::sleep(Duration::from_millis(50));
            continue;
        };
        if shown.open.fetch_add(1, Ordering::Relaxed) >= MOST_AT_ONCE {
            shown.open.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let own = Arc::clone(shown);
        let answer = move || {
            // A browser that went away is no error.
            let _ = answer(connection, &own);
            own.open.fetch_sub(1, Ordering::Relaxed);
        };
        if std::thread::Builder::new().name("browser".into()).spawn(answer).is_err() {
            shown.open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Answers one request.
fn answer(mut connection: TcpStream, shown: &Shown) -> io::Result<()> {
    connection.set_write_timeout(Some(PATIENCE))?;
    let (status, kind, body) = match request(&mut connection)? {
        Some(request) => shown.respond(&request),
        None => ("400 Bad Request", TEXT, "the request is too long, or came too slowly\n".to_owned()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
         Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'\r\n\r\n",
        body.len()
    );
    connection.write_all((head + &body).as_bytes())
}

const TEXT: &str = "text/plain";

/// The head of a request. `None` if it is too long or comes too slowly.
fn request(connection: &mut TcpStream) -> io::Result<Option<String>> {
    let until = Instant::now() + PATIENCE;
    let (mut head, mut part) = (Vec::new(), [0; 1024]);
    while !head.windows(4).any(|four| four == b"\r\n\r\n") {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || head.len() > LONGEST_REQUEST {
            return Ok(None);
        }
        connection.set_read_timeout(Some(left))?;
        match connection.read(&mut part)? {
            0 => return Ok(None),
            read => head.extend_from_slice(&part[..read]),
        }
    }
    Ok(Some(String::from_utf8_lossy(&head).into_owned()))
}

impl Shown {
    fn respond(&self, request: &str) -> (&'static str, &'static str, String) {
        let mut words = request.lines().next().unwrap_or_default().split(' ');
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        // A page of the internet that gives itself the address of this machine sends its own name.
        if self.is_local && !host(request).is_some_and(is_this_machine) {
            return (
                "403 Forbidden",
                TEXT,
                "ask by the number of this machine, or as localhost\n".to_owned(),
            );
        }
        match (method, path.split('?').next().unwrap_or_default()) {
            ("GET", "/" | "/report.html") => match self.page() {
                Ok(page) => ("200 OK", "text/html", page),
                Err(error) => ("503 Service Unavailable", TEXT, format!("there is no page yet: {error}\n")),
            },
            ("GET", "/plot.csv") => match Plot::read(&self.directory) {
                Ok(rows) => {
                    let rows: String = rows.iter().map(|row| format!("{row}\n")).collect();
                    ("200 OK", "text/csv", format!("{}\n{rows}", mutagen_campaign::Row::HEADER))
                }
                Err(error) => ("503 Service Unavailable", TEXT, format!("{error}\n")),
            },
            ("GET", _) => ("404 Not Found", TEXT, "there are / and /plot.csv\n".to_owned()),
            _ => ("405 Method Not Allowed", TEXT, "only GET\n".to_owned()),
        }
    }

    /// The page. Browsers that ask within a moment get the same one.
    fn page(&self) -> Result<String, mutagen_campaign::Error> {
        let mut shared = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        let (page, last) = &mut *shared;
        if let Some((_, text)) = last.as_ref().filter(|(made, _)| made.elapsed() < FRESH) {
            return Ok(text.clone());
        }
        let text = page.of_directory(&self.directory, Some(REFRESH))?;
        *last = Some((Instant::now(), text.clone()));
        Ok(text)
    }
}

/// The name by which the server is asked.
fn host(request: &str) -> Option<&str> {
    let named =
        |line: &'_ str| line.split_once(':').is_some_and(|(name, _)| name.eq_ignore_ascii_case("host"));
    request
        .lines()
        .find(|line| named(line))
        .and_then(|line| line.split_once(':'))
        .map(|(_, host)| host.trim())
}

fn is_this_machine(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name).trim_matches(['[', ']']);
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

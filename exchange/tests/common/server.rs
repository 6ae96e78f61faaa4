//! A NATS server for a test, on a free port of this machine.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use mutagen_exchange::Address;

/// A server with a directory of its own. It is killed when this is dropped.
pub struct Server {
    child: Option<Child>,
    port: u16,
    directory: tempfile::TempDir,
    arguments: Vec<String>,
}

/// Says why a test does less. The test harness shows what `eprintln!` says only if a test fails.
pub fn skipped(why: &str) {
    writeln!(std::io::stderr(), "skipped: {why}").expect("there is an output");
}

/// The program of the server. Says so if there is none.
pub fn program() -> Option<PathBuf> {
    let named = std::env::var_os("MUTAGEN_NATS_SERVER").map(PathBuf::from);
    let usual =
        ["/usr/sbin", "/usr/bin", "/usr/local/bin"].map(|folder| PathBuf::from(folder).join("nats-server"));
    let found = named.into_iter().chain(usual).find(|program| program.is_file());
    if found.is_none() {
        skipped("there is no nats-server (MUTAGEN_NATS_SERVER names one)");
    }
    found
}

/// Stops a process for a moment.
pub fn freeze(child: &Child, time: Duration) {
    let process = child.id().to_string();
    for (signal, pause) in [("-STOP", time), ("-CONT", Duration::ZERO)] {
        let sent = Command::new("kill").args([signal, &process]).status().expect("kill can be run");
        assert!(sent.success());
        thread::sleep(pause);
    }
}

impl Server {
    /// Starts a server with these arguments besides. `None` if there is no such program.
    pub fn start(arguments: &[&str]) -> Option<Self> {
        program()?;
        let directory = tempfile::tempdir().expect("a directory can be made");
        let arguments = arguments.iter().map(ToString::to_string).collect();
        let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = port.expect("there is a free port").port();
        let mut server = Server { child: None, port, directory, arguments };
        server.restart();
        Some(server)
    }

    pub fn address(&self) -> Address {
        format!("nats://127.0.0.1:{}", self.port).parse().expect("this is an address")
    }

    /// Kills the server, as `kill -9` does.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().and_then(|()| child.wait()).expect("a server can be killed");
        }
    }

    /// Starts the server again, with what it had stored.
    pub fn restart(&mut self) {
        let program = program().expect("it was there");
        let child = Command::new(program)
            .args(["-a", "127.0.0.1", "-p", &self.port.to_string(), "-js", "-sd"])
            .arg(self.directory.path())
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let child = self.child.insert(child.expect("the server can be started"));
        while connect(self.port).is_none() {
            let ended = child.try_wait().expect("it can be asked");
            assert!(ended.is_none(), "the server ends at once: {ended:?} {:?}", self.arguments);
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Stops the process of the server for a moment, so that it does not answer.
    pub fn freeze(&self, time: Duration) {
        freeze(self.child.as_ref().expect("it runs"), time);
    }

    /// The number of its process.
    pub fn process(&self) -> u32 {
        self.child.as_ref().expect("it runs").id()
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Publishes raw bytes.
    pub fn publish(&self, subject: &str, bytes: &[u8]) {
        let mut connection = connect(self.port).expect("the server is there");
        let mut text =
            format!("CONNECT {{\"verbose\":false}}\r\nPUB {subject} {}\r\n", bytes.len()).into_bytes();
        text.extend_from_slice(bytes);
        text.extend_from_slice(b"\r\nPING\r\n");
        connection.write_all(&text).expect("the server listens");
        let mut answer = [0; 6];
        connection.read_exact(&mut answer).expect("the server answers");
        assert_eq!(&answer, b"PONG\r\n");
    }
}

/// A connection that has got the server's greeting.
fn connect(port: u16) -> Option<TcpStream> {
    let mut connection = TcpStream::connect(("127.0.0.1", port)).ok()?;
    connection.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    let mut letter = [0];
    while letter != *b"\n" {
        connection.read_exact(&mut letter).ok()?;
    }
    Some(connection)
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

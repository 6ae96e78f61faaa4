//! What must hold of a NATS server alone: secrets, encryption, and many faults in a row.
#![cfg(feature = "hub")]

#[allow(dead_code, reason = "not all test programs need all of it")]
#[path = "common/server.rs"]
mod server;
#[path = "common/waiting.rs"]
mod waiting;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use mutagen_exchange::{
    Address, Alive, Board, CampaignName, Cells, Entry, Exchange, Hub, HubCells, Secret, Taken, Terms, Topic,
};
use server::Server;

fn name() -> CampaignName {
    CampaignName::default()
}

#[test]
fn a_server_with_a_token_lets_nobody_in_without_it_and_no_message_shows_it() {
    let Some(server) = Server::start(&["--auth", "hush-hush"]) else { return };
    for secret in [None, Secret::read("wrong-token"), Secret::read("me\nwrong-token")] {
        let why = Hub::connect(&server.address(), secret.as_ref(), &name())
            .err()
            .expect("it is refused")
            .to_string();
        assert!(!why.contains("hush") && !why.contains("wrong-token"), "{why}");
        assert!(why.contains("authorization"), "{why}");
    }
    let hub = Hub::connect(&server.address(), Secret::read("hush-hush").as_ref(), &name());
    assert_eq!(hub.expect("it lets in").terms().expect("it answers"), None);
}

#[test]
fn another_machine_is_not_even_asked_without_a_secret() {
    let address: Address = "nats://192.0.2.1:4222".parse().expect("an address");
    let why = Hub::connect(&address, None, &name()).err().expect("it is refused").to_string();
    assert!(why.contains("192.0.2.1") && why.contains("a token"), "{why}");
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let Some(mut server) = Server::start(&[]) else { return };
    server.kill();
    let why = Hub::connect(&server.address(), None, &name()).err().expect("nobody is there").to_string();
    assert!(why.contains(&server.address().to_string()), "{why}");
}

/// Makes a key and a certificate for this machine. `None` if there is no program for it.
fn certificate(directory: &Path) -> Option<()> {
    let done = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"])
        .args(["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .args(["-keyout", "key.pem", "-out", "cert.pem"])
        .current_dir(directory)
        .output();
    let is_made = done.is_ok_and(|output| output.status.success());
    if !is_made {
        eprintln!("skipped: there is no openssl");
    }
    is_made.then_some(())
}

#[test]
fn an_encrypted_connection_is_made_only_to_a_server_that_is_trusted() {
    let directory = tempfile::tempdir().expect("a directory can be made");
    let path = |name: &str| directory.path().join(name).display().to_string();
    if server::program().is_none() || certificate(directory.path()).is_none() {
        return;
    }
    let arguments = ["--tls", "--tlscert", &path("cert.pem"), "--tlskey", &path("key.pem"), "--auth", "hush"];
    let server = Server::start(&arguments).expect("it is there");
    let address = server.address().to_string().replace("nats://", "tls://");
    // Which certificates are trusted is said in the environment, so another process looks.
    let visit = |trusted: &str| {
        Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "visits_the_server_that_the_environment_names", "--ignored"])
            .env("VISITED", &address)
            .env("SSL_CERT_FILE", trusted)
            .output()
            .expect("it can be run")
            .status
            .success()
    };
    assert!(visit(&path("cert.pem")));
    std::fs::write(path("empty.pem"), "").expect("it can be written");
    assert!(!visit(&path("empty.pem")));
}

#[test]
#[ignore = "a part of another test"]
fn visits_the_server_that_the_environment_names() {
    let address = std::env::var("VISITED").expect("an address").parse().expect("an address");
    let hub = Hub::connect(&address, Secret::read("hush").as_ref(), &name()).expect("it lets in");
    let mut worker = hub.join(&Terms::default()).expect("it can be joined");
    worker.publish(Entry::test(b"encrypted".to_vec()));
    worker.finish(Duration::from_secs(30));
    assert_eq!(worker.health().unsent, 0);
}

/// How many faults are injected. `EXCHANGE_FAULTS` makes it long.
fn faults() -> usize {
    std::env::var("EXCHANGE_FAULTS").ok().and_then(|count| count.parse().ok()).unwrap_or(24)
}

/// Numbers that look random, the same in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = mutagen_engine::stable::mix(self.0);
        self.0 % sides
    }
}

#[test]
fn many_faults_of_server_and_workers_lose_no_finding_and_no_result_and_count_no_cell_twice() {
    const WORKERS: u64 = 4;
    let faults = faults();
    let cells = 50 + 2 * faults;
    let Some(mut server) = Server::start(&[]) else { return };
    let address = server.address();
    let hub = || {
        let mut made = Hub::connect(&address, None, &name());
        while made.is_err() {
            thread::sleep(Duration::from_millis(50));
            made = Hub::connect(&address, None, &name());
        }
        made.expect("it was made")
    };
    let lease = Duration::from_secs(2);
    let queue = || HubCells::new(hub(), lease);
    let work: Vec<_> =
        (0..cells).map(|number| (format!("cell-{number}"), number.to_string().into_bytes())).collect();
    queue().expect("the server is there").add(&work).expect("they can be added");
    let (over, accepted) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let (found, deaths) = (Mutex::new(BTreeSet::new()), AtomicUsize::new(0));
    thread::scope(|scope| {
        for worker in 0..WORKERS {
            let (over, accepted, found, deaths) = (&over, &accepted, &found, &deaths);
            scope.spawn(move || {
                let mut dice = Dice(worker);
                while !over.load(Ordering::Relaxed) {
                    // A worker lives for some cells, and dies: sometimes while it holds one.
                    let Ok(cells) = queue().map(std::sync::Arc::new) else { continue };
                    let Ok(mut voice) = hub().join(&Terms::default()) else { continue };
                    for _ in 0..1 + dice.roll(20) {
                        let Ok(Taken::Cell(held)) = cells.take() else { continue };
                        let alive = Alive::keep(cells.clone(), held.clone());
                        let key = held.name["cell-".len()..].parse().expect("a number");
                        found.lock().expect("nobody panics").insert(key);
                        voice.publish(Entry::finding(key, held.work.clone()));
                        // The third try is the last: it must not be wasted.
                        if held.tries < 3 && dice.roll(16) == 0 {
                            deaths.fetch_add(1, Ordering::Relaxed);
                            drop(alive);
                            break;
                        }
                        while !over.load(Ordering::Relaxed) {
                            match cells.hand_in(&held, &held.work) {
                                Ok(true) => accepted.lock().expect("nobody panics").push(held.name.clone()),
                                Ok(false) => {}
                                Err(_) => continue,
                            }
                            break;
                        }
                    }
                    voice.finish(Duration::from_secs(60));
                    assert_eq!(voice.health().unsent, 0);
                }
            });
        }
        let mut dice = Dice(99);
        for _ in 0..faults {
            match dice.roll(3) {
                0 => server.freeze(Duration::from_millis(dice.roll(300))),
                _ => {
                    server.kill();
                    thread::sleep(Duration::from_millis(dice.roll(300)));
                    server.restart();
                }
            }
            thread::sleep(Duration::from_millis(100 + dice.roll(300)));
        }
        let finished = queue().expect("the server is there");
        waiting::eventually("all cells are done", || match finished.take() {
            Ok(Taken::Cell(held)) => !finished.hand_in(&held, &held.work).expect("the server is there"),
            Ok(Taken::Done) => true,
            Ok(Taken::Wait) | Err(_) => false,
        });
        over.store(true, Ordering::Relaxed);
    });
    let results = queue().expect("the server is there").results().expect("they can be read");
    let expected: BTreeSet<_> = work.iter().cloned().collect();
    let stored: BTreeSet<_> = results.iter().cloned().collect();
    assert_eq!(results.len(), stored.len(), "a cell counts twice");
    assert!(stored.is_subset(&expected), "a result is not that of its cell");
    // What the server had handed out when it was killed counts as a try, so a cell may have lost all three.
    let lost = expected.len() - stored.len();
    assert!(lost * 100 <= cells, "{lost} of {cells} cells have no result");
    let names: BTreeSet<&String> = stored.iter().map(|(name, _)| name).collect();
    let accepted = accepted.into_inner().expect("nobody panics");
    let once: BTreeSet<&String> = accepted.iter().collect();
    assert_eq!(once.len(), accepted.len(), "a result was accepted twice");
    assert!(once.is_subset(&names), "a result that was accepted is lost");
    let findings = hub().entries(Topic::Finding).expect("they can be read");
    let keys: BTreeSet<u64> = findings.iter().map(|entry| entry.key).collect();
    assert_eq!(findings.len(), keys.len(), "a finding is stored twice");
    assert_eq!(keys, found.into_inner().expect("nobody panics"), "a finding is lost");
    let deaths = deaths.into_inner();
    eprintln!(
        "{faults} faults of the server, {deaths} deaths of workers, {cells} cells, {lost} without a result"
    );
}

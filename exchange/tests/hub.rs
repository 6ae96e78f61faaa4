//! What must hold of a NATS server alone: secrets, encryption, and little room.
#![cfg(feature = "hub")]

#[allow(dead_code, reason = "not all test programs need all of it")]
#[path = "common/server.rs"]
mod server;
#[path = "common/waiting.rs"]
mod waiting;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use mutagen_exchange::{Address, Board, CampaignName, Entry, Exchange, Hub, Secret, Terms, Topic};
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
fn a_server_of_an_operator_lets_in_whoever_has_credentials_of_an_account_that_it_knows() {
    let file = |name: &str| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/operator").join(name).display().to_string()
    };
    let Some(server) = Server::start(&["-c", &file("operator.conf")]) else { return };
    let secret = |name: &str| Secret::read(&std::fs::read_to_string(file(name)).expect("it is there"));
    let connect = |secret: Option<Secret>| Hub::connect(&server.address(), secret.as_ref(), &name());
    let damaged = Secret::read("-----BEGIN NATS USER JWT-----\nhush-hush\n------END NATS USER JWT------");
    for wrong in [None, Secret::read("token"), secret("stranger.creds"), damaged] {
        let why = connect(wrong).err().expect("it is refused").to_string();
        assert!(!why.contains("hush") && !why.contains("eyJ"), "{why}");
    }
    let mut worker =
        connect(secret("user.creds")).expect("it lets in").join(&Terms::default()).expect("it joins");
    worker.publish(Entry::test(b"signed".to_vec()));
    worker.finish(Duration::from_secs(30));
    assert_eq!(worker.health().unsent, 0);
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
        server::skipped("there is no openssl");
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
#[ignore = "a process that another test starts"]
fn visits_the_server_that_the_environment_names() {
    let address = std::env::var("VISITED").expect("an address").parse().expect("an address");
    let hub = Hub::connect(&address, Secret::read("hush").as_ref(), &name()).expect("it lets in");
    let mut worker = hub.join(&Terms::default()).expect("it can be joined");
    worker.publish(Entry::test(b"encrypted".to_vec()));
    worker.finish(Duration::from_secs(30));
    assert_eq!(worker.health().unsent, 0);
}

#[test]
fn a_server_with_little_room_keeps_findings_and_drops_tests() {
    let directory = tempfile::tempdir().expect("a directory can be made");
    let settings = directory.path().join("hub.conf");
    std::fs::write(&settings, "jetstream { max_file_store: 1MB }").expect("it can be written");
    let Some(server) = Server::start(&["-c", &settings.display().to_string()]) else { return };
    let hub = || Hub::connect(&server.address(), None, &name()).expect("the server is there");
    let mut worker = hub().join(&Terms::default()).expect("it can be joined");
    worker.publish(Entry::finding(1, b"first".to_vec()));
    (0..40_u8).for_each(|number| worker.publish(Entry::test(vec![number; 100_000])));
    worker.finish(Duration::from_secs(120));
    let health = worker.health();
    assert_eq!(health.unsent, 0);
    assert!((20..40).contains(&health.dropped), "{health:?}");
    assert_eq!(hub().count(Topic::Finding).expect("it can be read"), 1);
}

#[test]
fn a_worker_that_joins_again_while_the_server_is_gone_catches_up_when_it_is_back() {
    let Some(mut server) = Server::start(&[]) else { return };
    let hub = |server: &Server| Hub::connect(&server.address(), None, &name()).expect("the server is there");
    let mut first = hub(&server).join(&Terms::default()).expect("it can be joined");
    first.publish(Entry::test(b"before".to_vec()));
    first.finish(Duration::from_secs(60));
    server.kill();
    let mut again = Hub::join_again(&server.address(), None, &name(), &Terms::default());
    again.publish(Entry::finding(1, b"meanwhile".to_vec()));
    assert!(again.poll().is_none() && !again.health().connected);
    server.restart();
    waiting::eventually("it gets what was there", || {
        again.poll().is_some_and(|test| test.bytes == b"before")
    });
    again.finish(Duration::from_secs(60));
    assert_eq!(hub(&server).count(Topic::Finding).expect("it can be read"), 1);
}

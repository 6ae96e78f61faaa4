//! Addresses, names and secrets: what is accepted, and that no secret is shown.

use mutagen_exchange::{Address, CampaignName, Place, Secret};

#[test]
fn an_address_names_a_machine_and_maybe_a_port() {
    let shown = |text: &str| text.parse::<Address>().map(|address| address.to_string()).ok();
    assert_eq!(shown("nats://host").as_deref(), Some("nats://host:4222"));
    assert_eq!(shown("tls://[::1]:99").as_deref(), Some("tls://[::1]:99"));
    for wrong in
        ["host:4222", "http://host", "nats://", "nats://host:99999", "nats://a b", "nats://host/path"]
    {
        assert_eq!(shown(wrong), None, "{wrong}");
    }
}

#[test]
fn a_secret_in_an_address_is_refused_and_not_shown() {
    for text in ["nats://hush@host", "nats://me:hush@host:4222", "hush@host", "nats://hu:sh@host@other"] {
        let why = text.parse::<Address>().expect_err("it is refused").to_string();
        assert!(!why.contains("hush") && !why.contains("hu:sh"), "{why}");
    }
}

#[test]
fn only_this_machine_needs_no_secret() {
    let needs =
        |text: &str, secret| Place::Hub(text.parse().expect("an address"), secret).require_secret().is_err();
    for here in ["nats://localhost", "nats://127.0.0.1:9", "nats://127.8.8.8", "tls://[::1]"] {
        assert!(!needs(here, None), "{here}");
    }
    for there in [
        "nats://10.0.0.1",
        "tls://host",
        "nats://0.0.0.0",
        "nats://localhost.example.org",
        "nats://127.0.0.1.example",
    ] {
        assert!(needs(there, None), "{there}");
        assert!(!needs(there, Secret::read("token")), "{there}");
    }
}

#[test]
fn a_secret_is_a_token_or_a_name_and_a_password_and_is_never_shown() {
    assert_eq!(Secret::read(" hush \n"), Some(Secret::Token("hush".to_owned())));
    assert_eq!(Secret::read("me\nhush\n"), Some(Secret::Password("me".to_owned(), "hush".to_owned())));
    let credentials = "-----BEGIN NATS USER JWT-----\nhush\n";
    assert_eq!(Secret::read(credentials), Some(Secret::Credentials(credentials.to_owned())));
    assert_eq!(Secret::read("\n"), None);
    assert_eq!(Secret::read("a\nb\nc"), None);
    let place = Place::Hub("nats://host".parse().expect("an address"), Secret::read("hush"));
    assert!(!format!("{place} {place:?}").contains("hush"));
}

#[test]
fn names_of_campaigns_can_stand_in_paths_and_subjects() {
    for name in ["default", "nightly-2", "a_b"] {
        assert!(name.parse::<CampaignName>().is_ok(), "{name}");
    }
    for name in ["", "a.b", "a b", "../up", "A", "*", &"x".repeat(65)] {
        assert!(name.parse::<CampaignName>().is_err(), "{name}");
    }
}

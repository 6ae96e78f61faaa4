//! Panics are caught with message and place, and only those that somebody catches are kept off the terminal.

use std::panic;
use std::process::Command;

use mutagen_weave::{Panic, Place, catch};

fn caught(body: impl FnOnce()) -> Panic {
    catch(body).expect_err("the body panics")
}

#[test]
fn a_panic_is_told_with_message_and_place() {
    let line = line!() + 1;
    let panic = caught(|| panic!("{} is odd", 7));
    assert_eq!(panic.message, "7 is odd");
    let place = panic.place.as_ref().expect("it was raised here");
    assert_eq!((place.file_name(), place.line), ("panics.rs", line));
    assert!(place.file.ends_with("tests/panics.rs"), "{}", place.file);
    assert_eq!(panic.to_string(), format!("7 is odd (panics.rs:{line})"));
}

#[test]
fn a_panic_need_not_have_a_message_or_a_place() {
    let panic = caught(|| panic::panic_any(7));
    assert_eq!(panic.message, "a panic without a message");
    let passed_on = caught(|| panic::resume_unwind(Box::new("from elsewhere")));
    assert_eq!(passed_on, Panic { message: "from elsewhere".into(), place: None });
    assert_eq!(passed_on.to_string(), "from elsewhere");
}

#[test]
fn file_names_lose_the_directories_of_any_system() {
    let name = |file: &str| Place { file: file.into(), line: 1 }.file_name().to_owned();
    assert_eq!([name("a/b.rs"), name(r"a\b.rs"), name("b.rs")], ["b.rs", "b.rs", "b.rs"]);
}

#[test]
fn inner_panics_are_caught_inside() {
    let outer = catch(|| caught(|| panic!("inner")));
    assert_eq!(outer.expect("the outer body does not panic").message, "inner");
}

/// Catches a panic while it is dropped.
struct CatchesWhenDropped;

impl Drop for CatchesWhenDropped {
    fn drop(&mut self) {
        assert_eq!(caught(|| panic::resume_unwind(Box::new("inner"))).place, None);
    }
}

#[test]
fn a_panic_caught_while_another_one_unwinds_leaves_that_one_alone() {
    let line = line!() + 3;
    let panic = caught(|| {
        let _guard = CatchesWhenDropped;
        panic!("outer");
    });
    assert_eq!(panic.to_string(), format!("outer (panics.rs:{line})"));
}

/// Set in the process that a test starts to read what it prints.
const CHILD: &str = "MUTAGEN_TEST_CHILD";

fn panic_inside_and_outside_of_catch() {
    panic::set_hook(Box::new(|info| eprintln!("the hook before: {}", info.payload_as_str().unwrap_or(""))));
    caught(|| panic!("caught here"));
    let elsewhere = std::thread::spawn(|| panic!("on another thread"));
    catch(|| assert!(elsewhere.join().is_err())).expect("joining does not panic");
    assert!(panic::catch_unwind(|| panic!("after all")).is_err());
}

#[test]
fn the_hook_that_was_there_gets_all_panics_that_are_not_caught() {
    if std::env::var_os(CHILD).is_some() {
        return panic_inside_and_outside_of_catch();
    }
    let this_test = "the_hook_that_was_there_gets_all_panics_that_are_not_caught";
    let own = std::env::current_exe().expect("the test program has a file");
    let run = Command::new(own)
        .args([this_test, "--exact", "--nocapture"])
        .env(CHILD, "")
        .output()
        .expect("the test program can be run");
    let said = String::from_utf8_lossy(&run.stderr);
    let heard: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("the hook before: ")).collect();
    assert_eq!(heard, ["on another thread", "after all"], "{said}");
    assert!(run.status.success() && !said.contains("caught here"), "{said}");
}

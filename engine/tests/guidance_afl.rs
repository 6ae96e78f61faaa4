//! AFL++ as a guidance. Without `afl-fuzz` these tests say so and check nothing else.

use mutagen_engine::{Afl, AflConfig, Campaign, Guidance, StopReason, Strategy};
use mutagen_engine_demos::{Demo, search_tree};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Whether AFL is there. If not, the test says that it is skipped.
fn has_afl() -> bool {
    let installed = Afl::require();
    if let Err(error) = &installed {
        eprintln!("SKIPPED: {error}");
    }
    installed.is_ok()
}

/// The directories of this process's AFLs.
fn directories() -> Vec<PathBuf> {
    let prefix = format!("mutagen-afl-{}-", std::process::id());
    let entries = std::fs::read_dir(std::env::temp_dir()).expect("it can be listed").flatten();
    entries.map(|entry| entry.path()).filter(|path| path.to_string_lossy().contains(&prefix)).collect()
}

/// Several campaigns in one test, because directories of others would be counted.
#[test]
fn afl_follows_the_probes_to_a_bug_and_leaves_nothing_behind() {
    if !has_afl() {
        return;
    }
    type Case = <search_tree::Bug as Demo>::Case;
    // Without a bug: all tests pass or are discarded, AFL asked for all of them but the example, and learned of many probes.
    let mut guidance = Afl::<Case>::new(AflConfig { max_size: 4 }, 3);
    let example = Case { tree: search_tree::Tree::Leaf, operation: search_tree::Operation::Delete(1) };
    let mut property = |case: &Case| search_tree::Bug::check(None, case);
    let report = Campaign::new(3).tests(2000).examples(vec![example]).run(&mut guidance, &mut property);
    assert_eq!(
        (report.stop, report.failed, report.tests),
        (StopReason::TestsDone, 0, 2000),
        "{:?}",
        report.trouble
    );
    assert_eq!(report.figures.counts["asked for by afl-fuzz"], 1999);
    assert!(guidance.known() > 20, "{:?}", report.figures);
    assert_eq!(directories().len(), 1, "AFL works in a directory of its own");
    drop(guidance);
    assert!(directories().is_empty(), "it goes with AFL");
    // With one.
    let bug = Some(search_tree::Bug::InsertDoesNotUpdate);
    let mut guidance = Afl::<Case>::new(AflConfig::default(), 3);
    let report = Campaign::new(3)
        .tests(3_000_000)
        .run(&mut guidance, &mut |case: &Case| search_tree::Bug::check(bug, case));
    assert_eq!((report.stop, report.failed), (StopReason::Found, 1), "{:?}", report.trouble);
}

/// Set in a copy of this program that ends in the middle of a campaign.
const ENDS_AT_ONCE: &str = "MUTAGEN_TEST_ENDS_AT_ONCE";

#[test]
fn afl_ends_with_a_program_that_did_not_end_it() {
    if !has_afl() {
        return;
    }
    if std::env::var_os(ENDS_AT_ONCE).is_some() {
        let mut guidance = Afl::<u8>::new(AflConfig::default(), 3);
        guidance.next();
        std::process::exit(0);
    }
    let this_program = std::env::current_exe().expect("a test knows its own file");
    let mut copy = Command::new(this_program)
        .args(["--exact", "afl_ends_with_a_program_that_did_not_end_it"])
        .env(ENDS_AT_ONCE, "1")
        .stdout(Stdio::null())
        .spawn()
        .expect("it can be run again");
    let name = format!("mutagen-afl-{}-0", copy.id());
    assert!(copy.wait().expect("it ends").success());
    // A minute is far more than it takes.
    let mut left = Vec::new();
    for _ in 0..600 {
        left = processes_about(&name);
        if left.is_empty() && !std::env::temp_dir().join(&name).exists() {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("still there: {name}, processes {left:?}");
}

/// The processes whose command line names this.
fn processes_about(name: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir("/proc").expect("it can be listed").flatten().map(|entry| entry.path());
    let names = |path: &PathBuf| {
        let line = std::fs::read(path.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(name)
    };
    entries.filter(names).collect()
}

#[test]
fn a_strategy_has_afl_by_name_but_not_among_those_that_need_nothing_else() {
    let strategy: Strategy = "afl,max-size=3".parse().expect("there is one");
    assert_eq!((strategy.guidance_name(), strategy.require()), ("afl", Afl::require()));
    assert!(Strategy::EXTERNAL.contains(&"afl") && !Strategy::GUIDANCES.contains(&"afl"));
    assert!(Strategy::description("afl").contains("AFL++"));
    assert!("afl,energy".parse::<Strategy>().is_err());
}

/// The guidance of a program that is not there.
struct Broken;

impl Guidance<u8> for Broken {
    fn next(&mut self) -> u8 {
        0
    }

    fn learn(&mut self, _: &u8, _: &mutagen_engine::Verdict, _: mutagen_engine::Trace<'_>) -> bool {
        false
    }

    fn figures(&self) -> mutagen_engine::Figures {
        mutagen_engine::Figures::new("broken")
    }

    fn is_exhausted(&self) -> bool {
        true
    }

    fn trouble(&self) -> Option<String> {
        Some("it is gone".to_owned())
    }
}

#[test]
fn a_guidance_in_trouble_ends_the_campaign_and_says_why() {
    let report = Campaign::new(0).tests(10).run(&mut Broken, &mut |_: &u8| true);
    assert_eq!(
        (report.stop, report.tests, report.trouble.as_deref()),
        (StopReason::Trouble, 0, Some("it is gone"))
    );
    let jobs = Campaign::new(0)
        .tests(10)
        .run_jobs(2, |_| (Box::new(Broken) as Box<dyn Guidance<u8>>, |_: &u8| true));
    assert_eq!((jobs.stop, jobs.trouble.as_deref()), (StopReason::Trouble, Some("it is gone")));
}

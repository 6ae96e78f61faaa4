//! Cells that several machines share, where the place to meet is gone for a while.

use std::fs;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mutagen_bench::{Plan, Program, Queue, QueueNews, RunEnded, Suite};
use mutagen_campaign::Sharing;
use mutagen_exchange::{CampaignName, Place};

/// Runs the cells of a queue without cells whose directory is gone. It comes back if `comes_back` says so. Returns how the run
/// ended, and what was heard of it.
fn run(patience: Duration, comes_back: bool) -> (Result<RunEnded, String>, Vec<&'static str>) {
    let directory = tempfile::tempdir().expect("a directory can be made");
    let place = Place::Directory(directory.path().to_owned());
    let sharing = Sharing::new(place, CampaignName::default());
    let plan = Plan::of_suite(Suite::find("smoke").expect("it exists"));
    let queue = Queue::join(&sharing, plan).expect("it can be joined").patience(patience);
    let cells = directory.path().join("default/cells");
    fs::remove_dir(&cells).and_then(|()| fs::write(&cells, "")).expect("it can be replaced");
    let mut heard = Vec::new();
    let follow = |news: QueueNews<'_>| match news {
        QueueNews::Accepted(_) => heard.push("a result"),
        QueueNews::Gone(error, longest) => {
            assert!(error.to_string().contains("cells") && longest == patience, "{error}");
            heard.push("gone");
            if comes_back {
                fs::remove_file(&cells).and_then(|()| fs::create_dir(&cells)).expect("it can be replaced");
            }
        }
        QueueNews::Back => heard.push("back"),
    };
    let program = Program::this(Duration::ZERO).expect("it can be read");
    let ended = queue.run(&program, 1, &AtomicBool::new(false), follow);
    (ended.map_err(|error| error.to_string()), heard)
}

#[test]
fn a_place_that_is_gone_is_said_once_and_the_run_ends_when_patience_does() {
    let (ended, heard) = run(Duration::from_millis(20), false);
    let why = ended.expect_err("nothing can be taken");
    assert!(why.contains("cells"), "{why}");
    assert_eq!(heard, ["gone"]);
}

#[test]
fn a_place_that_comes_back_is_used_again() {
    let (ended, heard) = run(Duration::from_secs(3600), true);
    assert_eq!((ended, heard), (Ok(RunEnded::Done), vec!["gone", "back"]));
}

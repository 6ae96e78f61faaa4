//! Output directories of campaigns, for tests of the page.

use std::fs;
use std::path::Path;

use mutagen_campaign::store::Disk;
use mutagen_campaign::{Beside, Plot, Progress, Results, Row, SecondsIn, State};

use super::finding;

/// A directory as a campaign leaves it, with so many rows in its plot and some modules in its corpus.
pub fn directory(rows: u64) -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    let mut plot = Plot::open(&Disk::default(), place.path()).expect("it can be made");
    for number in 0..rows {
        let seconds = number as f64 * 5.0;
        let tests = number * number * 100;
        let progress = Progress {
            seconds,
            tests,
            passed: tests / 2,
            discarded: tests / 3,
            inconclusive: tests / 100,
            queued: 40 + number,
            known: 1_000 * number,
            probes: 200 * number,
            ..Progress::default()
        };
        let seconds_in =
            Some(SecondsIn { target: seconds * 0.3, reference: seconds * 0.5, rest: seconds * 0.2 });
        let beside = Beside { corpus: number * 3, findings: number / 2, groups: number / 4, seconds_in };
        plot.add(Row::new(&progress, &beside)).expect("it can be stored");
    }
    let corpus = place.path().join("corpus").join("00");
    fs::create_dir_all(&corpus).expect("it can be made");
    for (name, wat) in
        [("one", "(module (func i32.const 1 i32.extend8_s drop))"), ("two", "(module (func nop))")]
    {
        let wasm = mutagen_wasm_ast::Module::assemble(wat.as_bytes()).expect("it is a module");
        fs::write(corpus.join(format!("{name}.wasm")), wasm).expect("it can be written");
    }
    place
}

/// Results with so many groups, in this directory.
pub fn results(directory: &Path, groups: usize, state: State) -> Results {
    let group = || finding::of_witness("wasm-f1");
    let one = (groups > 0).then(group);
    let groups = one.into_iter().flat_map(|one| std::iter::repeat_n(one, groups)).collect();
    let results = finding::results(groups);
    Results { directory: Some(directory.to_owned()), state, tests: 12_345, seconds: 60.0, ..results }
}

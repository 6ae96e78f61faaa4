//! Does sharing help? Four workers that share against four that do not, with the same seeds.
//!
//! `cargo bench --bench sharing -- edges COMMAND SEEDS SECONDS`: how many probes of the target the corpus reaches, of modules stored
//! in the first quarter of the time, in the first half, and in all of it. COMMAND is `validate` or `interpret`.
//!
//! `cargo bench --bench sharing -- bugs BUG,BUG,... SEEDS SECONDS`: time and tests to each bug.
//!
//! Run it on a machine that has nothing else to do: campaigns with a time limit do less on a busy one.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use mutagen_bugs::Bug;
use mutagen_campaign::Spec;
use serde_json::Value;

/// How many workers there are.
const JOBS: &str = "4";

/// With sharing and without, and what that is called.
const MODES: [(&str, Option<&str>); 2] = [("alone", None), ("share", Some("--share"))];

/// Runs the program, which cargo puts beside the directory of this one. Returns the object that it prints.
fn run(words: &[&str]) -> Value {
    let own = std::env::current_exe().expect("this program");
    let program = own.ancestors().nth(2).expect("two levels below the target directory").join("mutagen-wasm");
    let output = Command::new(program).args(words).output().expect("the program can be run");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {words:?}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// The files below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// How many probes the modules reach that were stored until then.
fn reached(corpus: &Path, until: SystemTime) -> u64 {
    let early = tempfile::tempdir().expect("a directory can be made");
    for file in files(corpus) {
        let stored = file.metadata().and_then(|found| found.modified()).expect("it has a time");
        let name = file.file_name().filter(|_| stored <= until && file.extension() == Some("wasm".as_ref()));
        if let Some(name) = name {
            std::fs::copy(&file, early.path().join(name)).expect("it can be copied");
        }
    }
    let told = run(&["coverage", &early.path().display().to_string(), "--json"]);
    told["probes"]["reached"].as_u64().expect("a number")
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

fn edges(command: &str, seeds: u64, seconds: u64) {
    println!(
        "| seed | workers | tests | {} s | {} s | {seconds} s |\n|---|---|---|---|---|---|",
        seconds / 4,
        seconds / 2
    );
    let mut last = [Vec::new(), Vec::new()];
    for seed in 0..seeds {
        for ((name, flag), last) in MODES.iter().zip(&mut last) {
            let directory = tempfile::tempdir().expect("a directory can be made");
            let (out, time) = (directory.path().join("out"), format!("{seconds}s"));
            let (seed_word, out_word) = (seed.to_string(), out.display().to_string());
            let started = SystemTime::now();
            let words =
                [command, "-j", JOBS, "--seed", &seed_word, "--time", &time, "-o", &out_word, "--json", "-q"];
            let told = run(&words.into_iter().chain(*flag).collect::<Vec<_>>());
            let at = |part: u64| {
                reached(&out.join("corpus"), started + Duration::from_secs(seconds) / 4 * part as u32)
            };
            let (quarter, half) = (at(1), at(2));
            let all = reached(&out.join("corpus"), SystemTime::now());
            println!("| {seed} | {name} | {} | {quarter} | {half} | {all} |", told["tests"]);
            last.push(all as f64);
        }
    }
    let [alone, share] = last;
    let ahead = share.iter().zip(&alone).filter(|(share, alone)| share > alone).count();
    println!(
        "\nmedians: alone {}, share {}; sharing is ahead with {ahead} of {seeds} seeds",
        median(alone),
        median(share)
    );
}

fn bugs(names: &str, seeds: u64, seconds: u64) {
    println!("| bug | workers | found | median seconds | median tests |\n|---|---|---|---|---|");
    for bug in names.split(',') {
        let spec = Spec::hunting(&Bug::find(bug).expect("there is such a bug")).expect("it is no fix");
        let command = spec.command_line();
        for (name, flag) in MODES {
            let trial = |seed: u64| {
                let (seed, time) = (seed.to_string(), format!("{seconds}s"));
                let fixed = ["-j", JOBS, "--seed", &seed, "--time", &time, "--json", "-q"];
                let words = command.split(' ').skip(1).chain(fixed);
                let told = run(&words.chain(flag).collect::<Vec<_>>());
                let number = |field: &str| told[field].as_f64().expect("a number");
                // Who found nothing counts as later than all who did.
                (told["outcome"] == "finding").then(|| (number("seconds"), number("tests")))
            };
            let trials: Vec<_> = (0..seeds).map(trial).collect();
            let found = trials.iter().flatten().count();
            let of = |part: fn((f64, f64)) -> f64| {
                median(trials.iter().map(|one| one.map_or(f64::INFINITY, part)).collect())
            };
            println!(
                "| {bug} | {name} | {found}/{seeds} | {:.1} | {:.0} |",
                of(|one| one.0),
                of(|one| one.1)
            );
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse().ok());
    match (words.first().map(String::as_str), words.get(1), number(2), number(3)) {
        (Some("edges"), Some(command), Some(seeds), Some(seconds)) => edges(command, seeds, seconds),
        (Some("bugs"), Some(names), Some(seeds), Some(seconds)) => bugs(names, seeds, seconds),
        _ => eprintln!("say: edges validate|interpret SEEDS SECONDS, or bugs BUG,BUG SEEDS SECONDS"),
    }
}

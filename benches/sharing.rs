//! Does sharing help? Four workers that share against four that do not, with the same seeds.
//!
//! `cargo bench --bench sharing -- edges COMMAND SEEDS TESTS`: how many probes of the target the corpus reaches, of modules stored
//! in the first quarter of so many tests, in the first half, and in all of them. COMMAND is `validate` or `interpret`.
//!
//! `cargo bench --bench sharing -- bugs BUG,BUG,... SEEDS SECONDS`: tests and time to each bug, within so many seconds.
//!
//! SEEDS is a number of seeds, or a part of them such as `4..8`.
//!
//! When a quarter of the tests had ended follows from the campaign's plot, which has a row every few seconds: it says little about
//! campaigns that are much shorter than a minute.
//!
//! The clock is tests, of all four together, and processor time is told besides: a busy machine changes neither much. Only the limit
//! of a hunt is real time.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use mutagen_bugs::Bug;
use mutagen_campaign::Spec;
use serde_json::Value;

/// How many workers there are.
const JOBS: &str = "4";

/// With sharing and without: what that is called, and its flags.
const MODES: [(&str, &[&str]); 3] =
    [("alone", &[]), ("share", &["--share"]), ("share, all mutants", &["--share", "--mutate-one-of", "1"])];

/// What came of one run of the program.
struct Ran {
    /// The object that it prints.
    told: Value,
    /// The processor time of all its processes.
    processor: Duration,
}

impl Ran {
    fn number(&self, field: &str) -> f64 {
        self.told[field].as_f64().expect("a number")
    }
}

/// Runs the program, which cargo puts beside the directory of this one.
fn run(words: &[&str]) -> Ran {
    let own = std::env::current_exe().expect("this program");
    let program = own.ancestors().nth(2).expect("two levels below the target directory").join("mutagen-wasm");
    let before = processor_of_children();
    let output = Command::new(program).args(words).output().expect("the program can be run");
    let told = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {words:?}: {}", String::from_utf8_lossy(&output.stderr)));
    Ran { told, processor: processor_of_children() - before }
}

/// The processor time of all processes that were started here and have ended, with theirs.
fn processor_of_children() -> Duration {
    let told = std::fs::read_to_string("/proc/self/stat").expect("a system with /proc");
    let (_, behind_name) = told.rsplit_once(") ").expect("the name is in parentheses");
    // The fields `cutime` and `cstime`, in hundredths of a second.
    let ticks =
        behind_name.split(' ').skip(13).take(2).filter_map(|word| word.parse::<u64>().ok()).sum::<u64>();
    Duration::from_millis(10 * ticks)
}

/// The files below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// How many probes the modules reach that were stored until then, if the target does with them what it does in the campaign.
fn reached(command: &str, corpus: &Path, until: SystemTime) -> f64 {
    let early = tempfile::tempdir().expect("a directory can be made");
    for file in files(corpus) {
        let stored = file.metadata().and_then(|found| found.modified()).expect("it has a time");
        let name = file.file_name().filter(|_| stored <= until && file.extension() == Some("wasm".as_ref()));
        if let Some(name) = name {
            std::fs::copy(&file, early.path().join(name)).expect("it can be copied");
        }
    }
    let (early, only) =
        (early.path().display().to_string(), (command == "validate").then_some("--validate-only"));
    let ran = run(&["coverage", &early, "--json"].into_iter().chain(only).collect::<Vec<_>>());
    ran.told["probes"]["reached"].as_f64().expect("a number")
}

/// When so many tests had ended, in seconds since the start, by the plot of the campaign.
fn seconds_at(tests: f64, plot: &Path) -> f64 {
    let text = std::fs::read_to_string(plot).expect("there is a plot");
    let rows = text.lines().filter_map(|line| {
        let mut words = line.split(',').map(|word| word.parse::<f64>().ok());
        Some((words.next()??, words.next()??))
    });
    let mut before = (0.0, 0.0);
    for (seconds, done) in rows {
        if done >= tests && done > before.1 {
            return before.0 + (seconds - before.0) * (tests - before.1) / (done - before.1);
        }
        before = (seconds, done);
    }
    before.0
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let at = |place: usize| numbers.get(place).copied().unwrap_or(f64::NAN);
    (at(numbers.len().saturating_sub(1) / 2) + at(numbers.len() / 2)) / 2.0
}

/// What a campaign has reached after a quarter of its tests, half of them, and all.
fn campaign(command: &str, seed: u64, tests: u64, flags: &[&str]) -> ([f64; 3], Ran) {
    let directory = tempfile::tempdir().expect("a directory can be made");
    let out = directory.path().join("out");
    let (seed, all, out_word) = (seed.to_string(), tests.to_string(), out.display().to_string());
    let started = SystemTime::now();
    let words = [command, "-j", JOBS, "--seed", &seed, "--tests", &all, "-o", &out_word, "--json", "-q"];
    let ran = run(&[&words, flags].concat());
    let part = |part: f64| {
        let seconds = seconds_at(part * tests as f64, &out.join("plot.csv"));
        reached(command, &out.join("corpus"), started + Duration::from_secs_f64(seconds))
    };
    let parts = [part(0.25), part(0.5), reached(command, &out.join("corpus"), SystemTime::now())];
    (parts, ran)
}

fn edges(command: &str, seeds: Range<u64>, tests: u64) {
    println!("| seed | workers | received | processor | a quarter of the tests | half | {tests} |");
    println!("|---|---|---|---|---|---|---|");
    let mut reached = MODES.map(|_| Vec::new());
    let count = seeds.end - seeds.start;
    for seed in seeds {
        for ((name, flags), reached) in MODES.iter().zip(&mut reached) {
            let (parts, ran) = campaign(command, seed, tests, flags);
            let (received, processor) = (ran.told["shared"]["received"].as_u64().unwrap_or(0), ran.processor);
            let [quarter, half, all] = parts;
            println!(
                "| {seed} | {name} | {received} | {:.1} s | {quarter} | {half} | {all} |",
                processor.as_secs_f64()
            );
            reached.push(parts);
        }
    }
    println!("\n| workers | a quarter of the tests | half | {tests} |\n|---|---|---|---|");
    for ((name, _), parts) in MODES.iter().zip(&reached) {
        let cell = |at: usize| {
            let ahead = parts.iter().zip(&reached[0]).filter(|(own, alone)| own[at] > alone[at]).count();
            format!(
                "{}, ahead {ahead} of {count} times",
                median(parts.iter().map(|parts| parts[at]).collect())
            )
        };
        println!("| {name} | {} | {} | {} |", cell(0), cell(1), cell(2));
    }
}

fn bugs(names: &str, seeds: Range<u64>, seconds: u64) {
    let count = seeds.end - seeds.start;
    println!("| bug | workers | found | median tests | median processor time |\n|---|---|---|---|---|");
    for bug in names.split(',') {
        let spec = Spec::hunting(&Bug::find(bug).expect("there is such a bug")).expect("it is no fix");
        let command = spec.command_line();
        for (name, flags) in &MODES[..2] {
            let trial = |seed: u64| {
                let (seed, time) = (seed.to_string(), format!("{seconds}s"));
                let fixed = ["-j", JOBS, "--seed", &seed, "--time", &time, "--json", "-q"];
                let words: Vec<&str> =
                    command.split(' ').skip(1).chain(fixed).chain(flags.iter().copied()).collect();
                let ran = run(&words);
                // Who found nothing counts as later than all who did.
                (ran.told["outcome"] == "finding").then(|| (ran.number("tests"), ran.processor.as_secs_f64()))
            };
            let trials: Vec<_> = seeds.clone().map(trial).collect();
            let found = trials.iter().flatten().count();
            let of = |part: fn((f64, f64)) -> f64| {
                median(trials.iter().map(|one| one.map_or(f64::INFINITY, part)).collect())
            };
            println!(
                "| {bug} | {name} | {found}/{count} | {:.0} | {:.1} s |",
                of(|one| one.0),
                of(|one| one.1)
            );
        }
    }
}

/// The seeds that a word names.
fn seeds(word: &str) -> Option<Range<u64>> {
    let (first, end) = word.split_once("..").unwrap_or(("0", word));
    Some(first.parse().ok()?..end.parse().ok()?)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let limit = words.get(3).and_then(|word| word.parse().ok());
    match (words.first().map(String::as_str), words.get(1), words.get(2).and_then(|word| seeds(word)), limit)
    {
        (Some("edges"), Some(command), Some(seeds), Some(tests)) => edges(command, seeds, tests),
        (Some("bugs"), Some(names), Some(seeds), Some(seconds)) => bugs(names, seeds, seconds),
        _ => eprintln!("say: edges validate|interpret SEEDS TESTS, or bugs BUG,BUG SEEDS SECONDS"),
    }
}

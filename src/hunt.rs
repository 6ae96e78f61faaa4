//! Running a campaign and telling what came of it: what all campaign commands share.

use std::hash::Hash;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use mutagen_engine::{Campaign, Cost, Event, Mutable, Property, Report, Scope, Source, StopReason, Strategy};
use serde_json::{Value, json};

use crate::exit_code::{Code, Failure};
use crate::flags::CampaignFlags;
use crate::progress::{Counts, Progress};
use crate::say;

/// How many events are kept where long runs are what is looked for: 16 MiB of them.
const LONG_TRACES: usize = 1 << 22;

/// What is hunted, and how.
pub struct Hunt<'a> {
    /// The command, for the report.
    pub command: &'a str,
    /// The property's name.
    pub property: &'a str,
    /// The injected bug.
    pub bug: Option<&'a str>,
    /// The flags.
    pub flags: &'a CampaignFlags,
    /// Settings for generators and mutators.
    pub scope: Scope,
    /// Makes the strategy of the flags suit what is tested.
    pub suit: fn(Strategy) -> Strategy,
}

impl Hunt<'_> {
    /// Runs the campaign.
    pub fn run<T, P>(
        &self,
        generate: impl Fn(&mut Source, usize) -> T + Clone + Sync + 'static,
        property: impl Fn() -> P + Sync,
    ) -> Result<Report<T>, Failure>
    where
        T: Mutable + Clone + Hash + Send + Sync,
        P: Property<T>,
    {
        self.run_with(Vec::new(), |_| (), |_| (), generate, property)
    }

    /// Runs the campaign with `examples` first. Hands on what the guidance keeps, and now and then how far it is.
    pub fn run_with<T, P>(
        &self,
        examples: Vec<T>,
        keep: impl Fn(&T) + Send,
        store: impl Fn(&Counts) + Send,
        generate: impl Fn(&mut Source, usize) -> T + Clone + Sync + 'static,
        property: impl Fn() -> P + Sync,
    ) -> Result<Report<T>, Failure>
    where
        T: Mutable + Clone + Hash + Send + Sync,
        P: Property<T>,
    {
        let strategy = (self.suit)(self.flags.search()?.strategy().clone());
        let mut progress = Progress::new(self.flags.quiet, store);
        let mut campaign = Campaign::new(self.flags.seed)
            .interrupt(interrupt_flag()?)
            .examples(examples)
            .events(move |event| {
                progress.follow(&event);
                if let Event::Interesting { value, .. } = event {
                    keep(value);
                }
            });
        if strategy.maximises() == Some(Cost::Probes) {
            campaign = campaign.trace_capacity(LONG_TRACES);
        }
        if let Some(tests) = self.flags.tests {
            campaign = campaign.tests(tests);
        }
        if let Some(time) = self.flags.time_budget() {
            campaign = campaign.time(time);
        }
        Ok(campaign.run_jobs(self.flags.jobs.into(), |worker| {
            (strategy.guidance(worker.seed, self.scope.clone(), generate.clone()), property())
        }))
    }

    /// The JSON object that every campaign ends with, still without its finding.
    pub fn json<T>(&self, report: &Report<T>) -> Value {
        json!({
            "command": self.command,
            "property": self.property,
            "bug": self.bug,
            "guidance": self.flags.guidance,
            "preset": self.flags.preset,
            "switches": self.flags.switches,
            "seed": self.flags.seed,
            "jobs": self.flags.jobs,
            "outcome": outcome(report),
            "stop_reason": stop_reason(report.stop),
            "tests": report.tests,
            "passed": report.passed,
            "discarded": report.discarded,
            "seconds": report.seconds,
            "tests_per_second": report.tests_per_second(),
            "labels": report.labels,
            "figures": report.figures,
            "truncated_traces": report.truncated_traces,
        })
    }

    /// One paragraph for people.
    pub fn summary<T>(&self, report: &Report<T>) -> String {
        let mut text = format!(
            "{}; {:.3} s ({:.0}/s); stopped: {}",
            report.short(),
            report.seconds,
            report.tests_per_second(),
            stop_reason(report.stop)
        );
        if self.flags.verbose {
            let figures = report.figures.counts.iter().chain(&report.figures.levels).chain(&report.labels);
            for (name, number) in figures {
                text += &format!("\n  {name:<32} {number:>12}");
            }
            text += &format!("\n  switches: {}", report.figures.switches.join(" "));
        }
        text
    }

    /// Says what was found, or that nothing was.
    pub fn tell(&self, shown: impl std::fmt::Display, json: &Value) -> Result<(), Failure> {
        if self.flags.json { say::out(json) } else { say::out(shown) }
    }
}

/// The command that gives the same campaign again: that of this run, written for a shell.
pub fn again() -> String {
    words().iter().fold("mutagen-wasm".to_owned(), |command, word| command + " " + &quoted(word))
}

/// The words of this run's command line. What is no text is made one.
pub fn words() -> Vec<String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=,.:/+@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// How the program ends after this campaign.
pub fn code<T>(report: &Report<T>) -> Code {
    match report.stop {
        _ if report.failed > 0 => Code::Finding,
        StopReason::Interrupted => Code::Interrupted,
        StopReason::GaveUp(_) => Code::Unusable,
        _ => Code::Fine,
    }
}

fn outcome<T>(report: &Report<T>) -> &'static str {
    match code(report) {
        Code::Finding => "finding",
        Code::Interrupted => "interrupted",
        Code::Unusable => "gave_up",
        _ => "passed",
    }
}

/// Why a campaign ended, in words.
pub fn stop_reason(stop: StopReason) -> &'static str {
    match stop {
        StopReason::TestsDone => "all tests done",
        StopReason::TimeUp => "time is up",
        StopReason::Found => "found",
        StopReason::GaveUp(_) => "too many tests were discarded",
        StopReason::Interrupted => "interrupted",
        StopReason::Exhausted => "everything was tested",
    }
}

/// Set by Ctrl-C and its kin. The second one ends the program at once.
pub fn interrupt_flag() -> Result<Arc<AtomicBool>, Failure> {
    static FLAG: OnceLock<Result<Arc<AtomicBool>, String>> = OnceLock::new();
    let install = || {
        let flag = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&flag);
        let handler = move || {
            if seen.swap(true, Ordering::Relaxed) {
                std::process::exit(Code::Interrupted.number().into());
            }
        };
        ctrlc::set_handler(handler).map(|()| flag).map_err(|error| error.to_string())
    };
    FLAG.get_or_init(install)
        .clone()
        .map_err(|error| Failure::new(Code::Internal, format!("cannot listen for Ctrl-C: {error}")))
}

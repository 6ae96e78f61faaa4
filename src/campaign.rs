//! `mutagen-wasm campaign`: looks at a campaign of several workers.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use mutagen_bench::Queue;
use mutagen_campaign::store::files::{create, write};
use mutagen_campaign::{Finding, Sharing, Status};
use mutagen_engine::stable;
use mutagen_exchange::{Board, Progress, Told, Topic};
use serde_json::json;

use crate::exit_code::{Code, CommandError};
use crate::meeting::MeetingFlags;
use crate::say;

/// A worker that has said nothing for so long is counted as silent.
const SILENT: Duration = Duration::from_secs(30);
/// How every module begins. Other tests are pairs of states, as JSON.
const MODULE: &[u8] = b"\0asm";

/// Looks at a campaign that workers share through a directory or a NATS server
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Shows the workers, what they found, and when they were heard of last
    #[command(after_help = "Examples:\n  mutagen-wasm campaign status --sync shared\n  \
        mutagen-wasm campaign status --hub nats://10.0.0.1:4222 --hub-secret token --campaign nightly")]
    Status(StatusArguments),
    /// Lists the findings, one of each shape, and stores them
    #[command(after_help = "Examples:\n  mutagen-wasm campaign findings --sync shared -o found\n\n\
        Exit status:\n  0    there are none\n  1    there are findings")]
    Findings(FetchArguments),
    /// Stores the tests that showed something new: modules, or pairs of states
    #[command(after_help = "Examples:\n  mutagen-wasm campaign corpus --sync shared -o corpus")]
    Corpus(FetchArguments),
    /// Stops all workers, and those that join later
    #[command(after_help = "Examples:\n  mutagen-wasm campaign stop --sync shared")]
    Stop(StopArguments),
}

#[derive(Args)]
struct StatusArguments {
    #[command(flatten)]
    meeting: MeetingFlags,

    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct FetchArguments {
    #[command(flatten)]
    meeting: MeetingFlags,

    /// The directory for the files; without one, they are only counted or listed
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

#[derive(Args)]
struct StopArguments {
    #[command(flatten)]
    meeting: MeetingFlags,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Code, CommandError> {
    match &arguments.command {
        Command::Status(arguments) => status(arguments),
        Command::Findings(arguments) => findings(arguments),
        Command::Corpus(arguments) => corpus(arguments),
        Command::Stop(arguments) => stop(arguments),
    }
}

/// What somebody has joined.
enum Joined {
    /// A campaign that shares tests and findings.
    Campaign(Box<dyn Board>),
    /// Cells of a benchmark, or of a kill matrix.
    Cells(Progress),
}

/// What somebody has joined in this place under this name.
fn joined(sharing: &Sharing) -> Result<Joined, CommandError> {
    let board = sharing.place.board(&sharing.campaign).map_err(unusable)?;
    let Some(terms) = board.terms().map_err(unusable)? else {
        let why = format!("there is no campaign `{}` in {}", sharing.campaign, sharing.place);
        return Err(CommandError::new(Code::Unusable, why));
    };
    if terms.get("plan").is_none() {
        return Ok(Joined::Campaign(board));
    }
    let queue = Queue::stored(sharing)?;
    Ok(Joined::Cells(queue.map(|queue| queue.progress()).transpose()?.unwrap_or_default()))
}

/// A campaign that shares tests and findings.
fn board(meeting: &MeetingFlags) -> Result<Box<dyn Board>, CommandError> {
    let sharing = meeting.required()?;
    match joined(&sharing)? {
        Joined::Campaign(board) => Ok(board),
        Joined::Cells(_) => {
            let why = format!(
                "`{}` in {} is a benchmark or a kill matrix, whose workers exchange no tests and stop by themselves; \
                 its results: bench report, or refine once more",
                sharing.campaign, sharing.place
            );
            Err(CommandError::new(Code::Unusable, why))
        }
    }
}

fn unusable(error: mutagen_exchange::Error) -> CommandError {
    mutagen_campaign::Error::from(error).into()
}

/// What a worker said, and how long ago.
struct Worker {
    told: Told,
    status: Status,
}

impl Worker {
    fn read(told: Told) -> Self {
        let status = serde_json::from_str(&told.status).unwrap_or_default();
        Worker { told, status }
    }

    fn state(&self) -> &'static str {
        match self.status.ended {
            true => "ended",
            false if self.told.age > SILENT => "silent",
            false => "running",
        }
    }

    fn speed(&self) -> f64 {
        let seconds = self.status.progress.seconds;
        if seconds > 0.0 { self.status.progress.tests as f64 / seconds } else { 0.0 }
    }

    fn line(&self) -> String {
        format!(
            "{:<44} {:<8} {:>12} tests {:>9.0}/s, last news {} s ago",
            self.told.worker,
            self.state(),
            self.status.progress.tests,
            self.speed(),
            self.told.age.as_secs()
        )
    }
}

fn status(arguments: &StatusArguments) -> Result<Code, CommandError> {
    let board = match joined(&arguments.meeting.required()?)? {
        Joined::Campaign(board) => board,
        Joined::Cells(Progress { all, done }) => {
            let told = match arguments.json {
                true => json!({ "cells": all, "cells_done": done }).to_string(),
                false => format!("{done} of {all} cells have a result"),
            };
            say::out(told)?;
            return Ok(Code::Fine);
        }
    };
    let told = board.workers().map_err(unusable)?;
    let workers: Vec<Worker> = told.into_iter().map(Worker::read).collect();
    let corpus = board.count(Topic::Test).map_err(unusable)?;
    let findings = board.count(Topic::Finding).map_err(unusable)?;
    let is_stopped = board.is_stopped().map_err(unusable)?;
    let running = workers.iter().filter(|worker| worker.state() == "running");
    let (count, speed) =
        (running.clone().count(), running.map(Worker::speed).fold(0.0, |sum, speed| sum + speed));
    let tests: u64 = workers.iter().map(|worker| worker.status.progress.tests).sum();
    if arguments.json {
        let each = workers.iter().map(|worker| {
            json!({
                "worker": worker.told.worker, "state": worker.state(), "jobs": worker.status.jobs,
                "tests": worker.status.progress.tests, "tests_per_second": worker.speed(),
                "last_news": worker.told.age.as_secs_f64(),
            })
        });
        say::out(json!({
            "running": count, "tests": tests, "tests_per_second": speed, "corpus": corpus, "findings": findings,
            "stopped": is_stopped, "workers": each.collect::<Vec<_>>(),
        }))?;
        return Ok(Code::Fine);
    }
    let mut lines: Vec<String> = workers.iter().map(Worker::line).collect();
    let stopped = if is_stopped { "; stopped" } else { "" };
    lines.push(format!(
        "{count} running, {tests} tests, {speed:.0}/s; {corpus} tests in the corpus; {findings} findings{stopped}"
    ));
    say::out(lines.join("\n"))?;
    Ok(Code::Fine)
}

fn findings(arguments: &FetchArguments) -> Result<Code, CommandError> {
    let entries = board(&arguments.meeting)?.entries(Topic::Finding).map_err(unusable)?;
    let mut lines = Vec::new();
    for entry in &entries {
        let Ok(finding) = serde_json::from_slice::<Finding>(&entry.bytes) else {
            say::note(format!("left out {:016x}: it is no finding of this version", entry.key));
            continue;
        };
        lines.push(format!("{}: {}", finding.file_name(), finding.message()));
        if let Some(directory) = &arguments.output {
            store(directory, &format!("{}.json", finding.file_name()), &entry.bytes)?;
        }
    }
    lines.push(format!("{} findings", lines.len()));
    let is_found = lines.len() > 1;
    say::out(lines.join("\n"))?;
    Ok(if is_found { Code::Finding } else { Code::Fine })
}

fn corpus(arguments: &FetchArguments) -> Result<Code, CommandError> {
    let entries = board(&arguments.meeting)?.entries(Topic::Test).map_err(unusable)?;
    if let Some(directory) = &arguments.output {
        for entry in &entries {
            let kind = if entry.bytes.starts_with(MODULE) { "wasm" } else { "json" };
            store(directory, &format!("{:016x}.{kind}", stable::hash(&entry.bytes)), &entry.bytes)?;
        }
    }
    say::out(format!("{} tests", entries.len()))?;
    Ok(Code::Fine)
}

fn store(directory: &Path, name: &str, content: &[u8]) -> Result<(), CommandError> {
    create(directory)?;
    Ok(write(&directory.join(name), content)?)
}

fn stop(arguments: &StopArguments) -> Result<Code, CommandError> {
    board(&arguments.meeting)?.stop().map_err(unusable)?;
    say::note("the workers stop within seconds");
    Ok(Code::Fine)
}

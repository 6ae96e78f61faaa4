//! `bench plan`: shows what would be run.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use mutagen_bench::{CellStore, Plan, PlannedStrategy, Shard, Suite, Unknown, Wish};

use crate::exit_code::{Code, CommandError};
use crate::{flags, say};

/// The suite of a plan that does not name one.
const DEFAULT_SUITE: &str = "smoke";

/// Shows which cells there are: task x strategy x trial, each with its seed
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm bench plan\n  \
    mutagen-wasm bench plan --suite paper-ifc --shard 0/3\n  \
    mutagen-wasm bench plan --task 'wasm-*' --strategy mutagen:10 --strategy random:3 --time 20s -o results\n\n\
    Suites:\n  \
    smoke        a few bugs of every workload, in two minutes on two cores\n  \
    paper-wasm   the WebAssembly study of the MUTAGEN paper (Table 2, Fig. 4)\n  \
    paper-ifc    the stack machine of the MUTAGEN and FuzzChick papers (Tables 3 and 4, Fig. 3)\n  \
    register     the register machine of the FuzzChick paper (Fig. 9)\n  \
    held-out     bugs of our own, first hunted when the defaults stood\n  \
    all          every bug and every guidance\n\n\
    Generators, which a strategy names like a switch, as in random,generator=smart:\n  \
    copy, independent, smart  of the IFC machines\n  \
    derived, typed, repaired  of single functions, for the bugs of the interpreter")]
pub struct Arguments {
    /// Only part K of N of the cells; K counts from 0
    #[arg(long, value_name = "K/N", default_value = "0/1", hide_default_value = true)]
    shard: Shard,

    /// Prints the plan as JSON
    #[arg(long)]
    json: bool,

    /// Stores the plan in this directory, ready for `bench run`
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    #[command(flatten)]
    plan: PlanFlags,
}

/// The flags that describe a plan.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Plan")]
pub struct PlanFlags {
    /// A ready-made plan; `bench plan --help` lists them [default: smoke]
    #[arg(long, value_name = "NAME", value_parser = suite)]
    suite: Option<&'static Suite>,

    /// Tasks instead of the suite's, by bug id; `*` and `?` are wildcards. May be repeated
    #[arg(long = "task", value_name = "PATTERN")]
    tasks: Vec<String>,

    /// Strategies instead of the suite's, such as `mutagen/paper,no-reset`, `random,generator=smart` or
    /// `random:3` for 3 trials; a strategy with a generator hunts only the bugs that the generator is for.
    /// May be repeated
    #[arg(long = "strategy", value_name = "NAME[:TRIALS]", value_parser = strategy)]
    strategies: Vec<PlannedStrategy>,

    /// The number of trials of every strategy that does not state its own
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    trials: Option<u32>,

    /// The time limit of a trial, such as `20s` or `5m`
    #[arg(long, value_name = "TIME", value_parser = flags::duration)]
    time: Option<Duration>,
}

fn suite(name: &str) -> Result<&'static Suite, String> {
    Suite::find(name).map_err(|unknown| unknown.to_string())
}

fn strategy(text: &str) -> Result<PlannedStrategy, String> {
    text.parse().map_err(|unknown: Unknown| unknown.to_string())
}

impl PlanFlags {
    /// Whether any of these flags is given.
    pub fn are_given(&self) -> bool {
        let wish = self.wish();
        self.suite.is_some() || wish != Wish::default()
    }

    fn wish(&self) -> Wish {
        Wish {
            tasks: self.tasks.clone(),
            strategies: self.strategies.clone(),
            trials: self.trials,
            time: self.time,
        }
    }

    /// The plan that the flags describe.
    pub fn plan(&self) -> Result<Plan, CommandError> {
        let suite = self.suite.map_or_else(|| Suite::find(DEFAULT_SUITE), Ok).map_err(CommandError::usage)?;
        Plan::of(suite, &self.wish()).map_err(CommandError::usage)
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Code, CommandError> {
    let plan = arguments.plan.plan()?;
    if let Some(directory) = &arguments.output {
        CellStore::at(directory).keep_plan(&plan)?;
    }
    let cells = plan.cells_of(arguments.shard);
    if arguments.json {
        say::out(serde_json::json!({ "plan": plan, "cells": cells }))?;
        return Ok(Code::Fine);
    }
    for cell in &cells {
        say::out(format!(
            "{:<14} {:<28} trial {:<3} seed {}",
            cell.task, cell.strategy, cell.trial, cell.seed
        ))?;
    }
    let longest = Duration::from_secs_f64((cells.len() as f64 * plan.limit).ceil());
    say::note(format!(
        "{} cells with a limit of {} s each: at most {} one at a time",
        cells.len(),
        plan.limit,
        humantime::format_duration(longest)
    ));
    Ok(Code::Fine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Command;
    use mutagen_bench::NamedGenerator;

    fn help() -> String {
        Arguments::augment_args(Command::new("plan")).get_after_help().expect("there is one").to_string()
    }

    #[test]
    fn the_help_lists_every_suite_and_what_it_is_for() {
        let help = help();
        for suite in Suite::all() {
            assert!(help.contains(&format!("{:<12} {}", suite.name, suite.about)), "{}", suite.name);
        }
    }

    #[test]
    fn the_help_lists_every_generator() {
        let help = help();
        let (_, listed) = help.split_once("Generators").expect("they are listed");
        let words: Vec<&str> = listed.split([' ', ',', '\n']).collect();
        for generator in NamedGenerator::all() {
            assert!(words.contains(&generator.name()), "{}", generator.name());
        }
    }
}

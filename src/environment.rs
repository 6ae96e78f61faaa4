//! Environment variables: `MUTAGEN_SOME_FLAG` stands for `--some-flag`, in every command but `run`. Those that say where results
//! go stand for flags of campaigns alone: `MUTAGEN_OUTPUT` must not make `cmin` copy, nor `report` write over a campaign.
//!
//! What a flag says goes before what the environment says. `run` has all of its settings from a file, and so have the processes
//! of a benchmark, which start it: no variable may change what they do.

use std::collections::BTreeSet;
use std::ffi::OsString;

use clap::builder::BoolishValueParser;
use clap::{Arg, ArgAction, Command};
use mutagen_bugs::{did_you_mean, nearest};

/// How the names of all variables begin.
const PREFIX: &str = "MUTAGEN_";

/// The commands that read no variables. Those below others do, such as `bench run`.
const WITHOUT: [&str; 1] = ["run"];

/// The commands that run campaigns, unless they are given modules to judge.
const CAMPAIGNS: [&str; 3] = ["validate", "interpret", "ifc"];

/// Flags that have a meaning of their own in every command, of which the variable has that of campaigns.
const OF_CAMPAIGNS: [&str; 2] = ["output", "serve"];

/// Flags that are refused where modules are judged, and no campaign is run.
const NOT_WITH_FILES: [&str; 10] =
    ["json", "output", "known", "input", "share", "sync", "hub", "serve", "resume", "fresh"];

/// Flags of which the last on the command line counts. If one of them is there, no variable speaks for the other.
const OPPOSITES: [[&str; 2]; 2] = [["keep-going", "no-keep-going"], ["sync", "hub"]];

/// Variables that are known besides those of flags: of builds, of `cargo mutagen`, of properties and of this project's tests.
const OTHERS: [&str; 6] = [
    "MUTAGEN_EXTRA_BUGS",
    "MUTAGEN_BROWSER",
    "MUTAGEN_NATS_SERVER",
    "MUTAGEN_EXTERNAL_MODULES",
    "MUTAGEN_INNER_WRAPPER",
    "MUTAGEN_REQUEST",
];
/// The beginnings of the names of more such variables.
const OTHER_BEGINNINGS: [&str; 3] = ["MUTAGEN_WEAV", "MUTAGEN_TEST_", "MUTAGEN_TRACES_"];

/// The command line with a variable for every flag. `words` are those of the command line.
pub fn with_variables(command: Command, words: &[OsString]) -> Command {
    let given: BTreeSet<&str> = words.iter().filter_map(|word| word.to_str()?.strip_prefix("--")).collect();
    let opposed = OPPOSITES.into_iter().filter(|pair| pair.iter().any(|flag| given.contains(flag))).flatten();
    let unused: &[&str] = if judges_files(&command, words) { &NOT_WITH_FILES } else { &[] };
    let silent: BTreeSet<&str> = opposed.chain(unused.iter().copied()).collect();
    with_flags(command, &silent, false).mut_subcommands(|subcommand| match subcommand.get_name() {
        name if WITHOUT.contains(&name) => subcommand,
        _ => below(subcommand, &silent, false),
    })
}

/// Whether a command that runs campaigns is given modules to judge instead.
fn judges_files(command: &Command, words: &[OsString]) -> bool {
    let Ok(matches) = command.clone().try_get_matches_from(words) else { return false };
    matches.subcommand().is_some_and(|(name, matches)| {
        CAMPAIGNS.contains(&name) && matches.try_contains_id("files").is_ok_and(|given| given)
    })
}

fn below(command: Command, silent: &BTreeSet<&str>, is_campaign: bool) -> Command {
    if command.is_hide_set() {
        return command;
    }
    let is_campaign = is_campaign || CAMPAIGNS.contains(&command.get_name());
    with_flags(command, silent, is_campaign)
        .mut_subcommands(|subcommand| below(subcommand, silent, is_campaign))
}

/// The command with a variable for each flag of its own.
fn with_flags(command: Command, silent: &BTreeSet<&str>, is_campaign: bool) -> Command {
    let is_silent = |flag: &str| silent.contains(flag) || !is_campaign && OF_CAMPAIGNS.contains(&flag);
    command.mut_args(|arg| match variable(&arg) {
        Some(name) if !arg.get_long().is_some_and(is_silent) => read_from(arg, name),
        _ => arg,
    })
}

fn read_from(arg: Arg, name: String) -> Arg {
    // Clap keeps names for as long as the program runs.
    let arg = arg.env(&*name.leak()).hide_env(true);
    match arg.get_action() {
        // `1`, `yes` and `on` are as good as `true`.
        ArgAction::SetTrue => arg.value_parser(BoolishValueParser::new()),
        _ => arg,
    }
}

/// The name of the variable of a flag.
fn variable(arg: &Arg) -> Option<String> {
    let long = arg.get_long().filter(|long| !["help", "version"].contains(long))?;
    (!arg.is_hide_set()).then(|| format!("{PREFIX}{}", long.to_uppercase().replace('-', "_")))
}

/// One warning for each variable that looks like ours and is not known.
pub fn warnings(command: &Command, variables: impl Iterator<Item = OsString>) -> Vec<String> {
    let mut known: BTreeSet<String> = OTHERS.into_iter().map(str::to_owned).collect();
    add_known(command, &mut known);
    let ours = variables.filter_map(|name| name.into_string().ok()).filter(|name| name.starts_with(PREFIX));
    let unknown: BTreeSet<String> = ours
        .filter(|name| !known.contains(name) && !OTHER_BEGINNINGS.iter().any(|start| name.starts_with(start)))
        .collect();
    let words = || known.iter().map(|name| name[PREFIX.len()..].to_lowercase());
    let warning = |name: &String| {
        let near =
            nearest(&name[PREFIX.len()..], words()).map(|word| format!("{PREFIX}{}", word.to_uppercase()));
        let offer = did_you_mean(near.as_deref());
        format!("warning: the environment variable {name} is unknown, and ignored{offer}")
    };
    unknown.iter().map(warning).collect()
}

fn add_known(command: &Command, known: &mut BTreeSet<String>) {
    known.extend(command.get_arguments().filter_map(variable));
    command.get_subcommands().for_each(|subcommand| add_known(subcommand, known));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command() -> Command {
        let flag = |name| Arg::new(name).long(name).action(ArgAction::SetTrue);
        let set = Command::new("some").args([Arg::new("max-tests").long("max-tests"), flag("quick")]);
        let bench = Command::new("bench").subcommand(Command::new("run").arg(flag("only")));
        let run = Command::new("run").arg(flag("json"));
        Command::new("program").subcommand(set).subcommand(run).subcommand(bench)
    }

    #[test]
    fn only_variables_that_no_flag_has_are_warned_of() {
        let set = ["MUTAGEN_MAX_TEST", "MUTAGEN_QUICK", "MUTAGEN_EXTRA_BUGS", "MUTAGEN_WEAVING", "PATH"];
        let said = warnings(&command(), set.into_iter().map(OsString::from));
        assert_eq!(
            said,
            [
                "warning: the environment variable MUTAGEN_MAX_TEST is unknown, and ignored; did you mean `MUTAGEN_MAX_TESTS`?"
            ]
        );
    }

    #[test]
    fn every_flag_but_those_of_run_has_a_variable() {
        let command = with_variables(command(), &[]);
        let variables = |name: &str| {
            let found = command.find_subcommand(name).expect("it is there");
            found.get_arguments().filter_map(|arg| arg.get_env()?.to_str()).collect::<Vec<_>>()
        };
        assert_eq!(variables("some"), ["MUTAGEN_MAX_TESTS", "MUTAGEN_QUICK"]);
        assert!(variables("run").is_empty());
        let bench = command.find_subcommand("bench").and_then(|bench| bench.find_subcommand("run"));
        assert!(bench.is_some_and(|run| run.get_arguments().any(|arg| arg.get_env().is_some())));
    }
}

//! The command line of mutagen-wasm as a library: clap, printing and exit codes, one file per subcommand.
//!
//! To use the whole program with an engine of your own, register the engine:
//!
//! ```no_run
//! use mutagen_oracles::{EngineEntry, Registry, Wasmi};
//!
//! fn main() -> std::process::ExitCode {
//!     // In place of wasmi stands whatever implements `Engine`.
//!     let mine = EngineEntry::new("mine", "0.1.0", |settings| Ok(Box::new(Wasmi::new(settings))));
//!     mutagen_wasm::main_with(Registry::default().with(mine))
//! }
//! ```

mod bench;
mod bugs;
mod campaign;
mod cmin;
mod completions;
mod coverage;
mod engines;
mod environment;
mod exit_code;
mod files;
mod flags;
mod hunt;
mod ifc;
mod interpret;
mod invoke;
mod man;
mod meeting;
mod predicate;
mod progress;
mod refine;
mod replay;
mod report;
mod run;
mod say;
mod seed;
mod seeds;
mod serve_engine;
mod show;
mod showing;
mod shrink;
mod signals;
mod tell;
mod validate;
mod watching;
mod worker;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use mutagen_oracles::Registry;

use exit_code::{Code, CommandError};

/// Differential testing of WebAssembly engines by exhaustive, coverage-guided, typed mutation.
///
/// Tests an engine as published, woven with coverage probes and switchable bugs, against another. `mutagen-wasm engines`
/// lists them. The environment variable `MUTAGEN_SOME_FLAG` stands for `--some-flag`, in every command but `run`.
#[derive(Parser)]
#[command(name = "mutagen-wasm", version, max_term_width = 100, after_help = Code::help())]
struct Arguments {
    #[command(subcommand)]
    command: Command,

    /// Starts the commands of engines `process:COMMAND` that files name, such as findings and specs, and not only those that the
    /// command line names
    #[arg(long, global = true, help_heading = "Trust")]
    trust_commands: bool,
}

#[derive(Subcommand)]
enum Command {
    Validate(validate::Arguments),
    Interpret(interpret::Arguments),
    Ifc(ifc::Arguments),
    Run(run::Arguments),
    Bugs(bugs::Arguments),
    Engines(engines::Arguments),
    Bench(bench::Arguments),
    Refine(refine::Arguments),
    Replay(replay::Arguments),
    Coverage(coverage::Arguments),
    Cmin(cmin::Arguments),
    Seeds(seeds::Arguments),
    Show(show::Arguments),
    Shrink(shrink::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
    #[command(name = mutagen_campaign::WORKER, hide = true)]
    Worker(worker::Arguments),
    #[command(name = mutagen_oracles::SERVE)]
    ServeEngine(serve_engine::Arguments),
    Report(report::Arguments),
    Campaign(campaign::Arguments),
}

/// Runs the program with these engines to choose from, and says how it ended.
pub fn main_with(engines: Registry) -> ExitCode {
    let arguments = match parse() {
        Ok(arguments) => arguments,
        Err(error) => return said_by_clap(&error),
    };
    signals::outlive_file_limits();
    if arguments.trust_commands {
        mutagen_oracles::trust_commands();
    }
    // A panic is a bug of this program. It is reported in one line, with its own exit code.
    std::panic::set_hook(Box::new(|panic| say::error(format!("internal error: {panic}"))));
    // Engines need a stack of known size.
    let guarded = || {
        let run = std::panic::AssertUnwindSafe(|| run(arguments.command, &engines));
        std::panic::catch_unwind(run).unwrap_or(Ok(Code::Internal))
    };
    let ended = mutagen_oracles::on_stack(guarded).unwrap_or_else(|error| {
        Err(CommandError::new(Code::Unusable, format!("no thread can be started: {error}")))
    });
    match ended {
        Ok(code) => code.into(),
        Err(CommandError { code, message }) => {
            say::error(message);
            code.into()
        }
    }
}

/// The description of the command line.
fn command_line() -> clap::Command {
    <Arguments as clap::CommandFactory>::command()
}

/// Reads the command line, and the environment for flags that are not there. A child of a benchmark does not repeat the warnings.
fn parse() -> Result<Arguments, clap::Error> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let matches = environment::with_variables(command_line(), &words).try_get_matches_from(&words)?;
    if !words.iter().any(|word| word == "--parent") {
        let names = std::env::vars_os().map(|(name, _)| name);
        environment::warnings(&command_line(), names).iter().for_each(say::note);
    }
    <Arguments as clap::FromArgMatches>::from_arg_matches(&matches)
}

fn run(command: Command, engines: &Registry) -> Result<Code, CommandError> {
    match command {
        Command::Validate(arguments) => validate::run(&arguments, engines),
        Command::Interpret(arguments) => interpret::run(&arguments, engines),
        Command::Ifc(arguments) => ifc::run(&arguments, engines),
        Command::Run(arguments) => run::run(&arguments, engines),
        Command::Bugs(arguments) => bugs::run(arguments),
        Command::Engines(arguments) => engines::run(&arguments, engines),
        Command::Bench(arguments) => bench::run(arguments, engines),
        Command::Refine(arguments) => refine::run(&arguments, engines),
        Command::Replay(arguments) => replay::run(&arguments, engines),
        Command::Coverage(arguments) => coverage::run(&arguments, engines),
        Command::Cmin(arguments) => cmin::run(&arguments, engines),
        Command::Seeds(arguments) => seeds::run(&arguments),
        Command::Show(arguments) => show::run(&arguments, engines),
        Command::Shrink(arguments) => shrink::run(&arguments, engines),
        Command::Completions(arguments) => completions::run(&arguments, engines),
        Command::Man(arguments) => man::run(&arguments),
        Command::Worker(arguments) => worker::run(arguments, engines),
        Command::ServeEngine(arguments) => serve_engine::run(&arguments, engines),
        Command::Report(arguments) => report::run(&arguments, engines),
        Command::Campaign(arguments) => campaign::run(&arguments),
    }
}

/// The spec that the words of an `ifc` command line describe. Earlier versions stored leaks as such words.
fn leak_spec(words: &[String]) -> Result<mutagen_campaign::Spec, CommandError> {
    let program = std::iter::once("mutagen-wasm");
    let parsed = Arguments::try_parse_from(program.chain(words.iter().map(String::as_str)));
    match parsed.map_err(|error| CommandError::new(Code::Unusable, one_line(&error.to_string())))?.command {
        Command::Ifc(arguments) => arguments.spec(),
        _ => Err(CommandError::new(Code::Unusable, "the finding is about no machine")),
    }
}

/// Prints help and version on standard output, with exit code 0. Everything else is a wrong command line, and
/// is reported in one line.
fn said_by_clap(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand as NoCommand;
    if !error.use_stderr() || error.kind() == NoCommand {
        // A failure to write this cannot be reported anywhere.
        let _ = error.print();
    } else {
        say::note(one_line(&error.to_string()));
    }
    if error.use_stderr() { Code::Usage.into() } else { Code::Fine.into() }
}

/// The error message, without the usage that follows it.
fn one_line(message: &str) -> String {
    let lines = message.lines().map(str::trim);
    let what =
        lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"));
    what.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ").replace(" tip: ", "; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    /// The campaign that a command line asks for.
    fn parsed(words: &[String]) -> mutagen_campaign::Spec {
        let words = std::iter::once("mutagen-wasm").chain(words.iter().map(String::as_str));
        let arguments = Arguments::try_parse_from(words).unwrap_or_else(|error| panic!("{error}"));
        let spec = match arguments.command {
            Command::Validate(arguments) => arguments.spec(&Registry::default()),
            Command::Interpret(arguments) => arguments.spec(&Registry::default()),
            Command::Ifc(arguments) => arguments.spec(),
            _ => panic!("this is no campaign"),
        };
        spec.unwrap_or_else(|error| panic!("{}", error.message))
    }

    #[test]
    fn the_command_line_of_a_spec_asks_for_that_spec() {
        let hunted = mutagen_bugs::Bug::all();
        let specs = hunted.iter().filter_map(mutagen_campaign::Spec::hunting).flat_map(|spec| {
            let strategies = ["mutagen", "mutagen/paper,no-reset,depth=5", "random", "zest", "smallcheck"];
            strategies.map(|strategy| mutagen_campaign::Spec {
                strategy: Some(strategy.parse().expect("it exists")),
                seed: 7,
                jobs: 2,
                budget: mutagen_campaign::Budget {
                    tests: Some(9),
                    time: Some(std::time::Duration::from_millis(1500)),
                    max_discard_ratio: Some(3),
                },
                keep_going: true,
                ..spec.clone()
            })
        });
        for spec in specs {
            assert_eq!(parsed(&spec.words()), spec, "{}", spec.command_line());
        }
        for line in [
            "interpret --guidance smith --target wasmi-lazy --reference wasmtime-speed --nans raw --fixes",
            "interpret --property interpreter --generator typed --features wasm2",
            "interpret --property interpreter-i32 --guidance repro",
            "interpret",
            "interpret --signature i64,f64:i64 --generator derived --split 7:3",
            "interpret --property turns --bug wasm-6 --preset paper",
            "interpret --property interpreter-i32 --features wasm1",
            "validate --guidance smith-zest --direction both",
            "validate --direction reject",
            "interpret --compare results,host-calls",
            "validate",
            "validate --direction accept --features wasm1 --preset paper",
            "validate --generator typed --guidance random",
            "ifc stack --property eeni --generator smart --guidance fuzzchick",
        ] {
            let spec = parsed(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(parsed(&spec.words()), spec, "{line}: {}", spec.command_line());
        }
    }

    #[test]
    fn every_subcommand_has_examples_in_its_help() {
        fn check(command: &clap::Command) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let is_leaf = command.get_subcommands().next().is_none();
            assert!(!is_leaf || help.contains("Examples:"), "`{}` has no examples", command.get_name());
            command.get_subcommands().for_each(check);
        }
        check(&Arguments::command());
    }
}

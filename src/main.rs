//! The command line of mutagen-wasm: one file per subcommand, shared flags in [`flags`].

mod bench;
mod bugs;
mod engines;
mod evidence;
mod exit_code;
mod flags;
mod hunt;
mod ifc;
mod input;
mod interpret;
mod invoke;
mod progress;
mod replay;
mod repro;
mod results;
mod say;
mod slowest;
mod validate;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use exit_code::{Code, Failure};

/// Differential testing of WebAssembly engines by exhaustive, coverage-guided, typed mutation.
///
/// Tests the published wasmi, woven with coverage probes and switchable bugs, against wasmtime.
#[derive(Parser)]
#[command(version, max_term_width = 100, after_help = Code::help())]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Validate(validate::Arguments),
    Interpret(interpret::Arguments),
    Ifc(ifc::Arguments),
    Bugs(bugs::Arguments),
    Bench(bench::Arguments),
    Replay(replay::Arguments),
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return said_by_clap(&error),
    };
    // A panic is a bug of ours: it is said in one line, with a code of its own.
    std::panic::set_hook(Box::new(|panic| say::error(format!("internal error: {panic}"))));
    // Engines need a stack of known size.
    let guarded = || std::panic::catch_unwind(|| run(arguments.command)).unwrap_or(Ok(Code::Internal));
    let ended = mutagen_oracles::on_stack(guarded)
        .unwrap_or_else(|error| Err(Failure::new(Code::Internal, format!("no thread: {error}"))));
    match ended {
        Ok(code) => code.into(),
        Err(Failure { code, message }) => {
            say::error(message);
            code.into()
        }
    }
}

fn run(command: Command) -> Result<Code, Failure> {
    match command {
        Command::Validate(arguments) => validate::run(arguments),
        Command::Interpret(arguments) => interpret::run(arguments),
        Command::Ifc(arguments) => ifc::run(arguments),
        Command::Bugs(arguments) => bugs::run(arguments),
        Command::Bench(arguments) => bench::run(arguments),
        Command::Replay(arguments) => replay::run(arguments, |words| {
            let program = std::iter::once("mutagen-wasm");
            let again = Arguments::try_parse_from(program.chain(words.iter().map(String::as_str)));
            run(again.map_err(|error| Failure::new(Code::Unusable, one_line(&error.to_string())))?.command)
        }),
    }
}

/// Help and version go to standard output and are fine; everything else is a wrong command line, and is said in one line.
fn said_by_clap(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand as NoCommand;
    if !error.use_stderr() || error.kind() == NoCommand {
        // Nobody is left to be told if even this cannot be written.
        let _ = error.print();
    } else {
        say::note(one_line(&error.to_string()));
    }
    if error.use_stderr() { Code::Usage.into() } else { Code::Fine.into() }
}

/// What is wrong, without the usage that follows.
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

//! `mutagen-wasm completions`: what lets a shell complete the command line.

use clap::builder::PossibleValuesParser;
use clap::{Arg, Args, Command};
use clap_complete::{Shell, generate};
use mutagen_bugs::Bug;
use mutagen_oracles::{Registry, Role};

use crate::exit_code::{Code, CommandError};
use crate::{command_line, say};

/// Prints the script with which a shell completes commands, flags, and the names of engines and bugs
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mutagen-wasm completions bash > ~/.local/share/bash-completion/completions/mutagen-wasm\n  \
    mutagen-wasm completions zsh > ~/.zfunc/_mutagen-wasm\n  \
    mutagen-wasm completions fish > ~/.config/fish/completions/mutagen-wasm.fish")]
pub struct Arguments {
    /// The shell
    shell: Shell,
}

/// Runs the command.
pub fn run(arguments: &Arguments, engines: &Registry) -> Result<Code, CommandError> {
    let mut command = with_names(command_line(), engines);
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    generate(arguments.shell, &mut command, &name, &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if arguments.shell == Shell::Bash {
        // clap_complete 4.6 spells a name with a hyphen in two ways, and then completes nothing behind a subcommand.
        script = script.replace(&name.replace('-', "__subcmd__"), &name.replace('-', "__"));
    }
    say::out(script.trim_end())?;
    Ok(Code::Fine)
}

/// The command line with the names that flags take. It is for shells alone: errors of the real one tell more.
fn with_names(command: Command, engines: &Registry) -> Command {
    let command = command.mut_args(|arg| match names(&arg, engines) {
        Some(names) => arg.value_parser(PossibleValuesParser::new(names)),
        None => arg,
    });
    command.mut_subcommands(|subcommand| with_names(subcommand, engines))
}

fn names(arg: &Arg, engines: &Registry) -> Option<Vec<&'static str>> {
    let meant_for = |role| {
        // Not those that this program would have to be built with.
        let entries = engines.entries().iter().filter(|entry| entry.how_to_get.is_none());
        let entries = entries.filter(move |entry| entry.roles.contains(&role));
        entries.map(|entry| entry.name)
    };
    match arg.get_id().as_str() {
        "target" | "third_opinion" => Some(meant_for(Role::Target).collect()),
        "reference" => Some(meant_for(Role::Reference).collect()),
        "first_opinion" => Some(meant_for(Role::Opinion).chain(["none"]).collect()),
        // Clap keeps names for as long as the program runs.
        "bug" | "id" => Some(Bug::all().iter().map(|bug| &*bug.id().to_owned().leak()).collect()),
        _ => None,
    }
}

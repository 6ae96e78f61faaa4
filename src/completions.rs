//! `mutagen-wasm completions`: what lets a shell complete the command line.

use clap::Args;
use clap_complete::{Shell, generate};

use crate::exit_code::{Code, CommandError};
use crate::{command_line, say};

/// Prints the script with which a shell completes commands and flags
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
pub fn run(arguments: &Arguments) -> Result<Code, CommandError> {
    let mut command = command_line();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    generate(arguments.shell, &mut command, name, &mut script);
    say::out(String::from_utf8_lossy(&script).trim_end())?;
    Ok(Code::Fine)
}

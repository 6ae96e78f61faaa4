//! `mutagen-wasm man`: manual pages.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;
use mutagen_campaign::store::files;

use crate::exit_code::{Code, CommandError};
use crate::{command_line, say};

/// Prints the manual page of the program, or writes those of the program and of all its commands to a directory
#[derive(Args)]
#[command(
    after_help = "Examples:\n  mutagen-wasm man | man -l -\n  mutagen-wasm man -o ~/.local/share/man/man1"
)]
pub struct Arguments {
    /// The directory for the pages
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Code, CommandError> {
    let mut command = command_line();
    // Fills in the names of subcommands.
    command.build();
    match &arguments.output {
        None => say::out(String::from_utf8_lossy(&page(&command)?).trim_end())?,
        Some(directory) => {
            files::create(directory)?;
            write(&command, command.get_name(), directory)?;
        }
    }
    Ok(Code::Fine)
}

/// Writes the page of a command, and those of its subcommands.
fn write(command: &Command, name: &str, directory: &Path) -> Result<(), CommandError> {
    let command = command.clone().name(name.to_owned().leak() as &'static str);
    files::write(&directory.join(format!("{name}.1")), &page(&command)?)?;
    let below = command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help");
    below.into_iter().try_for_each(|below| write(below, &format!("{name}-{}", below.get_name()), directory))
}

fn page(command: &Command) -> Result<Vec<u8>, CommandError> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page).map_err(|error| CommandError::new(Code::Internal, error))?;
    Ok(page)
}

//! `mutagen-wasm bugs`: shows the bugs that can be injected.

use clap::{Args, Subcommand};
use mutagen_bugs::{Bug, Entry, Witness};
use mutagen_campaign::Spec;

use crate::exit_code::{Code, CommandError};
use crate::say;

/// Shows the bugs that can be injected
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm bugs\n  mutagen-wasm bugs show wasm-6")]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Lists all bugs: id, the part that they break, and what goes wrong
    #[command(after_help = "Examples:\n  mutagen-wasm bugs list\n  mutagen-wasm bugs list | grep validator")]
    List,
    /// Shows one bug: its story, the place where it is woven in, and a module that triggers it
    #[command(after_help = "Examples:\n  mutagen-wasm bugs show wasm-6\n  mutagen-wasm bugs show stack-2")]
    Show {
        /// The bug's id
        id: String,
    },
}

/// Runs the command.
pub fn run(arguments: Arguments) -> Result<Code, CommandError> {
    match arguments.command.unwrap_or(Command::List) {
        Command::List => say::out(list())?,
        Command::Show { id } => say::out(show(&Bug::find(&id).map_err(CommandError::usage)?))?,
    }
    Ok(Code::Fine)
}

fn list() -> String {
    let line = |bug: &Bug| format!("{:<12} {:<17} {}", bug.id(), bug.subsystem(), bug.title());
    Bug::all().iter().map(line).collect::<Vec<_>>().join("\n")
}

fn show(bug: &Bug) -> String {
    let head = format!("{}: {}\n\nbreaks   {}", bug.id(), bug.title(), bug.subsystem());
    let hunted = Spec::hunting(bug).map(|spec| format!("\nhunt it  {}", spec.command_line()));
    let head = head + &hunted.unwrap_or_default();
    match bug {
        Bug::Woven(entry) => format!("{head}\n{}", woven(entry)),
        Bug::Stack(..) | Bug::Register(..) => head,
    }
}

fn woven(entry: &Entry) -> String {
    let mut text = format!(
        "origin   {}\nin       {} {}\n\n{}\n",
        entry.origin, entry.package, entry.version, entry.story
    );
    for edit in entry.edits {
        let place = if edit.after { "after" } else { "before" };
        text += &format!("\n{}, {place} `{}`:\n    {}\n", edit.file, edit.anchor, edit.text);
    }
    for Witness { features, module, invoke, arguments, off, on } in entry.witnesses {
        text += &format!("\nshown by ({features})\n    {}\n", module.trim_end().replace('\n', "\n    "));
        if let Some(invoke) = invoke {
            text += &format!("    call {invoke}({})\n", arguments.join(", "));
        }
        text += &format!("    without the bug: {off}; with it: {on}\n");
    }
    text.trim_end().to_owned()
}

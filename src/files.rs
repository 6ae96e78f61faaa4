//! Judging the modules that are named on the command line.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use mutagen_campaign::{Error, Executable, input, signal_name};

use crate::exit_code::{Code, CommandError};
use crate::flags::{ModuleFlags, SupervisionFlags, TellingFlags};
use crate::say;

/// Refuses flags that only campaigns have a use for. They would be ignored.
pub fn require_no_campaign(modules: &ModuleFlags, telling: &TellingFlags) -> Result<(), CommandError> {
    let given = [
        (telling.json, "--json"),
        (modules.place.output.is_some(), "--output"),
        (modules.place.known.is_some(), "--known"),
        (!modules.input.is_empty(), "--input"),
        (modules.sharing.share, "--share"),
        (modules.sharing.meeting.sync.is_some(), "--sync"),
        (modules.sharing.meeting.hub.is_some(), "--hub"),
    ];
    match given.into_iter().find(|(given, _)| *given) {
        None => Ok(()),
        Some((_, flag)) => Err(CommandError::usage(format!(
            "{flag} belongs to campaigns, not to modules that are judged: leave it out, or test the modules in a \
             campaign, with `--guidance repro --input FILE`"
        ))),
    }
}

/// Lets another process judge the files, by the same command line, so that an engine that ends its process does not do so
/// without a word. `None` if this process is to judge them itself.
pub fn judge_apart(supervision: &SupervisionFlags) -> Result<Option<Code>, CommandError> {
    if supervision.no_supervisor {
        return Ok(None);
    }
    let program = Executable::this().map_err(Error::NoWorker)?;
    let mut words = std::env::args_os().skip(1);
    // Behind the subcommand: what follows may be taken for arguments of a function.
    let mut command = Command::new(program.path());
    command.args(words.next()).arg("--no-supervisor").args(words);
    let status = command.status().map_err(Error::NoWorker)?;
    let known = |number: i32| Code::ALL.into_iter().find(|code| i32::from(code.number()) == number);
    match (status.code().and_then(known), status.signal()) {
        (Some(code), _) => Ok(Some(code)),
        (None, signal) => {
            let how = signal.map_or_else(|| status.to_string(), signal_name);
            let what = format!(
                "an engine ended the process ({how}); `--guidance repro --input FILE` in place of the files tells which one, \
                 and on which module"
            );
            Err(CommandError::new(Code::Finding, what))
        }
    }
}

/// Judges every file with `differs`, which prints what the engines do with it and returns whether they
/// differ. A file that cannot be used is reported, and the others are still judged. The exit code is that of
/// a difference if there is one, otherwise that of an unusable file if there is one.
pub fn judge_each(
    files: &[PathBuf],
    mut differs: impl FnMut(&Path, &[u8]) -> Result<bool, CommandError>,
) -> Result<Code, CommandError> {
    let mut codes = Vec::new();
    for file in files {
        let judged = input::read(file).map_err(CommandError::from).and_then(|wasm| differs(file, &wasm));
        codes.push(match judged {
            Ok(true) => Code::Finding,
            Ok(false) => Code::Fine,
            Err(CommandError { code: Code::Unusable, message }) => {
                say::error(message);
                Code::Unusable
            }
            Err(error) => return Err(error),
        });
    }
    let worst = [Code::Finding, Code::Unusable].into_iter().find(|code| codes.contains(code));
    Ok(worst.unwrap_or(Code::Fine))
}

//! Probes and bug switches inside of a woven engine.

use mutagen_weave::probes::{self, NamesError};

use crate::Engine;

/// Checks that the engine has its probes and its bug switch in this program: it validates a small module meanwhile.
///
/// # Errors
///
/// Says what is missing and how to build the program so that it is there.
pub fn prove_woven(engine: &dyn Engine) -> Result<(), mutagen_weave::NotWoven> {
    // One function with one constant: enough for the operand stack, where bugs sit.
    let module = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x0a\x07\x01\x05\0\x41\0\x1a\x0b";
    mutagen_weave::prove(|| drop(engine.validate(module)))
}

/// What the tests of a campaign vary, and so what its traces are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watched {
    /// Whole modules.
    Modules,
    /// One function in a module that is always the same. How that module is read and set up says nothing about the
    /// function, and the growing of collections hardly does; but both give new edges to tests that do nothing new.
    Functions,
}

/// Switches off the probes that are unstable, and those that a campaign against this engine does not need.
///
/// # Errors
///
/// If the names of the probes cannot be read from the program's own file.
pub fn watch(watched: Watched, engine: &dyn Engine) -> Result<(), NamesError> {
    probes::switch_off_unstable()?;
    let wanted = engine.function_code();
    if watched == Watched::Functions && !wanted.is_empty() {
        probes::switch_off_files(|file| !wanted.iter().any(|wanted| file.starts_with(wanted)))?;
    }
    Ok(())
}

/// The probes that traces of these tests are about, by number from 1: those that [`watch`] leaves on. `None` if they are about
/// all. For campaigns that test several things at once, whose probes must all stay on.
///
/// # Errors
///
/// If the names of the probes cannot be read from the program's own file.
pub fn probes_of(watched: Watched, engine: &dyn Engine) -> Result<Option<Vec<bool>>, NamesError> {
    let wanted = engine.function_code();
    if watched == Watched::Modules || wanted.is_empty() {
        return Ok(None);
    }
    probes::in_files(|file| wanted.iter().any(|wanted| file.starts_with(wanted))).map(Some)
}

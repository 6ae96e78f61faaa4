//! Checks that a program was really woven: that probes fire and the bug switch is asked.

use std::fmt;

use crate::{Recorder, probes, switch};

/// What is missing in a program that was compiled without the wrapper, or with half of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotWoven {
    /// The rustc wrapper did not run.
    Bypassed,
    /// It ran, but no probe fired.
    NoProbes,
    /// Probes fired, but the bug switch was not asked.
    NoSwitch,
}

impl fmt::Display for NotWoven {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Self::Bypassed => "this binary was compiled without the rustc wrapper",
            Self::NoProbes => "the engine in this binary has no coverage probes",
            Self::NoSwitch => "the engine in this binary has no bug switch",
        };
        write!(
            formatter,
            "{what}, so it can neither guide a campaign nor inject bugs: build it from inside the project's directory \
             with RUSTC_WRAPPER unset (`cargo build --release`), so that .cargo/config.toml applies"
        )
    }
}

impl std::error::Error for NotWoven {}

/// Runs `exercise`, which must make woven code work a little, and checks that probes fired and the switch was asked.
///
/// # Errors
///
/// Says what is missing and how to build the program so that it is there.
pub fn prove(mut exercise: impl FnMut()) -> Result<(), NotWoven> {
    if !cfg!(mutagen_woven) {
        return Err(NotWoven::Bypassed);
    }
    let mut recorder = Recorder::new(1);
    recorder.record(&mut exercise);
    if probes::count() == 0 || recorder.events().is_empty() {
        return Err(NotWoven::NoProbes);
    }
    if !switch::asked_during(exercise) {
        return Err(NotWoven::NoSwitch);
    }
    Ok(())
}

//! Why a benchmark could not be run or reported.

use std::path::PathBuf;

use mutagen_campaign::ErrorClass;
use thiserror::Error;

use crate::Unknown;

/// Why a benchmark could not be run or reported.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such task, strategy or suite.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// A file or directory could not be used, or a campaign could not be started.
    #[error(transparent)]
    Campaign(#[from] mutagen_campaign::Error),
    /// The directory holds another plan.
    #[error("{} holds another plan: choose another directory, or leave out the flags of the plan to go on with it", .0.display())]
    OtherPlan(PathBuf),
    /// The directory holds no plan.
    #[error("{at}: no plan.json here; `mutagen-wasm bench run -o {at}` makes one", at = .0.display())]
    NoPlan(PathBuf),
    /// This program could not be copied. Cells are run with a copy.
    #[error("cannot copy this program to run it: {0}")]
    Copy(#[source] std::io::Error),
    /// A cell could not be run.
    #[error("cannot run a cell in a process of its own: {0}")]
    Process(#[source] std::io::Error),
}

impl Error {
    /// What the error means to the user.
    pub fn class(&self) -> ErrorClass {
        match self {
            Error::Unknown(_) => ErrorClass::Usage,
            Error::Campaign(error) => error.class(),
            Error::OtherPlan(_) => ErrorClass::Busy,
            Error::NoPlan(_) => ErrorClass::Unusable,
            Error::Copy(_) => ErrorClass::NotStored,
            Error::Process(_) => ErrorClass::Internal,
        }
    }
}

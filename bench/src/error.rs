//! Why a benchmark could not be run or reported.

use std::path::PathBuf;

use mutagen_campaign::ErrorClass;
use thiserror::Error;

use crate::{Cell, Unknown};

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
    /// The cells cannot be shared.
    #[error(transparent)]
    Exchange(#[from] mutagen_exchange::Error),
    /// The directory holds another plan.
    #[error("{} holds another plan: choose another directory, or leave out the flags of the plan to go on with it", .0.display())]
    OtherPlan(PathBuf),
    /// The directory holds no plan.
    #[error("{at}: no plan.json here; `mutagen-wasm bench run -o {at}` makes one", at = .0.display())]
    NoPlan(PathBuf),
    /// The directory holds results on properties, which another command reports.
    #[error("{at}: these are results on properties; `mutagen-wasm refine -o {at}` reports them", at = .0.display())]
    OfProperties(PathBuf),
    /// The directory holds results on strategies, which another command reports.
    #[error("{at}: these are results on strategies; `mutagen-wasm bench report {at}` reports them", at = .0.display())]
    OfStrategies(PathBuf),
    /// There is nothing to report on properties.
    #[error(transparent)]
    Refine(#[from] mutagen_refine::Error),
    /// This program could not be copied. Cells are run with a copy.
    #[error("cannot copy this program to run it: {0}")]
    Copy(#[source] std::io::Error),
    /// A cell could not be run.
    #[error("cannot run a cell in a process of its own: {0}")]
    Process(#[source] std::io::Error),
}

/// Why a stored plan or result cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoredError {
    /// The text is not a plan.
    #[error("this is no plan: {0}")]
    NotAPlan(#[source] serde_json::Error),
    /// The text is not a result, or only the beginning of one.
    #[error("not a whole result: {0}")]
    NotAResult(#[source] serde_json::Error),
    /// The format version is another one.
    #[error("written in form {found}, this program reads form {known}")]
    Format {
        /// The version of the text.
        found: u32,
        /// The version that this program reads.
        known: u32,
    },
    /// The time limit of a plan makes no sense.
    #[error("its time limit is not a positive number of seconds")]
    Limit,
    /// A plan has a task or strategy that does not exist.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// The result is that of another cell.
    #[error("belongs to another plan: {} with seed {} and limit {} s", .0.name(), .0.seed, .0.limit)]
    OtherCell(Box<Cell>),
    /// No cell of the plan has the name of this file.
    #[error("no cell of the plan has this name")]
    NoCell,
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] std::io::Error),
}

impl Error {
    /// What the error means to the user.
    pub fn class(&self) -> ErrorClass {
        match self {
            Error::Unknown(_) => ErrorClass::Usage,
            Error::Campaign(error) => error.class(),
            Error::Exchange(mutagen_exchange::Error::OtherTerms(_)) | Error::OtherPlan(_) => ErrorClass::Busy,
            Error::Exchange(_) => ErrorClass::Unusable,
            Error::NoPlan(_) | Error::OfProperties(_) | Error::OfStrategies(_) => ErrorClass::Unusable,
            Error::Refine(_) => ErrorClass::Usage,
            Error::Copy(_) => ErrorClass::NotStored,
            Error::Process(_) => ErrorClass::Internal,
        }
    }
}

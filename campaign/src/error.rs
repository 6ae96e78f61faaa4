//! Errors: why a campaign could not be run, or could not be finished.

use std::path::PathBuf;

use mutagen_engine::AflError;
use mutagen_oracles::{EngineError, UnknownEngine};
use mutagen_properties::WatchError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::SpecError;

/// Why a campaign could not be run, or could not be finished.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The campaign cannot be run as asked.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// No engine has this name.
    #[error(transparent)]
    UnknownEngine(#[from] UnknownEngine),
    /// An engine refuses the settings.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The target cannot be watched.
    #[error(transparent)]
    Watch(#[from] WatchError),
    /// AFL is not there.
    #[error(transparent)]
    Afl(#[from] AflError),
    /// A file cannot be used.
    #[error("{}: {why}", file.display())]
    Unusable {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// There is no value to test again.
    #[error("{0}")]
    NothingGiven(&'static str),
    /// The output directory cannot be made or written to.
    #[error("cannot {what} the output directory {}: {source}", directory.display())]
    Directory {
        /// The operation that failed.
        what: &'static str,
        /// The directory.
        directory: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// Another run writes to the output directory.
    #[error("another run is writing to {}", .0.display())]
    Busy(PathBuf),
    /// The output directory holds earlier results.
    #[error("{} holds earlier results: go on with --resume (modules), or move them aside with --fresh", .0.display())]
    Earlier(PathBuf),
    /// There is something where a new directory was to be.
    #[error("{} is there already: name a directory that does not exist yet, or an empty one", .0.display())]
    Occupied(PathBuf),
    /// The output directory holds the results of another campaign.
    #[error("the results in the output directory are of another campaign: {0}")]
    OtherCampaign(String),
    /// The campaign cannot meet others.
    #[error(transparent)]
    Exchange(#[from] mutagen_exchange::Error),
    /// A worker process could not do its part.
    #[error("{message}")]
    Worker {
        /// What it means to the user.
        class: ErrorClass,
        /// What the worker said.
        message: String,
    },
    /// No worker process can be started.
    #[error("cannot start a worker: {0}; --no-supervisor does without")]
    NoWorker(std::io::Error),
    /// A result could not be stored.
    #[error("cannot store {}: {why}", path.display())]
    NotStored {
        /// The file.
        path: PathBuf,
        /// The cause.
        why: String,
    },
}

/// The meaning of an error to the user, by which the exit code is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrorClass {
    /// The command line makes no sense.
    Usage,
    /// The input cannot be used.
    Unusable,
    /// The output directory is in use or holds earlier results.
    Busy,
    /// Results could not be stored.
    NotStored,
    /// A fault of this program or of the machine.
    Internal,
}

impl Error {
    /// The meaning of the error to the user.
    pub fn class(&self) -> ErrorClass {
        match self {
            Error::Spec(_)
            | Error::UnknownEngine(_)
            | Error::Engine(_)
            | Error::Watch(WatchError::Engine(_) | WatchError::NotWoven(_) | WatchError::NoBugs(_))
            | Error::Directory { .. }
            | Error::OtherCampaign(_) => ErrorClass::Usage,
            Error::Unusable { .. } | Error::NothingGiven(_) | Error::Afl(_) | Error::NoWorker(_) => {
                ErrorClass::Unusable
            }
            Error::Busy(_) | Error::Earlier(_) | Error::Occupied(_) => ErrorClass::Busy,
            Error::NotStored { .. } => ErrorClass::NotStored,
            Error::Watch(WatchError::Names(_)) => ErrorClass::Internal,
            Error::Exchange(mutagen_exchange::Error::OtherTerms(_)) => ErrorClass::Busy,
            Error::Exchange(
                mutagen_exchange::Error::File { .. }
                | mutagen_exchange::Error::Hub { .. }
                | mutagen_exchange::Error::Foreign(_),
            ) => ErrorClass::Unusable,
            Error::Exchange(_) => ErrorClass::Usage,
            Error::Worker { class, .. } => *class,
        }
    }

    /// The error for a file that cannot be used.
    pub fn unusable(file: impl Into<PathBuf>, why: impl ToString) -> Self {
        Error::Unusable { file: file.into(), why: why.to_string() }
    }
}

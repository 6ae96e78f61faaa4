//! Why workers cannot meet.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why workers cannot meet.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// This cannot be the name of a campaign.
    #[error("`{0}` cannot be the name of a campaign: it has up to 64 small letters, digits, - and _")]
    Name(String),
    /// The campaign has other terms than this worker.
    #[error("this campaign is another one: {0}")]
    OtherTerms(String),
    /// What is stored there was written by another program.
    #[error("what is stored there is no campaign of this program: {0}")]
    Foreign(String),
    /// A file or directory cannot be used.
    #[error("cannot use {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// This is no address of a server.
    #[error("`{address}` is no address of a hub: {why}")]
    Address {
        /// The address, without its secret.
        address: String,
        /// What is wrong.
        why: String,
    },
    /// A server on another machine needs a secret.
    #[error("{0} is not this machine, so a token or a file of credentials is needed")]
    NoSecret(String),
    /// The server cannot be reached, or refuses.
    #[error("the hub {address}: {why}")]
    Hub {
        /// The address, without its secret.
        address: String,
        /// What is wrong.
        why: String,
    },
    /// This program cannot talk to servers.
    #[error("this program was built without the feature `hub`: build it with `--features hub`")]
    NotBuilt,
}

impl Error {
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| Error::File { path: path.to_owned(), source }
    }
}

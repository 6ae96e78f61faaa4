//! What people see of a campaign besides its output: a page in the output directory, a server for it, annotations in CI.

use std::path::{Path, PathBuf};

use mutagen_campaign::{CampaignReport, Results};
use mutagen_report::{Live, Server, annotations};

use crate::exit_code::CommandError;
use crate::say;

/// What is kept up to date while a campaign runs.
pub struct Showing {
    directory: Option<PathBuf>,
    live: Option<Live>,
}

impl Showing {
    /// Starts to write the page in the output directory, if there is one, and to serve it, if an address is given.
    pub fn start(directory: Option<&Path>, address: Option<&str>) -> Result<Self, CommandError> {
        if let (Some(directory), Some(address)) = (directory, address) {
            serve(directory, address)?;
        }
        Ok(Showing { directory: directory.map(Path::to_owned), live: directory.map(Live::start) })
    }

    /// Writes the last page of a campaign that ended like this, and its annotations.
    pub fn finish(self, report: &CampaignReport) -> Result<(), CommandError> {
        if annotations::are_wanted() {
            let stored = self.directory.as_deref().and_then(|directory| Results::read(directory).ok());
            annotate(&stored.unwrap_or_else(|| Results::from(report.clone())));
        }
        Ok(self.live.map_or(Ok(()), Live::finish)?)
    }
}

/// Serves the page of an output directory, and says where.
pub fn serve(directory: &Path, address: &str) -> Result<(), CommandError> {
    let server = Server::start(address, directory).map_err(|error| {
        CommandError::usage(format!("cannot serve at `{address}`: {error}; write PORT or ADDRESS:PORT"))
    })?;
    say::note(format!("the page is at http://{}/", server.address));
    Ok(())
}

/// Writes the lines that GitHub shows beside a change.
pub fn annotate(results: &Results) {
    annotations::lines(results).into_iter().for_each(say::note);
}

//! Running a campaign: search, shrink, confirm, attribute, store. One driver for engines and machines.
//!
//! When engines seem to differ, the property confirms the difference and attributes it to the injected bug. A difference that
//! is not due to the bug must not end the campaign. The driver shrinks a finding and stores it.

mod carried;
mod collect;
mod driver;
mod engines;
mod exchanging;
mod given;
mod joined;
mod keeper;
mod plotting;
mod subject;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mutagen_engine::Strategy;
use mutagen_oracles::Registry;
use mutagen_properties::Subject;

use crate::store::Disk;
use crate::{CampaignReport, Earlier, Error, Observer, Sharing, Silent, Spec};

pub(crate) use collect::{Collector, Judge, SITE, counterexample};
pub(crate) use driver::{Driver, Running, STATS, STORED_EVERY};
pub(crate) use engines::{context, register_fault, stack_fault};
pub use engines::{context_of, engines_of};
pub(crate) use joined::Joined;
pub(crate) use plotting::Plotting;
pub(crate) use subject::{Visitor, visit};

/// What a campaign needs besides its spec.
pub struct Setup<'a> {
    /// The engines to choose from.
    pub engines: &'a Registry,
    /// Modules to start from, or directories of them.
    pub inputs: Vec<PathBuf>,
    /// The output directory, and what to do with earlier results there.
    pub output: Option<(PathBuf, Earlier)>,
    /// The file of known groups. Without one, that of the output directory is used, if there is one.
    pub known: Option<PathBuf>,
    /// Where the campaign meets others, if it does.
    pub sharing: Option<Sharing>,
    /// The disk of the output directory.
    pub disk: Disk,
    /// The campaign stops soon after this is set.
    pub interrupt: Arc<AtomicBool>,
    /// The observer of its progress.
    pub observer: Box<dyn Observer + Send + 'a>,
}

impl<'a> Setup<'a> {
    /// A setup without inputs, output or observer.
    pub fn new(engines: &'a Registry) -> Self {
        let (inputs, output, known, sharing, interrupt) = (Vec::new(), None, None, None, Arc::default());
        let disk = Disk::default();
        Setup { engines, inputs, output, known, sharing, disk, interrupt, observer: Box::new(Silent) }
    }
}

/// The result of running a campaign.
#[derive(Debug)]
pub struct Ran {
    /// The report.
    pub report: CampaignReport,
    /// Whether everything could be stored.
    pub stored: Result<(), Error>,
    /// Whether some of the inputs could not be used.
    pub left_out: bool,
}

/// Runs a campaign.
///
/// Call it [on a stack](mutagen_oracles::on_stack) of known size: engines need one.
///
/// # Errors
///
/// If something is wrong with the spec, the inputs or the output directory. These errors are returned before
/// the first test.
pub fn run(spec: &Spec, setup: Setup<'_>) -> Result<Ran, Error> {
    spec.check()?;
    spec.strategy.as_ref().map_or(Ok(()), Strategy::require)?;
    visit(spec, setup.engines, Drive { spec, setup, joined: None })
}

/// Runs the part of a campaign that a supervisor gave to this process.
pub(crate) fn run_joined(spec: &Spec, setup: Setup<'_>, joined: Joined) -> Result<Ran, Error> {
    visit(spec, setup.engines, Drive { spec, setup, joined: Some(joined) })
}

struct Drive<'a> {
    spec: &'a Spec,
    setup: Setup<'a>,
    joined: Option<Joined>,
}

impl Visitor for Drive<'_> {
    type Result = Result<Ran, Error>;

    fn subject<S: Subject>(self, subject: S) -> Self::Result {
        Driver::new(self.spec, subject, self.setup, self.joined)?.run()
    }
}

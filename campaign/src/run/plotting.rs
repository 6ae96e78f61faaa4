//! The rows of `plot.csv` while a campaign runs, and the last one at its end.

use std::sync::{Mutex, PoisonError};

use crate::plot::{Beside, Plot, Row};
use crate::store::corpus_files;
use crate::{CampaignReport, Error, Group, Progress, SecondsIn, Spec, Store};

/// Adds rows to the plot of the output directory, if there is one.
pub(crate) struct Plotting<'a> {
    store: Option<&'a Store>,
    jobs: f64,
    state: Mutex<Plotted>,
}

struct Plotted {
    plot: Option<Plot>,
    /// What was told last.
    progress: Progress,
    corpus: u64,
}

impl<'a> Plotting<'a> {
    /// The plot of this output directory.
    ///
    /// # Errors
    ///
    /// If there is a file in its place that is no plot.
    pub(crate) fn new(spec: &Spec, store: Option<&'a Store>) -> Result<Self, Error> {
        let plot = store.map(Store::plot).transpose()?;
        let state = Mutex::new(Plotted { plot, progress: Progress::default(), corpus: 0 });
        Ok(Plotting { store, jobs: f64::from(spec.jobs), state })
    }

    /// Adds a row if it is time for one.
    pub(crate) fn follow(
        &self,
        progress: &Progress,
        corpus: impl FnOnce() -> u64,
        groups: impl FnOnce() -> Vec<Group>,
    ) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.progress = *progress;
        if state.plot.as_ref().is_some_and(Plot::is_due) {
            state.corpus = corpus();
            let [target, reference] = progress.seconds_in;
            let rest = (progress.seconds * self.jobs - target - reference).max(0.0);
            let seconds_in = (target + reference > 0.0).then_some(SecondsIn { target, reference, rest });
            self.add(&mut state, &groups(), seconds_in);
        }
    }

    /// Adds the last row of a campaign that ended like this.
    pub(crate) fn finish(&self, report: &CampaignReport) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(store), Some(_)) = (self.store, &state.plot) {
            state.corpus = corpus_files(store.directory()).len() as u64;
        }
        let CampaignReport { seconds, tests, passed, discarded, inconclusive, .. } = *report;
        state.progress = Progress { seconds, tests, passed, discarded, inconclusive, ..state.progress };
        self.add(&mut state, &report.groups, report.seconds_in);
    }

    fn add(&self, state: &mut Plotted, groups: &[Group], seconds_in: Option<SecondsIn>) {
        let findings = groups.iter().map(|group| group.count).sum();
        let beside = Beside { corpus: state.corpus, findings, groups: groups.len() as u64, seconds_in };
        let row = Row::new(&state.progress, &beside);
        if let (Some(plot), Some(store)) = (&mut state.plot, self.store) {
            store.noted(plot.add(row));
        }
    }
}

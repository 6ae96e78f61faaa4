//! How a campaign went over time: `plot.csv` in the output directory, one row every few seconds.
//!
//! A row is appended as a whole line, so a kill costs at most the last one. A resumed campaign goes on where the file ends: its
//! rows count the tests and the seconds of all runs.

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::store::{Disk, read_text_inside};
use crate::{Error, Progress, SecondsIn};

/// One row: what was done until then.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row {
    /// Seconds since the start of the first run, without the time between runs.
    pub seconds: f64,
    /// Tests that were run.
    pub tests: u64,
    /// Tests in which the property held.
    pub passed: u64,
    /// Tests that were discarded, inconclusive ones included.
    pub discarded: u64,
    /// Tests from which nothing can be concluded.
    pub inconclusive: u64,
    /// Tests per second since the row before.
    pub tests_per_second: f64,
    /// Modules in the corpus.
    pub corpus: u64,
    /// Tests that wait to be mutated.
    pub queue: u64,
    /// Known edges or paths of the target.
    pub known: u64,
    /// Failing tests.
    pub findings: u64,
    /// Groups of them.
    pub groups: u64,
    /// Seconds in the target, over all workers.
    pub seconds_in_target: f64,
    /// Seconds in the reference.
    pub seconds_in_reference: f64,
    /// Seconds in everything else.
    pub seconds_in_loop: f64,
    /// Probes of the target that the corpus reaches.
    pub probes: u64,
}

/// What a row says besides the progress of the search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Beside {
    /// Modules in the corpus.
    pub corpus: u64,
    /// Failing tests.
    pub findings: u64,
    /// Groups of them.
    pub groups: u64,
    /// Where the time went. `None` if the subject is no engine.
    pub seconds_in: Option<SecondsIn>,
}

impl Row {
    /// The first line of the file.
    pub const HEADER: &'static str = "seconds,tests,passed,discarded,inconclusive,tests_per_second,corpus,queue,known,\
                                      findings,groups,seconds_in_target,seconds_in_reference,seconds_in_loop,probes";

    /// The row of one run at this moment, still without the speed.
    pub fn new(progress: &Progress, beside: &Beside) -> Self {
        let [target, reference, rest] =
            beside.seconds_in.map_or([0.0; 3], |seconds| [seconds.target, seconds.reference, seconds.rest]);
        Row {
            seconds: progress.seconds,
            tests: progress.tests,
            passed: progress.passed,
            discarded: progress.discarded,
            inconclusive: progress.inconclusive,
            tests_per_second: 0.0,
            corpus: beside.corpus,
            queue: progress.queued,
            known: progress.known,
            findings: beside.findings,
            groups: beside.groups,
            seconds_in_target: target,
            seconds_in_reference: reference,
            seconds_in_loop: rest,
            probes: progress.probes,
        }
    }

    /// The row after earlier runs that ended with `base`.
    fn after(self, base: &Row) -> Self {
        Row {
            seconds: base.seconds + self.seconds,
            tests: base.tests + self.tests,
            passed: base.passed + self.passed,
            discarded: base.discarded + self.discarded,
            inconclusive: base.inconclusive + self.inconclusive,
            seconds_in_target: base.seconds_in_target + self.seconds_in_target,
            seconds_in_reference: base.seconds_in_reference + self.seconds_in_reference,
            seconds_in_loop: base.seconds_in_loop + self.seconds_in_loop,
            // The corpus of earlier runs is there, but is only being read again.
            probes: base.probes.max(self.probes),
            ..self
        }
    }

    fn parse(line: &str) -> Option<Self> {
        let cells: Vec<&str> = line.split(',').collect();
        let [
            seconds,
            tests,
            passed,
            discarded,
            inconclusive,
            speed,
            corpus,
            queue,
            known,
            findings,
            groups,
            target,
            reference,
            rest,
            probes,
        ] = cells[..]
        else {
            return None;
        };
        let number = |cell: &str| cell.parse::<f64>().ok().filter(|number| number.is_finite());
        Some(Row {
            seconds: number(seconds)?,
            tests: tests.parse().ok()?,
            passed: passed.parse().ok()?,
            discarded: discarded.parse().ok()?,
            inconclusive: inconclusive.parse().ok()?,
            tests_per_second: number(speed)?,
            corpus: corpus.parse().ok()?,
            queue: queue.parse().ok()?,
            known: known.parse().ok()?,
            findings: findings.parse().ok()?,
            groups: groups.parse().ok()?,
            seconds_in_target: number(target)?,
            seconds_in_reference: number(reference)?,
            seconds_in_loop: number(rest)?,
            probes: probes.parse().ok()?,
        })
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row {
            seconds,
            tests,
            passed,
            discarded,
            inconclusive,
            tests_per_second,
            corpus,
            queue,
            known,
            ..
        } = self;
        write!(
            f,
            "{seconds:.3},{tests},{passed},{discarded},{inconclusive},{tests_per_second:.1},{corpus},{queue},{known},"
        )?;
        let Row { findings, groups, seconds_in_target: target, seconds_in_reference: reference, .. } = self;
        let Row { seconds_in_loop: rest, probes, .. } = self;
        write!(f, "{findings},{groups},{target:.3},{reference:.3},{rest:.3},{probes}")
    }
}

/// The file while a campaign runs. Whoever knows the progress hands it in: a campaign, or what watches several of them.
#[derive(Debug)]
pub struct Plot {
    disk: Disk,
    path: PathBuf,
    file: File,
    /// The last row of earlier runs.
    base: Row,
    last: Row,
    added: Option<Instant>,
}

impl Plot {
    /// The name of the file in an output directory.
    pub const FILE: &'static str = "plot.csv";
    /// How often a row is added.
    pub const EVERY: Duration = Duration::from_secs(5);

    /// Goes on with the file in this directory, or begins it.
    ///
    /// # Errors
    ///
    /// If the file cannot be written to, or is no such file. A link is never followed.
    pub fn open(disk: &Disk, directory: &Path) -> Result<Self, Error> {
        let path = directory.join(Self::FILE);
        let earlier = read_text_inside(&path)?.unwrap_or_default();
        // What follows the last whole line was not finished.
        let whole = earlier.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = earlier[..whole].lines();
        let header = lines.next();
        if header.is_some_and(|header| header != Row::HEADER) {
            let why = "this is no plot of this version: move it away, or choose another output directory";
            return Err(Error::unusable(path, why));
        }
        let base = lines.filter_map(Row::parse).next_back().unwrap_or_default();
        let mut file = disk.open_to_append(&path, whole as u64)?;
        if header.is_none() {
            disk.append(&mut file, &path, format!("{}\n", Row::HEADER).as_bytes())?;
        }
        Ok(Plot { disk: disk.clone(), path, file, base, last: base, added: None })
    }

    /// Whether it is time for another row: the first one at once, then every few seconds.
    pub fn is_due(&self) -> bool {
        self.added.is_none_or(|added| added.elapsed() >= Self::EVERY)
    }

    /// Adds a row of this run.
    ///
    /// # Errors
    ///
    /// If it cannot be stored.
    pub fn add(&mut self, row: Row) -> Result<(), Error> {
        let mut row = row.after(&self.base);
        // The last row has the seconds of the report, which end a moment before the row that went before: time never runs back.
        row.seconds = row.seconds.max(self.last.seconds);
        let (tests, seconds) = (row.tests.saturating_sub(self.last.tests), row.seconds - self.last.seconds);
        row.tests_per_second =
            if seconds > 0.001 { tests as f64 / seconds } else { self.last.tests_per_second };
        self.disk.append(&mut self.file, &self.path, format!("{row}\n").as_bytes())?;
        (self.last, self.added) = (row, Some(Instant::now()));
        Ok(())
    }

    /// The rows of the file in a directory; none if there is no such file. Lines that are no rows are left out.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn read(directory: &Path) -> Result<Vec<Row>, Error> {
        let text = read_text_inside(&directory.join(Self::FILE))?.unwrap_or_default();
        Ok(text.lines().filter_map(Row::parse).collect())
    }
}

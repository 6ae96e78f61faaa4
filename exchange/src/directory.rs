//! An exchange through a directory that all workers can write to.
//!
//! ```text
//! DIR/NAME/terms                      what all workers agreed on
//! DIR/NAME/tests/WORKER/000000000001  what a worker published, numbered by itself
//! DIR/NAME/findings/KEY               findings: the first one of each key
//! DIR/NAME/workers/WORKER             what a worker said last
//! DIR/NAME/stop                       all workers are to stop
//! DIR/NAME/cells, holds, results      see `DirectoryCells`
//! ```
//!
//! Each worker writes to its own folder alone, so a reader remembers one number per worker, and asks for the next one. Files
//! get their names when they are whole. Those in DIR/NAME/tests may hold the same test twice; a reader gets it once.

mod carry;
mod cells;
mod files;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::SystemTime;

use crate::courier::Courier;
use crate::entry::key_of;
use crate::{Board, CampaignName, Entry, Error, Exchange, Terms, Told, Topic};

pub use cells::DirectoryCells;

const TERMS: &str = "terms";
const WORKERS: &str = "workers";
const STOP: &str = "stop";

/// A campaign that meets in a directory.
#[derive(Clone, Debug)]
pub struct Directory {
    root: PathBuf,
}

impl Directory {
    /// The campaign of this name in a directory. Nothing is written yet.
    pub fn new(directory: &Path, name: &CampaignName) -> Self {
        Directory { root: directory.join(name.as_str()) }
    }

    /// Agrees on terms, or compares them with those that the campaign has.
    ///
    /// # Errors
    ///
    /// If the campaign has other terms, or the directory cannot be used.
    pub fn agree(&self, terms: &Terms) -> Result<(), Error> {
        files::make(&self.root)?;
        let file = self.root.join(TERMS);
        if files::create(&file, terms.text().as_bytes()).map_err(Error::file(&file))? {
            return Ok(());
        }
        self.terms()?.unwrap_or_default().require(terms)
    }

    /// Joins the campaign as a worker.
    ///
    /// # Errors
    ///
    /// If the campaign has other terms, or the directory cannot be used.
    pub fn join(&self, terms: &Terms) -> Result<impl Exchange + use<>, Error> {
        self.agree(terms)?;
        for folder in [WORKERS, Topic::Test.name(), Topic::Finding.name()] {
            files::make(&self.root.join(folder))?;
            files::sweep(&self.root.join(folder));
        }
        self.sweep_tests();
        let own = new_worker();
        let (courier, carrier) = Courier::new(|| ());
        let root = self.root.clone();
        let carry = move || carry::Carrying::new(root, own, carrier).run();
        let spawned = thread::Builder::new().name("exchange".to_owned()).spawn(carry);
        spawned.map_err(Error::file(&self.root))?;
        Ok(courier)
    }

    /// Removes what killed writers left in the folders of workers.
    fn sweep_tests(&self) {
        let tests = self.root.join(Topic::Test.name());
        files::sweep(&self.root);
        files::names(&tests).unwrap_or_default().iter().for_each(|worker| files::sweep(&tests.join(worker)));
    }

    fn tests(&self) -> Result<Vec<Entry>, Error> {
        let mut readers = carry::Readers::new(self.root.clone(), String::new());
        let mut tests: Vec<Entry> = std::iter::from_fn(|| readers.next()).flatten().collect();
        let mut keys = std::collections::HashSet::new();
        tests.retain(|entry| keys.insert(entry.key));
        Ok(tests)
    }

    fn findings(&self) -> Result<Vec<Entry>, Error> {
        let folder = self.root.join(Topic::Finding.name());
        let read = |name: String| {
            let key = key_of(&name)?;
            Entry::open(Topic::Finding, key, &files::read(&folder.join(name)).ok()??)
        };
        Ok(files::names(&folder)?.into_iter().filter_map(read).collect())
    }
}

/// A name for a worker that joins now, which no other one has: machine, process, time and a number.
pub fn new_worker() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let is_letter = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '-';
    let host: String = host.trim().chars().filter(is_letter).take(32).collect();
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!("{host}-{}-{:x}-{number}", std::process::id(), since.as_millis())
}

impl Board for Directory {
    fn terms(&self) -> Result<Option<Terms>, Error> {
        let file = self.root.join(TERMS);
        let text = files::read(&file).map_err(Error::file(&file))?;
        text.map(|text| Terms::read(&text)).transpose()
    }

    fn workers(&self) -> Result<Vec<Told>, Error> {
        let folder = self.root.join(WORKERS);
        let told = |worker: String| {
            let file = folder.join(&worker);
            let status = String::from_utf8_lossy(&files::read(&file).ok()??).into_owned();
            let age = files::age(&file)?;
            Some(Told { worker, status, age })
        };
        Ok(files::names(&folder)?.into_iter().filter_map(told).collect())
    }

    fn entries(&self, topic: Topic) -> Result<Vec<Entry>, Error> {
        if topic == Topic::Test { self.tests() } else { self.findings() }
    }

    fn count(&self, topic: Topic) -> Result<u64, Error> {
        Ok(self.entries(topic)?.len() as u64)
    }

    fn stop(&self) -> Result<(), Error> {
        let file = self.root.join(STOP);
        files::create(&file, b"").map(drop).map_err(Error::file(&file))
    }

    fn is_stopped(&self) -> Result<bool, Error> {
        Ok(self.root.join(STOP).exists())
    }
}

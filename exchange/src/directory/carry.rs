//! The thread that reads and writes the files of an exchange.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use super::{STOP, WORKERS, files};
use crate::courier::Carrier;
use crate::entry::key_of;
use crate::{Entry, Topic};

/// How often the thread looks for tests of others.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long it waits before it tries again to write what could not be written.
const AGAIN: Duration = Duration::from_millis(500);
/// How many tests it reads at most before it looks what its worker wants.
const AT_ONCE: usize = 1000;

/// What the thread does.
pub(super) struct Carrying {
    root: PathBuf,
    own: String,
    carrier: Carrier,
    readers: Readers,
    /// The number of the next file in the folder of this worker.
    number: u64,
    /// A test of others for which the channel has no room.
    stuck: Option<Entry>,
}

impl Carrying {
    pub(super) fn new(root: PathBuf, own: String, carrier: Carrier) -> Self {
        let readers = Readers::new(root.clone(), own.clone());
        Carrying { root, own, carrier, readers, number: 1, stuck: None }
    }

    /// Carries entries until the worker is gone.
    pub(super) fn run(mut self) {
        let mut looked: Option<Instant> = None;
        while !self.carrier.shared.is_leaving() {
            match self.carrier.outgoing.recv_timeout(LOOK_EVERY / 4) {
                Ok(entry) => self.store_until_it_works(&entry),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if looked.is_none_or(|looked| looked.elapsed() >= LOOK_EVERY) {
                looked = Some(Instant::now());
                self.look();
            }
        }
    }

    /// Stores an entry. A disk that is full, or a file system that is gone, may come back.
    fn store_until_it_works(&mut self, entry: &Entry) {
        while let Err(_error) = self.store(entry) {
            self.carrier.shared.set_connected(false);
            if self.carrier.shared.is_leaving() {
                return;
            }
            std::thread::sleep(AGAIN);
        }
        self.carrier.shared.set_connected(true);
        self.carrier.shared.is_stored(entry.bytes.len());
    }

    fn store(&mut self, entry: &Entry) -> io::Result<()> {
        let folder = self.root.join(entry.topic.name());
        if entry.topic == Topic::Finding {
            return files::create(&folder.join(entry.name()), &entry.sealed()).map(drop);
        }
        let folder = folder.join(&self.own);
        if self.number == 1 {
            std::fs::create_dir_all(&folder)?;
        }
        files::create(&folder.join(numbered(self.number)), &with_key(entry))?;
        self.number += 1;
        Ok(())
    }

    /// Reads what others wrote, and says what the worker says.
    fn look(&mut self) {
        if let Some(status) = self.carrier.shared.status()
            && files::replace(&self.root.join(WORKERS).join(&self.own), status.as_bytes()).is_ok()
        {
            self.carrier.shared.has_said(&status);
        }
        if self.root.join(STOP).exists() {
            self.carrier.shared.stop();
        }
        for _ in 0..AT_ONCE {
            let next = self.stuck.take().map(Some).or_else(|| self.readers.next());
            match next {
                None => return self.carrier.incoming.has_caught_up(),
                Some(None) => self.carrier.shared.is_foreign(),
                Some(Some(entry)) => {
                    if let Err(entry) = self.carrier.incoming.hand_over(entry) {
                        self.stuck = Some(entry);
                        return;
                    }
                }
            }
        }
    }
}

/// A file of a test: its key on a line, and the envelope.
fn with_key(entry: &Entry) -> Vec<u8> {
    let mut bytes = format!("{}\n", entry.name()).into_bytes();
    bytes.extend(entry.sealed());
    bytes
}

fn without_key(bytes: &[u8]) -> Option<Entry> {
    let (key, envelope) = bytes.split_at_checked(16)?;
    Entry::open(Topic::Test, key_of(std::str::from_utf8(key).ok()?)?, envelope.strip_prefix(b"\n")?)
}

fn numbered(number: u64) -> String {
    format!("{number:012}")
}

/// Reads the tests of all workers but one, each file once.
pub(super) struct Readers {
    tests: PathBuf,
    own: String,
    /// The number of the last file that was read in the folder of each worker.
    read: BTreeMap<String, u64>,
    /// Workers whose next file may be there.
    open: Vec<String>,
}

impl Readers {
    pub(super) fn new(root: PathBuf, own: String) -> Self {
        Readers { tests: root.join(Topic::Test.name()), own, read: BTreeMap::new(), open: Vec::new() }
    }

    /// The next test, or `None` in its place if its file is damaged. Nothing if there is none now.
    pub(super) fn next(&mut self) -> Option<Option<Entry>> {
        if self.open.is_empty() {
            self.open = files::names(&self.tests).unwrap_or_default();
            self.open.retain(|worker| *worker != self.own);
        }
        while let Some(worker) = self.open.last() {
            let last = self.read.entry(worker.clone()).or_default();
            match read(&self.tests.join(worker), *last + 1) {
                Some(test) => {
                    *last += 1;
                    return Some(test);
                }
                None => drop(self.open.pop()),
            }
        }
        None
    }
}

/// The file with this number. Nothing if it is not there, or cannot be read now.
fn read(folder: &Path, number: u64) -> Option<Option<Entry>> {
    let file = folder.join(numbered(number));
    match files::read(&file) {
        Ok(Some(bytes)) => Some(without_key(&bytes)),
        // A link or a folder is nothing of ours. A file may have come just now: it is read the next time.
        Ok(None) => std::fs::symlink_metadata(&file).is_ok_and(|found| !found.is_file()).then_some(None),
        Err(_) => None,
    }
}

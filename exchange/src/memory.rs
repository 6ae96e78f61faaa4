//! An exchange and cells for threads of one process.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::{
    Board, Cells, Entry, Error, Exchange, Health, Held, MOST_BYTES, MOST_TRIES, Progress, Taken, Terms, Told,
    Topic,
};

/// A campaign in memory. Clones are the same campaign.
#[derive(Clone, Default)]
pub struct Memory {
    state: Arc<Mutex<State>>,
    cells: Arc<Mutex<BTreeMap<String, Cell>>>,
}

impl PartialEq for Memory {
    /// Whether both are the same campaign.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.state, &other.state)
    }
}

impl Eq for Memory {}

impl fmt::Debug for Memory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Memory(...)")
    }
}

#[derive(Default)]
struct State {
    terms: Option<Terms>,
    tests: Vec<Entry>,
    findings: Vec<Entry>,
    known: HashSet<(Topic, u64)>,
    workers: BTreeMap<String, (String, Instant)>,
    joined: usize,
    stopped: bool,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Memory {
    /// Agrees on terms, or compares them with those that the campaign has.
    ///
    /// # Errors
    ///
    /// If the campaign has other terms.
    pub fn agree(&self, terms: &Terms) -> Result<(), Error> {
        locked(&self.state).terms.get_or_insert_with(|| terms.clone()).require(terms)
    }

    /// The cells of the campaign.
    pub fn cells(&self, lease: Duration) -> MemoryCells {
        MemoryCells { cells: Arc::clone(&self.cells), lease }
    }

    /// Joins the campaign.
    ///
    /// # Errors
    ///
    /// If the campaign has other terms.
    pub fn join(&self, terms: &Terms) -> Result<impl Exchange + use<>, Error> {
        self.agree(terms)?;
        let mut state = locked(&self.state);
        state.joined += 1;
        let name = format!("worker-{}", state.joined);
        let before = state.tests.len();
        Ok(Joined {
            state: Arc::clone(&self.state),
            name,
            next: 0,
            before,
            own: HashSet::new(),
            too_large: 0,
        })
    }
}

impl Board for Memory {
    fn terms(&self) -> Result<Option<Terms>, Error> {
        Ok(locked(&self.state).terms.clone())
    }

    fn workers(&self) -> Result<Vec<Told>, Error> {
        let told = |(worker, (status, at)): (&String, &(String, Instant))| Told {
            worker: worker.clone(),
            status: status.clone(),
            age: at.elapsed(),
        };
        Ok(locked(&self.state).workers.iter().map(told).collect())
    }

    fn entries(&self, topic: Topic) -> Result<Vec<Entry>, Error> {
        let state = locked(&self.state);
        Ok(if topic == Topic::Test { state.tests.clone() } else { state.findings.clone() })
    }

    fn count(&self, topic: Topic) -> Result<u64, Error> {
        Ok(self.entries(topic)?.len() as u64)
    }

    fn stop(&self) -> Result<(), Error> {
        locked(&self.state).stopped = true;
        Ok(())
    }

    fn is_stopped(&self) -> Result<bool, Error> {
        Ok(locked(&self.state).stopped)
    }
}

/// A worker that joined.
struct Joined {
    state: Arc<Mutex<State>>,
    name: String,
    /// The place of the next test that it has not seen.
    next: usize,
    /// How many tests there were when it joined.
    before: usize,
    /// The tests that it published.
    own: HashSet<u64>,
    too_large: u64,
}

impl Exchange for Joined {
    fn publish(&mut self, entry: Entry) {
        if entry.bytes.len() > MOST_BYTES {
            self.too_large += 1;
            return;
        }
        let mut state = locked(&self.state);
        if entry.topic == Topic::Test {
            self.own.insert(entry.key);
        }
        if state.known.insert((entry.topic, entry.key)) {
            match entry.topic {
                Topic::Test => state.tests.push(entry),
                Topic::Finding => state.findings.push(entry),
            }
        }
    }

    fn poll(&mut self) -> Option<Entry> {
        let state = locked(&self.state);
        while let Some(entry) = state.tests.get(self.next) {
            self.next += 1;
            if !self.own.contains(&entry.key) {
                return Some(entry.clone());
            }
        }
        None
    }

    fn was_there_before(&self) -> bool {
        self.next <= self.before
    }

    fn backlog(&self) -> u64 {
        (locked(&self.state).tests.len() - self.next) as u64
    }

    fn tell(&mut self, status: &str) {
        locked(&self.state).workers.insert(self.name.clone(), (status.to_owned(), Instant::now()));
    }

    fn is_stopped(&self) -> bool {
        locked(&self.state).stopped
    }

    fn health(&self) -> Health {
        Health { connected: true, too_large: self.too_large, ..Health::default() }
    }

    fn finish(&mut self, _: Duration) {}
}

/// Cells in memory. Clones are the same cells.
#[derive(Clone)]
pub struct MemoryCells {
    cells: Arc<Mutex<BTreeMap<String, Cell>>>,
    lease: Duration,
}

struct Cell {
    work: Vec<u8>,
    tries: u32,
    /// How often it may be handed out.
    most: u32,
    /// The last sign of life of its holder.
    alive: Option<Instant>,
    result: Option<Vec<u8>>,
}

impl Cells for MemoryCells {
    fn add(&self, cells: &[(String, Vec<u8>)]) -> Result<(), Error> {
        let mut all = locked(&self.cells);
        for (name, work) in cells {
            let new = || Cell { work: work.clone(), tries: 0, most: MOST_TRIES, alive: None, result: None };
            all.entry(name.clone()).or_insert_with(new);
        }
        Ok(())
    }

    fn take(&self) -> Result<Taken, Error> {
        let mut all = locked(&self.cells);
        let mut waits = false;
        for (name, cell) in all.iter_mut().filter(|(_, cell)| cell.result.is_none()) {
            let is_held = cell.alive.is_some_and(|alive| alive.elapsed() < self.lease);
            waits |= is_held;
            if !is_held && cell.tries < cell.most {
                (cell.tries, cell.alive) = (cell.tries + 1, Some(Instant::now()));
                return Ok(Taken::Cell(Held {
                    name: name.clone(),
                    work: cell.work.clone(),
                    tries: cell.tries,
                }));
            }
        }
        Ok(if waits { Taken::Wait } else { Taken::Done })
    }

    fn renew(&self) -> Result<u64, Error> {
        let mut all = locked(&self.cells);
        let is_held = |cell: &Cell| cell.alive.is_some_and(|alive| alive.elapsed() < self.lease);
        let mut open: Vec<&mut Cell> = all.values_mut().filter(|cell| cell.result.is_none()).collect();
        if open.iter().any(|cell| cell.tries < cell.most || is_held(cell)) {
            return Ok(0);
        }
        open.iter_mut().for_each(|cell| cell.most += MOST_TRIES);
        Ok(open.len() as u64)
    }

    fn keep_alive(&self, held: &Held) -> Result<(), Error> {
        let mut all = locked(&self.cells);
        if let Some(cell) = all.get_mut(&held.name).filter(|cell| cell.tries == held.tries) {
            cell.alive = Some(Instant::now());
        }
        Ok(())
    }

    fn hand_in(&self, held: &Held, result: &[u8]) -> Result<bool, Error> {
        let mut all = locked(&self.cells);
        let Some(cell) = all.get_mut(&held.name) else { return Ok(false) };
        let is_first = cell.result.is_none();
        cell.result.get_or_insert_with(|| result.to_vec());
        Ok(is_first)
    }

    fn results(&self) -> Result<Vec<(String, Vec<u8>)>, Error> {
        let with_result = |(name, cell): (&String, &Cell)| Some((name.clone(), cell.result.clone()?));
        Ok(locked(&self.cells).iter().filter_map(with_result).collect())
    }

    fn progress(&self) -> Result<Progress, Error> {
        let all = locked(&self.cells);
        let done = all.values().filter(|cell| cell.result.is_some()).count();
        Ok(Progress { all: all.len() as u64, done: done as u64 })
    }

    fn lease(&self) -> Duration {
        self.lease
    }
}

//! Pieces of work that are handed out, each until it has a result.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::Error;

/// How often a cell is handed out, at most, before somebody [renews](Cells::renew) it.
pub const MOST_TRIES: u32 = 3;
/// How often somebody who keeps a cell looks whether it is still to be kept.
const PAUSE: Duration = Duration::from_millis(10);

/// A cell that was taken. It is handed out again if its holder does not show signs of life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The name of the cell.
    pub name: String,
    /// What is to be done.
    pub work: Vec<u8>,
    /// How often it was handed out, this time included.
    pub tries: u32,
}

/// What comes of asking for a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// This one.
    Cell(Held),
    /// There is none now, but others hold cells that they may not finish.
    Wait,
    /// Every cell has a result, or was handed out as often as allowed.
    Done,
}

/// How far the cells are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Cells.
    pub all: u64,
    /// Those with a result.
    pub done: u64,
}

/// Pieces of work that are handed out, each until it has a result. The methods may wait for files or the network, for a moment.
///
/// ## Invariants
///
/// * A cell is held by one worker at a time, until it has a result. Only if its holder shows no sign of life for the time of a
///   lease, it is handed out again, at most [`MOST_TRIES`] times in all, and as often again whenever the cells are
///   [renewed](Cells::renew).
/// * A cell gets one result: the first one. It is stored when [`hand_in`](Cells::hand_in) returns.
pub trait Cells: Send + Sync {
    /// Adds cells: names, and what is to be done. Those that are there already stay as they are.
    ///
    /// # Errors
    ///
    /// If they cannot be stored.
    fn add(&self, cells: &[(String, Vec<u8>)]) -> Result<(), Error>;

    /// Takes a cell.
    ///
    /// # Errors
    ///
    /// If the cells cannot be read.
    fn take(&self) -> Result<Taken, Error>;

    /// Gives new tries to the cells that have no result and were handed out as often as allowed. Returns how many these are: none
    /// while there are cells that can still be taken, or that somebody holds. Of several workers that do this at once, one does it.
    ///
    /// # Errors
    ///
    /// If the cells cannot be read or written.
    fn renew(&self) -> Result<u64, Error>;

    /// Shows that the holder of a cell lives. It must do so more than once in the time of a lease.
    ///
    /// # Errors
    ///
    /// If this cannot be told.
    fn keep_alive(&self, held: &Held) -> Result<(), Error>;

    /// Hands in the result of a cell. Returns whether it is the first one.
    ///
    /// # Errors
    ///
    /// If it cannot be stored.
    fn hand_in(&self, held: &Held, result: &[u8]) -> Result<bool, Error>;

    /// All results, with the names of their cells.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    fn results(&self) -> Result<Vec<(String, Vec<u8>)>, Error>;

    /// How far the cells are.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    fn progress(&self) -> Result<Progress, Error>;

    /// How long a cell may be held without a sign of life.
    fn lease(&self) -> Duration;
}

/// Shows signs of life for a cell from a thread of its own, until this is dropped.
pub struct Alive {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Alive {
    /// Keeps a cell. One sign in three may get lost.
    pub fn keep(cells: Arc<dyn Cells>, held: Held) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&over);
        let thread = thread::spawn(move || {
            let mut last = Instant::now();
            while !is_over.load(Ordering::Relaxed) {
                if last.elapsed() >= cells.lease() / 3 {
                    last = Instant::now();
                    // If the others cannot be reached, the cell may be handed out again; the first result counts.
                    let _ = cells.keep_alive(&held);
                }
                thread::sleep(PAUSE);
            }
        });
        Alive { over, thread: Some(thread) }
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

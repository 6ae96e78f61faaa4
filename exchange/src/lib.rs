//! What the workers of one campaign tell each other, on one machine or on several.
//!
//! An [`Exchange`] carries tests that showed something new to every other worker, once each, and findings and signs of life to
//! whoever [looks](Board). [`Cells`] hand out pieces of work, of which each gets one result. Both know bytes, names and hashes,
//! and nothing of what they mean.
//!
//! | module | content |
//! |---|---|
//! | `memory` | both, for threads of one process |
//! | `directory` | both, for processes on one file system |
//! | `nats` | both, for machines: over a NATS server with JetStream; only with the feature `hub` |
//! | `courier` | the part of an exchange that a search talks to: it never waits |
//! | `place` | where a campaign meets: a directory or a server, with its secret |
//! | `entry`, `terms` | what is carried, and what all workers of a campaign must agree on |
//!
//! ```
//! use mutagen_exchange::{Entry, Exchange, Memory, Terms};
//!
//! let terms = Terms::default().with("version", "1");
//! let memory = Memory::default();
//! let mut one = memory.join(&terms)?;
//! let mut other = memory.join(&terms)?;
//! one.publish(Entry::test(b"new".to_vec()));
//! assert_eq!(other.poll().map(|entry| entry.bytes), Some(b"new".to_vec()));
//! assert!(other.poll().is_none());
//!
//! let refused = memory.join(&Terms::default().with("version", "2")).err();
//! assert_eq!(refused.map(|error| error.to_string()).as_deref(), Some("this campaign is another one: version is `1` there and `2` here"));
//! # Ok::<(), mutagen_exchange::Error>(())
//! ```

mod cells;
mod courier;
mod directory;
mod entry;
mod error;
mod memory;
#[cfg(feature = "hub")]
mod nats;
mod place;
mod terms;

use std::time::Duration;

pub use cells::{Alive, Cells, Held, MOST_TRIES, Progress, Taken};
pub use directory::{Directory, DirectoryCells, new_worker};
pub use entry::{Entry, MOST_BYTES, Topic};
pub use error::Error;
pub use memory::{Memory, MemoryCells};
#[cfg(feature = "hub")]
pub use nats::{Hub, HubCells};
pub use place::{Address, Place, Secret};
pub use terms::{CampaignName, Terms};

/// One worker's end of an exchange. None of its methods waits, but for [`finish`](Exchange::finish).
///
/// ## Invariants
///
/// * Every test that a worker publishes reaches every other worker that looks for long enough, also one that comes later. It
///   comes once, however many workers publish it, and never to a worker that published it itself.
/// * A finding is stored once for each key: the first one stays.
/// * While the others cannot be reached, what is published waits, up to a bound. Tests beyond it are dropped, the oldest first;
///   findings are not.
pub trait Exchange: Send {
    /// Offers an entry to the others.
    fn publish(&mut self, entry: Entry);

    /// The next test of the others that this worker has not seen.
    fn poll(&mut self) -> Option<Entry>;

    /// Whether the test that was polled last was there when this worker joined.
    fn was_there_before(&self) -> bool;

    /// How many tests of the others are here already and wait to be polled. More may be on their way.
    fn backlog(&self) -> u64;

    /// Says how this worker is doing, in place of what it said last.
    fn tell(&mut self, status: &str);

    /// Whether somebody asked all workers to stop.
    fn is_stopped(&self) -> bool;

    /// What came of the entries so far.
    fn health(&self) -> Health;

    /// Waits until everything that was published is stored, at most for this long.
    fn finish(&mut self, longest: Duration);
}

/// What came of the entries of one worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Whether the others could be reached last time.
    pub connected: bool,
    /// Entries that wait to be stored.
    pub unsent: u64,
    /// Tests that were dropped because too many waited, or because there is no more room for them.
    pub dropped: u64,
    /// Entries that were not sent because they are larger than [`MOST_BYTES`], or than the server takes.
    pub too_large: u64,
    /// Entries of others that are damaged, or of another format.
    pub foreign: u64,
}

/// A campaign as somebody sees it who takes no part. All methods may wait for files or the network.
pub trait Board {
    /// What all workers agreed on. `None` if nobody has joined yet.
    ///
    /// # Errors
    ///
    /// If the campaign cannot be read.
    fn terms(&self) -> Result<Option<Terms>, Error>;

    /// What each worker said last, by name.
    ///
    /// # Errors
    ///
    /// If the campaign cannot be read.
    fn workers(&self) -> Result<Vec<Told>, Error>;

    /// All entries of a topic, each key once.
    ///
    /// # Errors
    ///
    /// If the campaign cannot be read.
    fn entries(&self, topic: Topic) -> Result<Vec<Entry>, Error>;

    /// How many entries of a topic there are.
    ///
    /// # Errors
    ///
    /// If the campaign cannot be read.
    fn count(&self, topic: Topic) -> Result<u64, Error>;

    /// Asks all workers to stop, those that join later included.
    ///
    /// # Errors
    ///
    /// If this cannot be stored.
    fn stop(&self) -> Result<(), Error>;

    /// Whether somebody asked all workers to stop.
    ///
    /// # Errors
    ///
    /// If the campaign cannot be read.
    fn is_stopped(&self) -> Result<bool, Error>;
}

/// What a worker said last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The worker.
    pub worker: String,
    /// What it said.
    pub status: String,
    /// How long ago that was.
    pub age: Duration,
}

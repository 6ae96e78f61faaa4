//! The part of an exchange that a search talks to. Somebody else carries the entries, on a thread of its own: this side only
//! puts them into bounded channels, and never waits.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Entry, Exchange, Health, MOST_BYTES, Topic};

/// How many entries the channels hold, in either direction.
const MOST_IN_CHANNEL: usize = 1024;
/// How many bytes of entries wait before the channel at most, besides findings.
const MOST_WAITING: usize = 64 << 20;
/// How often the end of a campaign looks whether everything is stored.
const PAUSE: Duration = Duration::from_millis(2);

/// What both sides see.
#[derive(Default)]
pub(crate) struct Shared {
    unsent: AtomicU64,
    dropped: AtomicU64,
    too_large: AtomicU64,
    foreign: AtomicU64,
    connected: AtomicBool,
    stopped: AtomicBool,
    leaving: AtomicBool,
    status: Mutex<Option<String>>,
}

impl Shared {
    /// An entry is stored, by this worker or by another one.
    pub(crate) fn is_stored(&self) {
        self.unsent.fetch_sub(1, Ordering::Relaxed);
    }

    /// There is no room for a test.
    pub(crate) fn has_no_room(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
        self.is_stored();
    }

    /// The other side does not take entries of this size.
    #[cfg(feature = "hub")]
    pub(crate) fn is_too_large(&self) {
        self.too_large.fetch_add(1, Ordering::Relaxed);
        self.is_stored();
    }

    /// An entry of another worker is damaged, or of another format.
    pub(crate) fn is_foreign(&self) {
        self.foreign.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether the others can be reached.
    pub(crate) fn set_connected(&self, connected: bool) {
        self.connected.store(connected, Ordering::Relaxed);
    }

    /// Somebody asked all workers to stop.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether the worker is gone.
    pub(crate) fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Relaxed)
    }

    /// What the worker wants to say, until that [was said](Shared::has_said).
    pub(crate) fn status(&self) -> Option<String> {
        self.locked_status().clone()
    }

    /// The others can see what the worker said.
    pub(crate) fn has_said(&self, status: &str) {
        let mut unsaid = self.locked_status();
        if unsaid.as_deref() == Some(status) {
            *unsaid = None;
        }
    }

    fn locked_status(&self) -> MutexGuard<'_, Option<String>> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the thread that carries entries has.
pub(crate) struct Carrier {
    /// Entries to be stored.
    pub(crate) outgoing: Receiver<Entry>,
    /// Tests of others.
    pub(crate) incoming: SyncSender<Entry>,
    /// What both sides see.
    pub(crate) shared: Arc<Shared>,
}

/// The worker's side.
pub(crate) struct Courier {
    outgoing: SyncSender<Entry>,
    incoming: Receiver<Entry>,
    shared: Arc<Shared>,
    /// Entries for which the channel has no room.
    waiting: VecDeque<Entry>,
    waiting_bytes: usize,
    seen: HashSet<(Topic, u64)>,
    wake: Box<dyn Fn() + Send>,
}

impl Courier {
    /// Both sides. `wake` tells the other one that there is something to do.
    pub(crate) fn new(wake: impl Fn() + Send + 'static) -> (Self, Carrier) {
        let (outgoing, to_store) = sync_channel(MOST_IN_CHANNEL);
        let (found, incoming) = sync_channel(MOST_IN_CHANNEL);
        let shared = Arc::new(Shared::default());
        shared.set_connected(true);
        let carrier = Carrier { outgoing: to_store, incoming: found, shared: Arc::clone(&shared) };
        let (waiting, seen) = Default::default();
        let wake = Box::new(wake);
        (Courier { outgoing, incoming, shared, waiting, waiting_bytes: 0, seen, wake }, carrier)
    }

    /// Hands over what waits, as far as there is room.
    fn flush(&mut self) {
        while let Some(entry) = self.waiting.pop_front() {
            let bytes = entry.bytes.len();
            match self.outgoing.try_send(entry) {
                Ok(()) => self.waiting_bytes -= bytes,
                Err(TrySendError::Full(entry) | TrySendError::Disconnected(entry)) => {
                    self.waiting.push_front(entry);
                    return;
                }
            }
        }
    }

    /// Drops the oldest tests if too much waits.
    fn make_room(&mut self) {
        while self.waiting_bytes > MOST_WAITING {
            let Some(place) = self.waiting.iter().position(|entry| entry.topic == Topic::Test) else {
                return;
            };
            let dropped = self.waiting.remove(place).map_or(0, |entry| entry.bytes.len());
            self.waiting_bytes -= dropped;
            self.shared.has_no_room();
        }
    }
}

impl Exchange for Courier {
    fn publish(&mut self, entry: Entry) {
        if entry.bytes.len() > MOST_BYTES {
            self.shared.too_large.fetch_add(1, Ordering::Relaxed);
            return;
        }
        if !self.seen.insert((entry.topic, entry.key)) {
            return;
        }
        self.shared.unsent.fetch_add(1, Ordering::Relaxed);
        self.waiting_bytes += entry.bytes.len();
        self.waiting.push_back(entry);
        self.flush();
        self.make_room();
        (self.wake)();
    }

    fn poll(&mut self) -> Option<Entry> {
        self.flush();
        loop {
            match self.incoming.try_recv() {
                Ok(entry) if self.seen.insert((entry.topic, entry.key)) => return Some(entry),
                Ok(_) => {}
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return None,
            }
        }
    }

    fn tell(&mut self, status: &str) {
        *self.shared.locked_status() = Some(status.to_owned());
        (self.wake)();
    }

    fn is_stopped(&self) -> bool {
        self.shared.stopped.load(Ordering::Relaxed)
    }

    fn health(&self) -> Health {
        let Shared { unsent, dropped, too_large, foreign, connected, .. } = &*self.shared;
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Health {
            connected: connected.load(Ordering::Relaxed),
            unsent: read(unsent),
            dropped: read(dropped),
            too_large: read(too_large),
            foreign: read(foreign),
        }
    }

    fn finish(&mut self, longest: Duration) {
        let started = Instant::now();
        let is_done =
            |shared: &Shared| shared.unsent.load(Ordering::Relaxed) == 0 && shared.status().is_none();
        while !is_done(&self.shared) && started.elapsed() < longest {
            self.flush();
            (self.wake)();
            thread::sleep(PAUSE);
        }
    }
}

impl Drop for Courier {
    fn drop(&mut self) {
        self.shared.leaving.store(true, Ordering::Relaxed);
        (self.wake)();
    }
}

//! The part of an exchange that a search talks to. Somebody else carries the entries, on a thread of its own: this side only
//! puts them into bounded channels, and never waits.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Entry, Exchange, Health, MOST_BYTES, Topic};

/// How many entries the channels hold, in either direction.
const MOST_IN_CHANNEL: usize = 1024;
/// How many bytes of entries wait to be stored at most, besides findings: before the channel, in it, and behind it.
const MOST_WAITING: usize = 64 << 20;
/// How many of these bytes may be in the channel and behind it, where they can no longer be dropped.
const MOST_HANDED: usize = 16 << 20;
/// How many bytes of tests of others wait for the worker at most.
const MOST_COMING: usize = 16 << 20;
/// How often the end of a campaign looks whether everything is stored.
const PAUSE: Duration = Duration::from_millis(2);

/// What both sides see.
#[derive(Default)]
pub(crate) struct Shared {
    unsent: AtomicU64,
    /// The bytes of entries that the carrier has and that are not stored yet.
    handed: AtomicUsize,
    /// The tests of others that wait for the worker, and their bytes.
    coming: AtomicU64,
    coming_bytes: AtomicUsize,
    /// How many tests the worker gets that were there when it joined, and whether all of them are counted.
    before: AtomicU64,
    has_caught_up: AtomicBool,
    dropped: AtomicU64,
    too_large: AtomicU64,
    foreign: AtomicU64,
    connected: AtomicBool,
    stopped: AtomicBool,
    leaving: AtomicBool,
    status: Mutex<Option<String>>,
}

impl Shared {
    /// An entry of so many bytes is stored, by this worker or by another one.
    pub(crate) fn is_stored(&self, bytes: usize) {
        self.handed.fetch_sub(bytes, Ordering::Relaxed);
        self.unsent.fetch_sub(1, Ordering::Relaxed);
    }

    /// There is no room for a test of so many bytes.
    #[cfg(feature = "hub")]
    pub(crate) fn has_no_room(&self, bytes: usize) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
        self.is_stored(bytes);
    }

    /// The other side does not take entries of this size.
    #[cfg(feature = "hub")]
    pub(crate) fn is_too_large(&self, bytes: usize) {
        self.too_large.fetch_add(1, Ordering::Relaxed);
        self.is_stored(bytes);
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

    /// A test of others no longer waits for the worker.
    fn has_come(&self, bytes: usize) {
        self.coming_bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.coming.fetch_sub(1, Ordering::Relaxed);
    }

    fn locked_status(&self) -> MutexGuard<'_, Option<String>> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the thread that carries entries has.
pub(crate) struct Carrier {
    /// Entries to be stored.
    pub(crate) outgoing: Receiver<Entry>,
    /// Where tests of others go.
    pub(crate) incoming: Incoming,
    /// What both sides see.
    pub(crate) shared: Arc<Shared>,
}

/// Where the tests of others wait for the worker.
pub(crate) struct Incoming {
    channel: SyncSender<Entry>,
    shared: Arc<Shared>,
}

impl Incoming {
    /// Hands a test of others to the worker. Gives it back if too much waits for the worker already.
    pub(crate) fn hand_over(&self, entry: Entry) -> Result<(), Entry> {
        let (shared, bytes) = (&self.shared, entry.bytes.len());
        let waiting = shared.coming_bytes.load(Ordering::Relaxed);
        if waiting > 0 && waiting + bytes > MOST_COMING {
            return Err(entry);
        }
        let was_there_before = u64::from(!shared.has_caught_up.load(Ordering::Relaxed));
        // First, so that the worker never takes away what was not added.
        shared.coming.fetch_add(1, Ordering::Relaxed);
        shared.coming_bytes.fetch_add(bytes, Ordering::Relaxed);
        shared.before.fetch_add(was_there_before, Ordering::Relaxed);
        match self.channel.try_send(entry) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(entry) | TrySendError::Disconnected(entry)) => {
                shared.before.fetch_sub(was_there_before, Ordering::Relaxed);
                shared.has_come(bytes);
                Err(entry)
            }
        }
    }

    /// All tests were handed over that were there when the worker joined.
    pub(crate) fn has_caught_up(&self) {
        self.shared.has_caught_up.store(true, Ordering::Relaxed);
    }
}

/// The worker's side.
pub(crate) struct Courier {
    outgoing: SyncSender<Entry>,
    incoming: Receiver<Entry>,
    shared: Arc<Shared>,
    /// Entries for which the channel has no room.
    waiting: VecDeque<Entry>,
    waiting_bytes: usize,
    /// How many tests of others came here.
    come: u64,
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
        let found = Incoming { channel: found, shared: Arc::clone(&shared) };
        let carrier = Carrier { outgoing: to_store, incoming: found, shared: Arc::clone(&shared) };
        let (waiting, seen) = Default::default();
        let wake = Box::new(wake);
        (Courier { outgoing, incoming, shared, waiting, waiting_bytes: 0, come: 0, seen, wake }, carrier)
    }

    /// Hands over what waits, as far as there is room.
    fn flush(&mut self) {
        while let Some(entry) = self.waiting.pop_front() {
            let bytes = entry.bytes.len();
            let handed = self.shared.handed.load(Ordering::Relaxed);
            if handed > 0 && handed + bytes > MOST_HANDED {
                self.waiting.push_front(entry);
                return;
            }
            self.shared.handed.fetch_add(bytes, Ordering::Relaxed);
            match self.outgoing.try_send(entry) {
                Ok(()) => self.waiting_bytes -= bytes,
                Err(TrySendError::Full(entry) | TrySendError::Disconnected(entry)) => {
                    self.shared.handed.fetch_sub(bytes, Ordering::Relaxed);
                    self.waiting.push_front(entry);
                    return;
                }
            }
        }
    }

    /// Drops the oldest tests if too much waits.
    fn make_room(&mut self) {
        while self.waiting_bytes + self.shared.handed.load(Ordering::Relaxed) > MOST_WAITING {
            let Some(place) = self.waiting.iter().position(|entry| entry.topic == Topic::Test) else {
                return;
            };
            let dropped = self.waiting.remove(place).map_or(0, |entry| entry.bytes.len());
            self.waiting_bytes -= dropped;
            self.shared.dropped.fetch_add(1, Ordering::Relaxed);
            self.shared.unsent.fetch_sub(1, Ordering::Relaxed);
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
                Ok(entry) => {
                    self.shared.has_come(entry.bytes.len());
                    self.come += 1;
                    if self.seen.insert((entry.topic, entry.key)) {
                        return Some(entry);
                    }
                }
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return None,
            }
        }
    }

    fn was_there_before(&self) -> bool {
        self.come <= self.shared.before.load(Ordering::Relaxed)
    }

    fn backlog(&self) -> u64 {
        self.shared.coming.load(Ordering::Relaxed)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Each of the largest size, and different.
    fn large(number: usize) -> Entry {
        let mut bytes = vec![0; MOST_BYTES];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        Entry::test(bytes)
    }

    #[test]
    fn what_waits_takes_no_more_than_it_may_wherever_it_waits_and_findings_stay() {
        let (mut courier, carrier) = Courier::new(|| ());
        courier.publish(Entry::finding(1, vec![1; 100]));
        (0..200).for_each(|number| courier.publish(large(number)));
        let health = courier.health();
        let most = (MOST_WAITING / MOST_BYTES) as u64;
        assert_eq!((health.unsent, health.dropped), (most + 1, 200 - most));
        // Some of it is with the carrier, who has not stored it yet.
        let taken: Vec<Entry> = carrier.outgoing.try_iter().collect();
        let bytes: usize = taken.iter().map(|entry| entry.bytes.len()).sum();
        assert!(taken[0].topic == Topic::Finding && bytes <= MOST_HANDED, "{} bytes", bytes);
        courier.publish(large(200));
        assert_eq!(courier.health().dropped, 201 - most);
        // When that is stored, there is room again.
        taken.iter().for_each(|entry| carrier.shared.is_stored(entry.bytes.len()));
        courier.publish(large(201));
        assert_eq!(courier.health().dropped, 201 - most);
    }

    #[test]
    fn tests_of_others_wait_where_they_are_if_the_worker_is_slow() {
        let (mut courier, carrier) = Courier::new(|| ());
        let most = MOST_COMING / MOST_BYTES;
        assert!((0..most).all(|number| carrier.incoming.hand_over(large(number)).is_ok()));
        let back = carrier.incoming.hand_over(large(most)).expect_err("there is no room");
        assert_eq!((courier.backlog(), &back), (most as u64, &large(most)));
        assert_eq!(courier.poll(), Some(large(0)));
        assert_eq!((carrier.incoming.hand_over(back), courier.backlog()), (Ok(()), most as u64));
    }
}

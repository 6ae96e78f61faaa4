//! What the thread of a worker's session does: it stores what the worker publishes, and reads what others published.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use super::STOP;
use super::session::{Kept, Link, Stream, read};
use crate::courier::{Carrier, Incoming, Shared};
use crate::entry::key_of;
use crate::{Entry, Error, Topic};

/// How many entries are under way to the server at once.
const MOST_UNDER_WAY: usize = 256;
/// How long to wait before something that failed is tried again.
const AGAIN: Duration = Duration::from_millis(250);
/// How long to wait for a worker that is slow to take tests.
const PAUSE: Duration = Duration::from_millis(5);
/// How often to say how the worker is doing.
const SAY_EVERY: Duration = Duration::from_millis(100);
/// How often to ask whether to stop.
const ASK_EVERY: Duration = Duration::from_secs(1);

/// Two ends: one waits until the other one wakes it.
pub(super) fn waking() -> (Arc<Notify>, impl Fn() + Send + 'static) {
    let woken = Arc::new(Notify::new());
    let wake = Arc::clone(&woken);
    (woken, move || wake.notify_one())
}

/// Carries entries until the worker is gone.
pub(super) async fn carry(link: Link, carrier: Carrier, woken: Arc<Notify>, worker: String) {
    let Carrier { outgoing, incoming, shared } = carrier;
    // The end of the worker ends all of them.
    tokio::select! {
        () = store_all(&link, outgoing, &shared, &woken) => {}
        () = fetch(&link, &incoming, &shared) => {}
        () = say(&link, &shared, &worker) => {}
        () = ask(&link, &shared) => {}
    }
}

/// Stores what the worker publishes, until it is gone.
async fn store_all(link: &Link, outgoing: Receiver<Entry>, shared: &Shared, woken: &Notify) {
    let mut under_way = FuturesUnordered::new();
    while !shared.is_leaving() {
        while under_way.len() < MOST_UNDER_WAY {
            match outgoing.try_recv() {
                Ok(entry) => under_way.push(store(link, entry, shared)),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
            }
        }
        tokio::select! {
            () = woken.notified() => {}
            Some(()) = under_way.next() => {}
        }
    }
}

/// Says how the worker is doing, when it has news.
async fn say(link: &Link, shared: &Shared, worker: &str) {
    let subject = link.subject(&format!("workers.{worker}"));
    loop {
        if let Some(status) = shared.status()
            && link.replace(subject.clone(), status.clone().into_bytes()).await.is_ok()
        {
            shared.has_said(&status);
        }
        sleep(SAY_EVERY).await;
    }
}

/// Stores an entry, as often as it takes.
async fn store(link: &Link, entry: Entry, shared: &Shared) {
    let subject = link.subject(&format!("{}.{}", entry.topic.name(), entry.name()));
    let bytes = entry.bytes.len();
    loop {
        match link.put(subject.clone(), entry.sealed()).await {
            Ok(Kept::Stored | Kept::Known) => return shared.is_stored(bytes),
            Ok(Kept::NoRoom) if entry.topic == Topic::Test => return shared.has_no_room(bytes),
            Ok(Kept::TooLarge) => return shared.is_too_large(bytes),
            Ok(Kept::NoRoom) | Err(_) => sleep(AGAIN).await,
        }
    }
}

/// Reads the tests of others, from the first one on. Whatever ends this, it goes on where it was.
async fn fetch(link: &Link, incoming: &Incoming, shared: &Shared) {
    let mut next = 1;
    while !shared.is_leaving() {
        // The server may be gone, or have forgotten this reader.
        let _ = fetch_from(&mut next, link, incoming, shared).await;
        sleep(AGAIN).await;
    }
}

async fn fetch_from(next: &mut u64, link: &Link, incoming: &Incoming, shared: &Shared) -> Result<(), Error> {
    let reader = link.reader(Stream::Tests, "tests.*", *next).await?;
    let mut before = reader.cached_info().num_pending;
    if before == 0 {
        incoming.has_caught_up();
    }
    let mut messages = link.follow(&reader).await?;
    while let Some(Ok(message)) = messages.next().await {
        let Some(message) = read(message) else { continue };
        *next = message.sequence + 1;
        let key = key_of(message.last_word());
        match key.and_then(|key| Entry::open(Topic::Test, key, &message.payload)) {
            Some(entry) => hand_over(entry, incoming, shared).await,
            None => shared.is_foreign(),
        }
        before = before.saturating_sub(1);
        if before == 0 {
            incoming.has_caught_up();
        }
    }
    Ok(())
}

/// Hands a test to the worker, who may be slow.
async fn hand_over(entry: Entry, incoming: &Incoming, shared: &Shared) {
    let mut entry = entry;
    while let Err(back) = incoming.hand_over(entry) {
        entry = back;
        if shared.is_leaving() {
            return;
        }
        sleep(PAUSE).await;
    }
}

/// Asks from time to time whether to stop, and looks whether the server is there.
async fn ask(link: &Link, shared: &Shared) {
    let stop = link.subject(STOP);
    loop {
        shared.set_connected(link.is_connected());
        if let Ok(Ok(Some(_))) = timeout(ASK_EVERY, link.last(Stream::Log, &stop)).await {
            shared.stop();
        }
        sleep(ASK_EVERY).await;
    }
}

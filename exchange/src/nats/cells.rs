//! Cells on a server: a durable consumer hands each message out until it is acknowledged. A cell that was handed out as often as
//! allowed is handed out again if it is published anew, under a subject with a number.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::jetstream::consumer::AckPolicy;
use async_nats::jetstream::consumer::pull::Config as PullConfig;
use async_nats::jetstream::{self, AckKind};
use futures_util::{StreamExt, TryStreamExt, stream};
use mutagen_engine::stable;

use super::Hub;
use super::session::{Kept, Message, Session, Stream};
use crate::directory::new_worker;
use crate::entry::{name_of, opened, sealed};
use crate::{Cells, Error, Held, MOST_TRIES, Progress, Taken};

/// The name of the consumer that all workers share.
const QUEUE: &str = "queue";
/// How many cells may be held at once.
const MOST_HELD: i64 = 100_000;
/// How long to wait for a cell.
const LONGEST: Duration = Duration::from_millis(500);
/// How many cells are under way to the server at once.
const MOST_UNDER_WAY: usize = 64;

/// Cells on a NATS server.
pub struct HubCells {
    session: Session,
    lease: Duration,
    /// Who hands in from here, so that a result of others is told from one of this holder that was sent twice.
    holder: String,
    /// What acknowledges the cells that are held here.
    held: Mutex<HashMap<String, jetstream::Message>>,
}

impl HubCells {
    /// The cells of a campaign.
    ///
    /// # Errors
    ///
    /// If the server does not answer.
    pub fn new(hub: Hub, lease: Duration) -> Result<Self, Error> {
        let cells = HubCells { session: hub.session, lease, holder: new_worker(), held: Mutex::default() };
        cells.session.wait(cells.session.consumer(Stream::Cells, cells.queue()))?;
        Ok(cells)
    }

    fn queue(&self) -> PullConfig {
        PullConfig {
            durable_name: Some(QUEUE.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: self.lease,
            max_deliver: i64::from(MOST_TRIES),
            max_ack_pending: MOST_HELD,
            ..PullConfig::default()
        }
    }

    fn held(&self) -> MutexGuard<'_, HashMap<String, jetstream::Message>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn subject(&self, what: &str, name: &str) -> String {
        self.session.subject(&format!("{what}.{}", name_of(stable::hash(name.as_bytes()))))
    }

    async fn next(&self) -> Result<Taken, Error> {
        let mut consumer = self.session.consumer(Stream::Cells, self.queue()).await?;
        let failed = |error: &dyn std::error::Error| self.session.failed(error);
        let batch = consumer.fetch().max_messages(1).expires(LONGEST).messages();
        let mut batch = batch.await.map_err(|error| failed(&error))?;
        while let Some(message) = batch.next().await {
            let message = message.map_err(|error| failed(&*error))?;
            let tries = message.info().map_or(1, |info| info.delivered);
            let Some((name, work)) = unpacked(&message.payload) else {
                // It is no cell of ours. Nobody is to get it again.
                let _ = message.ack_with(AckKind::Term).await;
                continue;
            };
            if self.session.last(Stream::Results, &self.subject("results", &name)).await?.is_some() {
                // Its holder died before it could say so.
                let _ = message.ack().await;
                continue;
            }
            let renewed = renewals(&message.subject);
            self.held().insert(name.clone(), message);
            let tries = MOST_TRIES * renewed + u32::try_from(tries).unwrap_or(MOST_TRIES);
            return Ok(Taken::Cell(Held { name, work, tries }));
        }
        let info = consumer.info().await.map_err(|error| failed(&error))?;
        Ok(if info.num_pending == 0 && info.num_ack_pending == 0 { Taken::Done } else { Taken::Wait })
    }

    async fn renewed(&self) -> Result<u64, Error> {
        // How often each cell was renewed is read first: whoever renews meanwhile is then noticed, here or by the subject.
        let mut times: HashMap<String, u32> = HashMap::new();
        for again in self.session.all(Stream::Cells, "again.*.*").await? {
            *times.entry(again.word_before().to_owned()).or_default() += 1;
        }
        let mut consumer = self.session.consumer(Stream::Cells, self.queue()).await?;
        let info = consumer.info().await.map_err(|error| self.session.failed(&error))?;
        if info.num_pending > 0 || info.num_ack_pending > 0 {
            return Ok(0);
        }
        let results = self.session.all(Stream::Results, "results.*").await?;
        let done: HashSet<&str> = results.iter().map(Message::last_word).collect();
        let mut renewed = 0;
        for cell in self.session.all(Stream::Cells, "cells.*").await? {
            let key = cell.last_word();
            if done.contains(key) || unpacked(&cell.payload).is_none() {
                continue;
            }
            let subject = format!("again.{key}.{}", times.get(key).copied().unwrap_or(0) + 1);
            match self.session.put(self.session.subject(&subject), cell.payload.clone()).await? {
                Kept::Stored => renewed += 1,
                Kept::Known => {}
                Kept::NoRoom | Kept::TooLarge => {
                    return Err(self.session.refused("there is no room for a cell"));
                }
            }
        }
        Ok(renewed)
    }

    async fn accept(&self, held: &Held, result: &[u8]) -> Result<bool, Error> {
        let subject = self.subject("results", &held.name);
        let signed = [format!("{} {}\n", self.holder, held.tries).as_bytes(), result].concat();
        let message = packed(&held.name, &signed);
        let kept = self.session.put(subject.clone(), message.clone()).await?;
        let is_first = match kept {
            Kept::Stored => true,
            Kept::Known => {
                // An answer may have been lost, and the message sent twice.
                let stored = self.session.last(Stream::Results, &subject).await?;
                stored.is_some_and(|stored| stored == message)
            }
            Kept::NoRoom | Kept::TooLarge => {
                return Err(self.session.refused("there is no room for a result"));
            }
        };
        let cell = self.held().remove(&held.name);
        if let Some(cell) = cell {
            // If this is lost, the cell is handed out again, and found to have a result.
            let _ = cell.ack().await;
        }
        Ok(is_first)
    }
}

impl Cells for HubCells {
    fn add(&self, cells: &[(String, Vec<u8>)]) -> Result<(), Error> {
        let add = |(name, work): &(String, Vec<u8>)| {
            self.session.put(self.subject("cells", name), packed(name, work))
        };
        let added = stream::iter(cells.iter().map(add)).buffer_unordered(MOST_UNDER_WAY);
        self.session.wait(added.try_for_each(|kept| async move {
            match kept {
                Kept::Stored | Kept::Known => Ok(()),
                Kept::NoRoom | Kept::TooLarge => Err(self.session.refused("there is no room for a cell")),
            }
        }))
    }

    fn take(&self) -> Result<Taken, Error> {
        self.session.wait(self.next())
    }

    fn renew(&self) -> Result<u64, Error> {
        self.session.wait(self.renewed())
    }

    fn keep_alive(&self, held: &Held) -> Result<(), Error> {
        let Some(message) = self.held().get(&held.name).cloned() else { return Ok(()) };
        let kept = self.session.wait(message.ack_with(AckKind::Progress));
        kept.map_err(|error| self.session.failed(&*error))
    }

    fn hand_in(&self, held: &Held, result: &[u8]) -> Result<bool, Error> {
        self.session.wait(self.accept(held, result))
    }

    fn results(&self) -> Result<Vec<(String, Vec<u8>)>, Error> {
        let messages = self.session.wait(self.session.all(Stream::Results, "results.*"))?;
        let unsigned = |message: &Message| {
            let (name, signed) = unpacked(&message.payload)?;
            let end = signed.iter().position(|byte| *byte == b'\n')?;
            Some((name, signed[end + 1..].to_vec()))
        };
        Ok(messages.iter().filter_map(unsigned).collect())
    }

    fn progress(&self) -> Result<Progress, Error> {
        let count = |stream, filter| self.session.wait(self.session.count(stream, filter));
        Ok(Progress { all: count(Stream::Cells, "cells.*")?, done: count(Stream::Results, "results.*")? })
    }

    fn lease(&self) -> Duration {
        self.lease
    }
}

/// How often a cell had been renewed when it was published under this subject.
fn renewals(subject: &str) -> u32 {
    let mut words = subject.rsplit('.');
    let (last, is_again) = (words.next(), words.nth(1) == Some("again"));
    last.filter(|_| is_again).and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Bytes with a name, in an envelope.
fn packed(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut named = format!("{name}\n").into_bytes();
    named.extend_from_slice(bytes);
    sealed(&named)
}

fn unpacked(envelope: &[u8]) -> Option<(String, Vec<u8>)> {
    let named = opened(envelope)?;
    let end = named.iter().position(|byte| *byte == b'\n')?;
    Some((std::str::from_utf8(&named[..end]).ok()?.to_owned(), named[end + 1..].to_vec()))
}

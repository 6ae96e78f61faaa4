//! An exchange and cells over a NATS server with JetStream. No other module knows async-nats.
//!
//! | stream | subjects | what it keeps |
//! |---|---|---|
//! | `mutagen-NAME-log` | `mutagen.NAME.terms`, `.stop`, `.findings.KEY` | the first message of each subject |
//! | `mutagen-NAME-tests` | `mutagen.NAME.tests.KEY` | the first message of each subject, up to a size |
//! | `mutagen-NAME-workers` | `mutagen.NAME.workers.WORKER` | the last message of each subject |
//! | `mutagen-NAME-cells` | `mutagen.NAME.cells.KEY`, `.again.KEY.N` | the first message of each subject |
//! | `mutagen-NAME-results` | `mutagen.NAME.results.KEY` | the first message of each subject |
//!
//! A subject for each hash, of which the server keeps the first message, refuses duplicates for ever.

mod carry;
mod cells;
mod session;

use std::thread;
use std::time::{Duration, SystemTime};

use crate::courier::Courier;
use crate::directory::new_worker;
use crate::entry::{key_of, opened, sealed};
use crate::{Address, Board, CampaignName, Entry, Error, Exchange, Secret, Terms, Told, Topic};

pub use cells::HubCells;
use session::{Kept, Session, Stream};

const TERMS: &str = "terms";
const STOP: &str = "stop";
/// How long to wait before a server that cannot be reached is tried again.
const AGAIN: Duration = Duration::from_millis(250);

/// A campaign that meets at a NATS server.
pub struct Hub {
    session: Session,
}

impl Hub {
    /// Connects to a server, and makes the streams of the campaign if they are not there.
    ///
    /// # Errors
    ///
    /// If the server cannot be reached or refuses, or is on another machine and there is no secret for it.
    pub fn connect(address: &Address, secret: Option<&Secret>, name: &CampaignName) -> Result<Self, Error> {
        Ok(Hub { session: Session::start(address, secret, name)? })
    }

    /// Agrees on terms, or compares them with those that the campaign has.
    ///
    /// # Errors
    ///
    /// If the campaign has other terms, or the server does not answer.
    pub fn agree(&self, terms: &Terms) -> Result<(), Error> {
        let subject = self.session.subject(TERMS);
        self.session.wait(async {
            match self.session.put(subject, sealed(terms.text().as_bytes())).await? {
                Kept::Stored => Ok(()),
                _ => self.stored_terms().await?.unwrap_or_default().require(terms),
            }
        })
    }

    /// Joins the campaign as a worker.
    ///
    /// # Errors
    ///
    /// If the campaign has other terms, or the server does not answer.
    pub fn join(self, terms: &Terms) -> Result<impl Exchange + use<>, Error> {
        self.agree(terms)?;
        let (woken, wake) = carry::waking();
        let (courier, carrier) = Courier::new(wake);
        let session = self.session;
        session.keep(move |session| carry::carry(session, carrier, woken, new_worker()));
        Ok(courier)
    }

    /// Joins a campaign that was joined before, with the same terms, even if the server cannot be reached now: entries wait until
    /// it can.
    pub fn join_again(
        address: &Address,
        secret: Option<&Secret>,
        name: &CampaignName,
        terms: &Terms,
    ) -> impl Exchange + use<> {
        let (woken, wake) = carry::waking();
        let (courier, carrier) = Courier::new(wake);
        let (address, secret, name, terms) = (address.clone(), secret.cloned(), name.clone(), terms.clone());
        carrier.shared.set_connected(false);
        let join = move || {
            while !carrier.shared.is_leaving() {
                let hub = Hub::connect(&address, secret.as_ref(), &name);
                // Whoever emptied the server meanwhile may have begun something else there: it is left alone.
                if let Ok(hub) = hub
                    && hub.agree(&terms).is_ok()
                {
                    return hub.session.keep(|link| carry::carry(link, carrier, woken, new_worker()));
                }
                thread::sleep(AGAIN);
            }
        };
        // Without a thread, entries wait for ever, and the worker works alone.
        let _ = thread::Builder::new().name("hub again".to_owned()).spawn(join);
        courier
    }

    async fn stored_terms(&self) -> Result<Option<Terms>, Error> {
        let Some(envelope) = self.session.last(Stream::Log, &self.session.subject(TERMS)).await? else {
            return Ok(None);
        };
        let text = opened(&envelope).ok_or_else(|| Error::Foreign("its terms are damaged".to_owned()))?;
        Terms::read(&text).map(Some)
    }
}

impl Board for Hub {
    fn terms(&self) -> Result<Option<Terms>, Error> {
        self.session.wait(self.stored_terms())
    }

    fn workers(&self) -> Result<Vec<Told>, Error> {
        let now = SystemTime::now();
        let messages = self.session.wait(self.session.all(Stream::Workers, "workers.*"))?;
        let told = messages.into_iter().map(|message| Told {
            worker: message.last_word().to_owned(),
            status: String::from_utf8_lossy(&message.payload).into_owned(),
            age: now.duration_since(message.time).unwrap_or(Duration::ZERO),
        });
        let mut told: Vec<Told> = told.collect();
        told.sort_by(|one, other| one.worker.cmp(&other.worker));
        Ok(told)
    }

    fn entries(&self, topic: Topic) -> Result<Vec<Entry>, Error> {
        let filter = format!("{}.*", topic.name());
        let messages = self.session.wait(self.session.all(stream_of(topic), &filter))?;
        let entry =
            |message: &session::Message| Entry::open(topic, key_of(message.last_word())?, &message.payload);
        Ok(messages.iter().filter_map(entry).collect())
    }

    fn count(&self, topic: Topic) -> Result<u64, Error> {
        let filter = format!("{}.*", topic.name());
        self.session.wait(self.session.count(stream_of(topic), &filter))
    }

    fn stop(&self) -> Result<(), Error> {
        self.session.wait(self.session.put(self.session.subject(STOP), Vec::new())).map(drop)
    }

    fn is_stopped(&self) -> Result<bool, Error> {
        let stop = self.session.subject(STOP);
        Ok(self.session.wait(self.session.last(Stream::Log, &stop))?.is_some())
    }
}

fn stream_of(topic: Topic) -> Stream {
    match topic {
        Topic::Test => Stream::Tests,
        Topic::Finding => Stream::Log,
    }
}

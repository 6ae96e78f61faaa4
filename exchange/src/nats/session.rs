//! A connection to a server, with the thread that drives it, and the few things that are asked of the server.

use std::future::Future;
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::{Duration, SystemTime};

use async_nats::connection::State;
use async_nats::jetstream::consumer::pull::{self, Config as PullConfig};
use async_nats::jetstream::consumer::{AckPolicy, Consumer, DeliverPolicy};
use async_nats::jetstream::context::{Context, ContextBuilder, PublishErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy, LastRawMessageErrorKind};
use async_nats::jetstream::{self};
use async_nats::{Client, ConnectOptions};
use futures_util::StreamExt;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use crate::{Address, CampaignName, Error, Secret};

/// What the server says if a stream, its account or the server itself may not take more.
const NO_ROOM: [&str; 3] = ["maximum bytes exceeded", "resource limits exceeded", "insufficient resources"];
/// How long the server may take for one answer.
const LONGEST: Duration = Duration::from_secs(5);
/// How often a lost connection is tried again.
const RECONNECT: Duration = Duration::from_millis(250);
/// The tests of a campaign may take so many bytes on the server.
const MOST_TESTS: i64 = 4 << 30;
/// What a worker said last is kept for so long.
const LONGEST_SILENCE: Duration = Duration::from_secs(24 * 60 * 60);
/// The server forgets a reader that has not read for so long.
const LONGEST_READING: Duration = Duration::from_secs(60);

/// A stream of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    Log,
    Tests,
    Workers,
    Cells,
    Results,
}

impl Stream {
    const ALL: [Stream; 5] = [Stream::Log, Stream::Tests, Stream::Workers, Stream::Cells, Stream::Results];

    fn name(self) -> &'static str {
        match self {
            Stream::Log => "log",
            Stream::Tests => "tests",
            Stream::Workers => "workers",
            Stream::Cells => "cells",
            Stream::Results => "results",
        }
    }

    fn config(self, campaign: &str) -> Config {
        let subject = |rest: &str| format!("mutagen.{campaign}.{rest}");
        let subjects = match self {
            Stream::Log => vec![subject("terms"), subject("stop"), subject("findings.*")],
            Stream::Cells => vec![subject("cells.*"), subject("again.*.*")],
            other => vec![subject(&format!("{}.*", other.name()))],
        };
        let first = Config {
            name: stream_name(campaign, self),
            subjects,
            max_messages_per_subject: 1,
            discard: DiscardPolicy::New,
            discard_new_per_subject: true,
            ..Config::default()
        };
        match self {
            Stream::Tests => Config { max_bytes: MOST_TESTS, ..first },
            Stream::Workers => Config {
                discard: DiscardPolicy::Old,
                discard_new_per_subject: false,
                max_age: LONGEST_SILENCE,
                ..first
            },
            _ => first,
        }
    }
}

fn stream_name(campaign: &str, stream: Stream) -> String {
    format!("mutagen-{campaign}-{}", stream.name())
}

/// What came of storing a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// It is the first of its subject.
    Stored,
    /// Its subject has one already.
    Known,
    /// The stream is full.
    NoRoom,
    /// The server does not take messages of this size.
    TooLarge,
}

/// A message of a stream.
pub(super) struct Message {
    subject: String,
    pub(super) payload: Vec<u8>,
    pub(super) sequence: u64,
    pub(super) time: SystemTime,
}

impl Message {
    /// The last word of its subject.
    pub(super) fn last_word(&self) -> &str {
        self.subject.rsplit('.').next().unwrap_or_default()
    }

    /// The word of its subject before the last one.
    pub(super) fn word_before(&self) -> &str {
        self.subject.rsplit('.').nth(1).unwrap_or_default()
    }
}

/// A connection to a server.
#[derive(Clone)]
pub(super) struct Link {
    client: Client,
    context: Context,
    address: Address,
    campaign: String,
}

/// A connection with the thread that drives it, which ends when this is dropped.
pub(super) struct Session {
    link: Link,
    handle: Handle,
    /// Closed when this is dropped.
    leave: Option<oneshot::Sender<()>>,
}

impl std::ops::Deref for Session {
    type Target = Link;

    fn deref(&self) -> &Link {
        &self.link
    }
}

impl Session {
    /// Connects, and makes the streams that are not there.
    pub(super) fn start(
        address: &Address,
        secret: Option<&Secret>,
        name: &CampaignName,
    ) -> Result<Self, Error> {
        if secret.is_none() && !address.is_loopback() {
            return Err(Error::NoSecret(address.to_string()));
        }
        let failed = |why: String| Error::Hub { address: address.to_string(), why };
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(|error| failed(error.to_string()))?;
        let handle = runtime.handle().clone();
        let (leave, left) = oneshot::channel::<()>();
        let (ready, started) = sync_channel(1);
        let connecting = connect(address.clone(), secret.cloned(), name.to_string());
        let drive = move || {
            runtime.block_on(async move {
                let link = connecting.await;
                let is_connected = link.is_ok();
                if ready.send(link).is_ok() && is_connected {
                    // Either somebody says so, or the other end is dropped.
                    let _ = left.await;
                }
            });
            runtime.shutdown_background();
        };
        let spawned = thread::Builder::new().name("hub".to_owned()).spawn(drive);
        spawned.map_err(|error| failed(error.to_string()))?;
        let link = started.recv().map_err(|error| failed(error.to_string()))??;
        Ok(Session { link, handle, leave: Some(leave) })
    }

    /// Waits for the answer to a question.
    pub(super) fn wait<T>(&self, question: impl Future<Output = T>) -> T {
        self.handle.block_on(question)
    }

    /// Does this on the thread of the session, which ends with it.
    pub(super) fn keep<F>(mut self, work: impl FnOnce(Link) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (leave, work) = (self.leave.take(), work(self.link.clone()));
        self.handle.spawn(async move {
            work.await;
            drop(leave);
        });
    }
}

async fn connect(address: Address, secret: Option<Secret>, campaign: String) -> Result<Link, Error> {
    let failed = |why: String| Error::Hub { address: address.to_string(), why };
    let options = ConnectOptions::new()
        .name("mutagen-wasm")
        .connection_timeout(LONGEST)
        // The first attempt, also that of a new worker, waits for nothing.
        .reconnect_delay_callback(|attempts| if attempts <= 1 { Duration::ZERO } else { RECONNECT })
        .require_tls(address.is_encrypted())
        // A secret is for this server, not for others that it names.
        .ignore_discovered_servers();
    let options = match secret {
        Some(Secret::Token(token)) => options.token(token),
        Some(Secret::Password(name, password)) => options.user_and_password(name, password),
        // What is wrong with them is not told: the message may show some of it.
        Some(Secret::Credentials(text)) => {
            options.credentials(&text).map_err(|_| failed("the file of credentials is damaged".to_owned()))?
        }
        None => options,
    };
    let client = options.connect(address.to_string()).await.map_err(|error| failed(causes(&error)))?;
    let context = ContextBuilder::new().timeout(LONGEST).ack_timeout(LONGEST).build(client.clone());
    let link = Link { client, context, address, campaign };
    for stream in Stream::ALL {
        let config = stream.config(&link.campaign);
        let mut made = link.context.get_or_create_stream(config.clone()).await.map(drop);
        if stream == Stream::Tests && made.is_err() {
            // The server may have less room than we would use at most. It then refuses what does not fit.
            made = link.context.get_or_create_stream(Config { max_bytes: -1, ..config }).await.map(drop);
        }
        made.map_err(|error| link.failed(&error))?;
    }
    Ok(link)
}

/// An error with what caused it, on one line.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

impl Link {
    /// The error for what the server did not do.
    pub(super) fn failed(&self, error: &dyn std::error::Error) -> Error {
        self.refused(&causes(error))
    }

    /// The error for what the server refused.
    pub(super) fn refused(&self, why: &str) -> Error {
        Error::Hub { address: self.address.to_string(), why: why.to_owned() }
    }

    /// A subject of the campaign.
    pub(super) fn subject(&self, rest: &str) -> String {
        format!("mutagen.{}.{rest}", self.campaign)
    }

    /// Whether the server can be reached.
    pub(super) fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// Stores a message, if its subject has none.
    pub(super) async fn put(&self, subject: String, payload: Vec<u8>) -> Result<Kept, Error> {
        let stored = match self.context.publish(subject, payload.into()).await {
            Ok(acknowledged) => acknowledged.await,
            Err(error) => Err(error),
        };
        let Err(error) = stored else { return Ok(Kept::Stored) };
        if error.kind() == PublishErrorKind::MaxPayloadExceeded {
            return Ok(Kept::TooLarge);
        }
        // The server has one number for these, and tells them apart in words.
        let why = causes(&error);
        match () {
            () if why.contains("maximum messages per subject") => Ok(Kept::Known),
            () if NO_ROOM.iter().any(|words| why.contains(words)) => Ok(Kept::NoRoom),
            () if why.contains("message size exceeds") => Ok(Kept::TooLarge),
            () => Err(self.failed(&error)),
        }
    }

    /// The last message of a subject.
    pub(super) async fn last(&self, stream: Stream, subject: &str) -> Result<Option<Vec<u8>>, Error> {
        let stream = self.stream(stream).await?;
        match stream.get_last_raw_message_by_subject(subject).await {
            Ok(message) => Ok(Some(message.payload.into())),
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// How many messages there are whose subjects fit.
    pub(super) async fn count(&self, stream: Stream, filter: &str) -> Result<u64, Error> {
        let consumer = self.reader(stream, filter, 1).await?;
        Ok(consumer.cached_info().num_pending)
    }

    /// All messages that are there now, and whose subjects fit.
    pub(super) async fn all(&self, stream: Stream, filter: &str) -> Result<Vec<Message>, Error> {
        let consumer = self.reader(stream, filter, 1).await?;
        let expected = consumer.cached_info().num_pending;
        let mut all = Vec::new();
        if expected == 0 {
            return Ok(all);
        }
        let mut messages = consumer.messages().await.map_err(|error| self.failed(&error))?;
        while (all.len() as u64) < expected {
            let Some(message) = messages.next().await else { break };
            let message = read(message.map_err(|error| self.failed(&error))?);
            all.extend(message);
        }
        Ok(all)
    }

    /// A reader of the messages whose subjects fit, from this number on.
    pub(super) async fn reader(
        &self,
        stream: Stream,
        filter: &str,
        from: u64,
    ) -> Result<Consumer<PullConfig>, Error> {
        let config = PullConfig {
            deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: from },
            ack_policy: AckPolicy::None,
            filter_subject: self.subject(filter),
            inactive_threshold: LONGEST_READING,
            memory_storage: true,
            ..PullConfig::default()
        };
        self.consumer(stream, config).await
    }

    /// Makes a consumer, or finds the durable one of this name.
    pub(super) async fn consumer(
        &self,
        stream: Stream,
        config: PullConfig,
    ) -> Result<Consumer<PullConfig>, Error> {
        let stream = self.stream(stream).await?;
        stream.create_consumer(config).await.map_err(|error| self.failed(&error))
    }

    /// The messages of a reader as they come. Without signs of life from the server, this ends with an error.
    pub(super) async fn follow(&self, reader: &Consumer<PullConfig>) -> Result<pull::Stream, Error> {
        let followed = reader
            .stream()
            .max_messages_per_batch(500)
            .heartbeat(Duration::from_secs(1))
            .expires(Duration::from_secs(30))
            .messages();
        followed.await.map_err(|error| self.failed(&error))
    }

    /// Publishes what replaces the last message of its subject. Nobody waits for an answer.
    pub(super) async fn replace(&self, subject: String, payload: Vec<u8>) -> Result<(), Error> {
        let published = self.context.publish(subject, payload.into()).await;
        published.map_err(|error| self.failed(&error))?.await.map(drop).map_err(|error| self.failed(&error))
    }

    async fn stream(&self, stream: Stream) -> Result<jetstream::stream::Stream<()>, Error> {
        let name = stream_name(&self.campaign, stream);
        self.context.get_stream_no_info(name).await.map_err(|error| self.failed(&error))
    }
}

/// A message as it came. `None` if it is not from a stream.
pub(super) fn read(message: jetstream::Message) -> Option<Message> {
    let info = message.info().ok()?;
    let (sequence, time) = (info.stream_sequence, info.published);
    let since = u64::try_from(time.unix_timestamp_nanos()).unwrap_or_default();
    let time = SystemTime::UNIX_EPOCH + Duration::from_nanos(since);
    let subject = message.message.subject.to_string();
    Some(Message { subject, payload: message.message.payload.to_vec(), sequence, time })
}

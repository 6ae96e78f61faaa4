//! An engine in another process, as an engine of ours.

use std::{
    process::Command,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    instance::ProcessInstance,
    link::{Broken, Link, unexpected},
    messages::{Reply, Request, Terms},
    wire::Bytes,
};
use crate::{
    answer::{Ending, Instantiation, Validity},
    engine::{Engine, Instance},
    engines::pace::Pace,
    host::HostPlan,
    limits::Which,
    scan::{External, Spaces, needs_more_than, outline},
    settings::{Limits, Settings},
    state::State,
};

/// How to start the process of an engine.
pub(super) type Start = dyn Fn(&Settings) -> Command + Send + Sync;

/// An engine in another process.
pub(super) struct ProcessEngine {
    name: &'static str,
    limits: Vec<(Which, u64)>,
    shared: Arc<Shared>,
}

/// What an engine and its instances have in common.
pub(super) struct Shared {
    pub settings: Settings,
    start: Arc<Start>,
    line: Mutex<Line>,
}

/// The process that answers, if there is one.
#[derive(Default)]
pub(super) struct Line {
    link: Option<Link>,
    /// How many processes there have been. An instance is gone with its process.
    generation: u64,
    /// How many instances this process was asked for, and how many there are.
    made: u32,
    alive: u32,
}

/// How many instances one process makes before another takes over: engines collect what is left behind when they like.
const MOST_INSTANCES: u32 = 5_000;

impl ProcessEngine {
    /// Starts the process.
    ///
    /// # Errors
    ///
    /// Why it cannot be asked.
    pub(super) fn new(name: &'static str, start: Arc<Start>, settings: &Settings) -> Result<Self, Broken> {
        let shared = Shared { settings: *settings, start, line: Mutex::default() };
        let limits = shared.line().started(&shared)?.hello.limits.clone();
        Ok(Self { name, limits, shared: Arc::new(shared) })
    }
}

impl Shared {
    pub(super) fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks a process something that needs no instance. One that is gone already says nothing about the question, so it is
    /// replaced first.
    fn ask<T>(&self, ask: impl Fn(&mut Line) -> Result<T, Broken>) -> Result<T, Broken> {
        let mut line = self.line();
        line.started(self)?;
        ask(&mut line)
    }
}

impl Line {
    /// The process, which is started if there is none.
    fn started(&mut self, shared: &Shared) -> Result<&mut Link, Broken> {
        let is_used_up = self.made >= MOST_INSTANCES && self.alive == 0;
        let is_gone = self.link.as_mut().is_some_and(Link::is_gone);
        if is_used_up || is_gone {
            self.hang_up();
        }
        if self.link.is_none() {
            (self.made, self.alive) = (0, 0);
            self.generation += 1;
            self.link =
                Some(Link::start(&mut (shared.start)(&shared.settings), &Terms::of(&shared.settings))?);
        }
        self.link.as_mut().ok_or_else(gone)
    }

    fn hang_up(&mut self) {
        self.link = None;
    }

    /// The process of an instance.
    pub(super) fn of_generation(&mut self, generation: u64) -> Result<&mut Link, Broken> {
        self.link.as_mut().filter(|_| self.generation == generation).ok_or_else(gone)
    }

    /// What came of talking to the process. After a failure it is not asked again.
    pub(super) fn over<T>(&mut self, result: Result<T, Broken>) -> Result<T, Broken> {
        match &self.link {
            Some(link) if result.is_ok() => link.rest(),
            _ => self.hang_up(),
        }
        result
    }

    /// Forgets an instance.
    pub(super) fn close(&mut self, generation: u64, instance: u32) {
        if let Ok(link) = self.of_generation(generation) {
            let said = link.say(&Request::Close(instance));
            self.alive -= 1;
            if said.is_err() {
                self.hang_up();
            }
        }
    }

    /// The number of a new instance, and its generation.
    pub(super) fn next_instance(&mut self) -> (u64, u32) {
        self.made += 1;
        self.alive += 1;
        (self.generation, self.made)
    }
}

fn gone() -> Broken {
    Broken::Lost("its process is gone, and the instance with it".to_owned())
}

/// How a question ended that was not answered. A process that ended by itself is like an engine that panicked.
pub(super) fn ending_of(broken: Broken) -> Ending {
    match broken {
        Broken::Died(how) => Ending::Panicked(how),
        Broken::Lost(why) => Ending::Infra(why),
    }
}

fn failed(ending: Ending) -> Instantiation {
    Instantiation::ended(ending, State::default())
}

impl Engine for ProcessEngine {
    fn name(&self) -> &str {
        self.name
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        let asked = self.shared.ask(|line| {
            let heard = line.link.as_mut().ok_or_else(gone).and_then(|link| {
                link.be_patient();
                link.say(&Request::Validate(Bytes(bytes.to_vec())))?;
                match link.hear()? {
                    Reply::Validity(validity) => Ok((validity, link.hello.switches_features)),
                    other => Err(unexpected(&other)),
                }
            });
            line.over(heard)
        });
        match asked {
            Ok((Validity::Accepted, false)) if needs_more_than(bytes, self.shared.settings.features) => {
                Validity::Rejected(crate::Rejection::new("it needs features that are off"))
            }
            Ok((validity, _)) => validity,
            Err(Broken::Died(how)) => Validity::Panicked(how),
            Err(Broken::Lost(why)) => Validity::Unanswered(why),
        }
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        self.instantiate_with(bytes, &[])
    }

    fn instantiate_with(&self, bytes: &[u8], hosts: &[HostPlan]) -> Result<Box<dyn Instance>, Instantiation> {
        let lost = |broken| failed(ending_of(broken));
        let hello =
            self.shared.ask(|line| Ok(line.link.as_ref().ok_or_else(gone)?.hello.clone())).map_err(lost)?;
        let Settings { features, limits, .. } = self.shared.settings;
        if !hello.switches_features && needs_more_than(bytes, features) {
            return Err(crate::Rejection::new("it needs features that are off").into());
        }
        let unknown = || failed(Ending::Infra("the module has what nobody here knows".to_owned()));
        let (outline, spaces) = outline(bytes).ok_or_else(unknown)?;
        if let Some(which) = over_limits(&spaces, &limits).filter(|_| !hello.performs_plans) {
            return Err(failed(Ending::Limited(which)));
        }
        let pace = match hello.has_fuel {
            true => Pace::none(),
            false => Pace::of(&self.shared.settings, bytes, hosts).map_err(failed)?,
        };
        let instance = ProcessInstance::start(&self.shared, &hello, pace, outline, bytes, hosts)?;
        Ok(Box::new(instance))
    }

    /// What it told at first.
    fn limit(&self, which: Which) -> Option<u64> {
        self.limits.iter().find(|(limited, _)| *limited == which).map(|(_, most)| *most)
    }
}

/// The limit that a module exceeds with what it asks for at the start.
fn over_limits(spaces: &Spaces, limits: &Limits) -> Option<Which> {
    let exceeds = |external: &External, most: usize| match external {
        External::Memory { initial, .. } | External::Table { initial, .. } => *initial > most as u64,
        External::Function(_) | External::Global { .. } => false,
    };
    let Spaces { memories, tables, .. } = spaces;
    match () {
        () if memories.len() > limits.memories => Some(Which::Memories),
        () if tables.len() > limits.tables => Some(Which::Tables),
        () if memories.iter().any(|memory| exceeds(memory, limits.memory_pages)) => Some(Which::MemoryPages),
        () if tables.iter().any(|table| exceeds(table, limits.table_elements)) => Some(Which::TableElements),
        () => None,
    }
}

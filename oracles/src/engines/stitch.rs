//! makepad-stitch, an interpreter of threaded code. Decoder and validator are its own.
//!
//! It asks nobody before a memory or table grows, it runs start functions where our host functions see no instance, and its host
//! functions have types that are known when we are compiled. So it gets changed modules (`scan/bounded.rs`), and small modules stand
//! between them and our host functions (`stitch/shims.rs`). It has no fuel, so an engine that has some runs ahead.
//!
//! Code that goes from one of its functions to the next relies on tail calls that the optimiser finds. Probes would prevent them, so
//! it is never woven.

mod access;
mod instance;
mod shims;
mod values;

use ::makepad_stitch::Module;

use self::instance::StitchInstance;
use super::{optional::STITCH as NAME, pace::Pace};
use crate::{
    answer::{Ending, Instantiation, Rejection, Validity},
    engine::{Engine, Instance},
    host::{HostAction, HostPlan},
    limits::{Which, web_limit},
    scan::{Unbounded, bounded, needs_more_than},
    settings::Settings,
    state::State,
};

/// makepad-stitch as a black box.
pub(super) struct Stitch {
    settings: Settings,
}

impl Stitch {
    /// It leaves NaNs as the hardware makes them, whatever the settings say.
    pub(super) fn new(settings: &Settings) -> Self {
        Self { settings: *settings }
    }

    /// It always has all of its features, so what needs one that is off is found in another way.
    fn check(&self, bytes: &[u8]) -> Result<(), Rejection> {
        Module::new(&::makepad_stitch::Engine::new(), bytes).map_err(Rejection::new)?;
        match needs_more_than(bytes, self.settings.features) {
            true => Err(Rejection::new("it needs features that are off")),
            false => Ok(()),
        }
    }
}

/// What no host function of makepad-stitch can do, if one is to. It panics where one fails, and leaves part of the thread's stack
/// behind: later answers would depend on how often that happened. Where one grows a memory, it takes its own frames for those of
/// WebAssembly, and ends the process.
fn cannot_do(plans: &[HostPlan]) -> Option<&'static str> {
    let mut actions = plans.iter().flat_map(|plan| plan.turns.iter().flatten());
    actions.find_map(|action| match action {
        HostAction::Trap => Some("it panics where a host function fails"),
        HostAction::GrowMemory { .. } => Some("it ends the process where a host function grows a memory"),
        _ => None,
    })
}

impl Engine for Stitch {
    fn name(&self) -> &str {
        NAME
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        self.check(bytes).into()
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        self.instantiate_with(bytes, &[])
    }

    fn instantiate_with(&self, bytes: &[u8], hosts: &[HostPlan]) -> Result<Box<dyn Instance>, Instantiation> {
        self.check(bytes)?;
        let ended = |ending| Instantiation::ended(ending, State::default());
        if let Some(reason) = cannot_do(hosts) {
            return Err(ended(Ending::Infra(reason.to_owned())));
        }
        let module = bounded(bytes, &self.settings.limits).map_err(|why| {
            ended(match why {
                Unbounded::Exceeds(which) => Ending::Limited(which),
                Unbounded::Unreadable(reason) => Ending::Infra(reason),
            })
        })?;
        let pace = Pace::strict(&self.settings, bytes, hosts).map_err(ended)?;
        let mut instance = StitchInstance::new(module, pace, &self.settings.limits, hosts)?;
        match instance.start() {
            Ok(()) => Ok(Box::new(instance)),
            Err(ending) => Err(Instantiation::ended(ending, instance.state())),
        }
    }

    /// Those that its source names.
    fn limit(&self, which: Which) -> Option<u64> {
        match which {
            Which::Imports | Which::Exports => Some(100_000),
            Which::Locals => Some(50_000),
            Which::BodyBytes => Some(128 * 1024),
            other => web_limit(other),
        }
    }
}

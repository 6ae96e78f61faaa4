//! sf-nano-core, an interpreter and a compiler with one validator of their own.
//!
//! It shows of an instance what a user of one module needs: its functions, its first memory, its exported globals. The rest is seen
//! through small modules beside it (`sf_nano/beside.rs`): one that has everything that is imported, one that reads tables and
//! globals, one for each memory. Memories and tables grow without asking anybody, and start functions run before there is an
//! instance, so it gets changed modules (`scan/bounded.rs`). It has no fuel, so an engine that has some runs ahead.
//!
//! A host function reaches the first memory of its caller and nothing else. So only plans that return or trap are performed; others
//! are inconclusive, and so are references of the host that need more than 27 bits.

mod access;
mod beside;
mod instance;
mod values;

use ::sf_nano_core::{Config, Module, Tier};

use self::instance::SfNanoInstance;
use super::{
    optional::{SF_NANO, SF_NANO_JIT},
    pace::Pace,
};
use crate::{
    answer::{Ending, Instantiation, Rejection, Validity},
    engine::{Engine, Instance},
    host::{HostAction, HostPlan},
    limits::{Which, web_limit},
    registry::EngineError,
    scan::{Mending, Unbounded, bounded, mended, needs_more_than},
    settings::Settings,
    state::State,
};

/// The most code that a module may become.
const CODE_BYTES: usize = 16 * 1024 * 1024;

/// sf-nano-core as a black box.
pub(super) struct SfNano {
    name: &'static str,
    settings: Settings,
    engine: ::sf_nano_core::Engine,
}

impl SfNano {
    /// It leaves NaNs as the hardware makes them, whatever the settings say.
    pub(super) fn interpreter(settings: &Settings) -> Result<Box<dyn Engine>, EngineError> {
        Self::of(SF_NANO, Tier::Interp, settings)
    }

    /// The same with code for the processor.
    pub(super) fn compiler(settings: &Settings) -> Result<Box<dyn Engine>, EngineError> {
        Self::of(SF_NANO_JIT, Tier::Jit, settings)
    }

    fn of(name: &'static str, tier: Tier, settings: &Settings) -> Result<Box<dyn Engine>, EngineError> {
        let pages = u32::try_from(settings.limits.memory_pages).unwrap_or(u32::MAX);
        let config = Config::new()
            .tier(tier)
            .code_arena_bytes(CODE_BYTES)
            .parallel_compilation(false)
            .wasm_memory_max_pages(pages);
        let engine = ::sf_nano_core::Engine::new(config).map_err(|error| EngineError::Refused {
            engine: name.to_owned(),
            source: error.to_string().into(),
        })?;
        Ok(Box::new(Self { name, settings: *settings, engine }))
    }

    /// It always has all of its features, so what needs one that is off is found in another way.
    fn check(&self, bytes: &[u8]) -> Result<(), Rejection> {
        Module::new("", bytes).map_err(Rejection::new)?;
        match needs_more_than(bytes, self.settings.features) {
            true => Err(Rejection::new("it needs features that are off")),
            false => Ok(()),
        }
    }
}

/// What its interpreter, or both, are known to do wrong: docs/discrepancies.md has all of it.
const FAULTS: Mending = Mending {
    nans: false,
    references: true,
    tail_calls: false,
    joins: false,
    truncations: true,
    dead_code: false,
    wide_blocks: false,
    ticks: false,
};

/// What a host function can do here.
fn can_perform(plans: &[HostPlan]) -> bool {
    let mut actions = plans.iter().flat_map(|plan| plan.turns.iter().flatten());
    actions.all(|action| matches!(action, HostAction::Return(_) | HostAction::Trap))
}

impl Engine for SfNano {
    fn name(&self) -> &str {
        self.name
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
        if !can_perform(hosts) {
            return Err(ended(Ending::Infra("its host functions change nothing but one memory".to_owned())));
        }
        let limits = &self.settings.limits;
        let module = if self.settings.mends {
            mended(bytes, FAULTS).and_then(|it| bounded(&it.bytes, limits))
        } else {
            bounded(bytes, limits)
        };
        let module = module.map_err(|why| {
            ended(match why {
                Unbounded::Exceeds(which) => Ending::Limited(which),
                Unbounded::Unreadable(reason) => Ending::Infra(reason),
            })
        })?;
        let pace = Pace::strict(&self.settings, bytes, hosts).map_err(ended)?;
        SfNanoInstance::start(self.engine, module, pace, &self.settings.limits, hosts)
    }

    /// Those that its source names.
    fn limit(&self, which: Which) -> Option<u64> {
        match which {
            Which::Locals => Some(4_096),
            other => web_limit(other),
        }
    }
}

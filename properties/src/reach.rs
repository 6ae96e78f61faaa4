//! What modules reach in the target: the probes that fire while it works on them.

use mutagen_engine::stable;
use mutagen_oracles::{Argument, Call, Engine, Instance, Value, Watched};
use mutagen_weave::Recorder;
use rustc_hash::FxHashSet;

use crate::pair::{Context, Pair};
use crate::scenario::sweep;
use crate::subject::{Case, WatchError, watch_target};

/// How many events of one step are kept: 4 MiB of them. A call with more of them goes round in a loop.
const EVENTS: usize = 1 << 20;

/// What is done with a module while the target is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exercise {
    /// It is validated.
    Validate,
    /// It is validated, instantiated and called.
    Run,
}

/// Watches the target while it works on modules. The reference is not asked, so this is much faster than testing them.
///
/// A module is validated and, if it is to be run, instantiated and called: with the calls that it comes with, or else with every
/// exported function, boundary arguments and random ones. All of this follows from the module, so the same module always
/// reaches the same probes.
///
/// ```
/// use mutagen_oracles::{Features, Watched, on_stack};
/// use mutagen_properties::{Case, Context, Exercise, Reach};
///
/// let empty = Case::of(b"\0asm\x01\0\0\0".to_vec(), Vec::new());
/// let reached = on_stack(|| {
///     let mut reach = Reach::new(&Context::new(Features::WASM1), Watched::Modules, Exercise::Run)?;
///     Ok::<_, mutagen_properties::WatchError>(reach.of(&empty))
/// })??;
/// assert!(reached.probes.len() > 10 && reached.edges.len() > 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reach {
    pair: Pair,
    exercise: Exercise,
    recorder: Recorder,
}

/// What one module reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// The numbers of the probes that fired, in order and once each.
    pub probes: Vec<u32>,
    /// The edges that were taken, in order and once each: two probes that fired one right after the other, or 0 and the first
    /// of a step.
    pub edges: Vec<(u32, u32)>,
    /// Whether a step had more events than are kept.
    pub truncated: bool,
}

impl Reached {
    /// What took these edges, which are in order and once each.
    pub fn of_edges(edges: Vec<(u32, u32)>, truncated: bool) -> Self {
        let mut probes: Vec<u32> = edges.iter().map(|(_, probe)| *probe).collect();
        probes.sort_unstable();
        probes.dedup();
        Reached { probes, edges, truncated }
    }
}

impl Reach {
    /// Watches the target of this context, with the probes that a campaign watches whose tests vary this.
    ///
    /// # Errors
    ///
    /// If an engine refuses the settings, or the target has no probes in this program.
    pub fn new(context: &Context, watched: Watched, exercise: Exercise) -> Result<Self, WatchError> {
        watch_target(context, watched)?;
        Ok(Reach { pair: Pair::new(context)?, exercise, recorder: Recorder::new(EVENTS) })
    }

    /// What a module reaches. A pair of states of a machine reaches nothing in an engine.
    pub fn of(&mut self, case: &Case) -> Reached {
        let Case::Module { wasm, calls, hosts } = case else { return Reached::default() };
        let Reach { pair, exercise, recorder } = self;
        let mut steps = Steps { recorder, edges: FxHashSet::default(), truncated: false };
        let accepted = steps.record(|| pair.target.validate(wasm)).is_accepted();
        if *exercise == Exercise::Run
            && accepted
            && let Ok(mut instance) = steps.record(|| pair.target.instantiate_with(wasm, hosts))
        {
            let swept = if calls.is_empty() { every_export(&*instance, wasm) } else { Vec::new() };
            for Call { export, arguments } in calls.iter().chain(&swept) {
                let values: Vec<Value> = arguments.iter().map(Argument::value).collect();
                steps.record(|| instance.call(export, &values));
            }
        }
        steps.reached()
    }
}

/// The calls of a module that comes without any.
fn every_export(instance: &dyn Instance, wasm: &[u8]) -> Vec<Call> {
    let functions = instance.exports().into_iter();
    sweep(functions.map(|function| (function.name, function.signature.parameters)), stable::hash(wasm))
}

/// What the steps so far have reached.
struct Steps<'a> {
    recorder: &'a mut Recorder,
    edges: FxHashSet<(u32, u32)>,
    truncated: bool,
}

impl Steps<'_> {
    /// Records one step.
    fn record<R>(&mut self, ask: impl FnOnce() -> R) -> R {
        let answer = self.recorder.record(ask);
        let mut before = 0;
        for &probe in self.recorder.events() {
            self.edges.insert((before, probe));
            before = probe;
        }
        self.truncated |= self.recorder.truncated();
        answer
    }

    fn reached(self) -> Reached {
        let mut edges: Vec<(u32, u32)> = self.edges.into_iter().collect();
        edges.sort_unstable();
        Reached::of_edges(edges, self.truncated)
    }
}

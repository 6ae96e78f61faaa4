//! The target's other way to run, such as lazy translation, with which it must agree.

use mutagen_engine::{Outcome, Verdict};
use mutagen_oracles::Script;
use mutagen_weave::Recorder;

use crate::pair::Pair;

/// One test in so many asks the target's other way to run, since that rarely shows anything.
const TWINS_EVERY: u64 = 8;

/// The details of a failure that name engines other than those of the campaign.
pub const TARGET_ENGINE: &str = "target engine";
/// See [`TARGET_ENGINE`].
pub const REFERENCE_ENGINE: &str = "reference engine";

/// Whether the module with this hash is one of those that the other way is asked about.
pub(crate) fn asks_twins(hash: u64) -> bool {
    hash.is_multiple_of(TWINS_EVERY)
}

/// The failure, with the names of both ways, if the target does not agree with its other way.
pub(crate) fn twins_differ<'a>(twins: &Pair, wasm: &[u8], script: impl Into<Script<'a>>) -> Option<Outcome> {
    // What the other way does is no part of the test's trace: it would make every such test look new.
    let outcome = Recorder::new(0).record(|| twins.confirmed(wasm, script));
    let Verdict::Failed(failure) = outcome.verdict else { return None };
    let [target, reference] = twins.names();
    Some((*failure).detail(TARGET_ENGINE, target).detail(REFERENCE_ENGINE, reference).into())
}

//! A small engine with fuel that runs ahead of an engine without.
//!
//! Such an engine can only be stopped by ending its process, which takes long and depends on the clock. So a small engine makes the
//! same calls before: what uses up its fuel is not asked. Its other answers are not used, so its faults do no harm, as long as it
//! does not say that fuel ran out where it did not.

use crate::{
    answer::{Ending, Instantiation, TrapKind},
    engine::Instance,
    engines::Tinywasm,
    guard::{Guarded, GuardedInstance},
    host::HostPlan,
    settings::{Limits, Settings},
    value::Value,
};

/// The instance that runs ahead, as long as it can.
pub(super) struct Pace {
    ahead: Option<GuardedInstance>,
    /// Whether nothing is asked that nobody ran before.
    is_strict: bool,
}

/// The fuel of the one that runs ahead, compared with that of others: engines count differently, and what the target did with its
/// fuel should not be out of reach.
const MORE_FUEL: u64 = 4;

/// Why an engine is not asked that shares our process.
const UNKNOWN: &str = "it has no fuel, and no engine that has some could make this call before";

impl Pace {
    /// For an engine that has fuel.
    pub(super) fn none() -> Self {
        Self { ahead: None, is_strict: false }
    }

    /// For an engine in a process that can be ended: where nobody can run ahead, it is asked all the same.
    ///
    /// # Errors
    ///
    /// The ending of an instantiation that uses up its fuel.
    pub(super) fn of(settings: &Settings, bytes: &[u8], hosts: &[HostPlan]) -> Result<Self, Ending> {
        let ahead = match ahead(settings, bytes, hosts) {
            Ok(instance) => Some(instance),
            Err(Instantiation::Ended { ending, .. }) if is_out_of_fuel(&ending) => return Err(ending),
            Err(_) => None,
        };
        Ok(Self { ahead, is_strict: false })
    }

    /// For an engine in this process, which nobody could end: it is asked only what was run before.
    ///
    /// # Errors
    ///
    /// The ending of an instantiation that uses up its fuel, or that cannot be made.
    #[cfg(any(feature = "stitch", feature = "sf-nano"))]
    pub(super) fn strict(settings: &Settings, bytes: &[u8], hosts: &[HostPlan]) -> Result<Self, Ending> {
        let ahead = match ahead(settings, bytes, hosts) {
            Ok(instance) => Some(instance),
            Err(Instantiation::Ended { ending, .. }) => match ending {
                ending if is_out_of_fuel(&ending) => return Err(ending),
                Ending::Trapped(_) | Ending::Limited(_) => None,
                _ => return Err(Ending::Infra(UNKNOWN.to_owned())),
            },
            Err(_) => return Err(Ending::Infra(UNKNOWN.to_owned())),
        };
        Ok(Self { ahead, is_strict: true })
    }

    /// Makes a call.
    ///
    /// # Errors
    ///
    /// The ending of a call that uses up its fuel.
    pub(super) fn call(&mut self, name: &str, arguments: &[Value]) -> Result<(), Ending> {
        let unknown = if self.is_strict { Err(Ending::Infra(UNKNOWN.to_owned())) } else { Ok(()) };
        let Some(instance) = &mut self.ahead else { return unknown };
        let ending = instance.call(name, arguments);
        match ending {
            Ending::Returned(_) => Ok(()),
            ending if is_out_of_fuel(&ending) => Err(ending),
            Ending::Trapped(_) => Ok(()),
            _ => {
                self.ahead = None;
                unknown
            }
        }
    }
}

fn ahead(settings: &Settings, bytes: &[u8], hosts: &[HostPlan]) -> Result<GuardedInstance, Instantiation> {
    let limits = Limits { fuel: MORE_FUEL.saturating_mul(settings.limits.fuel), ..settings.limits };
    Guarded(Tinywasm::new(&Settings { limits, ..*settings })).open(bytes, hosts)
}

fn is_out_of_fuel(ending: &Ending) -> bool {
    *ending == Ending::Trapped(TrapKind::OutOfFuel)
}

//! A small engine with fuel that runs ahead of an engine without.
//!
//! Such an engine can only be stopped by ending its process, which takes long and depends on the clock. So a small engine makes the
//! same calls before: what uses up its fuel is not asked. Its other answers are not used, so its faults do no harm, as long as it
//! does not say that fuel ran out where it did not.

use super::messages::Hello;
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
pub(super) struct Pace(Option<GuardedInstance>);

/// The fuel of the one that runs ahead, compared with that of others: engines count differently, and what the target did with its
/// fuel should not be out of reach.
const MORE_FUEL: u64 = 4;

impl Pace {
    /// # Errors
    ///
    /// The ending of an instantiation that uses up its fuel.
    pub(super) fn of(
        hello: &Hello,
        settings: &Settings,
        bytes: &[u8],
        hosts: &[HostPlan],
    ) -> Result<Self, Ending> {
        if hello.has_fuel {
            return Ok(Self(None));
        }
        let limits = Limits { fuel: MORE_FUEL.saturating_mul(settings.limits.fuel), ..settings.limits };
        let tinywasm = Tinywasm::new(&Settings { limits, ..*settings });
        match Guarded(tinywasm).open(bytes, hosts) {
            Ok(instance) => Ok(Self(Some(instance))),
            Err(Instantiation::Ended { ending, .. }) if is_out_of_fuel(&ending) => Err(ending),
            Err(_) => Ok(Self(None)),
        }
    }

    /// Makes a call.
    ///
    /// # Errors
    ///
    /// The ending of a call that uses up its fuel.
    pub(super) fn call(&mut self, name: &str, arguments: &[Value]) -> Result<(), Ending> {
        let Some(instance) = &mut self.0 else { return Ok(()) };
        let ending = instance.call(name, arguments);
        match ending {
            Ending::Returned(_) => Ok(()),
            ending if is_out_of_fuel(&ending) => Err(ending),
            Ending::Trapped(_) => Ok(()),
            _ => {
                self.0 = None;
                Ok(())
            }
        }
    }
}

fn is_out_of_fuel(ending: &Ending) -> bool {
    *ending == Ending::Trapped(TrapKind::OutOfFuel)
}

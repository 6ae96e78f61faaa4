//! dlr-wasm-interpreter, which interprets the bytes of a module where they lie. Decoder and validator are its own, so it has
//! an opinion on validity that it shares with nobody.
//!
//! It asks nobody before a memory or table grows, and a start function can call no host. So it gets modules whose maxima are
//! lowered to our limits, and whose start function is exported instead.

mod access;
mod instance;
mod values;

use std::sync::{Arc, Mutex, PoisonError};

use ::dlr_wasm_interpreter::{ValidationError, decode_and_validate};
use mutagen_features::Features;

use self::instance::DlrInstance;
use crate::{
    answer::{Ending, Instantiation, Rejection, Validity},
    engine::{Engine, Instance},
    host::HostPlan,
    registry::{EngineEntry, Role},
    scan::{Mending, Unbounded, bounded, mended, rejects, wasm_features},
    settings::{Limits, Settings},
    state::State,
};

/// The version that is linked.
const VERSION: &str = "0.2.0";
const NAME: &str = "dlr";

/// The way in which it runs.
pub(super) fn entries() -> [EngineEntry; 1] {
    let make = |settings: &Settings| Ok(Box::new(Dlr::new(settings)) as Box<dyn Engine>);
    [EngineEntry::new(NAME, VERSION, make)
        .roles(&[Role::Target, Role::Reference, Role::Opinion])
        .features(Features::WASM2)
        .with_raw_nans()
        .about("an interpreter without a translator, with a validator of its own")]
}

/// dlr-wasm-interpreter as a black box.
///
/// ```
/// use mutagen_oracles::{Dlr, Engine, Features, Settings, Validity};
///
/// let dlr = Dlr::new(&Settings { features: Features::WASM2, ..Settings::default() });
/// assert_eq!(dlr.validate(b"\0asm\x01\0\0\0"), Validity::Accepted);
/// ```
#[derive(Clone, Debug)]
pub struct Dlr {
    features: Features,
    limits: Limits,
    /// Whether modules are changed so that their NaNs are canonical.
    mends: bool,
    /// The module that was accepted last: it is usually instantiated next.
    accepted: Arc<Mutex<Vec<u8>>>,
}

impl Dlr {
    /// dlr-wasm-interpreter with these settings. It leaves NaNs as the hardware makes them, whatever the settings say, unless modules
    /// are [mended](Settings::mends).
    pub fn new(settings: &Settings) -> Self {
        let Settings { features, limits, mends, .. } = *settings;
        Self { features, limits, mends, accepted: Arc::default() }
    }

    /// Why it rejects a module, if it does. A module that was accepted last is not looked at again.
    fn check(&self, bytes: &[u8]) -> Result<(), Rejection> {
        let mut accepted = self.accepted.lock().unwrap_or_else(PoisonError::into_inner);
        if accepted.is_empty() || *accepted != bytes {
            self.check_afresh(bytes)?;
            bytes.clone_into(&mut accepted);
        }
        Ok(())
    }

    /// It always has all of WebAssembly 2.0, so what needs a feature that is off is found in another way: then the module is
    /// valid with that feature and invalid without it. Whether a module is valid with all features is its own decision.
    fn check_afresh(&self, bytes: &[u8]) -> Result<(), Rejection> {
        decode_and_validate(bytes, &mut ()).map_err(rejection)?;
        if self.features.includes(Features::WASM2) || rejects(bytes, wasm_features(Features::WASM2)).is_some()
        {
            return Ok(());
        }
        rejects(bytes, wasm_features(self.features & Features::WASM2))
            .map_or(Ok(()), |why| Err(Rejection(why)))
    }
}

fn rejection(error: ValidationError) -> Rejection {
    Rejection::new(error)
}

impl Engine for Dlr {
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
        let bounded = |bytes: &[u8]| bounded(bytes, &self.limits);
        let module = if self.mends {
            mended(bytes, Mending { nans: true, ..Mending::default() }).and_then(|it| bounded(&it.bytes))
        } else {
            bounded(bytes)
        };
        let module = module.map_err(|why| {
            let ending = match why {
                Unbounded::Exceeds(which) => Ending::Limited(which),
                Unbounded::Unreadable(reason) => Ending::Infra(reason),
            };
            Instantiation::ended(ending, State::default())
        })?;
        let mut instance = DlrInstance::new(module, &self.limits, hosts)?;
        match instance.start() {
            Ok(()) => Ok(Box::new(instance)),
            Err(ending) => Err(Instantiation::ended(ending, instance.state())),
        }
    }
}

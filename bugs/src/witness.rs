//! What a witness shows.

use mutagen_oracles::{Call, Ending, Engine, Guarded, Instantiation, Value, Wasmi};
use mutagen_properties::{Injected, Injection, settings};
use mutagen_wasm_ast::{Features, Module};

use crate::catalogue::{Entry, Kind, Witness};

/// What a witness says it does without its entry, if that can end the process.
pub const CRASH: &str = "crash";

impl Entry {
    /// Whether campaigns must have it on at all times: a fix without which the target can end the process.
    pub fn is_vital(&self) -> bool {
        self.kind == Kind::Fix && self.witnesses.iter().any(|witness| witness.off == CRASH)
    }
}

impl Witness {
    /// What the target does with the module while the entries of `injection` are on, in the words of the catalogue:
    /// `accepted` or `rejected` where there is no call; else the results or `nothing`, `trap: ..`, `refused` or `panicked`.
    ///
    /// A witness whose `off` is [`CRASH`] can end the process unless its own entry is on: do not ask it.
    ///
    /// # Errors
    ///
    /// If the witness itself is not understood.
    ///
    /// ```
    /// use mutagen_bugs::entries;
    /// use mutagen_properties::Injection;
    ///
    /// let subtraction = entries().iter().find(|entry| entry.id == "wasm-11").unwrap();
    /// assert_eq!(subtraction.witnesses[0].observe(Injection::default())?, "i32:2");
    /// let broken = Injection { bug: Some("wasm-11"), ..Injection::default() };
    /// assert_eq!(subtraction.witnesses[0].observe(broken)?, "i32:8");
    /// # Ok::<(), String>(())
    /// ```
    pub fn observe(&self, injection: Injection) -> Result<String, String> {
        let features: Features = self.features.parse().map_err(|error| format!("{error}"))?;
        let bytes = Module::assemble(self.module.as_bytes()).map_err(|error| error.to_string())?;
        let target = Guarded(Injected::new(Wasmi::new(&settings(features)), injection));
        match self.call()? {
            None => {
                Ok(if target.validate(&bytes).is_accepted() { "accepted" } else { "rejected" }.to_owned())
            }
            Some(call) => Ok(match target.instantiate(&bytes) {
                Err(Instantiation::Rejected(_)) => "rejected".to_owned(),
                Err(Instantiation::Ended { ending, .. }) => words(&ending),
                Ok(mut instance) => words(&instance.call(&call.export, &call.arguments)),
            }),
        }
    }

    fn call(&self) -> Result<Option<Call>, String> {
        let Some(name) = self.invoke else { return Ok(None) };
        let arguments: Result<Vec<Value>, _> = self.arguments.iter().map(|text| text.parse()).collect();
        Ok(Some(Call::new(name, arguments.map_err(|error| error.to_string())?)))
    }
}

fn words(ending: &Ending) -> String {
    match ending {
        Ending::Returned(values) if values.is_empty() => "nothing".to_owned(),
        Ending::Returned(values) => values.iter().map(Value::to_string).collect::<Vec<_>>().join(" "),
        Ending::Trapped(kind) => format!("trap: {kind}"),
        Ending::Refused(_) => "refused".to_owned(),
        Ending::Panicked(_) => "panicked".to_owned(),
        other => other.to_string(),
    }
}

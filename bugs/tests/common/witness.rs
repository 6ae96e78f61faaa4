//! The behaviour of witnesses.

use mutagen_bugs::Witness;
use mutagen_oracles::{Call, Ending, Engine, Guarded, Instantiation, Registry, Settings, Value, Wrapped};
use mutagen_properties::Injection;
use mutagen_wasm_ast::Module;

/// The behaviour of the target on the module while one entry is on, in the words of the catalogue: `accepted`
/// or `rejected` where there is no call; else the results or `nothing`, `trap: ..`, `refused` or `panicked`.
///
/// Do not run a witness whose `off` is `CRASH` unless its own entry is on: it can end the process.
pub fn observe(witness: &Witness, on: Option<&'static str>) -> String {
    let settings = Settings {
        features: witness.features.parse().expect("a witness names features that exist"),
        ..Settings::default()
    };
    let bytes = Module::assemble(witness.module.as_bytes()).expect("a witness is a module");
    let wasmi = Registry::default().find("wasmi").expect("it is built in").make(&settings);
    let injection = Injection { bug: on, fixes: Vec::new() };
    let target = Guarded(Wrapped::new(wasmi.expect("it takes these settings"), injection));
    match call(witness) {
        None => if target.validate(&bytes).is_accepted() { "accepted" } else { "rejected" }.to_owned(),
        Some(call) => match target.instantiate(&bytes) {
            Err(Instantiation::Rejected(_)) => "rejected".to_owned(),
            Err(Instantiation::Ended { ending, .. }) => words(&ending),
            Ok(mut instance) => words(&instance.call(&call.export, &arguments(witness))),
        },
    }
}

/// The call that shows the entry. `None` if only validity counts.
pub fn call(witness: &Witness) -> Option<Call> {
    witness.invoke.map(|name| Call::new(name, arguments(witness)))
}

fn arguments(witness: &Witness) -> Vec<Value> {
    witness.arguments.iter().map(|text| text.parse().expect("a witness passes values")).collect()
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

//! `interpret --invoke`: the call that a user asks for, and the check that a module can take it.

use mutagen_bugs::nearest;
use mutagen_oracles::{Argument, Call, Function, Value, ValueType};

use crate::exit_code::CommandError;

/// The largest number of exports that a message lists.
const NAMED: usize = 10;

/// The call of the function `name` with the arguments as they were written.
pub fn call(name: &str, arguments: &[String]) -> Result<Call, CommandError> {
    let values: Result<Vec<Value>, _> = arguments.iter().map(|text| text.parse()).collect();
    Ok(Call::new(name, values.map_err(CommandError::usage)?))
}

/// Checks that a module with these exports can take the call. If not, the error says which functions or
/// arguments it takes.
pub fn check(call: &Call, exports: &[Function]) -> Result<(), String> {
    let name = &call.export;
    let function = exports.iter().find(|function| function.name == *name);
    let function =
        function.ok_or_else(|| format!("there is no function {name:?}: {}", offer(name, exports)))?;
    let values: Vec<Value> = call.arguments.iter().map(Argument::value).collect();
    if function.signature.takes(&values) {
        return Ok(());
    }
    let wanted = list(function.signature.parameters.iter().copied());
    let given = list(values.iter().map(Value::ty));
    Err(format!("the function {name:?} takes ({wanted}), but was given ({given})"))
}

/// The part of a message that lists the exports.
fn offer(name: &str, exports: &[Function]) -> String {
    let names: Vec<String> = exports.iter().map(|function| format!("{:?}", function.name)).collect();
    let more = if names.len() > NAMED { ", ..." } else { "" };
    let near = nearest(name, exports.iter().map(|function| &function.name));
    let meant = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
    match names.len() {
        0 => "the module exports none".into(),
        _ => format!("the module exports {}{more}{meant}", names[..names.len().min(NAMED)].join(", ")),
    }
}

fn list(types: impl Iterator<Item = ValueType>) -> String {
    types.map(|ty| ty.to_string()).collect::<Vec<_>>().join(", ")
}

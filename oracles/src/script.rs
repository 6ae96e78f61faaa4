//! What is asked of an instance: calls, in order, and what host functions do meanwhile.

use std::{fmt, str::FromStr};

use crate::{
    host::HostPlan,
    value::{NoValue, Value, list},
};

/// What is asked of an instance of a module.
///
/// ```
/// use mutagen_oracles::{Call, HostAction, HostPlan, Script};
///
/// let calls = [Call::new("f", [])];
/// let hosts = [HostPlan { turns: vec![vec![HostAction::Trap]], repeats: true }];
/// let script = Script { calls: &calls, hosts: &hosts };
/// assert_eq!(Script::from(&calls).hosts, []);
/// assert_eq!(script.calls, calls);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Script<'a> {
    /// The calls, in order.
    pub calls: &'a [Call],
    /// What imported functions do, by their number. Those without a plan are stubs.
    pub hosts: &'a [HostPlan],
}

impl<'a> From<&'a [Call]> for Script<'a> {
    fn from(calls: &'a [Call]) -> Self {
        Self { calls, hosts: &[] }
    }
}

impl<'a> From<&'a Vec<Call>> for Script<'a> {
    fn from(calls: &'a Vec<Call>) -> Self {
        calls.as_slice().into()
    }
}

impl<'a, const N: usize> From<&'a [Call; N]> for Script<'a> {
    fn from(calls: &'a [Call; N]) -> Self {
        calls.as_slice().into()
    }
}

/// A call of an exported function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// Name of the export.
    pub export: String,
    /// Its arguments.
    pub arguments: Vec<Argument>,
}

impl Call {
    /// A call of `export` with these values.
    pub fn new(export: impl Into<String>, arguments: impl Into<Vec<Value>>) -> Self {
        let arguments = arguments.into().into_iter().map(Argument::Value).collect();
        Self { export: export.into(), arguments }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} with {}", self.export, list(&self.arguments))
    }
}

/// An argument of a call.
///
/// ```
/// use mutagen_oracles::{Argument, Value};
///
/// let earlier = Argument::Result { call: 0, result: 1, otherwise: Value::FuncRef(None) };
/// assert_eq!(earlier.to_string(), "result 1 of call 0, or funcref:null");
/// assert_eq!(earlier.to_string().parse(), Ok(earlier));
/// assert_eq!("i32:7".parse(), Ok(Argument::Value(Value::I32(7))));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// This value.
    Value(Value),
    /// What an earlier call returned, in the same engine.
    Result {
        /// The number of the call, from 0.
        call: usize,
        /// The position of the result.
        result: usize,
        /// The value if the call did not return, or returned no such value of this one's type.
        otherwise: Value,
    },
}

impl Argument {
    /// The value, after calls with these results.
    pub fn resolve(&self, results: &[Vec<Value>]) -> Value {
        match *self {
            Self::Value(value) => value,
            Self::Result { call, result, otherwise } => {
                let found = results.get(call).and_then(|results| results.get(result));
                found.filter(|value| value.ty() == otherwise.ty()).copied().unwrap_or(otherwise)
            }
        }
    }

    /// A value of the argument's type.
    pub fn value(&self) -> Value {
        match *self {
            Self::Value(value) | Self::Result { otherwise: value, .. } => value,
        }
    }
}

impl From<Value> for Argument {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => value.fmt(f),
            Self::Result { call, result, otherwise } => {
                write!(f, "result {result} of call {call}, or {otherwise}")
            }
        }
    }
}

/// The error for text that does not describe an argument.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct NoArgument(#[from] NoValue);

impl FromStr for Argument {
    type Err = NoArgument;

    fn from_str(text: &str) -> Result<Self, NoArgument> {
        match earlier(text) {
            Some((result, call, otherwise)) => {
                Ok(Self::Result { call, result, otherwise: otherwise.parse()? })
            }
            None => Ok(Self::Value(text.parse()?)),
        }
    }
}

/// The parts of the text for a result of an earlier call.
fn earlier(text: &str) -> Option<(usize, usize, &str)> {
    let (result, rest) = text.trim().strip_prefix("result ")?.split_once(" of call ")?;
    let (call, otherwise) = rest.split_once(", or ")?;
    Some((result.parse().ok()?, call.parse().ok()?, otherwise))
}

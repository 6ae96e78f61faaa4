//! The type of a function as text.

use std::fmt;
use std::str::FromStr;

use mutagen_wasm_ast::{FuncType, ValType};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The type of a function, written as parameters, a colon, results.
///
/// ```
/// use mutagen_campaign::FunctionType;
///
/// let signature: FunctionType = "i64, f64:i64".parse()?;
/// assert_eq!(signature.to_string(), "i64,f64:i64");
/// assert_eq!(FunctionType::default().to_string(), "i32,f32:i32");
/// assert!("i32".parse::<FunctionType>().is_err());
/// # Ok::<(), mutagen_campaign::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionType(pub FuncType);

impl Default for FunctionType {
    /// The type of the published study.
    fn default() -> Self {
        FunctionType(FuncType::new([ValType::I32, ValType::F32], [ValType::I32]))
    }
}

const TYPES: [(&str, ValType); 7] = [
    ("i32", ValType::I32),
    ("i64", ValType::I64),
    ("f32", ValType::F32),
    ("f64", ValType::F64),
    ("v128", ValType::V128),
    ("funcref", ValType::FuncRef),
    ("externref", ValType::ExternRef),
];

impl FromStr for FunctionType {
    type Err = super::SpecError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (parameters, results) =
            text.split_once(':').ok_or_else(|| super::SpecError::Signature(text.to_owned()))?;
        Ok(Self(FuncType::new(types(parameters)?, types(results)?)))
    }
}

fn types(list: &str) -> Result<Vec<ValType>, super::SpecError> {
    let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
    names
        .map(|name| {
            let known = TYPES.iter().find(|(known, _)| *known == name);
            known.map(|(_, ty)| *ty).ok_or_else(|| super::SpecError::ValueType(name.to_owned()))
        })
        .collect()
}

impl fmt::Display for FunctionType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |ty: &ValType| TYPES.iter().find(|(_, known)| known == ty).map_or("", |(name, _)| *name);
        let list = |types: &[ValType]| types.iter().map(name).collect::<Vec<_>>().join(",");
        write!(formatter, "{}:{}", list(&self.0.params), list(&self.0.results))
    }
}

impl Serialize for FunctionType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FunctionType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

//! Shapes: what failing tests are grouped by.

use std::fmt;
use std::str::FromStr;

use mutagen_engine::stable;
use mutagen_wasm_ast::Module;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::Case;

/// What two failing tests have in common if they are about the same thing: the kind of failure, and the tested
/// value without its numbers and names. Written as `KIND-HASH`.
///
/// ```
/// use mutagen_properties::{Case, Shape};
/// use mutagen_wasm_ast::Module;
///
/// let shape = |text| {
///     let wasm = Module::from_text(text).expect("it is a module").encode();
///     Shape::of("result", &Case::of(wasm, Vec::new()))
/// };
/// let add = shape("(module (func (result i32) i32.const 5 i32.const 7 i32.add))");
/// assert_eq!(add, shape("(module (func (result i32) i32.const 1 i32.const 2 i32.add))"));
/// assert_ne!(add, shape("(module (func (result i32) i32.const 5 i32.const 7 i32.sub))"));
/// assert_eq!(add.to_string().parse(), Ok(add));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape {
    /// The kind of failure.
    pub kind: String,
    /// The hash of the value without its numbers and names.
    pub hash: u64,
}

impl Shape {
    /// The shape of a value that fails in this way.
    pub fn of(kind: &str, case: &Case) -> Self {
        let hash = match case {
            Case::Module { wasm, .. } => Self::of_module(wasm),
            Case::States(pair) => stable::hash(without_numbers(&pair.to_string()).as_bytes()),
        };
        Shape { kind: kind.to_owned(), hash }
    }

    /// The hash of a module's [shape](Module::shape). What the syntax tree cannot express is a shape of its own.
    pub fn of_module(wasm: &[u8]) -> u64 {
        match Module::decode(wasm) {
            Ok(module) => stable::hash(&module.shape().encode()),
            Err(_) => stable::hash(wasm),
        }
    }
}

/// The text with every number replaced by 0.
fn without_numbers(text: &str) -> String {
    let mut blanked = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter.is_ascii_digit() {
            true if blanked.ends_with('0') => {}
            true => blanked.push('0'),
            false => blanked.push(letter),
        }
    }
    blanked
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{:016x}", self.kind, self.hash)
    }
}

/// The error for a text that is no shape.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is no shape: a shape is a kind, a hyphen and 16 hexadecimal digits, as in the field `shape` of a group"
)]
pub struct NoShape(String);

impl FromStr for Shape {
    type Err = NoShape;

    fn from_str(text: &str) -> Result<Self, NoShape> {
        let parsed = text.rsplit_once('-').filter(|(kind, hash)| !kind.is_empty() && hash.len() == 16);
        let shape = parsed.and_then(|(kind, hash)| {
            let hash = u64::from_str_radix(hash, 16).ok()?;
            Some(Shape { kind: kind.to_owned(), hash })
        });
        shape.ok_or_else(|| NoShape(text.to_owned()))
    }
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

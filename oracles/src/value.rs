//! WebAssembly values as bits, and when two of them count as the same.

use std::fmt;

mod parse;

pub use parse::NoValue;
use serde::{Deserialize, Serialize};

use crate::settings::NanMode;

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// 32-bit integer.
    I32,
    /// 64-bit integer.
    I64,
    /// 32-bit float.
    F32,
    /// 64-bit float.
    F64,
    /// Vector of 128 bits.
    V128,
    /// Reference to a function.
    FuncRef,
    /// Reference to something of the host.
    ExternRef,
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::V128 => "v128",
            Self::FuncRef => "funcref",
            Self::ExternRef => "externref",
        })
    }
}

/// A value, as bits: `Eq` tells `+0` from `-0` and one NaN from another. It is stored as the text that shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Value {
    /// 32-bit integer.
    I32(u32),
    /// 64-bit integer.
    I64(u64),
    /// 32-bit float.
    F32(u32),
    /// 64-bit float.
    F64(u64),
    /// Vector of 128 bits.
    V128(u128),
    /// Function reference, by the number of the function in its instance. `None` is null.
    ///
    /// Engines do not tell the index of a function. The exported functions of an instance have the numbers from 0 on, in
    /// the order of their names; a function that is not exported, or that shows while the start function runs, gets the
    /// next number when it first shows. Two engines that do the same therefore give the same numbers.
    FuncRef(Option<u32>),
    /// Reference to something of the host, by the host's number for it. `None` is null.
    ExternRef(Option<u32>),
}

impl Value {
    /// The type of this value.
    pub fn ty(&self) -> ValueType {
        match self {
            Self::I32(_) => ValueType::I32,
            Self::I64(_) => ValueType::I64,
            Self::F32(_) => ValueType::F32,
            Self::F64(_) => ValueType::F64,
            Self::V128(_) => ValueType::V128,
            Self::FuncRef(_) => ValueType::FuncRef,
            Self::ExternRef(_) => ValueType::ExternRef,
        }
    }

    /// The zero or null of a type.
    pub fn zero(ty: ValueType) -> Self {
        match ty {
            ValueType::I32 => Self::I32(0),
            ValueType::I64 => Self::I64(0),
            ValueType::F32 => Self::F32(0),
            ValueType::F64 => Self::F64(0),
            ValueType::V128 => Self::V128(0),
            ValueType::FuncRef => Self::FuncRef(None),
            ValueType::ExternRef => Self::ExternRef(None),
        }
    }

    /// Whether it refers to a function.
    pub(crate) fn is_function(&self) -> bool {
        matches!(self, Self::FuncRef(Some(_)))
    }

    /// Whether two engines that answer `self` and `other` agree.
    ///
    /// ```
    /// use mutagen_oracles::{NanMode, Value};
    ///
    /// let (positive, negative) = (Value::F32(0x7fc0_0000), Value::F32(0xffc0_0000));
    /// assert!(positive.agrees(&negative, NanMode::Raw));
    /// assert!(!positive.agrees(&negative, NanMode::Deterministic));
    /// ```
    pub fn agrees(&self, other: &Self, nan: NanMode) -> bool {
        self == other || (nan == NanMode::Raw && self.nan_equivalent(other))
    }

    /// Whether both are quiet NaNs, which is all that the specification says about the NaNs that operators make.
    /// A signalling NaN is never made, only moved, so its bits count.
    fn nan_equivalent(&self, other: &Self) -> bool {
        match (*self, *other) {
            (Self::F32(a), Self::F32(b)) => is_quiet_f32(a) && is_quiet_f32(b),
            (Self::F64(a), Self::F64(b)) => is_quiet_f64(a) && is_quiet_f64(b),
            (Self::V128(a), Self::V128(b)) => lanes32_agree(a, b) || lanes64_agree(a, b),
            _ => false,
        }
    }
}

const QUIET_F32: u32 = 0x7fc0_0000;
const QUIET_F64: u64 = 0x7ff8_0000_0000_0000;

fn is_quiet_f32(bits: u32) -> bool {
    bits & QUIET_F32 == QUIET_F32
}

fn is_quiet_f64(bits: u64) -> bool {
    bits & QUIET_F64 == QUIET_F64
}

fn lanes32_agree(a: u128, b: u128) -> bool {
    (0..4)
        .map(|lane| ((a >> (32 * lane)) as u32, (b >> (32 * lane)) as u32))
        .all(|(a, b)| a == b || (is_quiet_f32(a) && is_quiet_f32(b)))
}

fn lanes64_agree(a: u128, b: u128) -> bool {
    (0..2)
        .map(|lane| ((a >> (64 * lane)) as u64, (b >> (64 * lane)) as u64))
        .all(|(a, b)| a == b || (is_quiet_f64(a) && is_quiet_f64(b)))
}

impl fmt::Display for Value {
    /// Integers in decimal; floats as number and bits, because the bits are what is compared.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::I32(bits) => write!(f, "i32:{}", bits as i32),
            Self::I64(bits) => write!(f, "i64:{}", bits as i64),
            Self::F32(bits) => write!(f, "f32:{:?} ({bits:#010x})", f32::from_bits(bits)),
            Self::F64(bits) => write!(f, "f64:{:?} ({bits:#018x})", f64::from_bits(bits)),
            Self::V128(bits) => write!(f, "v128:{bits:#034x}"),
            Self::FuncRef(None) => f.write_str("funcref:null"),
            Self::FuncRef(Some(number)) => write!(f, "funcref:{number}"),
            Self::ExternRef(None) => f.write_str("externref:null"),
            Self::ExternRef(Some(id)) => write!(f, "externref:{id}"),
        }
    }
}

impl From<Value> for String {
    fn from(value: Value) -> Self {
        value.to_string()
    }
}

impl TryFrom<String> for Value {
    type Error = NoValue;

    fn try_from(text: String) -> Result<Self, NoValue> {
        text.parse()
    }
}

/// Values separated by commas, in brackets.
pub(crate) fn list<T: fmt::Display>(values: &[T]) -> String {
    let values: Vec<String> = values.iter().map(T::to_string).collect();
    format!("[{}]", values.join(", "))
}

//! Parses values from the text form in which they are shown.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use super::Value;

/// The error for text that does not describe a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoValue(String);

impl fmt::Display for NoValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is no value: write TYPE:NUMBER with i32, i64, f32, f64 or v128, floats also by their bits, such as \
             i32:-1, f32:1.5, f64:0x7ff8000000000001, v128:0x0, or funcref:null, funcref:0, externref:null, externref:7",
            self.0
        )
    }
}

impl std::error::Error for NoValue {}

/// ```
/// use mutagen_oracles::Value;
///
/// assert_eq!("i32:-1".parse(), Ok(Value::I32(u32::MAX)));
/// assert_eq!("f32:0x7fc00001".parse(), Ok(Value::F32(0x7fc00001)));
/// let shown = Value::F64(1.5f64.to_bits()).to_string();
/// assert_eq!(shown.parse(), Ok(Value::F64(1.5f64.to_bits())));
/// ```
impl FromStr for Value {
    type Err = NoValue;

    fn from_str(text: &str) -> Result<Self, NoValue> {
        parse(text.trim()).ok_or_else(|| NoValue(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<Value> {
    let (ty, number) = text.split_once(':')?;
    // Floats are shown as `f32:1.5 (0x3fc00000)`, of which the bits are exact.
    let number = number.split_once(" (").map_or(number, |(_, bits)| bits.trim_end_matches(')'));
    Some(match ty {
        "i32" => Value::I32(integer(number, u32::from_str_radix, |n| i32::from_str(n).map(|n| n as u32))?),
        "i64" => Value::I64(integer(number, u64::from_str_radix, |n| i64::from_str(n).map(|n| n as u64))?),
        "f32" => Value::F32(
            bits(number, u32::from_str_radix).or_else(|| Some(number.parse::<f32>().ok()?.to_bits()))?,
        ),
        "f64" => Value::F64(
            bits(number, u64::from_str_radix).or_else(|| Some(number.parse::<f64>().ok()?.to_bits()))?,
        ),
        "v128" => Value::V128(integer(number, u128::from_str_radix, u128::from_str)?),
        "funcref" if number == "null" => Value::FuncRef(None),
        "funcref" => Value::FuncRef(Some(number.parse().ok()?)),
        "externref" if number == "null" => Value::ExternRef(None),
        "externref" => Value::ExternRef(Some(number.parse().ok()?)),
        _ => return None,
    })
}

type Radix<T> = fn(&str, u32) -> Result<T, ParseIntError>;

/// A number in hexadecimal, or in decimal with or without a sign.
fn integer<T: FromStr>(
    text: &str,
    radix: Radix<T>,
    signed: impl Fn(&str) -> Result<T, ParseIntError>,
) -> Option<T> {
    bits(text, radix).or_else(|| signed(text).ok()).or_else(|| text.parse().ok())
}

fn bits<T>(text: &str, radix: Radix<T>) -> Option<T> {
    radix(text.strip_prefix("0x")?, 16).ok()
}

//! Values in scripts.

use mutagen_oracles::Value;

use super::super::nans::Nans;

/// A value as a constant; `None` if a script has no word for it. An argument has its bits; of the NaNs of a result as much is
/// asserted as the module leaves open.
pub fn constant(value: &Value, result: Option<Nans>) -> Option<String> {
    Some(match *value {
        Value::I32(bits) => format!("(i32.const {})", bits as i32),
        Value::I64(bits) => format!("(i64.const {})", bits as i64),
        Value::F32(bits) => format!("(f32.const {})", float(&F32.of(bits.into()), result)),
        Value::F64(bits) => format!("(f64.const {})", float(&F64.of(bits), result)),
        Value::V128(bits) => format!("(v128.const i64x2 {:#x} {:#x})", bits as u64, (bits >> 64) as u64),
        Value::FuncRef(None) => "(ref.null func)".to_owned(),
        Value::FuncRef(Some(_)) if result.is_some() => "(ref.func)".to_owned(),
        Value::FuncRef(Some(_)) => return None,
        Value::ExternRef(None) => "(ref.null extern)".to_owned(),
        Value::ExternRef(Some(id)) => format!("(ref.extern {id})"),
    })
}

/// How floats of a size are laid out.
struct Layout {
    bits: u32,
    payload: u32,
}

const F32: Layout = Layout { bits: 32, payload: 23 };
const F64: Layout = Layout { bits: 64, payload: 52 };

/// A float.
struct Float {
    /// In decimal.
    decimal: String,
    is_nan: bool,
    is_negative: bool,
    payload: u64,
    /// The payload of a canonical NaN: its first bit, which all arithmetic NaNs have.
    canonical: u64,
}

impl Layout {
    fn of(&self, bits: u64) -> Float {
        // Debug keeps the point that tells a float from a whole number, and the sign of zero.
        let (decimal, is_nan) = match self.bits {
            32 => (format!("{:?}", f32::from_bits(bits as u32)), f32::from_bits(bits as u32).is_nan()),
            _ => (format!("{:?}", f64::from_bits(bits)), f64::from_bits(bits).is_nan()),
        };
        Float {
            decimal,
            is_nan,
            is_negative: bits >> (self.bits - 1) == 1,
            payload: bits & ((1 << self.payload) - 1),
            canonical: 1 << (self.payload - 1),
        }
    }
}

fn float(float: &Float, result: Option<Nans>) -> String {
    let Float { payload, canonical, .. } = *float;
    match result {
        _ if !float.is_nan => float.decimal.clone(),
        Some(Nans::Canonical) if payload == canonical => "nan:canonical".to_owned(),
        Some(Nans::Canonical | Nans::Arithmetic) if payload & canonical != 0 => "nan:arithmetic".to_owned(),
        _ => format!("{}nan:{payload:#x}", if float.is_negative { "-" } else { "" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_says_as_much_of_a_nan_as_the_module_leaves_open() {
        let (canonical, other, low) =
            (Value::F32(0xffc0_0000), Value::F32(0x7fe0_0000), Value::F64(0x7ff0_0000_0000_0001));
        for (value, result, expected) in [
            (canonical, None, "(f32.const -nan:0x400000)"),
            (canonical, Some(Nans::Exact), "(f32.const -nan:0x400000)"),
            (canonical, Some(Nans::Canonical), "(f32.const nan:canonical)"),
            (canonical, Some(Nans::Arithmetic), "(f32.const nan:arithmetic)"),
            (other, Some(Nans::Canonical), "(f32.const nan:arithmetic)"),
            (low, Some(Nans::Arithmetic), "(f64.const nan:0x1)"),
            (Value::F64(0x8000_0000_0000_0000), Some(Nans::Arithmetic), "(f64.const -0.0)"),
        ] {
            assert_eq!(constant(&value, result).as_deref(), Some(expected), "{value} {result:?}");
        }
    }
}

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
        Value::V128(bits) => format!("(v128.const {})", vector(bits, result)),
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

/// The lanes of a vector. It does not say what they are: if one is a canonical NaN, they are taken for floats. Only those lanes are
/// left open: other bits that would be a NaN may be something else, such as the mask of a comparison.
fn vector(bits: u128, result: Option<Nans>) -> String {
    let words = |size: u32| {
        (0..128 / size).map(move |lane| (bits >> (lane * size)) as u64 & (u64::MAX >> (64 - size)))
    };
    let lanes = |layout: &Layout| {
        let lane = |bits| {
            let lane = layout.of(bits);
            float(&lane, result.filter(|_| lane.is_canonical()))
        };
        let lanes = words(layout.bits).map(lane);
        lanes.collect::<Vec<_>>().join(" ")
    };
    let is_open = result.is_some_and(|nans| nans != Nans::Exact);
    if is_open && words(64).any(|lane| F64.of(lane).is_canonical()) {
        format!("f64x2 {}", lanes(&F64))
    } else if is_open && words(32).any(|lane| F32.of(lane).is_canonical()) {
        format!("f32x4 {}", lanes(&F32))
    } else {
        format!("i64x2 {:#x} {:#x}", bits as u64, (bits >> 64) as u64)
    }
}

impl Float {
    fn is_canonical(&self) -> bool {
        self.is_nan && self.payload == self.canonical
    }
}

fn float(float: &Float, result: Option<Nans>) -> String {
    let Float { payload, canonical, .. } = *float;
    match result {
        _ if !float.is_nan => float.decimal.clone(),
        Some(Nans::Canonical) if float.is_canonical() => "nan:canonical".to_owned(),
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
        let singles = 0x8000_0000_0000_0001_ffc0_0000_3f80_0000;
        let mask = u128::from(f64::INFINITY.to_bits()) << 64 | u128::from(u64::MAX);
        let doubles = u128::from(1.5_f64.to_bits()) << 64 | 0xfff8 << 48;
        for (value, result, expected) in [
            (canonical, None, "(f32.const -nan:0x400000)"),
            (canonical, Some(Nans::Exact), "(f32.const -nan:0x400000)"),
            (canonical, Some(Nans::Canonical), "(f32.const nan:canonical)"),
            (canonical, Some(Nans::Arithmetic), "(f32.const nan:arithmetic)"),
            (other, Some(Nans::Canonical), "(f32.const nan:arithmetic)"),
            (low, Some(Nans::Arithmetic), "(f64.const nan:0x1)"),
            (Value::F64(0x8000_0000_0000_0000), Some(Nans::Arithmetic), "(f64.const -0.0)"),
            (Value::V128(singles), None, "(v128.const i64x2 0xffc000003f800000 0x8000000000000001)"),
            (
                Value::V128(singles),
                Some(Nans::Exact),
                "(v128.const i64x2 0xffc000003f800000 0x8000000000000001)",
            ),
            (
                Value::V128(singles),
                Some(Nans::Arithmetic),
                "(v128.const f32x4 1.0 nan:arithmetic 1e-45 -0.0)",
            ),
            (Value::V128(doubles), Some(Nans::Arithmetic), "(v128.const f64x2 nan:arithmetic 1.5)"),
            (
                Value::V128(mask),
                Some(Nans::Arithmetic),
                "(v128.const i64x2 0xffffffffffffffff 0x7ff0000000000000)",
            ),
            (Value::V128(1 << 64), Some(Nans::Arithmetic), "(v128.const i64x2 0x0 0x1)"),
        ] {
            assert_eq!(constant(&value, result).as_deref(), Some(expected), "{value} {result:?}");
        }
    }
}

//! What the specification leaves open of the NaNs that a module gives.

use mutagen_campaign::ModuleFinding;
use mutagen_oracles::{Argument, Value};

/// What is left open of a NaN that comes out of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nans {
    /// Nothing: the module only moves them.
    Exact,
    /// The sign: the module computes them, but from numbers and canonical ones.
    Canonical,
    /// All bits but the first of the payload.
    Arithmetic,
}

impl Nans {
    /// What is left open in the module of a finding, called as the finding says. The text of the module decides, and errs on
    /// the side of leaving too much open.
    pub fn of(finding: &ModuleFinding) -> Self {
        let words = || {
            finding
                .wat
                .split(|letter: char| letter.is_whitespace() || "()\"".contains(letter))
                .filter(|word| !word.is_empty())
        };
        if !words().any(computes) {
            return Nans::Exact;
        }
        let is_other = |argument: &Argument| is_other_nan(argument.value());
        let calls = finding.calls().unwrap_or_default();
        let given = calls.iter().flat_map(|call| &call.arguments).any(is_other);
        if given || words().any(brings_others) { Nans::Arithmetic } else { Nans::Canonical }
    }
}

/// Whether an instruction gives a NaN of which bits are open.
fn computes(word: &str) -> bool {
    const OPERATORS: [&str; 18] = [
        "add",
        "sub",
        "mul",
        "div",
        "sqrt",
        "min",
        "max",
        "ceil",
        "floor",
        "trunc",
        "nearest",
        "promote",
        "demote",
        "relaxed_min",
        "relaxed_max",
        "relaxed_madd",
        "relaxed_nmadd",
        "convert",
    ];
    let types = ["f32.", "f64.", "f32x4.", "f64x2."];
    let operator = types.iter().find_map(|ty| word.strip_prefix(ty));
    operator.is_some_and(|operator| OPERATORS.iter().any(|known| operator.starts_with(known)))
}

/// Whether a word may bring NaNs into the module that are not canonical.
fn brings_others(word: &str) -> bool {
    let is_vector =
        ["v128", "i8x16", "i16x8", "i32x4", "i64x2", "f32x4", "f64x2"].iter().any(|ty| word.starts_with(ty));
    is_vector
        || word == "import"
        || word.contains(".load")
        || word.contains("reinterpret")
        || word.contains("nan:0x")
}

fn is_other_nan(value: Value) -> bool {
    match value {
        Value::F32(bits) => f32::from_bits(bits).is_nan() && bits & 0x7f_ffff != 0x40_0000,
        Value::F64(bits) => f64::from_bits(bits).is_nan() && bits & 0xf_ffff_ffff_ffff != 0x8_0000_0000_0000,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_that_move_floats_leave_nothing_open() {
        for word in
            ["f32.const", "f64.copysign", "f32.neg", "f64.abs", "f32.load", "f64.reinterpret_i64", "i32.add"]
        {
            assert!(!computes(word), "{word}");
        }
        for word in ["f32.add", "f64.promote_f32", "f32x4.max", "f64x2.relaxed_madd"] {
            assert!(computes(word), "{word}");
        }
        for word in ["f32.load", "nan:0x200000", "f64.reinterpret_i64", "import", "v128.const"] {
            assert!(brings_others(word), "{word}");
        }
        assert!(!brings_others("nan") && !brings_others("f64.const"));
    }
}

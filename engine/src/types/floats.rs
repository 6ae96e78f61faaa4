//! Floating-point numbers. Two floats are the same only if their bits are: -0 and NaNs are values like any other.

use crate::{Count, Generate, Mutable, NoText, NumberMutants, SampleSize, Scope, Source, Text, TextError};

macro_rules! float {
    ($type:ident, $bits:ty) => {
        impl Generate for $type {
            fn generate(source: &mut Source, size: usize) -> Self {
                let whole = i32::generate(source, size) as Self;
                // A fraction every other time, so that whole numbers are common.
                if source.chance(1, 2) { whole + (source.below(1 << 16) as Self) / 65536.0 } else { whole }
            }

            fn smallest() -> Self {
                0.0
            }

            /// NaNs are told by their bits.
            fn to_text(&self) -> Result<Text, NoText> {
                Ok(Text::word(match self.is_nan() {
                    true => format!("NaN#{:x}", self.to_bits()),
                    false => format!("{self:?}"),
                }))
            }

            fn from_text(text: &Text) -> Result<Self, TextError> {
                let bits = text.as_word()?.strip_prefix("NaN#");
                let bits = bits.and_then(|bits| <$bits>::from_str_radix(bits, 16).ok());
                bits.map_or_else(|| text.parse_word("a number"), |bits| Ok(Self::from_bits(bits)))
            }
        }

        impl Mutable for $type {
            no_children!();

            fn count(&self, scope: &Scope) -> Count {
                let fixed = match scope.or_default() {
                    NumberMutants::Boundary => fixed(*self).count(),
                    NumberMutants::Paper => 0,
                };
                Count { fixed, sampled: 1 }
            }

            fn mutate(&mut self, number: usize, source: &mut Source) -> bool {
                let count = self.count(source.scope());
                let mutant = match number {
                    number if number < count.fixed => fixed(*self).nth(number),
                    number if number == count.fixed => Some(sample(source)),
                    _ => None,
                };
                let before = std::mem::replace(self, mutant.unwrap_or(*self));
                before.to_bits() != self.to_bits()
            }

            fn mutate_randomly(&mut self, source: &mut Source, size: usize) {
                *self = if *self != 0.0 && source.chance(1, 2) { 0.0 } else { Self::generate(source, size) };
            }

            /// Whole numbers are simpler than fractions, and all numbers are simpler than infinities and NaNs.
            fn magnitude(&self) -> u64 {
                if !self.is_finite() {
                    return u64::MAX;
                }
                let whole = (self.abs() as u64).min(1 << 60) * 2 + u64::from(self.is_sign_negative());
                if self.fract() == 0.0 { whole } else { whole + (1 << 62) }
            }
        }

        const BOUNDARIES: [$type; 12] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            $type::NAN,
            $type::INFINITY,
            $type::NEG_INFINITY,
            $type::MAX,
            $type::MIN,
            $type::MIN_POSITIVE,
            $type::EPSILON,
            0.5,
        ];

        fn fixed(value: $type) -> impl Iterator<Item = $type> {
            let near = [value.trunc(), -value, value / 2.0];
            let near = near.into_iter().enumerate().filter(move |&(index, one)| {
                !near[..index].iter().chain(&BOUNDARIES).any(|other| same(*other, one)) && !one.is_nan()
            });
            BOUNDARIES.into_iter().chain(near.map(|(_, one)| one)).filter(move |one| !same(*one, value))
        }

        fn same(one: $type, other: $type) -> bool {
            one.to_bits() == other.to_bits()
        }

        fn sample(source: &mut Source) -> $type {
            let SampleSize(size) = source.scope().or_default();
            let small = source.scope().or_default::<NumberMutants>() == NumberMutants::Paper;
            if small || source.chance(1, 2) {
                <$type>::generate(source, size)
            } else {
                <$type>::from_bits(source.bits() as $bits)
            }
        }
    };
}

mod single {
    use super::*;
    float!(f32, u32);
}

mod double {
    use super::*;
    float!(f64, u64);
}

//! Integers of all widths: boundary values, neighbours, and a random sample.

use crate::{Count, Generate, Mutable, NoText, NumberMutants, SampleSize, Scope, Source, Text, TextError};

/// What the mutants of an integer need to know about its type.
trait Integer: Copy + Eq + 'static {
    /// Values at which programs tend to behave differently, in the order in which they are tried.
    const BOUNDARIES: &'static [Self];
    /// Powers of two inside the range, for types that are wide enough.
    const POWERS: &'static [Self];

    fn below(self) -> Option<Self>;
    fn above(self) -> Option<Self>;
    /// The half, for types with powers: it makes shrinking quick.
    fn half(self) -> Option<Self>;
    /// Uniform from `-size` (0 if unsigned) to `size`, without `except`. Choice 0 is 0. `None` if nothing is left.
    fn small(source: &mut Source, size: usize, except: Option<Self>) -> Option<Self>;
    fn random_bits(source: &mut Source) -> Self;
    fn flip_lowest_bit(self) -> Self;

    fn is_boundary(self) -> bool {
        Self::BOUNDARIES.contains(&self) || Self::POWERS.contains(&self)
    }

    fn neighbours(self) -> impl Iterator<Item = Self> {
        [self.below(), self.above()].into_iter().flatten().filter(|near| !near.is_boundary())
    }

    fn own_half(self) -> Option<Self> {
        self.half().filter(|half| !half.is_boundary() && *half != self)
    }

    fn fixed_count(self) -> usize {
        let known = Self::BOUNDARIES.len() + Self::POWERS.len() - usize::from(self.is_boundary());
        known + self.neighbours().count() + usize::from(self.own_half().is_some())
    }

    fn fixed_mutant(self, number: usize) -> Option<Self> {
        let boundaries = Self::BOUNDARIES.iter().copied().filter(|known| *known != self);
        let powers = Self::POWERS.iter().copied().filter(|known| *known != self);
        boundaries.chain(self.neighbours()).chain(powers).chain(self.own_half()).nth(number)
    }

    fn sample(self, source: &mut Source, style: NumberMutants) -> Option<Self> {
        let SampleSize(size) = source.scope().or_default();
        if style == NumberMutants::Paper || source.chance(1, 2) {
            return Self::small(source, size, Some(self));
        }
        let bits = Self::random_bits(source);
        Some(if bits == self { self.flip_lowest_bit() } else { bits })
    }

    fn count_in(self, style: NumberMutants) -> Count {
        match style {
            NumberMutants::Boundary => Count { fixed: self.fixed_count(), sampled: 1 },
            NumberMutants::Paper => Count { fixed: 0, sampled: 1 },
        }
    }

    fn integer_mutant(self, number: usize, source: &mut Source) -> Option<Self> {
        let style = source.scope().or_default();
        let fixed = if style == NumberMutants::Boundary { self.fixed_mutant(number) } else { None };
        let is_sampler = || number == self.count_in(style).fixed;
        fixed.or_else(|| if is_sampler() { self.sample(source, style) } else { None })
    }
}

macro_rules! integer {
    ($type:ty, $boundaries:expr, $powers:expr, small: $small:ident, magnitude: $magnitude:expr) => {
        impl Integer for $type {
            const BOUNDARIES: &'static [Self] = &$boundaries;
            const POWERS: &'static [Self] = &$powers;

            fn below(self) -> Option<Self> {
                self.checked_sub(1)
            }

            fn above(self) -> Option<Self> {
                self.checked_add(1)
            }

            fn half(self) -> Option<Self> {
                (!Self::POWERS.is_empty()).then_some(self / 2)
            }

            fn small(source: &mut Source, size: usize, except: Option<Self>) -> Option<Self> {
                $small!(source, size, except)
            }

            fn random_bits(source: &mut Source) -> Self {
                let high = if size_of::<Self>() > 8 { u128::from(source.bits()) << 64 } else { 0 };
                (high | u128::from(source.bits())) as Self
            }

            fn flip_lowest_bit(self) -> Self {
                self ^ 1
            }
        }

        impl Generate for $type {
            fn generate(source: &mut Source, size: usize) -> Self {
                Self::small(source, size, None).unwrap_or(0)
            }

            fn smallest() -> Self {
                0
            }

            fn to_text(&self) -> Result<Text, NoText> {
                Ok(Text::word(self.to_string()))
            }

            fn from_text(text: &Text) -> Result<Self, TextError> {
                text.parse_word(concat!("a number of type ", stringify!($type)))
            }
        }

        impl Mutable for $type {
            no_children!();

            fn count(&self, scope: &Scope) -> Count {
                self.count_in(scope.or_default())
            }

            fn mutate(&mut self, number: usize, source: &mut Source) -> bool {
                let mutant = self.integer_mutant(number, source);
                mutant.inspect(|mutant| *self = *mutant).is_some()
            }

            fn mutate_randomly(&mut self, source: &mut Source, size: usize) {
                *self = if *self != 0 && source.chance(1, 2) { 0 } else { Self::generate(source, size) };
            }

            fn magnitude(&self) -> u64 {
                let magnitude: fn($type) -> u64 = $magnitude;
                magnitude(*self)
            }
        }
    };
}

/// 0, 1, -1, 2, -2, ... up to the size and inside the type, `except` left out.
macro_rules! signed_small {
    ($source:ident, $size:ident, $except:ident) => {{
        let widest = u64::try_from(Self::MAX).unwrap_or(u64::MAX).min(i64::MAX as u64);
        let rank = |value: Self| (value.unsigned_abs() as u128).saturating_mul(2) - u128::from(value > 0);
        let value = |rank: u64| if rank % 2 == 0 { -((rank / 2) as Self) } else { (rank / 2 + 1) as Self };
        Some(value(choose_rank($source, widest.min($size as u64) * 2, $except.map(rank))?))
    }};
}

/// 0, 1, 2, ... up to the size and inside the type, `except` left out.
macro_rules! unsigned_small {
    ($source:ident, $size:ident, $except:ident) => {{
        let widest = u64::try_from(Self::MAX).unwrap_or(u64::MAX);
        Some(choose_rank($source, widest.min($size as u64), $except.map(|value| value as u128))? as Self)
    }};
}

/// A rank in `0..=last` that is not `except`.
fn choose_rank(source: &mut Source, last: u64, except: Option<u128>) -> Option<u64> {
    let hole = except.and_then(|rank| u64::try_from(rank).ok()).filter(|rank| *rank <= last);
    let choices = last.saturating_add(u64::from(hole.is_none()));
    if choices == 0 {
        return None;
    }
    let rank = source.below(usize::try_from(choices).unwrap_or(usize::MAX)) as u64;
    Some(rank + u64::from(hole.is_some_and(|hole| rank >= hole)))
}

macro_rules! signed {
    ($type:ty, $($power:expr),*) => {
        integer!($type, [0, 1, -1, Self::MIN, Self::MAX], [$($power),*], small: signed_small, magnitude: |value| {
            // Of 3 and -3, 3 is the simpler one.
            let distance = u64::try_from(value.unsigned_abs()).unwrap_or(u64::MAX);
            distance.saturating_mul(2).saturating_sub(u64::from(value > 0))
        });
    };
}

macro_rules! unsigned {
    ($type:ty, $($power:expr),*) => {
        integer!($type, [0, 1, Self::MAX], [$($power),*], small: unsigned_small, magnitude: |value| {
            u64::try_from(value).unwrap_or(u64::MAX)
        });
    };
}

signed!(i8,);
signed!(i16,);
signed!(i32, 1 << 8, 1 << 16);
signed!(i64, 1 << 8, 1 << 16, 1 << 31, 1 << 32);
signed!(i128, 1 << 16, 1 << 32, 1 << 64);
signed!(isize, 1 << 8, 1 << 16);
unsigned!(u8,);
unsigned!(u16,);
unsigned!(u32, 1 << 8, 1 << 16, 1 << 31);
unsigned!(u64, 1 << 8, 1 << 16, 1 << 31, 1 << 32, 1 << 63);
unsigned!(u128, 1 << 16, 1 << 32, 1 << 64, 1 << 127);
unsigned!(usize, 1 << 8, 1 << 16);

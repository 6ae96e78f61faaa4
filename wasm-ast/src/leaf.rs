//! Generation and mutation of numbers with a meaning. A plain integer type would not say that 0x7fc00000 is
//! the float NaN, or that memory 1 needs a feature.

use mutagen_engine::{Count, NumberMutants, RootMutants, Scope, Source};

/// A value that is a number, or can be written as one. The smallest is zero.
pub(crate) trait Leaf: Sized {
    type Bits: Bits;

    /// Number of random mutants besides the candidates, for types with too many values to list.
    const SAMPLED: usize = 0;

    fn bits(&self) -> Self::Bits;

    fn from_bits(bits: Self::Bits) -> Self;

    /// The values to try as mutants, in order. The value itself and duplicates may be among them.
    fn candidates(bits: Self::Bits, scope: &Scope) -> impl AsRef<[Self::Bits]>;

    /// A random value, for generation and for random mutants.
    fn random(source: &mut Source, size: usize) -> Self::Bits {
        Self::Bits::small(source, size)
    }
}

/// The numbers that leaves are written as.
pub(crate) trait Bits: Copy + PartialEq + Default {
    /// A random number up to `size`.
    fn small(source: &mut Source, size: usize) -> Self;

    /// The distance from zero, by which shrinking compares values.
    fn distance(self) -> u64;
}

macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl Bits for $number {
            fn small(source: &mut Source, size: usize) -> Self {
                source.below(size.min(<$number>::MAX as usize - 1) + 1) as Self
            }

            fn distance(self) -> u64 {
                self.into()
            }
        })*
    };
}

numbers!(u8, u32, u64);

impl Bits for [u8; 16] {
    fn small(source: &mut Source, size: usize) -> Self {
        std::array::from_fn(|_| u8::small(source, size))
    }

    fn distance(self) -> u64 {
        self.into_iter().map(u64::from).sum()
    }
}

/// The candidates without the value itself and without duplicates.
fn fresh<B: Copy + PartialEq>(value: B, candidates: &[B]) -> impl Iterator<Item = B> {
    let is_fresh = move |(index, candidate): &(usize, &B)| {
        **candidate != value && !candidates[..*index].contains(candidate)
    };
    candidates.iter().enumerate().filter(is_fresh).map(|(_, candidate)| *candidate)
}

/// The size for random mutants, as in the original MUTAGEN.
const SAMPLE_SIZE: usize = 10;

/// Whether numbers mutate as in the original MUTAGEN, which draws every number at random.
fn paper(scope: &Scope) -> bool {
    matches!(scope.get(), Some(NumberMutants::Paper))
}

/// The mutants of a leaf.
pub(crate) struct Candidates;

impl<L: Leaf> RootMutants<L> for Candidates {
    fn count(leaf: &L, scope: &Scope) -> Count {
        if paper(scope) {
            return Count { fixed: 0, sampled: 1 };
        }
        let candidates = L::candidates(leaf.bits(), scope);
        Count { fixed: fresh(leaf.bits(), candidates.as_ref()).count(), sampled: L::SAMPLED }
    }

    fn mutate(leaf: &mut L, number: usize, source: &mut Source) -> bool {
        let Some(mutant) = mutant::<L>(leaf.bits(), number, source) else { return false };
        let changed = mutant != leaf.bits();
        if changed {
            *leaf = L::from_bits(mutant);
        }
        changed
    }

    fn magnitude(leaf: &L) -> u64 {
        leaf.bits().distance()
    }
}

fn mutant<L: Leaf>(bits: L::Bits, number: usize, source: &mut Source) -> Option<L::Bits> {
    if paper(source.scope()) {
        return (number == 0).then(|| L::random(source, SAMPLE_SIZE));
    }
    let candidate = fresh(bits, L::candidates(bits, source.scope()).as_ref()).nth(number);
    candidate.or_else(|| (L::SAMPLED > 0).then(|| L::random(source, SAMPLE_SIZE)))
}

/// The generator of a leaf.
pub(crate) fn generate<L: Leaf>(source: &mut Source, size: usize) -> L {
    L::from_bits(L::random(source, size))
}

//! Generation and mutation of the instructions of a group: every one can become every other that the scope allows.

use mutagen_engine::{Count, Scope, Source};

use crate::features::Features;

/// The instructions that share a stack signature, those that need no further feature first.
pub(crate) trait Group: Copy + 'static {
    const ALL: &'static [Self];

    /// The place in `ALL`.
    fn number(self) -> usize;
    /// How many of `ALL`, from the front, the scope allows.
    fn allowed(scope: &Scope) -> usize;
    /// What the instruction needs.
    fn needs(self) -> Features;
}

pub(crate) fn generate<G: Group>(source: &mut Source) -> G {
    let allowed = G::allowed(source.scope());
    G::ALL[source.below(allowed)]
}

pub(crate) fn count<G: Group>(op: G, scope: &Scope) -> Count {
    let allowed = G::allowed(scope);
    Count::fixed(allowed - usize::from(op.number() < allowed))
}

pub(crate) fn mutate<G: Group>(op: &mut G, number: usize, source: &Source) -> bool {
    let number = number + usize::from(number >= op.number());
    let mutant = (number < G::allowed(source.scope())).then(|| G::ALL[number]);
    mutant.inspect(|mutant| *op = *mutant).is_some()
}

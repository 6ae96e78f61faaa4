//! Generation and mutation of [`Op`]: every constructor can become every other that the scope allows.

use mutagen_engine::{Count, Generate, Mutable, Scope, Source};

use super::Op;
use crate::features::Features;

/// How to make an instruction of one kind.
pub(super) struct Constructor {
    pub(super) needs: Features,
    pub(super) build: fn(&mut Filler<'_>) -> Op,
}

/// Where the immediates of a new instruction come from.
pub(super) enum Filler<'a> {
    /// From another one by type, each at most once while there are more, else the smallest.
    Reuse {
        old: &'a Op,
        next: usize,
    },
    Random {
        source: &'a mut Source,
        size: usize,
    },
}

impl Filler<'_> {
    pub(super) fn fill<T: Generate + Clone + 'static>(&mut self) -> T {
        match self {
            Self::Random { source, size } => T::generate(source, *size),
            Self::Reuse { old, next } => reuse(old, next).unwrap_or_else(T::smallest),
        }
    }
}

/// An immediate of that type, behind `next` if possible.
fn reuse<T: Clone + 'static>(old: &Op, next: &mut usize) -> Option<T> {
    let of_type = |index: &usize| old.child(*index).as_any().is::<T>();
    let found = (*next..old.children()).find(of_type).or_else(|| (0..*next).rev().find(of_type))?;
    *next = found + 1;
    old.child(found).as_any().downcast_ref().cloned()
}

fn allowed(features: Features) -> impl Iterator<Item = (usize, &'static Constructor)> {
    Op::CONSTRUCTORS.iter().enumerate().filter(move |(_, constructor)| features.includes(constructor.needs))
}

/// The own constructor with immediates of the same type exchanged, where there are two.
fn exchanged(op: &Op) -> Option<Op> {
    match op {
        Op::MemoryCopy(to, from) => Some(Op::MemoryCopy(*from, *to)),
        Op::TableCopy(to, from) => Some(Op::TableCopy(*from, *to)),
        _ => None,
    }
}

pub(super) fn count(op: &Op, scope: &Scope) -> Count {
    let own = op.kind() as usize;
    let others = allowed(Features::of(scope)).filter(|(kind, _)| *kind != own).count();
    Count::fixed(others + usize::from(exchanged(op).is_some()))
}

pub(super) fn mutate(op: &mut Op, number: usize, source: &Source) -> bool {
    let own = op.kind() as usize;
    let mut others = allowed(Features::of(source.scope())).filter(|(kind, _)| *kind != own);
    let mutant = match others.nth(number) {
        Some((_, constructor)) => Some((constructor.build)(&mut Filler::Reuse { old: op, next: 0 })),
        None => exchanged(op).filter(|exchanged| exchanged != op),
    };
    mutant.map(|mutant| *op = mutant).is_some()
}

pub(super) fn generate(source: &mut Source, size: usize) -> Op {
    let features = Features::of(source.scope());
    let choice = source.below(allowed(features).count());
    match allowed(features).nth(choice) {
        Some((_, constructor)) => (constructor.build)(&mut Filler::Random { source, size }),
        None => Op::smallest(),
    }
}

//! All mutants of one test, made when they are needed.

use super::MutagenConfig;
use super::fragments::{Fragments, positions};
use super::twins::{change_parameters, parameters_of, twin_field};
use crate::address::{Draws, Walk};
use crate::{Count, Mutable, Order, Source, node_at, node_at_mut};

/// A parent and a place in the enumeration of its mutants. It costs the same whatever their number.
pub(super) struct Batch<T> {
    parent: T,
    pub(super) lineage: Lineage,
    walk: Walk,
    here: Here,
}

/// How far a batch is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BatchProgress {
    /// Positions whose mutants were all given.
    pub(super) done: usize,
    /// Mutants left at the position in turn.
    pub(super) left_here: usize,
    /// Positions that come after it.
    pub(super) to_come: usize,
}

/// What a test hands down to its mutants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lineage {
    /// Whether it passed.
    pub(super) passed: bool,
    /// R: how often each random mutant is drawn.
    pub(super) samples: usize,
    /// How many generations of mutants may follow.
    pub(super) depth: Option<usize>,
}

/// The mutants at the current position.
#[derive(Default)]
struct Here {
    count: Count,
    /// Fixed and sampled mutants, the latter as often as they are drawn.
    own: usize,
    fragments: usize,
    /// The stored fragment to begin with.
    first_fragment: usize,
    /// The field of the root that holds an equal part at the same place, if both are to be mutated together.
    twin: Option<u32>,
    /// The fields of the root that may change along with this position.
    parameters: Vec<u32>,
    /// Own mutants, those of both twins, and fragments, numbered in this order.
    total: usize,
}

/// What a batch gives.
pub(super) enum Next<T> {
    Mutant(T, MutantKind),
    /// No mutant so far, after so many numbers that it is time for another test. There may be more to come.
    Later,
    /// No mutant: all were given.
    Done,
}

/// How a mutant came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MutantKind {
    Fixed,
    Sampled,
    /// A fixed or sampled one, in both twins.
    Twins,
    Fragment,
}

/// What making a mutant needs besides the batch.
pub(super) struct Workshop<'a> {
    pub(super) source: &'a mut Source,
    pub(super) fragments: &'a Fragments,
    /// At most so many fragments per position.
    pub(super) max_fragments: usize,
    pub(super) shuffle: bool,
    pub(super) return_subvalues: bool,
    pub(super) twins: bool,
    /// Whether parameters change along with what twins have in common.
    pub(super) parameters: bool,
    /// How many numbers may still be tried.
    pub(super) patience: &'a mut usize,
}

impl<'a> Workshop<'a> {
    pub(super) fn new(
        config: &MutagenConfig,
        source: &'a mut Source,
        fragments: &'a Fragments,
        patience: &'a mut usize,
    ) -> Self {
        Workshop {
            source,
            patience,
            fragments,
            max_fragments: config.fragments.unwrap_or(0),
            shuffle: config.shuffle,
            return_subvalues: config.return_subvalues,
            twins: config.twins,
            parameters: config.twins && config.parameters,
        }
    }
}

impl<T: Mutable + Clone> Batch<T> {
    pub(super) fn new(parent: T, lineage: Lineage, order: Order) -> Self {
        Batch { parent, lineage, walk: Walk::new(order), here: Here::default() }
    }

    /// How far it is.
    pub(super) fn progress(&self) -> BatchProgress {
        BatchProgress {
            done: self.walk.visited().saturating_sub(1),
            left_here: self.walk.left_here(),
            to_come: positions(&self.parent) - self.walk.visited(),
        }
    }

    /// The next mutant.
    pub(super) fn next(&mut self, workshop: &mut Workshop<'_>) -> Next<T> {
        let mut copy = None;
        while *workshop.patience > 0 {
            let Some(number) = self.walk.next_here() else {
                if !self.enter_next_position(workshop) {
                    return Next::Done;
                }
                continue;
            };
            *workshop.patience -= 1;
            // Change a copy of the parent at this position.
            // A number that changes nothing leaves the copy as it is: the next number can use it.
            let mut mutant = copy.take().unwrap_or_else(|| self.parent.clone());
            let Some(node) = node_at_mut(&mut mutant, self.walk.path()) else { return Next::Done };
            match self.here.apply(number, node, workshop) {
                Some(kind) if workshop.return_subvalues || !self.is_part_of_parent(node) => {
                    if let (MutantKind::Twins, Some(field)) = (kind, self.here.twin) {
                        copy_to_twin(&mut mutant, self.walk.path(), field);
                    }
                    if !self.here.parameters.is_empty() && workshop.source.chance(1, 2) {
                        change_parameters(&mut mutant, &self.here.parameters, workshop.source);
                    }
                    return Next::Mutant(mutant, kind);
                }
                Some(_) => {}
                None => copy = Some(mutant),
            }
        }
        Next::Later
    }

    fn enter_next_position(&mut self, workshop: &mut Workshop<'_>) -> bool {
        let Batch { parent, lineage, walk, here } = self;
        walk.enter_next(parent, |node, path| {
            let twin = if workshop.twins { twin_field(parent, path) } else { None };
            let parameters = if workshop.parameters { parameters_of(parent, path) } else { Vec::new() };
            *here = Here { parameters, ..Here::new(node, lineage.samples, twin, workshop) };
            let shuffle = workshop.shuffle && here.total > 1;
            Draws::new(here.total, shuffle.then(|| workshop.source.bits()))
        })
    }

    /// Whether a mutated node is what one of its children was.
    fn is_part_of_parent(&self, node: &dyn Mutable) -> bool {
        let Some(before) = node_at(&self.parent, self.walk.path()) else { return false };
        (0..before.children()).any(|index| node.equals(before.child(index).as_any()))
    }
}

/// Makes the node's twin what the node has become.
fn copy_to_twin(mutant: &mut dyn Mutable, path: &[u32], field: u32) {
    let Some(copy) = node_at(mutant, path).map(|node| node.clone_boxed()) else { return };
    let half = mutant.child_mut(field as usize);
    if let Some(twin) = node_at_mut(half, &path[1..]) {
        twin.restore(copy.as_ref());
    }
}

impl Here {
    fn new(node: &dyn Mutable, samples: usize, twin: Option<u32>, workshop: &mut Workshop<'_>) -> Self {
        let count = node.count(workshop.source.scope());
        let stored = if workshop.max_fragments == 0 { 0 } else { workshop.fragments.like(node).len() };
        let fragments = stored.min(workshop.max_fragments);
        let own = count.draws(samples);
        let total = own + if twin.is_some() { own } else { 0 } + fragments;
        Here {
            count,
            own,
            twin,
            parameters: Vec::new(),
            fragments,
            first_fragment: if fragments == 0 { 0 } else { workshop.source.below(stored) },
            total,
        }
    }

    /// How mutant `number` comes about.
    fn kind(&self, number: usize) -> MutantKind {
        match number {
            _ if number >= self.total - self.fragments => MutantKind::Fragment,
            _ if number >= self.own => MutantKind::Twins,
            _ if number >= self.count.fixed => MutantKind::Sampled,
            _ => MutantKind::Fixed,
        }
    }

    /// Changes the node into mutant `number`. `None` if that is the node itself.
    fn apply(
        &self,
        number: usize,
        node: &mut dyn Mutable,
        workshop: &mut Workshop<'_>,
    ) -> Option<MutantKind> {
        let kind = self.kind(number);
        let changed = if kind == MutantKind::Fragment {
            let stored = workshop.fragments.like(node);
            let place = self.first_fragment + number - (self.total - self.fragments);
            let chosen = stored.get(place % stored.len().max(1));
            chosen.is_some_and(|fragment| node.assign(fragment.as_ref()))
        } else {
            node.mutate(self.count.number(number % self.own), workshop.source)
        };
        changed.then_some(kind)
    }
}

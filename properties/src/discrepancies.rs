//! Differences between the engines as published, met while an injected bug is hunted.
//!
//! They are collected while a campaign runs and sorted at its end: each is shrunk, and those that show the same shape are one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mutagen_engine::{Scope, shrink_in};
use mutagen_oracles::{Call, Difference};
use mutagen_wasm_ast::Module;

use crate::pair::Pair;

/// How many differences with the same answers are kept to be shrunk, and how many in one part (results, say). Further ones
/// are only counted.
const ALIKE: usize = 3;
const KEPT: usize = 16;
/// How many tests shrinking one of them may take: each asks both engines.
const SHRINKING: usize = 1_000;

/// A difference between the engines as published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discrepancy {
    /// The module.
    pub bytes: Vec<u8>,
    /// The calls.
    pub calls: Vec<Call>,
    /// What differs.
    pub difference: Difference,
    /// How often it was met, or one that counts as the same.
    pub met: u64,
}

impl Discrepancy {
    /// The part that differs, in a word.
    fn part(&self) -> &'static str {
        self.difference.what.kind()
    }

    /// Whether the engines differ in the same part and give the same answers.
    fn is_like(&self, other: &Self) -> bool {
        let (ours, theirs) = (&self.difference, &other.difference);
        self.part() == other.part() && (&ours.target, &ours.reference) == (&theirs.target, &theirs.reference)
    }
}

/// What a campaign met. Clones share what they hold.
#[derive(Clone, Debug, Default)]
pub struct Discrepancies(Arc<Mutex<Vec<Discrepancy>>>);

impl Discrepancies {
    /// Takes in a module on which the engines differ without the injected bug.
    pub(crate) fn add(&self, bytes: &[u8], calls: &[Call], difference: Difference) {
        let mut kept = self.kept();
        let new = Discrepancy { bytes: bytes.to_vec(), calls: calls.to_vec(), difference, met: 1 };
        let alike = kept.iter().filter(|known| known.is_like(&new)).count();
        let in_part = kept.iter().filter(|known| known.part() == new.part()).count();
        if alike < ALIKE && in_part < KEPT {
            kept.push(new);
            return;
        }
        let counts_as =
            |known: &&mut Discrepancy| known.is_like(&new) || alike == 0 && known.part() == new.part();
        if let Some(known) = kept.iter_mut().find(counts_as) {
            known.met += 1;
        }
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Discrepancy>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pair {
    /// The differences between the engines as published that were met, one of each shape, in the order of the first meeting.
    /// They are shrunk with the mutants that `scope` allows.
    ///
    /// A shape is what [`Module::shape`] says it is, with the part that differs.
    pub fn discrepancies(&self, scope: &Scope) -> Vec<Discrepancy> {
        let mut sorted: Vec<Discrepancy> = Vec::new();
        let mut places = BTreeMap::new();
        for met in self.discrepancies.kept().iter() {
            let shrunk = self.shrunk(met, scope);
            let shape = Module::decode(&shrunk.bytes).map(|module| module.shape().encode());
            let key = (shrunk.part(), shape.unwrap_or_else(|_| shrunk.bytes.clone()));
            let place = *places.entry(key).or_insert(sorted.len());
            match sorted.get_mut(place) {
                Some(known) => known.met += shrunk.met,
                None => sorted.push(shrunk),
            }
        }
        sorted
    }

    /// The same with a smaller module.
    fn shrunk(&self, found: &Discrepancy, scope: &Scope) -> Discrepancy {
        let Ok(module) = Module::decode(&found.bytes) else { return found.clone() };
        let still_differs = |module: &Module| {
            let difference = self.difference_without_bug(&module.encode(), &found.calls);
            difference.filter(|difference| difference.what.kind() == found.part())
        };
        let module = shrink_in(scope, module, |module| still_differs(module).is_some(), SHRINKING).value;
        match still_differs(&module) {
            Some(difference) => Discrepancy { bytes: module.encode(), difference, ..found.clone() },
            None => found.clone(),
        }
    }
}

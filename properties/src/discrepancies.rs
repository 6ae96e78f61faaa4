//! Differences between the engines as published, met while an injected bug is hunted.
//!
//! They are collected while a campaign runs and sorted at its end: each is shrunk, and those of the same
//! shape count as one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mutagen_engine::{Counterexample, Failure, Outcome, SHRINK_TESTS, Scope, shrink_failure};
use mutagen_oracles::{Call, HostPlan, Script};
use mutagen_wasm_ast::Module;

use crate::Shape;
use crate::pair::Pair;

/// How many differences with the same answers are kept to be shrunk, and how many in the same part (such as
/// results). Further ones are only counted.
const ALIKE: usize = 3;
const KEPT: usize = 16;

/// A difference between the engines as published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discrepancy {
    /// The module.
    pub bytes: Vec<u8>,
    /// The calls.
    pub calls: Vec<Call>,
    /// What imported functions do.
    pub hosts: Vec<HostPlan>,
    /// What differs.
    pub failure: Failure,
    /// How often it was met, including others that count as the same.
    pub met: u64,
}

impl Discrepancy {
    /// The shape by which it is told from others.
    pub fn shape(&self) -> Shape {
        Shape { kind: self.failure.kind.clone(), hash: Shape::of_module(&self.bytes) }
    }

    fn script(&self) -> Script<'_> {
        Script { calls: &self.calls, hosts: &self.hosts }
    }

    /// Whether the engines differ in the same part and give the same answers.
    fn is_like(&self, other: &Self) -> bool {
        self.failure.kind == other.failure.kind && self.failure.message == other.failure.message
    }
}

/// The differences that a campaign met. Clones share their content.
#[derive(Clone, Debug, Default)]
pub struct Discrepancies(Arc<Mutex<Vec<Discrepancy>>>);

impl Discrepancies {
    /// Adds a module on which the engines differ without the injected bug.
    pub(crate) fn add(&self, bytes: &[u8], script: Script<'_>, failure: Failure) {
        let mut kept = self.kept();
        let (calls, hosts) = (script.calls.to_vec(), script.hosts.to_vec());
        let new = Discrepancy { bytes: bytes.to_vec(), calls, hosts, failure, met: 1 };
        let is_same_kind = |known: &Discrepancy| known.failure.kind == new.failure.kind;
        let alike = kept.iter().filter(|known| known.is_like(&new)).count();
        let in_part = kept.iter().filter(|known| is_same_kind(known)).count();
        if alike < ALIKE && in_part < KEPT {
            kept.push(new);
            return;
        }
        let counts_as = |known: &&mut Discrepancy| known.is_like(&new) || alike == 0 && is_same_kind(known);
        if let Some(known) = kept.iter_mut().find(counts_as) {
            known.met += 1;
        }
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Discrepancy>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pair {
    /// The differences between the engines as published that were met, one of each shape, in the order in
    /// which they were first met. They are shrunk with the mutants that `scope` allows. Together they may
    /// take as many tests as one finding.
    pub fn discrepancies(&self, scope: &Scope) -> Vec<Discrepancy> {
        let kept = self.context.discrepancies.kept();
        let budget = SHRINK_TESTS / kept.len().max(1);
        let mut sorted: Vec<Discrepancy> = Vec::new();
        let mut places = BTreeMap::new();
        for met in kept.iter() {
            let shrunk = self.shrunk(met, scope, budget);
            // Those that shrink to the same shape are counted together.
            let place = *places.entry(shrunk.shape()).or_insert(sorted.len());
            match sorted.get_mut(place) {
                Some(known) => known.met += shrunk.met,
                None => sorted.push(shrunk),
            }
        }
        sorted
    }

    /// The same difference with a smaller module.
    fn shrunk(&self, met: &Discrepancy, scope: &Scope, budget: usize) -> Discrepancy {
        let Ok(module) = Module::decode(&met.bytes) else { return met.clone() };
        let found = Counterexample {
            value: module,
            failure: met.failure.clone(),
            labels: Vec::new(),
            tests: 0,
            seconds: 0.0,
            late: false,
        };
        let check = |module: &Module| match self.failure_without_bug(&module.encode(), met.script()) {
            Ok(Some(failure)) => failure.into(),
            _ => Outcome::discarded(),
        };
        let shrunk = shrink_failure(scope, found, check, budget);
        Discrepancy { bytes: shrunk.value.encode(), failure: shrunk.failure, ..met.clone() }
    }
}

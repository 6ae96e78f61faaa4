//! The search for smaller modules: which candidates are tested, and the order of the steps.

use std::collections::HashSet;
use std::fmt;

use mutagen_engine::stable;
use mutagen_wasm_ast::{DecodeError, Features, Module};

use crate::valid::is_valid;

/// How long the search may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most modules that are tested.
    pub tests: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { tests: 20_000 }
    }
}

/// The smallest interesting module that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// The module.
    pub wasm: Vec<u8>,
    /// How many modules were tested.
    pub tests: usize,
    /// How often a smaller one was found.
    pub steps: usize,
    /// Whether the limit ended the search.
    pub limited: bool,
}

/// Why a module cannot be shrunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotShrunk {
    /// It is not interesting as it is.
    NotInteresting,
    /// The syntax tree cannot express it.
    Unknown(DecodeError),
}

impl fmt::Display for NotShrunk {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotShrunk::NotInteresting => formatter.write_str("the module is not interesting as it is"),
            NotShrunk::Unknown(error) => write!(formatter, "the module cannot be taken apart: {error}"),
        }
    }
}

impl std::error::Error for NotShrunk {}

/// Makes a module smaller as long as `is_interesting` holds. `improved` is told each smaller module at once.
///
/// If the module is valid, only valid ones are tested. The result depends on the module and the test alone.
///
/// # Errors
///
/// If the module is not interesting as it is, or the syntax tree cannot express it.
pub fn shrink(
    wasm: &[u8],
    limits: Limits,
    mut is_interesting: impl FnMut(&[u8]) -> bool,
    mut improved: impl FnMut(&[u8]),
) -> Result<Shrunk, NotShrunk> {
    let module = Module::decode(wasm).map_err(NotShrunk::Unknown)?;
    if !is_interesting(wasm) {
        return Err(NotShrunk::NotInteresting);
    }
    let mut search = Search {
        only_valid: is_valid(wasm),
        features: module.features(),
        module,
        wasm: wasm.to_vec(),
        is_interesting: &mut is_interesting,
        improved: &mut improved,
        known: HashSet::new(),
        limits,
        tests: 1,
        steps: 0,
    };
    search.run();
    let limited = search.is_over();
    Ok(Shrunk { wasm: search.wasm, tests: search.tests, steps: search.steps, limited })
}

/// The search, and the smallest interesting module so far.
pub(crate) struct Search<'a> {
    pub(crate) module: Module,
    pub(crate) features: Features,
    wasm: Vec<u8>,
    only_valid: bool,
    is_interesting: &'a mut dyn FnMut(&[u8]) -> bool,
    improved: &'a mut dyn FnMut(&[u8]),
    /// The hashes of modules that were tested.
    known: HashSet<u64>,
    limits: Limits,
    tests: usize,
    steps: usize,
}

impl Search<'_> {
    /// Takes all steps again and again, until none helps. Those come first that can take away most.
    fn run(&mut self) {
        // What decoding leaves out may be worth a few bytes.
        self.attempt(self.module.clone());
        loop {
            let before = self.wasm.len();
            self.drop_customs();
            self.empty_bodies();
            self.drop_definitions();
            self.cut_code();
            self.drop_definitions();
            if self.wasm.len() == before && !self.polish() || self.is_over() {
                return;
            }
        }
    }

    fn drop_customs(&mut self) {
        let mut candidate = self.module.clone();
        candidate.customs = Default::default();
        self.attempt(candidate);
    }

    /// Tests a smaller module, and goes on from it if it is interesting. If only valid ones count, it is repaired first.
    pub(crate) fn attempt(&mut self, mut candidate: Module) -> bool {
        let mut wasm = candidate.encode();
        if self.only_valid && wasm.len() < self.wasm.len() && !is_valid(&wasm) {
            candidate.repair(self.features);
            wasm = candidate.encode();
            if !is_valid(&wasm) {
                return false;
            }
        }
        let accepted = wasm.len() < self.wasm.len() && self.test(&wasm);
        if accepted {
            self.accept(candidate, wasm);
        }
        accepted
    }

    /// Whether a module that is no larger is worth going on from.
    pub(crate) fn may_replace(&mut self, candidate: &Module) -> bool {
        let wasm = candidate.encode();
        wasm.len() <= self.wasm.len() && (!self.only_valid || is_valid(&wasm)) && self.test(&wasm)
    }

    /// Goes on from a module.
    pub(crate) fn accept(&mut self, module: Module, wasm: Vec<u8>) {
        let is_smaller = wasm.len() < self.wasm.len();
        (self.module, self.wasm) = (module, wasm);
        if is_smaller {
            self.steps += 1;
            (self.improved)(&self.wasm);
        }
    }

    /// Tests a module that was not tested before.
    fn test(&mut self, wasm: &[u8]) -> bool {
        if self.is_over() || !self.known.insert(stable::hash(wasm)) {
            return false;
        }
        self.tests += 1;
        (self.is_interesting)(wasm)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.tests >= self.limits.tests
    }

    /// How many more modules may be tested.
    pub(crate) fn tests_left(&self) -> usize {
        self.limits.tests.saturating_sub(self.tests)
    }
}

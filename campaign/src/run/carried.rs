//! A test as it travels between workers: the bytes of a module, or two states of a machine as JSON.

use mutagen_properties::{Case, MachinePair, Subject};

/// How every module begins, and no JSON.
const MODULE: &[u8] = b"\0asm";

/// The test for others. `None` if there is nothing that they could use.
pub(super) fn bytes<S: Subject>(subject: &S, value: &S::Value) -> Option<Vec<u8>> {
    subject.module(value).or_else(|| match subject.case_as_is(value) {
        Case::Module { .. } => None,
        Case::States(pair) => serde_json::to_vec(&*pair).ok(),
    })
}

/// A test of others. `None` if it is neither.
pub(super) fn read(bytes: Vec<u8>) -> Option<Case> {
    if bytes.starts_with(MODULE) {
        return Some(Case::of(bytes, Vec::new()));
    }
    serde_json::from_slice::<MachinePair>(&bytes).ok().map(|pair| Case::States(Box::new(pair)))
}

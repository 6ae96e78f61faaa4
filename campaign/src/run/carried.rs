//! A test as it travels between workers: the bytes of a module, or two states of a machine as JSON.

use mutagen_properties::{Case, MachinePair, Subject};
use serde::{Deserialize, Serialize};

/// How every module begins, and no JSON.
const MODULE: &[u8] = b"\0asm";

/// The format of two states. A module has that of WebAssembly.
const FORMAT: u32 = 1;

/// Two states with the number of their format.
#[derive(Serialize, Deserialize)]
struct Carried {
    format: u32,
    states: MachinePair,
}

/// The test for others. `None` if there is nothing that they could use.
pub(super) fn bytes<S: Subject>(subject: &S, value: &S::Value) -> Option<Vec<u8>> {
    subject.module(value).or_else(|| match subject.case_as_is(value) {
        Case::Module { .. } => None,
        Case::States(pair) => serde_json::to_vec(&Carried { format: FORMAT, states: *pair }).ok(),
    })
}

/// A test of others. `None` if it is neither, or of another format.
pub(super) fn read(bytes: Vec<u8>) -> Option<Case> {
    if bytes.starts_with(MODULE) {
        return Some(Case::of(bytes, Vec::new()));
    }
    let carried = serde_json::from_slice::<Carried>(&bytes).ok().filter(|carried| carried.format == FORMAT);
    carried.map(|carried| Case::States(Box::new(carried.states)))
}

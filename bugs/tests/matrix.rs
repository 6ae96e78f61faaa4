//! Every entry against every witness: an entry changes its own witnesses, as it says, and no others.

use std::collections::BTreeSet;

#[path = "common/witness.rs"]
mod witness;

use mutagen_bugs::{CRASH, Entry, Kind, Subsystem, Witness, entries, fixes};
use mutagen_oracles::Call;
use mutagen_properties::{Context, Injection, Pair};
use mutagen_wasm_ast::{Features, Module};
use witness::{call, observe};

/// Every witness, with its entry, except those that can end the process without their entry.
fn witnesses() -> impl Iterator<Item = (&'static Entry, &'static Witness)> {
    let all = entries().iter().flat_map(|entry| entry.witnesses.iter().map(move |witness| (entry, witness)));
    all.filter(|(_, witness)| witness.off != CRASH)
}

#[test]
fn a_fix_without_which_the_process_ends_lets_its_witness_live() {
    for entry in entries().iter().filter(|entry| entry.keeps_alive()) {
        for witness in entry.witnesses {
            assert_eq!(observe(witness, Some(entry.id)), witness.on, "{}: {}", entry.id, witness.module);
        }
    }
}

#[test]
fn with_nothing_on_every_witness_behaves_as_on_the_plain_engine() {
    for (entry, witness) in witnesses() {
        assert_eq!(observe(witness, None), witness.off, "{}: {}", entry.id, witness.module);
        assert_ne!(witness.off, witness.on, "{}: a witness must show a difference", entry.id);
    }
}

#[test]
fn every_entry_changes_its_own_witnesses_and_no_others() {
    for entry in entries() {
        for (owner, witness) in witnesses() {
            let seen = observe(witness, Some(entry.id));
            let at = format!("{} on the witness of {}: {}", entry.id, owner.id, witness.module);
            if owner.id == entry.id {
                assert_eq!(seen, witness.on, "{at}");
            } else if entry.overlaps.contains(&owner.id) {
                assert_ne!(seen, witness.off, "{at}: said to overlap, but does not");
            } else {
                assert_eq!(seen, witness.off, "{at}");
            }
        }
    }
}

#[test]
fn every_witness_of_a_bug_shows_as_a_difference_to_the_reference() {
    for entry in entries().iter().filter(|entry| entry.kind == Kind::Bug) {
        for witness in entry.witnesses {
            let features: Features = witness.features.parse().expect("a set of features");
            let injection = Injection { bug: Some(entry.id), fixes: fixes().map(|fix| fix.id).collect() };
            let pair = Pair::new(&Context::new(features).inject(injection)).expect("two engines");
            let calls: Vec<Call> = call(witness).into_iter().collect();
            let module = Module::assemble(witness.module.as_bytes()).expect("a module");
            let agreement = pair.judge(&module, &calls).agreement;
            assert!(agreement.is_finding(), "{}: {agreement}: {}", entry.id, witness.module);
        }
    }
}

#[test]
fn the_catalogue_has_every_bug_of_the_papers() {
    let has = |id: &str| entries().iter().any(|entry| entry.id == id);
    assert!((1..=15).all(|number| has(&format!("wasm-{number}"))));
    assert!((1..=4).all(|number| has(&format!("wasm-r{number}"))));
    assert!(has("wasm-15b"));
}

#[test]
fn every_round_of_held_out_bugs_has_some_in_the_validator_and_some_in_the_interpreter() {
    let is_held_out = |id: &str| id.starts_with("wasm-x") || id.starts_with("wasm-y");
    let held_out = || entries().iter().filter(|entry| is_held_out(entry.id));
    let rounds: BTreeSet<&str> = held_out().map(|entry| entry.origin).collect();
    assert_eq!(rounds.len(), 4, "{rounds:?}");
    for round in rounds {
        let of_round = || held_out().filter(|entry| entry.origin == round);
        assert!(of_round().count() >= 10, "{round}");
        for subsystem in [Subsystem::Validator, Subsystem::Interpreter] {
            let count = of_round().filter(|entry| entry.subsystem == subsystem).count();
            assert!(count >= 3, "{round}: {}", subsystem.name());
        }
    }
}

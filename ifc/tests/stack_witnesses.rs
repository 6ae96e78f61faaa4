//! The smallest pair that shows each fault of the stack machine.

use mutagen_ifc::noninterference::Secrecy;
use mutagen_ifc::noninterference::stack::ssni;
use mutagen_ifc::rule::Table;
use mutagen_ifc::stack::faults;

#[path = "common/stack_witnesses.rs"]
mod stack_witnesses;
use stack_witnesses::witnesses;

#[test]
fn every_witness_shows_its_fault() {
    let (witnesses, faults) = (witnesses(), faults());
    assert_eq!(witnesses.len(), faults.len());
    for (number, (witness, fault)) in witnesses.iter().zip(&faults).enumerate() {
        match ssni(&fault.table(), &witness.pair) {
            Secrecy::Violated(violation) => {
                assert_eq!(violation.compared, witness.compared, "stack-{}", number + 1)
            }
            other => panic!("stack-{}: {other:?}", number + 1),
        }
    }
}

#[test]
fn no_witness_fails_on_the_correct_machine() {
    for (number, witness) in witnesses().iter().enumerate() {
        assert_eq!(ssni(&Table::correct(), &witness.pair), witness.correct, "stack-{}", number + 1);
    }
}

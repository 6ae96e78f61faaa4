//! Noninterference over many steps and over whole runs of the stack machine.

use mutagen_ifc::noninterference::stack::{Compared, eeni, msni, ssni};
use mutagen_ifc::noninterference::{Discard, Secrecy};
use mutagen_ifc::rule::Table;
use mutagen_ifc::stack::Instruction::{self, Add, Halt, Nop, Push};
use mutagen_ifc::stack::Label::{self, H, L};
use mutagen_ifc::stack::{Atom, Stack, State, Variation, faults};

/// Two machines that run the same program on one public and one secret stack element.
fn pair(program: &[Instruction], secrets: [i64; 2]) -> Variation {
    let state = |secret| State {
        imem: program.to_vec(),
        mem: vec![],
        stack: Stack::data(Atom::new(0, L), Stack::data(Atom::new(secret, H), Stack::Empty)),
        pc: Atom::new(0, L),
    };
    let [first, second] = secrets.map(state);
    Variation { first, second }
}

fn at(pair: &Variation, label: Label) -> Variation {
    let with_pc = |state: &State| State { pc: Atom::new(0, label), ..state.clone() };
    Variation { first: with_pc(&pair.first), second: with_pc(&pair.second) }
}

#[test]
fn a_leak_some_steps_away_is_seen_by_the_longer_properties_only() {
    let pair = pair(&[Nop, Nop, Add, Halt], [1, 2]);
    let forgets_second_summand = faults()[9].table();
    assert_eq!(ssni(&forgets_second_summand, &pair), Secrecy::Holds);
    assert!(msni(&forgets_second_summand, &pair).is_violated());
    let Secrecy::Violated(violation) = eeni(&forgets_second_summand, &pair) else { panic!("a leak") };
    assert_eq!(violation.compared, Compared::Ends);
}

#[test]
fn a_correct_machine_passes_both() {
    let pair = pair(&[Push(3), Add, Add, Halt], [1, 2]);
    assert_eq!(msni(&Table::correct(), &pair), Secrecy::Holds);
    assert_eq!(eeni(&Table::correct(), &pair), Secrecy::Holds);
}

#[test]
fn a_secret_step_that_shows_is_seen_on_the_way() {
    let pair = at(&pair(&[Nop, Nop, Halt], [1, 1]), H);
    let nop_lowers_the_pc = faults()[6].table();
    assert_eq!(msni(&Table::correct(), &pair), Secrecy::Holds);
    assert_eq!(msni(&nop_lowers_the_pc, &pair), Secrecy::Holds, "both become public at the same place");
    let elsewhere = State { pc: Atom::new(1, H), ..pair.second.clone() };
    let apart = Variation { second: elsewhere, ..pair };
    assert!(msni(&nop_lowers_the_pc, &apart).is_violated());
}

#[test]
fn runs_that_do_not_halt_in_public_say_nothing_about_ends() {
    let nowhere = Secrecy::Discarded(Discard::NoPublicEnd);
    assert_eq!(eeni(&Table::correct(), &pair(&[Nop], [1, 2])), nowhere, "it runs off its program");
    assert_eq!(eeni(&Table::correct(), &at(&pair(&[Halt], [1, 2]), H)), nowhere, "it halts in secret");
    let endless = pair(&[Nop; 100], [1, 2]);
    assert_eq!(eeni(&Table::correct(), &endless), nowhere, "it runs too long");
    assert_eq!(msni(&Table::correct(), &endless), Secrecy::Holds);
}

#[test]
fn machines_that_differ_to_begin_with_are_discarded() {
    let mut pair = pair(&[Halt], [1, 2]);
    pair.second.pc = Atom::new(1, L);
    for property in [msni, eeni] {
        assert_eq!(property(&Table::correct(), &pair), Secrecy::Discarded(Discard::Distinguishable));
    }
}

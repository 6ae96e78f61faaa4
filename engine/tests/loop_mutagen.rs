//! The MUTAGEN loop, driven by hand: traces are made up, so that what is new is known.

#[path = "common/by_hand.rs"]
mod by_hand;

use by_hand::{count, guidance, plain};
use mutagen_engine::{
    Failure, Generate, Generator, Guidance, Mutable, Mutagen, MutagenConfig, Other, Source, Trace, Verdict,
};

#[test]
fn a_passed_test_that_does_something_new_is_followed_by_all_its_mutants_and_nothing_else() {
    let mut guidance = guidance(&[]);
    let parent = guidance.next();
    assert!(guidance.learn(&parent, &Verdict::Passed, Trace::new(&[1])));
    assert_eq!(guidance.next(), [false], "the only mutant of an empty list");
    assert!(!guidance.learn(&vec![false], &Verdict::Passed, Trace::new(&[1])), "that trace is known");
    assert_eq!(guidance.next(), [] as [bool; 0], "no mutants left");
    assert_eq!(count(&guidance, "generated"), 2);
}

#[test]
fn failed_tests_are_not_mutated() {
    let mut guidance = guidance(&[]);
    let parent = guidance.next();
    assert!(!guidance.learn(&parent, &Verdict::Failed(Failure::new("no").into()), Trace::new(&[1])));
    guidance.next();
    assert_eq!(count(&guidance, "generated"), 2);
}

#[test]
fn a_discarded_test_is_kept_only_if_its_parent_passed() {
    for (switch, kept) in [("parent-passed", false), ("no-parent-passed", true)] {
        let mut guidance = guidance(&[switch]);
        let generated = guidance.next();
        assert_eq!(guidance.learn(&generated, &Verdict::Discarded, Trace::new(&[1])), kept);
    }
    let mut guidance = guidance(&[]);
    let parent = guidance.next();
    guidance.learn(&parent, &Verdict::Passed, Trace::new(&[1]));
    let mutant = guidance.next();
    assert!(
        guidance.learn(&mutant, &Verdict::Discarded, Trace::new(&[1])),
        "passed tests have a store of their own"
    );
}

#[test]
fn with_one_store_a_passed_test_uses_up_the_novelty_of_discarded_ones() {
    let mut guidance = guidance(&["one-store"]);
    let parent = guidance.next();
    guidance.learn(&parent, &Verdict::Passed, Trace::new(&[1]));
    let mutant = guidance.next();
    assert!(!guidance.learn(&mutant, &Verdict::Discarded, Trace::new(&[1])));
}

#[test]
fn examples_are_kept_even_if_they_are_discarded() {
    let mut guidance = guidance(&[]);
    assert!(guidance.learn(&vec![true, true], &Verdict::Discarded, Trace::new(&[1])));
    guidance.next();
    assert_eq!(count(&guidance, "mutated from discarded"), 1);
}

#[test]
fn a_test_of_another_worker_is_known_and_its_mutants_may_be_left_to_that_worker() {
    let mut guidance = guidance(&[]);
    let other = Other { part: 0, is_left: true };
    let trace = Trace::new(&[1]);
    assert!(guidance.learn_from_other(&vec![true, true], &Verdict::Passed, trace, other));
    assert!(!guidance.learn_from_other(&vec![true, true], &Verdict::Passed, trace, other), "it is known");
    guidance.next();
    assert_eq!((count(&guidance, "generated"), count(&guidance, "mutated from passed")), (1, 0));
    assert!(!guidance.learn(&vec![true], &Verdict::Passed, Trace::new(&[1])), "nothing new is kept");
    let other = Other { is_left: false, ..other };
    assert!(guidance.learn_from_other(&vec![true, true], &Verdict::Passed, Trace::new(&[2]), other));
    guidance.next();
    assert_eq!(count(&guidance, "mutated from passed"), 1);
}

/// Teaches three examples, of which the second is newest in no respect, and gives the length of the next mutant's parent.
fn first_parent(switches: &[&str]) -> usize {
    let mut guidance = guidance(switches);
    let mut learn = |length: usize, events: &[u32]| {
        assert!(guidance.learn(&vec![true; length], &Verdict::Passed, Trace::new(events)));
    };
    learn(10, &[1, 2, 3]);
    learn(20, &[4, 5, 6, 7, 8]);
    learn(30, &[1, 9, 2]);
    let mutant = guidance.next();
    (mutant.len() + 5) / 10 * 10
}

#[test]
fn priorities_and_ties_decide_whose_mutants_come_first() {
    // Root mutants of a list come first, and the first of them removes an element.
    assert_eq!(first_parent(&["most-new"]), 20, "five new edges");
    assert_eq!(first_parent(&["constant-priority", "lifo"]), 30, "the last");
    assert_eq!(first_parent(&["constant-priority", "fifo"]), 10, "the first");
    assert_eq!(
        first_parent(&["trie", "branching-depth", "fifo"]),
        10,
        "new from the first event on, before 20"
    );
    assert_eq!(
        first_parent(&["trie", "branching-depth", "lifo"]),
        20,
        "new from the first event on, after 10"
    );
}

#[test]
fn descendants_end_at_the_depth_limit() {
    let mut guidance = guidance(&["depth=1"]);
    let parent = guidance.next();
    guidance.learn(&parent, &Verdict::Passed, Trace::new(&[1]));
    let child = guidance.next();
    assert!(guidance.learn(&child, &Verdict::Passed, Trace::new(&[2])), "it is new");
    guidance.next();
    assert_eq!(count(&guidance, "generated"), 2, "but not mutated");
}

#[test]
fn a_reset_after_enough_boring_tests_makes_known_traces_new_again() {
    let mut guidance = guidance(&["reset=10"]);
    let parent = guidance.next();
    guidance.learn(&parent, &Verdict::Passed, Trace::new(&[1]));
    let mut bored = 0;
    while guidance.resets() == 0 {
        let value = guidance.next();
        if guidance.learn(&value, &Verdict::Passed, Trace::new(&[1])) {
            break;
        }
        bored += 1;
    }
    assert_eq!((bored, guidance.resets()), (10, 1));
    assert_eq!(guidance.figures().levels["samples"], 2, "R doubles");
}

#[test]
fn without_reset_nothing_is_ever_new_again() {
    let mut guidance = guidance(&["no-reset"]);
    for test in 0..5000 {
        let value = guidance.next();
        assert_eq!(guidance.learn(&value, &Verdict::Passed, Trace::new(&[1])), test == 0);
    }
}

#[test]
fn repeats_are_skipped_if_asked_for() {
    let tests = |switch| {
        let mut guidance = guidance(&[switch]).hashed();
        guidance.learn(&vec![true, true, true], &Verdict::Passed, Trace::new(&[1]));
        let mut seen = Vec::new();
        while count(&guidance, "generated") == 0 {
            let value = guidance.next();
            guidance.learn(&value, &Verdict::Passed, Trace::EMPTY);
            seen.push(value);
        }
        seen.pop();
        let all = seen.len();
        seen.sort();
        seen.dedup();
        (all, seen.len())
    };
    let (all, different) = tests("no-dedup");
    assert!(all > different, "removing any of three equal elements is the same");
    assert_eq!(tests("dedup"), (different, different));
}

/// Lists of an even length.
struct Even;

impl Generator<Vec<bool>> for Even {
    fn generate(&mut self, _: &mut Source, _: usize) -> Vec<bool> {
        Vec::new()
    }

    fn repair(&self, list: &mut Vec<bool>) {
        list.truncate(list.len() / 2 * 2);
    }
}

/// The mutants of one list, in the order in which they are tested.
fn mutants_of(list: &[bool], mut guidance: Mutagen<Vec<bool>>) -> Vec<Vec<bool>> {
    guidance.learn(&list.to_vec(), &Verdict::Passed, Trace::new(&[1]));
    let mut seen = Vec::new();
    loop {
        let value = guidance.next();
        if count(&guidance, "generated") > 0 {
            return seen;
        }
        guidance.learn(&value, &Verdict::Passed, Trace::EMPTY);
        seen.push(value);
    }
}

#[test]
fn every_mutant_is_tested_as_it_is_after_repair_and_only_once() {
    let list = [true, false, true, true];
    let mut expected = mutants_of(&list, guidance(&["no-dedup"]));
    expected.iter_mut().for_each(|mutant| Even.repair(mutant));
    assert!(expected.contains(&vec![true, false]), "{expected:?}");
    let mut tested = mutants_of(&list, Mutagen::with_generator(plain(&["dedup"]), 0, Even).hashed());
    let tests = tested.len();
    for lists in [&mut expected, &mut tested] {
        lists.retain(|mutant| mutant[..] != list);
        lists.sort();
        lists.dedup();
    }
    assert_eq!(tested, expected);
    assert!(tests <= expected.len() + 1, "{tests} tests of {} lists", expected.len());
}

/// Its fields can change places in 8^8 ways.
#[derive(Generate, Mutable, Clone, PartialEq, Hash)]
struct Registers(u8, u8, u8, u8, u8, u8, u8, u8);

#[test]
fn a_campaign_goes_on_where_a_value_has_millions_of_mutants_that_are_itself_or_repeats() {
    for (parent, switch) in
        [(Registers::smallest(), "no-dedup"), (Registers(1, 0, 0, 0, 0, 0, 0, 0), "dedup")]
    {
        let mut guidance = Mutagen::new(plain(&[switch]), 0).hashed();
        assert!(guidance.learn(&parent, &Verdict::Passed, Trace::new(&[1])), "an example");
        // At most 255 mutants are different ones.
        while count(&guidance, "generated") == 0 {
            let value = guidance.next();
            guidance.learn(&value, &Verdict::Passed, Trace::new(&[1]));
            assert!(count(&guidance, "fixed mutants") < 256, "with {switch}");
        }
        assert_eq!(
            count(&guidance, "queued passed"),
            1,
            "with {switch}, the other mutants are not forgotten"
        );
    }
}

#[test]
fn every_nth_test_is_generated_if_asked_for() {
    let mut guidance = guidance(&["generate-every=3"]);
    guidance.learn(&vec![true; 50], &Verdict::Passed, Trace::new(&[1]));
    for _ in 0..30 {
        let value = guidance.next();
        guidance.learn(&value, &Verdict::Passed, Trace::EMPTY);
    }
    assert_eq!(count(&guidance, "generated"), 10);
}

#[test]
fn a_campaign_that_never_saturates_begins_afresh_after_ever_more_tests_up_to_sixteen_times_as_many() {
    let mut guidance = guidance(&["restart=50"]);
    let mut fresh = Vec::new();
    for test in 1..=3200_u32 {
        let generated = count(&guidance, "generated");
        let value = guidance.next();
        // Every test is new, so there are always mutants that wait.
        guidance.learn(&value, &Verdict::Passed, Trace::new(&[test]));
        if count(&guidance, "generated") > generated {
            fresh.push(test);
        }
    }
    assert_eq!(fresh, [1, 51, 151, 351, 751, 1551, 2351, 3151]);
}

#[test]
fn fragments_bring_parts_of_one_test_into_another() {
    type Pair = (Vec<bool>, Vec<bool>);
    let learn = |switch| {
        let mut guidance =
            Mutagen::<Pair>::with_generator(plain(&[switch]), 0, |_: &mut Source, _| Pair::default());
        let long = vec![true, false, true, true];
        guidance.learn(&(long.clone(), vec![]), &Verdict::Passed, Trace::new(&[1]));
        guidance.learn(&(vec![], vec![false]), &Verdict::Passed, Trace::new(&[2, 3]));
        (0..20).any(|_| {
            let value = guidance.next();
            guidance.learn(&value, &Verdict::Passed, Trace::EMPTY);
            value == (long.clone(), vec![false])
        })
    };
    assert!(learn("fragments=10"));
    assert!(!learn("no-fragments"));
}

#[test]
fn settings_can_be_made_from_their_own_description() {
    for preset in [MutagenConfig::default(), MutagenConfig::paper()] {
        let mut other = MutagenConfig { max_size: 99, max_queue: 1, ..MutagenConfig::default() };
        for switch in preset.switches() {
            other.set(&switch).expect("a description is made of switches");
        }
        assert_eq!(other, preset);
    }
}

#[test]
fn every_switch_is_known_changes_a_setting_and_says_what_it_does() {
    for switch in MutagenConfig::all_switches() {
        let text = switch.name.replace('N', "77");
        let changes = |mut config: MutagenConfig| {
            let before = config.clone();
            config.set(&text).expect("a listed switch");
            config != before && config.switches().contains(&text)
        };
        assert!(
            changes(MutagenConfig::default()) || changes(MutagenConfig::paper()) || changes(opposite()),
            "{text} changes nothing",
        );
        assert!(!switch.meaning.is_empty());
    }
}

/// A configuration that differs from both presets where they agree.
fn opposite() -> MutagenConfig {
    plain(&[
        "constant-priority",
        "fifo",
        "one-store",
        "no-parent-passed",
        "no-reset",
        "no-reset-waits",
        "no-samples-cap",
        "pre-order",
        "no-return-subvalues",
    ])
}

#[test]
fn an_unknown_switch_is_refused_with_a_list_of_the_known_ones() {
    for wrong in ["no-such-thing", "depth", "depth=", "depth=many", "fifo=3", ""] {
        let error = MutagenConfig::default().set(wrong).unwrap_err().to_string();
        assert!(error.contains(&format!("`{wrong}`")) && error.contains("depth=N"), "{error}");
    }
}

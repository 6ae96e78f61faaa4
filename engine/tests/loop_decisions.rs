//! The decisions of the MUTAGEN loop, one by one: what comes first, what is given up, when everything is forgotten, and
//! which mutants a test has.

#[path = "common/by_hand.rs"]
mod by_hand;

use by_hand::{count, guidance, plain};
use mutagen_engine::{
    Generate, Guidance, Mutable, Mutagen, MutantsConfig, Scope, Source, Trace, Verdict, mutants,
};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The next test, which does nothing new; `None` if it is no mutant.
fn boring_mutant<T: Mutable + Clone>(guidance: &mut Mutagen<T>) -> Option<T> {
    let generated = count(guidance, "generated");
    let value = guidance.next();
    guidance.learn(&value, &Verdict::Passed, Trace::EMPTY);
    (count(guidance, "generated") == generated).then_some(value)
}

/// All mutants that one test is followed by, in their order.
fn mutants_of<T: Mutable + Clone>(parent: &T, switches: &[&str], seed: u64) -> Vec<T> {
    let mut guidance = Mutagen::new(plain(switches), seed);
    assert!(guidance.learn(parent, &Verdict::Passed, Trace::new(&[1])), "an example that does something new");
    std::iter::from_fn(|| boring_mutant(&mut guidance)).collect()
}

/// The mutants of a value alone, without a guidance.
fn listed<T: Mutable + Clone>(value: &T) -> Vec<T> {
    mutants(value, &MutantsConfig::default(), &Scope::new()).map(|(_, mutant)| mutant).collect()
}

fn sorted<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    values.sort();
    values
}

/// Learns these verdicts of `[true]`, which has six mutants, and says whose mutants follow: `p` for those of a passed test,
/// `d` for those of a discarded one.
fn origins(switch: &str, verdicts: [Verdict; 2]) -> String {
    let mut guidance = guidance(&[switch]);
    for verdict in verdicts {
        // The discarded test is by far the newer one.
        let events: &[u32] = if matches!(verdict, Verdict::Passed) { &[1] } else { &[2, 3, 4, 5] };
        assert!(
            guidance.learn(&vec![true], &verdict, Trace::new(events)),
            "an example that does something new"
        );
    }
    let next_origin = || {
        let discarded = count(&guidance, "mutated from discarded");
        boring_mutant(&mut guidance)?;
        Some(if count(&guidance, "mutated from discarded") > discarded { 'd' } else { 'p' })
    };
    std::iter::from_fn(next_origin).collect()
}

#[test]
fn mutants_of_passed_tests_come_before_those_of_discarded_ones() {
    for verdicts in [[Verdict::Passed, Verdict::Discarded], [Verdict::Discarded, Verdict::Passed]] {
        assert_eq!(origins("no-discarded-every", verdicts), "ppppppdddddd");
    }
}

#[test]
fn every_nth_mutant_is_one_of_a_discarded_test_if_asked_for() {
    for (switch, n, rounds) in
        [("discarded-every=2", 2, 6), ("discarded-every=3", 3, 3), ("discarded-every=4", 4, 2)]
    {
        let origins = origins(switch, [Verdict::Passed, Verdict::Discarded]);
        assert_eq!(origins.len(), 12, "none is left out: {origins}");
        // So long as both have mutants left.
        for round in origins.as_bytes().chunks(n).take(rounds) {
            let discarded = round.iter().filter(|origin| **origin == b'd').count();
            assert_eq!(discarded, 1, "{switch} gives {origins}");
        }
    }
    let origins = origins("discarded-every=1", [Verdict::Passed, Verdict::Discarded]);
    assert_eq!(origins, "ddddddpppppp", "passed tests are not forgotten when discarded ones come first");
}

/// How many tests there were before each of the first three resets, if the test `new` alone does something new.
fn waits(switches: &[&str], new: Option<usize>) -> Vec<usize> {
    let mut guidance = guidance(&[&["reset=10"], switches].concat());
    let (mut waits, mut wait) = (Vec::new(), 0);
    for test in 0..200 {
        let resets = guidance.resets();
        let value = guidance.next();
        if guidance.resets() > resets {
            waits.push(wait);
            wait = 0;
        }
        wait += 1;
        let events: &[u32] = if new == Some(test) { &[1] } else { &[] };
        guidance.learn(&value, &Verdict::Passed, Trace::new(events));
    }
    waits.truncate(3);
    waits
}

#[test]
fn each_reset_waits_twice_as_long_as_the_one_before_only_if_asked_to() {
    assert_eq!(waits(&["reset-doubles"], None), [10, 20, 40]);
    assert_eq!(waits(&["no-reset-doubles"], None), [10, 10, 10]);
}

#[test]
fn something_new_begins_the_wait_for_a_reset_anew() {
    // Five boring tests, the new one, and then ten boring ones in a row.
    assert_eq!(waits(&["no-reset-doubles"], Some(5)), [16, 10, 10]);
}

/// R at first and after each of the first four resets.
fn samples(switch: &str) -> Vec<u64> {
    let mut guidance = guidance(&["reset=3", "no-reset-doubles", "samples=1", switch]);
    let mut samples = Vec::new();
    for _ in 0..15 {
        let resets = guidance.resets();
        boring_mutant(&mut guidance);
        if samples.is_empty() || guidance.resets() > resets {
            samples.push(guidance.figures().levels["samples"]);
        }
    }
    samples
}

#[test]
fn random_mutants_are_drawn_twice_as_often_after_each_reset_up_to_the_cap() {
    assert_eq!(samples("no-samples-cap"), [1, 2, 4, 8, 16]);
    assert_eq!(samples("samples-cap=4"), [1, 2, 4, 4, 4]);
    assert_eq!(samples("samples-cap=3"), [1, 2, 3, 3, 3], "a cap that is no power of two");
    assert_eq!(samples("samples-cap=1"), [1, 1, 1, 1, 1]);
}

#[test]
fn a_test_that_is_generated_after_a_reset_has_more_random_mutants() {
    // This way a number has one random mutant for each time that one is drawn, and no other.
    let switches = ["paper-numbers", "reset=10", "no-reset-doubles", "samples=1", "samples-cap=4"];
    let mut guidance = Mutagen::with_generator(plain(&switches), 0, |_: &mut Source, _| 5_u8);
    let tests: String = (0..60)
        .map(|_| {
            let generated = count(&guidance, "generated");
            let value = guidance.next();
            let fresh = count(&guidance, "generated") > generated;
            // All generated tests do the same, so that it is new once after each reset.
            let events: &[u32] = if fresh { &[1] } else { &[] };
            guidance.learn(&value, &Verdict::Passed, Trace::new(events));
            if fresh { 'g' } else { 'm' }
        })
        .collect();
    let mutants: Vec<usize> = tests.split('g').map(str::len).filter(|mutants| *mutants > 0).collect();
    assert_eq!(mutants[..4], [1, 2, 4, 4], "{tests}");
}

/// After how many boring tests there is a reset, and how many tests still have mutants then.
fn first_reset(switch: &str, parent: &Vec<bool>) -> (usize, u64) {
    let mut guidance = guidance(&["reset=10", switch]);
    guidance.learn(parent, &Verdict::Passed, Trace::new(&[1]));
    for tests in 0..1000 {
        let value = guidance.next();
        if guidance.resets() > 0 {
            return (tests, guidance.queued());
        }
        guidance.learn(&value, &Verdict::Passed, Trace::new(&[1]));
    }
    panic!("there is no reset with {switch}");
}

#[test]
fn a_reset_waits_until_all_mutants_were_run_only_if_asked_to() {
    let parent = vec![true; 20];
    let all = listed(&parent).len();
    assert!(all > 100, "there are {all}, far more than the boring tests that lead to a reset");
    let (tests, queued) = first_reset("reset-waits", &parent);
    assert!((all..=all + 1).contains(&tests), "after all {all}, and perhaps a generated test: {tests}");
    assert_eq!(queued, 0);
    assert_eq!(first_reset("no-reset-waits", &parent), (10, 1), "the other mutants still wait");
}

/// Learns three tests, in this order, and says whose mutants were run, and how many of the tests were given up.
fn survivors(switches: &[&str], order: [u8; 3]) -> (BTreeSet<u8>, u64) {
    let mut guidance = Mutagen::<Vec<u8>>::new(plain(switches), 0);
    for name in order {
        let events: &[u32] = match name {
            1 => &[11],
            3 => &[31, 32, 33],
            _ => &[51, 52, 53, 54, 55],
        };
        assert!(
            guidance.learn(&vec![name; 3], &Verdict::Passed, Trace::new(events)),
            "it does something new"
        );
    }
    let mutants = std::iter::from_fn(|| boring_mutant(&mut guidance));
    // Only the parent's own mutants repeat its number so often.
    let names = mutants.filter_map(|list| order.into_iter().find(|name| list[..] == [*name; 4]));
    (names.collect(), count(&guidance, "dropped from queues"))
}

#[test]
fn the_least_interesting_test_is_given_up_when_too_many_wait() {
    // Each is called by how many new edges it has.
    for order in [[1, 3, 5], [5, 3, 1], [3, 1, 5]] {
        assert_eq!(survivors(&["queue=3"], order), (BTreeSet::from([1, 3, 5]), 0));
        assert_eq!(survivors(&["queue=2"], order), (BTreeSet::from([3, 5]), 1), "in the order {order:?}");
        assert_eq!(survivors(&["queue=1"], order), (BTreeSet::from([5]), 2), "in the order {order:?}");
    }
    let equal = |ties| survivors(&["constant-priority", ties, "queue=2"], [1, 3, 5]);
    assert_eq!(equal("lifo"), (BTreeSet::from([3, 5]), 1), "the oldest is the last");
    assert_eq!(equal("fifo"), (BTreeSet::from([1, 3]), 1), "the newest is the last");
}

#[test]
fn the_seed_permutes_the_mutants_of_a_position_only_if_asked_to() {
    let parent = vec![true, false, true, true, false];
    let plain = listed(&parent);
    let flips = plain.len() - parent.len();
    let mut orders = BTreeSet::new();
    for seed in 0..10 {
        assert_eq!(mutants_of(&parent, &["no-shuffle"], seed), plain, "with seed {seed}");
        let shuffled = mutants_of(&parent, &["shuffle"], seed);
        assert_eq!(shuffled, mutants_of(&parent, &["shuffle"], seed), "the seed decides");
        assert_eq!(
            shuffled[flips..],
            plain[flips..],
            "the elements have one mutant each and keep their order"
        );
        assert_eq!(sorted(shuffled.clone()), sorted(plain.clone()), "the mutants stay the same");
        orders.insert(shuffled);
    }
    assert_eq!(orders.len(), 10, "each seed has an order of its own");
    assert!(!orders.contains(&plain));
}

#[test]
fn equal_halves_are_also_mutated_alike_if_asked_for() {
    let half = vec![true, false, true];
    let parent = (half.clone(), half.clone());
    let one_half =
        listed(&half).into_iter().flat_map(|mutant| [(mutant.clone(), half.clone()), (half.clone(), mutant)]);
    let both = listed(&half).into_iter().map(|mutant| (mutant.clone(), mutant));
    let alone = sorted(one_half.clone().collect());
    let all = sorted(one_half.chain(both).collect());
    assert_eq!(sorted(mutants_of(&parent, &["no-twins"], 0)), alone);
    assert_eq!(sorted(mutants_of(&parent, &["twins"], 0)), all);
    let shuffled = mutants_of(&parent, &["twins", "shuffle"], 0);
    assert_eq!(sorted(shuffled), all, "in any order");
}

#[test]
fn only_what_the_halves_have_in_common_is_mutated_alike() {
    let parent = (vec![true, false], vec![true, true]);
    let changed_in_both = mutants_of(&parent, &["twins"], 0)
        .into_iter()
        .filter(|mutant| mutant.0 != parent.0 && mutant.1 != parent.1);
    let first_in_both = (vec![false, false], vec![false, true]);
    assert_eq!(changed_in_both.collect::<Vec<_>>(), [first_in_both]);
}

#[test]
fn plain_fields_beside_equal_halves_change_along_with_their_parts_as_often_as_not_if_asked_for() {
    let parent = (false, vec![true; 40], vec![true; 40]);
    // Elements are changed in the first half, in the second, and in both.
    let changed = |switch| {
        let mutants = mutants_of(&parent, &["twins", "parameters", switch], 0);
        let is_one = |mutant: &&(bool, Vec<bool>, Vec<bool>)| {
            (mutant.1.len(), mutant.2.len()) == (40, 40) && (&mutant.1, &mutant.2) != (&parent.1, &parent.2)
        };
        let (along, alone): (Vec<_>, Vec<_>) = mutants.iter().filter(is_one).partition(|mutant| mutant.0);
        (along.len(), alone.len())
    };
    assert_eq!(changed("no-parameters"), (0, 120));
    assert_eq!(changed("no-twins"), (0, 80), "where there are no twins");
    let (along, alone) = changed("parameters");
    assert_eq!(along + alone, 120, "no mutant comes or goes");
    assert!(along > 40 && alone > 40, "{along} with the field, {alone} without it");
}

#[test]
fn plain_fields_stay_as_they_are_where_the_halves_differ() {
    let parent = (false, vec![true; 2], vec![false; 3]);
    let mutants = mutants_of(&parent, &["twins", "parameters"], 0);
    let along = mutants.iter().filter(|mutant| mutant.0 && (&mutant.1, &mutant.2) != (&parent.1, &parent.2));
    assert_eq!(along.count(), 0);
}

#[test]
fn the_order_of_positions_decides_the_order_of_mutants() {
    // One mutant at each of four places: the root, what is inside on the left, the flag in there, and the one on the right.
    let parent = Some((Some(true), true));
    let (root, left, flag) = (None, Some((None, true)), Some((Some(false), true)));
    let right = Some((Some(true), false));
    let order = |switch| mutants_of(&parent, &[switch, "no-shuffle"], 0);
    assert_eq!(order("level-order"), [root, left, right, flag]);
    assert_eq!(order("pre-order"), [root, left, flag, right]);
    assert_eq!(order("post-order"), [flag, left, right, root]);
}

#[test]
fn the_figures_say_how_far_the_batch_in_turn_is_and_which_parts_are_kept() {
    let mut guidance = Mutagen::<(Vec<bool>, bool)>::new(plain(&["fragments=2"]), 0);
    guidance.learn(&(vec![true], false), &Verdict::Passed, Trace::new(&[1]));
    let batch = |guidance: &Mutagen<(Vec<bool>, bool)>| {
        let levels = guidance.figures().levels;
        let level = |name: &str| levels[name];
        ["positions done in the batch", "mutants left at its position", "positions to come in the batch"]
            .map(level)
    };
    assert_eq!(batch(&guidance), [0, 0, 4], "the root, the list, its element and the flag");
    let mutants = std::iter::repeat_with(|| guidance.next()).take_while(|mutant| mutant.0 != [false]).count();
    assert!(mutants > 0);
    assert_eq!(batch(&guidance), [3, 0, 0], "the element, which has one mutant, comes last");
    assert_eq!(guidance.figures().levels["fragments of Vec<bool>"], 1);
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Chain {
    End,
    Link(bool, Box<Chain>),
}

#[test]
fn a_value_becomes_a_part_of_itself_only_if_asked_to() {
    let rest = Chain::Link(false, Box::new(Chain::End));
    let parent = Chain::Link(true, Box::new(rest.clone()));
    assert!(mutants_of(&parent, &["return-subvalues"], 0).contains(&rest));
    let others = mutants_of(&parent, &["no-return-subvalues"], 0);
    assert!(!others.contains(&rest));
    assert!(others.contains(&Chain::Link(false, Box::new(rest))), "the other mutants stay");
}

#[test]
fn generated_sizes_grow_with_passed_tests_only_if_asked_to() {
    let sizes = |switch| {
        let sizes = Rc::new(RefCell::new(Vec::new()));
        let seen = Rc::clone(&sizes);
        let generate = move |_: &mut Source, size: usize| seen.borrow_mut().push(size);
        let mut guidance = Mutagen::with_generator(plain(&["max-size=3", switch]), 0, generate);
        for _ in 0..100 {
            guidance.next();
            guidance.learn(&(), &Verdict::Passed, Trace::EMPTY);
        }
        sizes.take()
    };
    assert_eq!(sizes("quickcheck-sizes")[..7], [0, 1, 2, 0, 1, 2, 0]);
    let uniform = sizes("uniform-sizes");
    assert_ne!(uniform[..7], [0, 1, 2, 0, 1, 2, 0]);
    assert_eq!(uniform.into_iter().collect::<BTreeSet<_>>(), BTreeSet::from([0, 1, 2, 3]));
}

/// Whether the second trace is new after the first.
fn is_new_after(switch: &str, first: &[u32], second: &[u32]) -> bool {
    let mut guidance = guidance(&[switch]);
    let mut learn = |events| guidance.learn(&vec![], &Verdict::Passed, Trace::new(events));
    assert!(learn(first));
    learn(second)
}

#[test]
fn switches_decide_what_is_new() {
    assert!(is_new_after("no-trace-length", &[1, 2, 3], &[1, 2, 9]));
    assert!(!is_new_after("trace-length=2", &[1, 2, 3], &[1, 2, 9]), "the same so far");
    assert!(!is_new_after("edges", &[1, 1], &[1, 1, 1]), "no other edge");
    assert!(is_new_after("hit-buckets", &[1, 1], &[1, 1, 1]), "twice instead of once");
    assert!(is_new_after("trie", &[1, 2, 1], &[1, 2, 1, 2]), "no other edge, but another path");
}

//! Zest, Crowbar and PerfFuzz, driven by hand. Values are the bytes that they are made of, and traces are made up.

use mutagen_engine::{
    Cost, Crowbar, CrowbarConfig, Failure, Guidance, PerfFuzz, PerfFuzzConfig, Source, Trace, Verdict, Zest,
    ZestConfig,
};

const PASSED: Verdict = Verdict::Passed;
const INVALID: Verdict = Verdict::Discarded;

type Bytes = Vec<u8>;

/// Reads so many bytes, whatever the size.
fn reads(length: usize) -> impl FnMut(&mut Source, usize) -> Bytes {
    move |source, _| (0..length).map(|_| source.below(256) as u8).collect()
}

/// How many bytes two values have in common at the same places.
fn shared(one: &Bytes, other: &Bytes) -> usize {
    one.iter().zip(other).filter(|(one, other)| one == other).count()
}

/// Which of the parents a child comes from: the one with which it shares most. Long random strings share next to nothing.
fn parent_of(child: &Bytes, parents: &[Bytes]) -> usize {
    (0..parents.len()).max_by_key(|index| shared(child, &parents[*index])).expect("there are parents")
}

/// Whose children the next tests are, each with how many in a row.
fn turns(guidance: &mut impl Guidance<Bytes>, parents: &[Bytes], tests: usize) -> Vec<(usize, usize)> {
    let mut turns: Vec<(usize, usize)> = Vec::new();
    for _ in 0..tests {
        let child = guidance.next();
        guidance.learn(&child, &PASSED, Trace::EMPTY);
        let parent = parent_of(&child, parents);
        match turns.last_mut() {
            Some((last, times)) if *last == parent => *times += 1,
            _ => turns.push((parent, 1)),
        }
    }
    turns
}

/// Tests the next value with this result, which is interesting.
fn save(guidance: &mut impl Guidance<Bytes>, verdict: &Verdict, events: &[u32]) -> Bytes {
    let value = guidance.next();
    assert!(guidance.learn(&value, verdict, Trace::new(events)));
    value
}

fn count<T>(guidance: &impl Guidance<T>, name: &str) -> u64 {
    guidance.figures().counts[name]
}

fn zest(config: ZestConfig) -> Zest<Bytes> {
    Zest::with_generator(config, 1, reads(1000))
}

/// What a test with these events is saved for: counts, coverage, valid coverage.
fn reasons(zest: &mut Zest<Bytes>, verdict: &Verdict, events: &[u32]) -> [u64; 3] {
    let names = ["saved for counts", "saved for coverage", "saved for valid coverage"];
    let before = names.map(|name| count(zest, name));
    let value = zest.next();
    let saved = zest.learn(&value, verdict, Trace::new(events));
    let reasons = [0, 1, 2].map(|index| count(zest, names[index]) - before[index]);
    assert_eq!(saved, reasons != [0; 3], "saved if there is a reason");
    reasons
}

#[test]
fn zest_saves_for_new_counts_new_coverage_and_new_valid_coverage() {
    let mut zest = zest(ZestConfig::default());
    assert_eq!(reasons(&mut zest, &INVALID, &[1, 2]), [1, 1, 0]);
    assert_eq!(reasons(&mut zest, &INVALID, &[2, 1]), [0, 0, 0], "the order does not matter");
    assert_eq!(reasons(&mut zest, &PASSED, &[1]), [0, 0, 1], "no valid input was there before");
    assert_eq!(reasons(&mut zest, &PASSED, &[1, 1]), [1, 0, 0]);
    assert_eq!(reasons(&mut zest, &PASSED, &[1, 1, 1]), [0, 0, 0], "2 and 3 are one class");
    assert_eq!(reasons(&mut zest, &PASSED, &[2, 3]), [1, 1, 1]);
    assert_eq!(reasons(&mut zest, &Verdict::Failed(Failure::new("no").into()), &[9]), [0, 0, 0]);
    assert_eq!(reasons(&mut zest, &PASSED, &[9]), [1, 1, 1], "what failing runs cover is not known");
}

#[test]
fn each_reason_of_zest_can_be_switched_off() {
    let mut no_counts = zest(ZestConfig { counts: false, ..ZestConfig::default() });
    reasons(&mut no_counts, &PASSED, &[1]);
    assert_eq!(reasons(&mut no_counts, &PASSED, &[1, 1]), [0, 0, 0]);
    let mut no_valid = zest(ZestConfig { valid: false, ..ZestConfig::default() });
    reasons(&mut no_valid, &INVALID, &[1]);
    assert_eq!(reasons(&mut no_valid, &PASSED, &[1]), [0, 0, 0]);
    let mut only_valid = zest(ZestConfig { only_valid: true, ..ZestConfig::default() });
    assert_eq!(reasons(&mut only_valid, &INVALID, &[1]), [0, 0, 0]);
    assert_eq!(reasons(&mut only_valid, &PASSED, &[1]), [1, 1, 1]);
}

#[test]
fn zest_generates_until_something_is_saved_and_never_again() {
    let mut zest = zest(ZestConfig::default());
    for _ in 0..5 {
        let value = zest.next();
        zest.learn(&value, &PASSED, Trace::EMPTY);
    }
    assert_eq!((count(&zest, "generated"), count(&zest, "mutated")), (5, 0));
    let parent = save(&mut zest, &PASSED, &[1]);
    for _ in 0..3000 {
        let child = zest.next();
        zest.learn(&child, &PASSED, Trace::EMPTY);
        assert!(shared(&parent, &child) > 500);
    }
    assert_eq!((count(&zest, "generated"), count(&zest, "mutated")), (6, 3000));
}

#[test]
fn inputs_of_zest_have_children_by_their_share_of_the_coverage_and_take_turns() {
    let mut zest = zest(ZestConfig::default());
    // Favoured, since first at probes 1 to 3.
    let first = save(&mut zest, &PASSED, &[1, 2, 3]);
    // Not favoured: it has nothing but a new count.
    let second = save(&mut zest, &PASSED, &[1, 1]);
    // Favoured for one probe of its two.
    let third = save(&mut zest, &PASSED, &[1, 4]);
    let parents = [first, second, third];
    // 4 probes are known: 20 * (50 * 3 / 4) = 740 children for the first, less the two that it had before;
    // 50 * 1 / 4 = 12 for the second; 20 * (50 * 2 / 4) = 500 for the third.
    assert_eq!(turns(&mut zest, &parents, 1270), [(0, 738), (1, 12), (2, 500), (0, 20)]);
    assert_eq!(count(&zest, "cycles"), 1);
    assert_eq!(count(&zest, "favoured"), 2);
}

#[test]
fn an_input_of_zest_whose_share_is_nothing_still_has_one_child() {
    let mut zest = zest(ZestConfig::default());
    let many: Vec<u32> = (1..=100).collect();
    let first = save(&mut zest, &PASSED, &many);
    let second = save(&mut zest, &PASSED, &[1, 1]);
    let found = turns(&mut zest, &[first, second], 1010);
    assert_eq!(found, [(0, 999), (1, 1), (0, 10)]);
}

#[test]
fn zest_appends_random_bytes_where_a_child_reads_further_and_drops_what_is_not_read() {
    // The first byte says how many follow.
    let mut zest = Zest::<Bytes>::with_generator(ZestConfig { max_size: 0, ..ZestConfig::default() }, 1, {
        |source: &mut Source, _| {
            let length = source.below(256);
            (0..=length).map(|_| source.below(256) as u8).collect()
        }
    });
    let mut parent = save(&mut zest, &PASSED, &[1]);
    let mut grown = 0;
    for round in 0..200 {
        let child = zest.next();
        // Each child that is longer is saved, so that its new bytes are used from then on.
        let longer = child.len() > parent.len();
        let events = vec![round + 2];
        zest.learn(&child, &PASSED, if longer { Trace::new(&events) } else { Trace::EMPTY });
        if longer {
            assert!(child[parent.len()..].iter().any(|byte| *byte != 0), "random, not zero");
            grown += 1;
            parent = child;
        }
    }
    assert!(grown > 0);
}

#[test]
fn examples_teach_coverage_but_have_no_bytes_to_mutate() {
    let mut zest = zest(ZestConfig::default());
    assert!(!zest.learn(&vec![1, 2, 3], &PASSED, Trace::new(&[1])));
    assert_eq!(reasons(&mut zest, &PASSED, &[1]), [0, 0, 0], "it is known");
    let mut crowbar = crowbar();
    assert!(!crowbar.learn(&vec![1, 2, 3], &PASSED, Trace::new(&[1])));
    crowbar.next();
    assert_eq!(count(&crowbar, "mutated"), 0);
}

fn crowbar() -> Crowbar<Bytes> {
    Crowbar::with_generator(CrowbarConfig::default(), 1, reads(1000))
}

#[test]
fn crowbar_keeps_new_edges_and_new_classes_of_counts_valid_or_not() {
    let mut crowbar = crowbar();
    let mut learn = |verdict: &Verdict, events: &[u32]| {
        let value = crowbar.next();
        crowbar.learn(&value, verdict, Trace::new(events))
    };
    assert!(learn(&INVALID, &[1, 2]));
    assert!(!learn(&PASSED, &[1, 2]), "valid inputs have no coverage of their own");
    assert!(learn(&PASSED, &[2, 1]), "other edges");
    assert!(learn(&INVALID, &[5; 5]), "5-5 four times");
    assert!(!learn(&INVALID, &[5; 8]), "5-5 seven times: the same class");
    assert!(learn(&INVALID, &[5; 9]), "5-5 eight times");
    assert!(!learn(&Verdict::Failed(Failure::new("no").into()), &[8, 9]));
}

#[test]
fn inputs_of_crowbar_take_turns_with_children_by_their_score() {
    let mut crowbar = crowbar();
    let first = save(&mut crowbar, &PASSED, &[1; 10]);
    assert_eq!(crowbar.figures().levels["children left"], 0);
    crowbar.next();
    // An average input: 256, less the one that was just given.
    assert_eq!(crowbar.figures().levels["children left"], 255);
    let second = {
        let value = crowbar.next();
        assert!(crowbar.learn(&value, &PASSED, Trace::new(&(100..150).collect::<Vec<_>>())));
        value
    };
    for _ in 0..254 {
        let child = crowbar.next();
        crowbar.learn(&child, &PASSED, Trace::new(&[1; 9]));
    }
    assert_eq!((crowbar.figures().levels["children left"], count(&crowbar, "cycles")), (0, 0));
    let child = crowbar.next();
    // 50 events against an average of (10 + 50 + 254 * 9) / 256 = 9: 1/4. 50 edges against an average of (2 + 50) / 2: 3/2.
    // 37 percent of 256 are 94.
    assert_eq!(crowbar.figures().levels["children left"], 93);
    assert_eq!(parent_of(&child, &[first, second]), 1);
    for _ in 0..93 {
        crowbar.next();
    }
    assert_eq!(count(&crowbar, "cycles"), 0);
    crowbar.next();
    assert_eq!(count(&crowbar, "cycles"), 1, "after the last one the first one has its turn again");
}

#[test]
fn a_sequence_of_crowbar_that_ends_early_is_followed_by_zeros() {
    let mut crowbar = crowbar();
    let value = crowbar.next();
    crowbar.learn(&value, &PASSED, Trace::new(&[1]));
    let zeros = |bytes: &Bytes| bytes.iter().rev().take_while(|byte| **byte == 0).count();
    assert!((0..100).any(|_| zeros(&crowbar.next()) >= 10), "some mutation removes a block");
}

fn perffuzz(cost: Cost) -> PerfFuzz<Bytes> {
    PerfFuzz::with_generator(PerfFuzzConfig { cost, max_size: 10 }, 1, reads(1000))
}

#[test]
fn perffuzz_keeps_new_coverage_and_new_maxima_of_any_probe_or_of_all() {
    let mut perffuzz = perffuzz(Cost::Probes);
    let mut learn = |verdict: &Verdict, events: &[u32]| {
        let value = perffuzz.next();
        perffuzz.learn(&value, verdict, Trace::new(events))
    };
    assert!(learn(&PASSED, &[1; 40]));
    assert!(!learn(&PASSED, &[1; 40]), "the same again");
    assert!(learn(&PASSED, &[1; 41]), "the same class, but one more");
    assert!(!learn(&PASSED, &[1; 39]), "less");
    assert!(learn(&PASSED, &[2; 3]), "new coverage");
    let mut both = vec![1; 40];
    both.extend([2; 3]);
    assert!(learn(&PASSED, &both), "no probe more often, but more together");
    assert!(!learn(&INVALID, &[1; 50]), "what did not pass has no maximum");
    assert!(learn(&INVALID, &[3]), "but coverage");
}

#[test]
fn perffuzz_by_fuel_looks_at_nothing_but_coverage_and_fuel() {
    let mut perffuzz = perffuzz(Cost::Fuel);
    let mut learn = |cost: u64, events: &[u32]| {
        let value = perffuzz.next();
        perffuzz.learn(&value, &PASSED, Trace { cost, ..Trace::new(events) })
    };
    assert!(learn(0, &[1; 40]), "new coverage");
    assert!(!learn(0, &[1; 41]));
    assert!(learn(7, &[1]));
    assert!(!learn(7, &[1; 40]));
    assert!(learn(8, &[1]));
}

#[test]
fn perffuzz_passes_over_inputs_that_hold_no_maximum() {
    let mut perffuzz = perffuzz(Cost::Probes);
    let beaten = save(&mut perffuzz, &PASSED, &[1; 40]);
    let champion = {
        // The turn of the first one ends, then the second one is made.
        (0..).find_map(|_| {
            let value = perffuzz.next();
            let last = perffuzz.figures().counts["mutated"] == 256;
            perffuzz.learn(&value, &PASSED, if last { Trace::new(&[1; 50]) } else { Trace::EMPTY });
            last.then_some(value)
        })
    };
    let champion = champion.expect("it ends by then");
    let children = |parent: usize| move |(of, times): &(usize, usize)| if *of == parent { *times } else { 0 };
    let found = turns(&mut perffuzz, &[beaten, champion], 25_600);
    let beaten: usize = found.iter().map(children(0)).sum();
    assert!(beaten < 2_560, "{beaten} of 25,600 tests are children of an input that holds nothing");
}

#[test]
fn inputs_of_perffuzz_have_children_by_what_they_hit_however_long_they_take() {
    let mut perffuzz = perffuzz(Cost::Probes);
    let mut left_after = |events: &[u32]| {
        let value = perffuzz.next();
        perffuzz.learn(&value, &PASSED, Trace::new(events));
        perffuzz.figures().levels["children left"]
    };
    assert_eq!(left_after(&[1; 1000]), 0, "nothing was kept before: this one is generated");
    let first = left_after(&[]);
    assert_eq!(first, 255, "an average input has 256, for all its length");
    for _ in 0..first - 1 {
        left_after(&[]);
    }
    assert_eq!(left_after(&(10..19).collect::<Vec<_>>()), 0);
    // It hits 9 probes, and the average is (1 + 9) / 2 = 5: half as many again.
    assert_eq!(left_after(&[]), 383);
}

#[test]
fn perffuzz_shows_the_slowest_tests_one_of_each_cost() {
    let mut perffuzz = perffuzz(Cost::Fuel);
    for cost in [5, 30, 30, 12, 1, 0, 40, 2, 3, 4, 6, 7, 8] {
        let value = perffuzz.next();
        perffuzz.learn(&value, &PASSED, Trace { cost, ..Trace::EMPTY });
    }
    let value = perffuzz.next();
    perffuzz.learn(&value, &INVALID, Trace { cost: 99, ..Trace::EMPTY });
    let records = perffuzz.records();
    let amounts: Vec<u64> = records.iter().map(|record| record.amount).collect();
    assert_eq!(amounts, [40, 30, 12, 8, 7, 6, 5, 4, 3, 2], "ten of them, and only of tests that passed");
    assert_eq!((records[0].tests, records[0].unit), (7, "fuel"));
    assert_eq!(records[1].tests, 2, "the first of two that cost the same");
}

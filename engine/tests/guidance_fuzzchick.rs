//! FuzzChick, driven by hand: traces are made up, so that what is new, and what it is worth, can be computed.

use mutagen_engine::{Failure, Figures, FuzzChick, FuzzChickConfig, Guidance, Source, Trace, Verdict};

const SKIPPED: Verdict = Verdict::Discarded;
const PASSED: Verdict = Verdict::Passed;

/// A value whose mutants tell where they come from.
#[derive(mutagen_engine::Generate, mutagen_engine::Mutable, Clone, PartialEq, Debug)]
struct Value {
    number: u64,
    /// Left alone by mutation. Generated values have the tag 0.
    #[mutagen(skip, default = 0)]
    tag: u32,
}

fn guidance(config: FuzzChickConfig) -> FuzzChick<Value> {
    FuzzChick::with_generator(config, 0, |_: &mut Source, _| value(0))
}

fn value(tag: u32) -> Value {
    Value { number: 1000, tag }
}

/// Learns an interesting example.
fn teach(guidance: &mut FuzzChick<Value>, tag: u32, verdict: &Verdict, events: &[u32]) -> u64 {
    let before = count(&guidance.figures(), "energy given");
    assert!(guidance.learn(&value(tag), verdict, Trace::new(events)), "{tag} is interesting");
    count(&guidance.figures(), "energy given") - before
}

fn count(figures: &Figures, name: &str) -> u64 {
    figures.counts[name]
}

/// The tags of the parents of the next tests, each with how many tests in a row it had. 0 is a generated one. Nothing
/// new happens meanwhile.
fn parents(guidance: &mut FuzzChick<Value>, tests: usize) -> Vec<(u32, usize)> {
    let mut parents: Vec<(u32, usize)> = Vec::new();
    for _ in 0..tests {
        let value = guidance.next();
        guidance.learn(&value, &PASSED, Trace::EMPTY);
        match parents.last_mut() {
            Some((last, times)) if *last == value.tag => *times += 1,
            _ => parents.push((value.tag, 1)),
        }
    }
    parents
}

#[test]
fn only_tests_that_cover_something_new_are_mutated() {
    let mut guidance = guidance(FuzzChickConfig::default());
    assert_eq!(parents(&mut guidance, 3), [(0, 3)], "there is nothing to mutate");
    teach(&mut guidance, 1, &PASSED, &[1, 2]);
    assert!(!guidance.learn(&value(2), &PASSED, Trace::new(&[1, 2])), "known");
    assert!(
        !guidance.learn(&value(3), &Verdict::Failed(Failure::new("no").into()), Trace::new(&[7])),
        "failed"
    );
    teach(&mut guidance, 4, &PASSED, &[7]);
    assert!(
        !guidance.learn(&value(5), &SKIPPED, Trace::new(&[7])),
        "passed and discarded tests share one map"
    );
}

#[test]
fn an_average_test_has_an_energy_of_1000_and_a_discarded_one_a_third() {
    let mut guidance = guidance(FuzzChickConfig::default());
    assert_eq!(teach(&mut guidance, 1, &PASSED, &[1, 2]), 1000);
    assert_eq!(teach(&mut guidance, 2, &SKIPPED, &[3, 4]), 330);
}

#[test]
fn short_traces_and_large_coverage_give_more_energy() {
    let mut guidance = guidance(FuzzChickConfig::default());
    let long: Vec<u32> = vec![1; 38];
    // Averages include the run itself. 38 events that take 2 edges: both averages are its own.
    assert_eq!(teach(&mut guidance, 1, &PASSED, &long), 1000);
    // 2 events, against an average of 20: 3 times. 2 edges, against an average of 2.
    assert_eq!(teach(&mut guidance, 2, &PASSED, &[8, 9]), 3000);
    // 80 events, against an average of (38 + 2 + 80) / 3 = 40: not more than twice as many, so 3/4. 80 edges, against an
    // average of (2 + 2 + 80) / 3 = 28: more than twice as many, so 2 times.
    let wide: Vec<u32> = (100..180).collect();
    assert_eq!(teach(&mut guidance, 3, &PASSED, &wide), 1500);
}

#[test]
fn seeds_wait_for_the_current_list_and_the_newest_of_them_is_next() {
    let mut guidance = guidance(FuzzChickConfig::default());
    teach(&mut guidance, 1, &PASSED, &[1, 2]);
    assert_eq!(parents(&mut guidance, 10), [(1, 10)]);
    teach(&mut guidance, 2, &PASSED, &[3, 4]);
    teach(&mut guidance, 3, &PASSED, &[5, 6]);
    // 1 has 990 left. The others have a tenth: the tests between were not watched, and count as very short.
    assert_eq!(parents(&mut guidance, 1195), [(1, 990), (3, 100), (2, 100), (0, 5)]);
}

#[test]
fn in_a_plain_queue_the_oldest_seed_is_next() {
    let mut guidance = guidance(FuzzChickConfig { fifo: true, ..FuzzChickConfig::default() });
    for tag in 1..=3 {
        teach(&mut guidance, tag, &PASSED, &[10 * tag, 10 * tag + 1]);
    }
    assert_eq!(parents(&mut guidance, 3000), [(1, 1000), (2, 1000), (3, 1000)]);
}

#[test]
fn each_seed_has_as_many_mutants_as_energy_and_then_tests_are_generated() {
    let mut guidance = guidance(FuzzChickConfig::default());
    teach(&mut guidance, 1, &PASSED, &[1, 2]);
    teach(&mut guidance, 2, &PASSED, &[3, 4]);
    assert_eq!(parents(&mut guidance, 2005), [(2, 1000), (1, 1000), (0, 5)]);
    assert_eq!(count(&guidance.figures(), "mutated from passed"), 2000);
}

#[test]
fn discarded_tests_are_mutated_last_with_a_fresh_test_after_each() {
    let mut guidance = guidance(FuzzChickConfig::default());
    teach(&mut guidance, 1, &SKIPPED, &[1, 2]);
    teach(&mut guidance, 2, &SKIPPED, &[3, 4]);
    teach(&mut guidance, 3, &PASSED, &[5, 6]);
    assert_eq!(parents(&mut guidance, 1665), [(3, 1000), (2, 330), (0, 1), (1, 330), (0, 4)]);
}

#[test]
fn energy_has_a_floor() {
    let mut guidance = guidance(FuzzChickConfig::default());
    for _ in 0..1000 {
        guidance.learn(&value(0), &PASSED, Trace::EMPTY);
    }
    // A tenth for its length, a third because it was discarded: 3.3 percent, but at least 5.
    assert_eq!(teach(&mut guidance, 1, &SKIPPED, &[1, 2]), 50);
    assert_eq!(parents(&mut guidance, 51), [(1, 50), (0, 1)]);
}

#[test]
fn new_is_a_bit_of_the_count_as_coded_and_a_class_of_counts_with_buckets() {
    let events = |count: usize| vec![5; count];
    // Edge 5-5 is taken one time less than there are events.
    let news = |hit_buckets| {
        let mut guidance = guidance(FuzzChickConfig { hit_buckets, ..FuzzChickConfig::default() });
        [2, 3, 4, 5, 6, 257, 300].map(|count| guidance.learn(&value(1), &PASSED, Trace::new(&events(count))))
    };
    // Counts 1, 2, 3 (bits known), 4, 5 (bits known), 256 (wraps to 0), 299 (43: bits 8 and 32).
    assert_eq!(news(false), [true, true, false, true, false, false, true]);
    // Classes 1, 2, 3, 4-7, 4-7, none, 32-127.
    assert_eq!(news(true), [true, true, true, true, false, false, true]);
}

#[test]
fn the_same_seed_gives_the_same_tests() {
    let run = |seed| {
        let mut guidance = FuzzChick::<Vec<u8>>::new(FuzzChickConfig::default(), seed);
        (0..500)
            .map(|_| {
                let value = guidance.next();
                let events: Vec<u32> = value.iter().map(|byte| u32::from(*byte) + 1).collect();
                guidance.learn(&value, &PASSED, Trace::new(&events));
                value
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

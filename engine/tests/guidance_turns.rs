//! Guidances that take turns search as they would alone.

use std::sync::Arc;

use mutagen_engine::{
    Campaign, Guidance, Guided, Mutagen, MutagenConfig, OneOf, Other, Outcome, Property, Random, Repro,
    StopReason, Trace, Turns, Verdict,
};

/// What a list does: probe 1, one probe for its length, and one for each element.
fn trace_of(list: &[u8]) -> Vec<u32> {
    [1, 2 + list.len() as u32].into_iter().chain(list.iter().map(|byte| 100 + u32::from(*byte))).collect()
}

/// Tests so many values and returns them. What else a test does, besides `trace_of`, is in `noise`.
fn tested<T: Clone>(guidance: &mut dyn Guidance<T>, tests: usize, trace: impl Fn(&T) -> Vec<u32>) -> Vec<T> {
    let test = |_| {
        let value = guidance.next();
        guidance.learn(&value, &Verdict::Passed, Trace::new(&trace(&value)));
        value
    };
    (0..tests).map(test).collect()
}

fn mutagen(seed: u64) -> Mutagen<Vec<u8>> {
    Mutagen::new(MutagenConfig::default(), seed).hashed()
}

type Value = OneOf<Vec<u8>, Vec<u8>>;

fn inside(value: &Value) -> &Vec<u8> {
    match value {
        OneOf::First(list) | OneOf::Second(list) => list,
    }
}

#[test]
fn each_search_is_what_it_is_alone() {
    let first = Guided::new(mutagen(1), OneOf::First, Value::first);
    let second = Guided::new(mutagen(2), OneOf::Second, Value::second);
    let mut turns = Turns::new().turn("first", 3, first).turn("second", 2, second);
    let all = tested(&mut turns, 5_000, |value| trace_of(inside(value)));
    let of =
        |which: fn(&Value) -> Option<&Vec<u8>>| all.iter().filter_map(which).cloned().collect::<Vec<_>>();
    assert_eq!(of(Value::first), tested(&mut mutagen(1), 3_000, |list| trace_of(list)));
    assert_eq!(of(Value::second), tested(&mut mutagen(2), 2_000, |list| trace_of(list)));
    let figures = turns.figures();
    assert_eq!((figures.counts["tests of first"], figures.counts["tests of second"]), (3_000, 2_000));
    assert_eq!(figures.counts["passed"], 5_000);
}

#[test]
fn a_test_of_another_worker_reaches_the_search_that_gives_such_tests_and_no_other() {
    // Both could take any list, and the second one takes turns itself.
    let inner = Turns::new().turn("a", 1, mutagen(2)).turn("b", 1, mutagen(3));
    let mut turns = Turns::new().turn("first", 2, mutagen(1)).turn("second", 2, inner);
    let parts: Vec<usize> = std::iter::repeat_with(|| {
        let list = turns.next();
        let part = turns.part();
        turns.learn(&list, &Verdict::Passed, Trace::new(&[1]));
        part
    })
    .take(8)
    .collect();
    assert_eq!(parts, [0, 0, 1, 3, 0, 0, 1, 3]);
    for (times, part) in [0, 3, 1].into_iter().enumerate() {
        let new = |turns: &mut Turns<Vec<u8>>| {
            let (trace, other) = ([1, 77], Other { part, is_left: true });
            turns.learn_from_other(&vec![1, 2, 3], &Verdict::Passed, Trace::new(&trace), other)
        };
        let known = turns.known();
        assert!(new(&mut turns), "no other part knows it: {times}");
        assert!(!new(&mut turns), "this part knows it");
        assert_eq!(turns.known(), known + 1);
    }
}

#[test]
fn a_search_that_sees_some_probes_is_what_it_is_without_the_others() {
    // Every second probe is noise, which depends on the value.
    let noisy = |value: &Value| {
        let noise =
            |event: u32| [event, 1_000 + inside(value).iter().map(|byte| u32::from(*byte)).sum::<u32>()];
        trace_of(inside(value)).into_iter().flat_map(noise).collect()
    };
    let seen: Arc<[bool]> = (1..=5_000).map(|number| number < 1_000).collect();
    let seeing = Guided::new(mutagen(1), OneOf::First, Value::first).seeing(seen);
    let blind = Guided::new(mutagen(1), OneOf::First, Value::first);
    let alone = tested(&mut mutagen(1), 2_000, |list| trace_of(list));
    let lists = |values: Vec<Value>| values.iter().map(|value| inside(value).clone()).collect::<Vec<_>>();
    assert_eq!(lists(tested(&mut Turns::new().turn("seeing", 7, seeing), 2_000, noisy)), alone);
    assert_ne!(lists(tested(&mut Turns::new().turn("blind", 7, blind), 2_000, noisy)), alone);
}

#[test]
fn a_guidance_without_tests_loses_its_turn_and_the_campaign_ends_with_the_last_one() {
    let few = |values: Vec<u8>| Repro::new(values).expect("there are values");
    let mut turns =
        Turns::new().turn("few", 2, few(vec![1, 2, 3])).turn("more", 1, few(vec![7, 8, 9, 10, 11]));
    let mut order = Vec::new();
    let report = Campaign::new(0).run(&mut turns, &mut |value: &u8| order.push(*value));
    assert_eq!(order, [1, 2, 7, 3, 8, 9, 10, 11]);
    assert_eq!(report.stop, StopReason::Exhausted);
}

/// Says of every number above 3 that it fails, five tests later.
#[derive(Default)]
struct Late(Vec<u8>);

impl Property<Value> for Late {
    fn check(&mut self, value: &Value) -> Outcome {
        self.0.extend(inside(value).first());
        Outcome::passed()
    }

    fn late(&mut self, finish: bool) -> Option<(Value, Outcome)> {
        let ready = finish || self.0.len() >= 5;
        let failed = self.0.iter().position(|byte| *byte > 3).filter(|_| ready);
        if ready && failed.is_none() {
            self.0.clear();
        }
        let byte = self.0.drain(..=failed?).next_back()?;
        Some((OneOf::First(vec![byte]), Outcome::failed("large")))
    }
}

#[test]
fn examples_are_learned_by_all_and_late_verdicts_count() {
    let random = |seed| Random::<Vec<u8>>::new(seed);
    let first = Guided::new(mutagen(1), OneOf::First, Value::first);
    let second = Guided::new(random(2), OneOf::Second, Value::second);
    let mut turns = Turns::new().turn("first", 4, first).turn("second", 4, second);
    let examples = vec![OneOf::First(vec![1]), OneOf::Second(vec![2])];
    let report = Campaign::new(1).tests(10_000).examples(examples).run(&mut turns, &mut Late::default());
    assert_eq!(report.figures.counts["examples"], 1, "the one of its own type");
    assert!(report.findings[0].late);
}

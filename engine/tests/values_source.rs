//! Sources and scopes: the same choices from the same seed or the same bytes.

use mutagen_engine::{Generate, Scope, Source};

fn choices(source: &mut Source) -> Vec<u64> {
    let mut choices = vec![source.below(7) as u64, source.below(70_000) as u64, source.bits()];
    choices.push(source.range_i64(-5, 5) as u64);
    choices.push(u64::from(source.chance(1, 3)));
    choices.push(source.weighted(&[1, 2, 3]) as u64);
    choices
}

#[test]
fn a_seed_decides_every_choice() {
    assert_eq!(choices(&mut Source::seeded(1)), choices(&mut Source::seeded(1)));
    assert_ne!(choices(&mut Source::seeded(1)), choices(&mut Source::seeded(2)));
}

/// Findings name the seed that leads to them, so what a seed gives must stay the same in every version.
#[test]
fn a_seed_gives_the_same_numbers_for_ever() {
    let mut source = Source::seeded(7);
    assert_eq!(source.bits(), 0x0e2c_1a00_2aae_913d);
    assert_eq!([source.below(10), source.below(1000)], [1, 717]);
    assert_eq!(source.range_i64(0, (3 << 61) - 1), 2_955_236_325_842_288_758);
    assert_eq!(source.below(1 << 20), 1_010_470, "the choice among very many took one number as well");
}

#[test]
fn random_bytes_are_remembered_and_give_the_same_choices_again() {
    let mut first = Source::from_bytes_then_random(vec![200, 3], 5);
    let chosen = choices(&mut first);
    assert_eq!(first.consumed()[..2], [200, 3]);
    assert_eq!(choices(&mut Source::from_bytes(first.consumed().to_vec())), chosen);
}

#[test]
fn when_bytes_run_out_every_choice_is_the_smallest() {
    let mut source = Source::from_bytes(vec![]);
    assert_eq!(choices(&mut source), [0, 0, 0, -5i64 as u64, 0, 0]);
    assert_eq!(<(i8, u64, bool, Vec<u8>, Option<u8>)>::generate(&mut source, 9), (0, 0, false, vec![], None));
    assert!(source.consumed().is_empty());
}

#[test]
fn a_choice_reads_no_more_bytes_than_it_needs() {
    let mut source = Source::from_bytes((0..=255).collect());
    for (n, bytes) in [(1, 0), (2, 1), (256, 1), (257, 2), (65_537, 4), (usize::MAX, 8)] {
        let before = source.consumed().len();
        source.below(n);
        assert_eq!(source.consumed().len() - before, bytes, "below({n})");
    }
}

#[test]
fn choices_are_spread_evenly_over_their_range() {
    let mut source = Source::seeded(4);
    let mut hits = [0; 10];
    (0..10_000).for_each(|_| hits[source.below(10)] += 1);
    assert!(hits.iter().all(|count| (850..1150).contains(count)), "{hits:?}");
    let mut ends = [i64::MAX, i64::MIN];
    for _ in 0..1000 {
        let number = source.range_i64(-3, 3);
        ends = [ends[0].min(number), ends[1].max(number)];
    }
    assert_eq!(ends, [-3, 3]);
    source.range_i64(i64::MIN, i64::MAX);
}

#[test]
fn numbers_stay_within_the_size_and_within_their_type() {
    let mut source = Source::seeded(8);
    let mut seen: Vec<i8> = (0..2000).map(|_| i8::generate(&mut source, 3)).collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen, [-3, -2, -1, 0, 1, 2, 3]);
    assert!((0..2000).all(|_| u16::generate(&mut source, 4) <= 4));
    for _ in 0..2000 {
        let wide = i128::generate(&mut source, usize::MAX);
        assert!(i64::try_from(wide).is_ok(), "{wide} is beyond any size");
        i8::generate(&mut source, usize::MAX);
    }
}

#[test]
fn a_scope_keeps_the_last_setting_of_each_type() {
    let scope = Scope::new().with(1u8).with("name").with(2u8);
    assert_eq!((scope.get::<u8>(), scope.get::<&str>(), scope.get::<u16>()), (Some(&2), Some(&"name"), None));
    assert_eq!(Source::seeded(0).with_scope(scope).scope().get::<u8>(), Some(&2));
}

#[test]
fn nested_types_get_smaller_until_only_the_smallest_is_left() {
    fn sizes(source: &mut Source, size: usize) -> Vec<Option<usize>> {
        source.nested::<u8, _>(size, |source, given| {
            let inner = given.map(|_| source.nested::<u16, _>(size, |source, _| sizes(source, size)));
            [vec![given], inner.unwrap_or_default()].concat()
        })
    }
    assert_eq!(sizes(&mut Source::seeded(0), 2), [Some(2), Some(1), Some(0), None]);
}

/// What a function makes of all sequences of choices.
fn all<T>(mut make: impl FnMut(&mut Source) -> T) -> Vec<T> {
    let mut source = Source::enumerating();
    let mut made = vec![make(&mut source)];
    while source.advance() {
        made.push(make(&mut source));
    }
    made
}

#[test]
fn enumerating_makes_every_sequence_of_choices_once_the_last_choice_varying_fastest() {
    assert_eq!(
        all(|source| (source.below(2), source.below(3))),
        [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    );
    assert_eq!(all(|source| source.below(1)), [0], "no choice at all");
    let dependent = all(|source| (0..source.below(3)).map(|_| source.below(2)).collect::<Vec<_>>());
    assert_eq!(dependent, [vec![], vec![0], vec![1], vec![0, 0], vec![0, 1], vec![1, 0], vec![1, 1]]);
}

#[test]
fn enumerating_makes_unlikely_choices_as_often_as_likely_ones() {
    assert_eq!(all(|source| source.chance(1, 100)), [false, true]);
    assert_eq!(all(|source| source.chance(0, 100)), [false]);
    assert_eq!(all(|source| source.weighted(&[0, 7, 0, 1])), [1, 3]);
}

#[test]
fn enumerating_cuts_wide_choices_down_to_three() {
    assert_eq!(all(|source| source.below(1024)).len(), 1024);
    assert_eq!(all(|source| source.below(1025)), [0, 512, 1024]);
    assert_eq!(all(|source| source.bits()), [0, 1 << 63, u64::MAX]);
    assert_eq!(all(|source| source.range_i64(i64::MIN, i64::MAX)), [i64::MIN, 0, i64::MAX]);
}

#[test]
fn remembered_bytes_have_an_end() {
    let mut source = Source::from_bytes_then_random(vec![], 1);
    let choices: Vec<usize> = (0..Source::MAX_REMEMBERED + 100).map(|_| source.below(256)).collect();
    assert_eq!(source.consumed().len(), Source::MAX_REMEMBERED);
    assert_eq!(choices[Source::MAX_REMEMBERED..], [0; 100]);
}

//! The guidances that learn nothing, and guidances by name.

use mutagen_engine::{
    Campaign, Cost, Derived, Guidance, Outcome, Record, Report, Repro, Scope, SmallCheck, SmallCheckConfig,
    Source, StopReason, Strategy, Trace, Verdict,
};

#[derive(mutagen_engine::Generate, mutagen_engine::Mutable, Clone, PartialEq, Debug)]
enum Tree {
    Leaf,
    Node(Box<Tree>, Box<Tree>),
}

/// All that is tested.
fn tested<T: Clone>(guidance: &mut impl Guidance<T>) -> (Vec<T>, StopReason) {
    let mut all = Vec::new();
    let report = Campaign::new(0).tests(100_000).run(guidance, &mut |value: &T| all.push(value.clone()));
    (all, report.stop)
}

#[test]
fn smallcheck_tests_every_value_of_every_size_the_smallest_first() {
    use Tree::*;
    let node = |left: &Tree, right: &Tree| Node(Box::new(left.clone()), Box::new(right.clone()));
    let (all, stop) = tested(&mut SmallCheck::<Tree>::new(SmallCheckConfig { max_size: 2 }));
    let leaves = node(&Leaf, &Leaf);
    let size_2 = [Leaf, leaves.clone(), node(&Leaf, &leaves), node(&leaves, &Leaf), node(&leaves, &leaves)];
    let expected: Vec<Tree> = [Leaf, Leaf, leaves].into_iter().chain(size_2).collect();
    assert_eq!((all, stop), (expected, StopReason::Exhausted));
}

#[test]
fn smallcheck_covers_as_many_values_as_there_are() {
    // Trees of height up to n: a(n) = 1 + a(n - 1) squared = 1, 2, 5, 26, 677; for sizes 0 to 4 together.
    let (all, _) = tested(&mut SmallCheck::<Tree>::new(SmallCheckConfig { max_size: 4 }));
    assert_eq!(all.len(), 1 + 2 + 5 + 26 + 677);
}

#[test]
fn smallcheck_enumerates_what_the_scope_allows() {
    let generator = |source: &mut Source, _| {
        let most = source.scope().get::<usize>().copied().unwrap_or(1);
        source.below(most)
    };
    let config = SmallCheckConfig { max_size: 1 };
    let (all, _) =
        tested(&mut SmallCheck::with_generator(config, generator).scope(Scope::new().with(3usize)));
    assert_eq!(all, [0, 1, 2, 0, 1, 2], "and again in the second size");
}

#[test]
fn repro_tests_the_given_values_in_order_and_stops() {
    let mut repro = Repro::new(vec!["a", "b", "a"]).expect("there are values");
    assert_eq!(tested(&mut repro), (vec!["a", "b", "a"], StopReason::Exhausted));
    assert!(Repro::<u8>::new(vec![]).is_none(), "nothing to test");
}

/// A short campaign.
fn run(strategy: &str, seed: u64) -> Report<Vec<u8>> {
    let strategy: Strategy = strategy.parse().expect("a strategy");
    let mut guidance = strategy.max_size(4).guidance(seed, Scope::new(), Derived);
    let mut property = |list: &Vec<u8>| Outcome::passed().costing(list.len() as u64);
    Campaign::new(seed).tests(300).run(&mut guidance, &mut property).without_times()
}

#[test]
fn every_guidance_runs_by_name_and_says_its_name() {
    for name in Strategy::GUIDANCES {
        let report = run(name, 1);
        assert_eq!((report.passed, report.failed), (report.tests, 0), "{name}");
        assert_eq!(report.figures.guidance, name);
        assert!(report.figures.switches.contains(&"max-size=4".to_owned()), "{name}: the size reaches it");
        assert!(!Strategy::description(name).is_empty(), "{name}");
    }
}

#[test]
fn a_switch_for_the_size_is_stronger_than_the_given_size() {
    for name in Strategy::GUIDANCES {
        let report = run(&format!("{name},max-size=2"), 1);
        assert!(report.figures.switches.contains(&"max-size=2".to_owned()), "{name}");
    }
}

#[test]
fn every_guidance_repeats_itself_with_the_same_seed() {
    for name in Strategy::GUIDANCES {
        assert_eq!(run(name, 1), run(name, 1), "{name}");
    }
}

#[test]
fn switches_reach_the_guidance() {
    let cases = [
        ("fuzzchick,hit-buckets", "hit-buckets"),
        ("fuzzchick,fifo", "fifo"),
        ("zest,no-counts", "no-counts"),
        ("zest,no-valid", "no-valid"),
        ("zest,only-valid", "only-valid"),
        ("perffuzz,fuel", "fuel"),
    ];
    for (strategy, switch) in cases {
        let set = |strategy: &str| run(strategy, 1).figures.switches.contains(&switch.to_owned());
        let plain = strategy.split(',').next().expect("a name");
        assert!(set(strategy) && !set(plain), "{strategy}");
    }
}

#[test]
fn every_guidance_can_be_set_from_its_own_description() {
    for name in
        ["mutagen", "random,max-size=3", "smallcheck", "fuzzchick,fifo", "zest,no-valid", "perffuzz,fuel"]
    {
        let switches = run(name, 1).figures.switches;
        let (guidance, _) = name.split_once(',').unwrap_or((name, ""));
        let described =
            Strategy::new(guidance, "default", &switches).expect("a description is made of switches");
        assert_eq!(run(&described.to_string(), 1).figures.switches, switches, "{name}");
    }
}

#[test]
fn a_wrong_strategy_is_refused_with_what_there_is() {
    let refused = |text: &str| text.parse::<Strategy>().expect_err("no strategy").to_string();
    for (wrong, words) in [
        ("zset", vec!["`zset`", "zest", "crowbar"]),
        ("zest,fifo", vec!["zest has no switch `fifo`", "only-valid"]),
        ("mutagen,fifi", vec!["mutagen has no switch `fifi`", "fifo"]),
        ("random,max-size=", vec!["`max-size=`", "max-size=N"]),
        ("fuzzchick/papre", vec!["`papre`", "paper"]),
    ] {
        let error = refused(wrong);
        assert!(words.iter().all(|word| error.contains(word)), "{wrong}: {error}");
    }
}

#[test]
fn only_perffuzz_maximises_and_its_records_reach_the_report() {
    let strategy = |text: &str| text.parse::<Strategy>().expect("a strategy");
    assert_eq!(strategy("perffuzz").maximises(), Some(Cost::Probes));
    assert_eq!(strategy("perffuzz,fuel").maximises(), Some(Cost::Fuel));
    assert_eq!(strategy("zest").maximises(), None);
    let report = run("perffuzz,fuel", 1);
    let amounts: Vec<u64> = report.records.iter().map(|record| record.amount).collect();
    assert_eq!(amounts, [4, 3, 2, 1]);
    assert!(report.records.iter().all(|record| record.value.len() as u64 == record.amount));
    assert!(run("zest", 1).records.is_empty());
}

#[test]
fn the_records_of_several_workers_are_merged_the_largest_first() {
    let strategy: Strategy = "perffuzz,fuel".parse().expect("a strategy");
    let report = Campaign::new(1).tests(2000).run_jobs(2, |worker| {
        let property = |list: &Vec<u8>| Outcome::passed().costing(list.iter().map(|n| u64::from(*n)).sum());
        (strategy.guidance(worker.seed, Scope::new(), Derived), property)
    });
    assert_eq!(report.records.len(), Record::<Vec<u8>>::MOST);
    assert!(report.records.is_sorted_by_key(|record| std::cmp::Reverse(record.amount)));
}

#[test]
fn a_campaign_ends_when_its_guidance_is_exhausted_but_a_finding_says_more() {
    let mut repro = Repro::new(vec![1, 2]).expect("there are values");
    let report = Campaign::new(0).run(&mut repro, &mut |n: &i32| *n != 2);
    assert_eq!((report.stop, report.tests), (StopReason::Found, 2));
}

#[test]
fn what_a_test_costs_reaches_the_guidance_with_and_without_probes() {
    struct Costs(Vec<u64>, bool);
    impl Guidance<u64> for Costs {
        fn next(&mut self) -> u64 {
            self.0.len() as u64
        }
        fn learn(&mut self, _: &u64, _: &Verdict, trace: Trace<'_>) -> bool {
            self.0.push(trace.cost);
            false
        }
        fn figures(&self) -> mutagen_engine::Figures {
            mutagen_engine::Figures::new("costs")
        }
        fn wants_traces(&self) -> bool {
            self.1
        }
    }
    for traces in [false, true] {
        let mut costs = Costs(Vec::new(), traces);
        Campaign::new(0).tests(3).run(&mut costs, &mut |n: &u64| Outcome::passed().costing(n * 10));
        assert_eq!(costs.0, [0, 10, 20]);
    }
}

#[test]
fn the_example_of_how_to_write_a_guidance_is_short() {
    let guide = include_str!("../docs/writing_a_guidance.md");
    let example = guide.split("```").nth(1).expect("the guide has an example");
    assert!(example.trim().lines().count() < 60);
}

//! Campaigns: budgets, stop reasons, verdicts and reports.

use mutagen_engine::{
    Campaign, Derived, Event, Failure, Figures, Guidance, Mutagen, MutagenConfig, Outcome, Property, Random,
    Report, Scope, StopReason, Strategy, Trace, Verdict,
};
use mutagen_engine_demos::{Demo, red_black_tree, search_tree, sorted_list};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Counts 0, 1, 2, ...
struct Upwards(u64);

impl Guidance<u64> for Upwards {
    fn next(&mut self) -> u64 {
        self.0 += 1;
        self.0 - 1
    }
    fn learn(&mut self, value: &u64, _: &Verdict, _: Trace<'_>) -> bool {
        value.is_multiple_of(10)
    }
    fn figures(&self) -> Figures {
        Figures::new("upwards").count("given", self.0)
    }
}

fn upwards(campaign: Campaign<'_, u64>, mut property: impl Property<u64>) -> Report<u64> {
    campaign.run(&mut Upwards(0), &mut property)
}

#[test]
fn a_campaign_runs_the_tests_it_was_asked_for() {
    let report = upwards(Campaign::new(0).tests(100), |n: &u64| (!n.is_multiple_of(4)).then_some(true));
    assert_eq!(report.stop, StopReason::TestsDone);
    assert_eq!((report.tests, report.passed, report.discarded, report.failed), (100, 75, 25, 0));
    assert_eq!(report.figures.counts["given"], 100);
}

#[test]
fn a_campaign_without_a_budget_gets_one() {
    let report = upwards(Campaign::new(0), |_: &u64| true);
    assert_eq!(report.tests, Campaign::<u64>::DEFAULT_TESTS);
}

#[test]
fn the_first_failure_ends_a_campaign() {
    let report = upwards(Campaign::new(0).tests(100), |n: &u64| *n != 30);
    assert_eq!((report.stop, report.tests, report.failed), (StopReason::Found, 31, 1));
    assert_eq!((report.findings[0].value, report.findings[0].tests), (30, 31));
}

#[test]
fn a_campaign_that_keeps_going_counts_all_failures_and_stores_many() {
    let report = upwards(Campaign::new(0).tests(5000).keep_going(true), |n: &u64| n.is_multiple_of(2));
    assert_eq!((report.stop, report.failed), (StopReason::TestsDone, 2500));
    assert_eq!(report.findings.len(), Campaign::<u64>::MAX_FINDINGS);
}

#[test]
fn time_that_is_up_ends_a_campaign() {
    let report = upwards(Campaign::new(0).time(Duration::ZERO), |_: &u64| true);
    assert_eq!((report.stop, report.tests), (StopReason::TimeUp, 0));
}

#[test]
fn too_many_discards_make_a_campaign_give_up() {
    let discard_all = |_: &u64| None::<bool>;
    let report = upwards(Campaign::new(0).tests(10_000).max_discard_ratio(7), discard_all);
    assert_eq!(report.stop, StopReason::GaveUp(701), "as if 100 tests had passed");
    let report = upwards(Campaign::new(0).tests(10_000), discard_all);
    assert_eq!(report.stop, StopReason::TestsDone, "never unless asked to");
}

#[test]
fn discards_are_weighed_against_passed_tests() {
    let report = upwards(Campaign::new(0).tests(10_000).max_discard_ratio(3), |n: &u64| {
        n.is_multiple_of(4).then_some(true)
    });
    assert_eq!(report.stop, StopReason::TestsDone);
}

#[test]
fn an_interrupt_ends_a_campaign() {
    let flag = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&flag);
    let report = upwards(Campaign::new(0).tests(100).interrupt(flag), move |n: &u64| {
        set.fetch_or(*n == 20, Ordering::Relaxed);
    });
    assert_eq!((report.stop, report.tests), (StopReason::Interrupted, 21));
}

#[test]
fn a_panic_is_a_failure_with_its_message_and_place() {
    let report = upwards(Campaign::new(0).tests(10).keep_going(true), |n: &u64| assert!(*n != 3, "three!"));
    assert_eq!((report.tests, report.failed), (10, 1), "the campaign goes on");
    let failure = &report.findings[0].failure;
    assert!(failure.panicked && failure.kind == "panic");
    assert!(
        failure.message.contains("three!") && failure.message.contains("loop_campaign.rs"),
        "{}",
        failure.message
    );
}

#[test]
fn labels_are_counted() {
    let report = upwards(Campaign::new(0).tests(10), |n: &u64| {
        Outcome::passed().labelled_if(*n < 3, "small").label(if n.is_multiple_of(2) { "even" } else { "odd" })
    });
    let labels: Vec<_> = report.labels.iter().map(|(label, count)| (label.as_str(), *count)).collect();
    assert_eq!(labels, [("even", 5), ("odd", 5), ("small", 3)]);
}

#[test]
fn a_failure_reports_whatever_the_property_says() {
    let report = upwards(Campaign::new(0).tests(1), |_: &u64| {
        Outcome::from(
            Failure::new("they differ").kind("results").detail("target", "1").detail("reference", "2"),
        )
    });
    let failure = &report.findings[0].failure;
    assert_eq!((failure.kind.as_str(), failure.message.as_str()), ("results", "they differ"));
    assert_eq!(failure.details[1], ("reference".to_owned(), "2".to_owned()));
}

#[test]
fn examples_are_tested_first_and_the_guidance_learns_from_them() {
    let mut kept = Vec::new();
    let sink = |event: Event<'_, u64>| {
        if let Event::Interesting { test, value, .. } = event {
            kept.push((test, *value));
        }
    };
    let campaign = Campaign::new(0).tests(4).examples(vec![70, 71]).events(sink);
    assert_eq!(upwards(campaign, |_: &u64| true).tests, 4);
    assert_eq!(kept, [(1, 70), (3, 0)]);
}

#[test]
fn events_tell_the_whole_story() {
    let mut story = Vec::new();
    let sink = |event: Event<'_, u64>| {
        story.push(match event {
            Event::Started { seed } => format!("started with {seed}"),
            Event::Tested { test, value, verdict, .. } => format!("{test}: {value} {verdict:?}"),
            Event::Failed(finding) => format!("failed: {}", finding.value),
            Event::Progress { so_far, .. } => format!("so far: {}", so_far.tests),
            Event::Finished(report) => format!("finished: {:?}", report.stop),
            _ => "else".into(),
        });
    };
    upwards(Campaign::new(6).events(sink), |n: &u64| if *n == 1 { Some(false) } else { None });
    assert_eq!(story[..3], ["started with 6", "1: 0 Discarded", "else"]);
    assert_eq!(story[4..], ["failed: 1", "so far: 2", "finished: Found"]);
}

/// Asks its reference about three values at a time; multiples of `bad` do not hold.
struct Batched {
    open: Vec<u64>,
    settled: Vec<(u64, Outcome)>,
    bad: u64,
}

impl Property<u64> for Batched {
    fn check(&mut self, value: &u64) -> Outcome {
        self.open.push(*value);
        Outcome::passed()
    }

    fn late(&mut self, finish: bool) -> Option<(u64, Outcome)> {
        if self.open.len() == 3 || finish {
            let wrong = self.open.drain(..).filter(|value| *value > 0 && value % self.bad == 0);
            self.settled.extend(wrong.map(|value| (value, Outcome::failed("late"))));
        }
        self.settled.pop()
    }
}

#[test]
fn late_failures_end_a_campaign_and_move_from_passed_to_failed() {
    let report = upwards(Campaign::new(0).tests(100), Batched { open: vec![], settled: vec![], bad: 10 });
    assert_eq!((report.stop, report.tests), (StopReason::Found, 12), "found when the batch was full");
    assert_eq!((report.passed, report.failed), (11, 1));
    assert!(report.findings[0].late && report.findings[0].value == 10);
}

#[test]
fn what_is_still_open_at_the_end_is_settled() {
    let report = upwards(Campaign::new(0).tests(5), Batched { open: vec![], settled: vec![], bad: 4 });
    assert_eq!((report.stop, report.passed, report.failed), (StopReason::Found, 4, 1));
}

/// The serialized report of a short campaign on a woven target, without times.
fn fingerprint<D: Demo>(bug: Option<D>, config: &MutagenConfig, seed: u64) -> String {
    let mut guidance = Mutagen::<D::Case>::new(config.clone(), seed).hashed();
    let mut property = |case: &D::Case| D::check(bug, case);
    let report = Campaign::new(seed).tests(3000).run(&mut guidance, &mut property);
    let report = report.without_times().map(|case| format!("{case:?}"));
    serde_json::to_string(&report).expect("a report is plain data")
}

#[test]
fn the_same_seed_gives_the_same_report_byte_by_byte() {
    let mut plain = MutagenConfig::default();
    plain.set("no-fragments").unwrap();
    let configs = [MutagenConfig::default(), plain, MutagenConfig::paper()];
    for config in &configs {
        let mut different = std::collections::HashSet::new();
        for seed in 0..20 {
            let run = || fingerprint::<red_black_tree::Bug>(None, config, seed);
            let first = run();
            // What ran before must not matter.
            fingerprint::<search_tree::Bug>(None, config, seed + 1);
            assert_eq!(run(), first);
            assert_eq!(run(), first);
            different.insert(first.replace(&format!("\"seed\":{seed}"), ""));
        }
        assert!(different.len() > 15, "seeds must matter, but there are only {} stories", different.len());
    }
}

#[test]
fn guided_campaigns_are_really_guided() {
    let mut guidance = Mutagen::new(MutagenConfig::default(), 0).hashed();
    let mut property = |case: &sorted_list::Case| sorted_list::Bug::check(None, case);
    let report = Campaign::new(0).tests(1000).run(&mut guidance, &mut property);
    assert!(
        report.figures.levels["known of passed"] > 20,
        "the demos are woven: is the rustc wrapper in use?"
    );
    assert!(report.figures.counts["mutated from passed"] > 0);
    assert_eq!(report.truncated_traces, 0);
}

#[test]
fn traces_that_do_not_fit_are_counted() {
    let mut guidance = Mutagen::new(MutagenConfig::default(), 0);
    let mut property = |case: &sorted_list::Case| sorted_list::Bug::check(None, case);
    let report = Campaign::new(0).tests(50).trace_capacity(1).run(&mut guidance, &mut property);
    assert_eq!(report.truncated_traces, 50);
}

#[test]
fn jobs_share_the_tests_and_add_up() {
    let report = Campaign::new(4)
        .tests(1001)
        .run_jobs(3, |_| (Upwards(0), |n: &u64| (!n.is_multiple_of(2)).then_some(true)));
    assert_eq!((report.tests, report.seed), (1001, 4));
    assert_eq!(report.passed + report.discarded, 1001);
    assert_eq!(report.figures.counts["given"], 1001);
}

#[test]
fn one_job_gives_the_report_of_a_plain_run() {
    let make = |seed| Mutagen::<Vec<u8>>::new(MutagenConfig::default(), seed);
    let property = |list: &Vec<u8>| list.len() < 5 || list.is_sorted();
    let plain = Campaign::new(9).tests(20_000).run(&mut make(9), &mut { property });
    let jobs = Campaign::new(9).tests(20_000).run_jobs(1, |worker| (make(worker.seed), property));
    assert_eq!(plain.without_times(), jobs.without_times());
}

#[test]
fn workers_have_seeds_of_their_own() {
    let seeds: std::collections::HashSet<u64> = (0..100)
        .flat_map(|seed| (0..10).map(move |index| mutagen_engine::Worker::new(seed, index).seed))
        .collect();
    assert_eq!(seeds.len(), 1000);
}

#[test]
fn the_first_finding_stops_all_workers() {
    // Only one worker can find anything; the others would go on for ever.
    let report = Campaign::new(0).time(Duration::from_secs(600)).run_jobs(3, |worker| {
        let fails_at = if worker.index == 1 { 1000 } else { u64::MAX };
        (Upwards(0), move |n: &u64| *n != fails_at)
    });
    assert_eq!((report.stop, report.failed), (StopReason::Found, 1));
}

#[test]
fn all_workers_tell_one_sink() {
    let mut finished = 0;
    let sink = |event: Event<'_, u64>| finished += u32::from(matches!(event, Event::Finished(_)));
    Campaign::new(0).tests(30).events(sink).run_jobs(3, |_| (Upwards(0), |_: &u64| true));
    assert_eq!(finished, 3);
}

#[test]
fn every_worker_tells_now_and_then_and_at_its_end_how_far_it_is() {
    let mut told = vec![Vec::new(); 3];
    let sink = |event: Event<'_, u64>| {
        if let Event::Progress { worker, so_far, .. } = event {
            assert_eq!(so_far.tests, so_far.passed + so_far.discarded);
            assert_eq!(so_far.labels.get("even").copied().unwrap_or(0), so_far.discarded);
            told[worker].push(so_far.tests);
        }
    };
    let evens_say_nothing = |n: &u64| match n.is_multiple_of(2) {
        true => Outcome::discarded().label("even"),
        false => Outcome::passed(),
    };
    Campaign::new(0).tests(400).events(sink).run_jobs(3, |_| (Upwards(0), evens_say_nothing));
    assert_eq!(told, [[64, 128, 134], [64, 128, 133], [64, 128, 133]]);
}

#[test]
fn progress_knows_late_verdicts() {
    let mut last = (0, 0);
    let sink = |event: Event<'_, u64>| {
        if let Event::Progress { so_far, .. } = event {
            last = (so_far.passed, so_far.failed);
        }
    };
    let tens_fail_late = Batched { open: vec![], settled: vec![], bad: 10 };
    upwards(Campaign::new(0).tests(64).keep_going(true).events(sink), tens_fail_late);
    assert_eq!(last, (58, 6));
}

#[test]
fn progress_knows_what_waits_and_what_is_known() {
    for guidance in ["mutagen", "mutagen/paper", "fuzzchick", "zest", "crowbar", "perffuzz"] {
        let mut last = (0, 0);
        let sink = |event: Event<'_, sorted_list::Case>| {
            if let Event::Progress { queued, known, .. } = event {
                last = (queued, known);
            }
        };
        let strategy: Strategy = guidance.parse().expect("there is one");
        let mut property = |case: &sorted_list::Case| sorted_list::Bug::check(None, case);
        let report = Campaign::new(0)
            .tests(100)
            .events(sink)
            .run(&mut strategy.guidance(0, Scope::new(), Derived), &mut property);
        assert!(last.0 > 0 && last.1 > 0, "{guidance}: {last:?}");
        if guidance.starts_with("mutagen") {
            let Figures { counts, levels, .. } = report.figures;
            let queued = counts["queued passed"] + counts["queued discarded"];
            assert_eq!(last, (queued, levels["known of passed"] + levels["known of discarded"]));
        }
    }
}

#[test]
fn workers_have_room_for_deep_recursion() {
    fn depth(n: u64) -> u64 {
        let padding = std::hint::black_box([n; 64]);
        if n == 0 { 0 } else { 1 + depth(std::hint::black_box(padding[0] - 1)) }
    }
    // Some 10 MiB of frames: more than the 2 MiB that a thread has by default.
    let report = Campaign::new(0).tests(1).run_jobs(1, |_| (Upwards(15_000), |n: &u64| depth(*n) == *n));
    assert_eq!(report.passed, 1);
}

#[test]
fn random_testing_is_a_guidance_like_any_other() {
    let mut guidance = Random::<Vec<i8>>::new(3).max_size(4);
    let report = Campaign::new(3).tests(500).run(&mut guidance, &mut |list: &Vec<i8>| {
        assert!(list.len() <= 4 && list.iter().all(|n| (-4..=4).contains(n)));
    });
    assert_eq!((report.passed, report.figures.counts["generated"]), (500, 500));
}

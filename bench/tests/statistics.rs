//! The statistics against values from independent implementations (scipy 1.17, statsmodels 0.14).

use mutagen_bench::statistics::{Magnitude, Observation, Survival, a12, holm, mann_whitney, stratified};

/// Observations from times, where infinity stands for a run that never ended.
fn runs(values: &[f64]) -> Vec<Observation> {
    let run = |value: &f64| {
        if value.is_finite() { Observation::event(*value) } else { Observation::censored(20.0) }
    };
    values.iter().map(run).collect()
}

#[track_caller]
fn assert_close(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
}

const NEVER: f64 = f64::INFINITY;

/// Two samples, the p-value of `scipy.stats.mannwhitneyu`, and A12 from its U statistic.
fn samples() -> Vec<(Vec<f64>, Vec<f64>, f64, f64)> {
    let first_numbers = |shift: f64| (1..26).map(|number| f64::from(number) + shift).collect::<Vec<_>>();
    vec![
        (vec![1.1, 2.2, 3.3, 4.4, 5.5], vec![2.5, 6.1, 7.2, 8.3, 9.4], 0.055_555_555_555_555_55, 0.88),
        (
            vec![12.0, 45.0, 3.0, 67.0, 89.0, 21.0, 34.0, 56.0, 78.0, 90.0],
            vec![101.0, 23.0, 145.0, 167.0, 88.0, 92.0, 110.0, 120.0, 133.0, 150.0],
            0.002_202_219_942_497_078_3,
            0.91,
        ),
        (
            vec![1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 4.0],
            vec![3.0, 3.0, 4.0, 5.0, 5.0, 6.0, 7.0, 8.0],
            0.009_323_543_545_533_712,
            0.901_785_714_285_714_3,
        ),
        (
            vec![0.5, 1.2, 3.4, 2.2, 9.1, NEVER, NEVER, 4.4, 5.0, 6.1],
            vec![NEVER, NEVER, 8.0, NEVER, 9.9, NEVER, 12.5, NEVER, NEVER, 7.7],
            0.008_888_051_532_442_993,
            0.84,
        ),
        (first_numbers(0.0), first_numbers(6.5), 0.006_222_848_471_189_992, 0.7264),
    ]
}

#[test]
fn mann_whitney_and_a12_agree_with_scipy_with_and_without_ties_and_time_outs() {
    for (first, second, p, effect) in samples() {
        let (first, second) = (runs(&first), runs(&second));
        assert_close(mann_whitney(&first, &second), p);
        assert_close(mann_whitney(&second, &first), p);
        assert_close(a12(&first, &second).expect("there are runs"), effect);
        assert_close(a12(&second, &first).expect("there are runs"), 1.0 - effect);
    }
}

#[test]
fn samples_without_a_difference_or_without_runs_are_not_significant() {
    let (none, never) = (runs(&[]), runs(&[NEVER; 5]));
    assert_eq!(mann_whitney(&never, &never), 1.0);
    assert_eq!(mann_whitney(&none, &never), 1.0);
    assert_eq!(mann_whitney(&never, &none), 1.0);
    assert_eq!(a12(&none, &never), None);
    assert_eq!(a12(&never, &never), Some(0.5));
    assert_eq!(stratified([(&never[..], &never[..]), (&none[..], &never[..])]), 1.0);
}

#[test]
fn the_bounds_of_magnitudes_are_those_of_vargha_and_delaney() {
    let magnitudes =
        [0.5, 0.555, 0.556, 0.637, 0.638, 0.713, 0.714, 1.0].map(Magnitude::of).map(Magnitude::name);
    let expected = ["negligible", "negligible", "small", "small", "medium", "medium", "large", "large"];
    assert_eq!(magnitudes, expected);
    let below = [0.445, 0.444, 0.362, 0.286].map(Magnitude::of).map(Magnitude::name);
    assert_eq!(below, ["negligible", "small", "medium", "large"]);
}

#[test]
fn many_tasks_together_agree_with_van_elteren_computed_from_rank_sums() {
    let samples = samples();
    let strata = [
        (runs(&samples[2].0), runs(&samples[2].1)),
        (runs(&samples[0].0), runs(&samples[0].1)),
        (runs(&[1.0, 2.0, 3.0]), runs(&[2.0, 4.0, 6.0, 8.0])),
    ];
    let p = stratified(strata.iter().map(|(first, second)| (&first[..], &second[..])));
    assert_close(p, 0.000_231_695_268_911_163_03);
}

/// Weeks of remission of 21 patients under 6-MP (Freireich et al., 1963), the usual example of censored data.
fn remissions() -> Vec<Observation> {
    let ended = [6.0, 6.0, 6.0, 7.0, 10.0, 13.0, 16.0, 22.0, 23.0].map(Observation::event);
    let going_on =
        [6.0, 9.0, 10.0, 11.0, 17.0, 19.0, 20.0, 25.0, 32.0, 32.0, 34.0, 35.0].map(Observation::censored);
    ended.into_iter().chain(going_on).collect()
}

#[test]
fn kaplan_meier_agrees_with_scipy_on_published_data() {
    let survival = Survival::of(&remissions());
    let expected = [
        (6.0, 0.857_142_857_143),
        (7.0, 0.806_722_689_076),
        (10.0, 0.752_941_176_471),
        (13.0, 0.690_196_078_431),
        (16.0, 0.627_450_980_392),
        (22.0, 0.537_815_126_05),
        (23.0, 0.448_179_271_709),
    ];
    assert_eq!(survival.steps().len(), expected.len());
    for (step, (at, left)) in survival.steps().iter().zip(expected) {
        assert_eq!(step.at, at);
        assert_close(step.left, left);
    }
    assert_eq!(survival.median(), Some(23.0));
    assert_close(survival.restricted_mean(35.0), 23.287_394_957_983_192);
    assert_eq!((survival.at(5.9), survival.at(6.0)), (1.0, survival.steps()[0].left));
}

#[test]
fn a_median_needs_half_of_the_runs_and_no_run_at_all_has_none() {
    assert_eq!(Survival::of(&runs(&[1.0, NEVER])).median(), Some(1.0));
    assert_eq!(Survival::of(&runs(&[1.0, NEVER, NEVER])).median(), None);
    assert_eq!(Survival::of(&[]).median(), None);
}

#[test]
fn the_order_of_runs_does_not_matter() {
    let mut backwards = remissions();
    backwards.reverse();
    assert_eq!(Survival::of(&backwards), Survival::of(&remissions()));
}

#[test]
fn holm_agrees_with_statsmodels() {
    let corrected = holm(&[0.01, 0.04, 0.03, 0.005, 0.2, 0.011]);
    for (value, expected) in corrected.into_iter().zip([0.05, 0.09, 0.09, 0.03, 0.2, 0.05]) {
        assert_close(value, expected);
    }
}

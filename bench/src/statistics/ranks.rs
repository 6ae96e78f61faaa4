//! Tests of whether one sample is smaller than another, and effect sizes.

use statrs::stats_tests::Alternative;
use statrs::stats_tests::mannwhitneyu::{MannWhitneyUMethod, mannwhitneyu};

use super::Observation;

/// If the smaller sample has at most this size, the normal approximation is too coarse.
const SMALL: usize = 8;

/// The two-sided p-value of the Mann-Whitney U test: the probability of samples at least as different as
/// these if both come from the same distribution. 1 if either is empty.
///
/// ```
/// use mutagen_bench::statistics::{Observation, mann_whitney};
///
/// let fast = [1.0, 2.0, 3.0, 4.0].map(Observation::event);
/// let never = [20.0; 4].map(Observation::censored);
/// assert!(mann_whitney(&fast, &never) < 0.05);
/// assert_eq!(mann_whitney(&never, &never), 1.0);
/// ```
pub fn mann_whitney(first: &[Observation], second: &[Observation]) -> f64 {
    let mut values = [ranks(first), ranks(second)].concat();
    values.sort_by(f64::total_cmp);
    // If all values are equal the variance is zero, and the approximation would divide by it.
    if first.is_empty() || second.is_empty() || values.first() == values.last() {
        return 1.0;
    }
    let has_ties = values.windows(2).any(|pair| pair[0] == pair[1]);
    if first.len().min(second.len()) <= SMALL && !has_ties {
        return exact(first, second);
    }
    let method = MannWhitneyUMethod::AsymptoticInclContinuityCorrection;
    mannwhitneyu(&ranks(first), &ranks(second), method, Alternative::TwoSided).map_or(1.0, |(_, p)| p)
}

/// The p-value without ties, from the exact distribution of wins. It is computed here because the exact
/// method of statrs 0.19 returns the complement unless the first sample is the larger one.
fn exact(first: &[Observation], second: &[Observation]) -> f64 {
    let (n, m) = (first.len(), second.len());
    let most = n * m;
    // `ways[k]` is the number of orders of all runs in which the first sample wins `k` pairs: the
    // coefficients of the product of (1 - q^(m + i)) / (1 - q^i) for i from 1 to n.
    let mut ways = vec![0.0; most + 1];
    ways[0] = 1.0;
    for i in 1..=n {
        for won in (m + i..=most).rev() {
            ways[won] -= ways[won - m - i];
        }
        for won in i..=most {
            ways[won] += ways[won - i];
        }
    }
    // Two-sided: count the orders that are at least as extreme, on one side, and double them.
    let wins = wins(first, second) as usize;
    let at_least: f64 = ways[wins.max(most - wins)..].iter().sum();
    (2.0 * at_least / ways.iter().sum::<f64>()).min(1.0)
}

/// The Vargha-Delaney effect size: the probability that a run of the first sample is *sooner* than one of the
/// second, where a tie counts half. 0.5 means no difference. `None` if either sample is empty.
///
/// ```
/// use mutagen_bench::statistics::{Magnitude, Observation, a12};
///
/// let fast = [1.0, 2.0, 3.0].map(Observation::event);
/// let slow = [3.0, 4.0, 5.0].map(Observation::event);
/// let effect = a12(&fast, &slow).unwrap();
/// assert!((effect - 8.5 / 9.0).abs() < 1e-12);
/// assert_eq!(Magnitude::of(effect), Magnitude::Large);
/// ```
pub fn a12(first: &[Observation], second: &[Observation]) -> Option<f64> {
    let pairs = first.len() * second.len();
    (pairs > 0).then(|| wins(first, second) / pairs as f64)
}

/// The number of pairs in which the first is sooner. A tie counts half.
fn wins(first: &[Observation], second: &[Observation]) -> f64 {
    let win = |one: f64, other: f64| match one.total_cmp(&other) {
        std::cmp::Ordering::Less => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 0.0,
    };
    first.iter().flat_map(|one| second.iter().map(move |other| win(one.rank(), other.rank()))).sum()
}

fn ranks(sample: &[Observation]) -> Vec<f64> {
    sample.iter().map(|observation| observation.rank()).collect()
}

/// How large an effect is, with the bounds that Vargha and Delaney proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Magnitude {
    /// Less than 0.056 from one half.
    Negligible,
    /// Less than 0.138 from one half.
    Small,
    /// Less than 0.214 from one half.
    Medium,
    /// At least 0.214 from one half.
    Large,
}

impl Magnitude {
    /// The magnitude of an A12.
    pub fn of(a12: f64) -> Self {
        // Rounded, so that 0.556 and 0.444 both count as small.
        let distance = ((a12 - 0.5).abs() * 1e9).round() / 1e9;
        match distance {
            _ if distance < 0.056 => Magnitude::Negligible,
            _ if distance < 0.138 => Magnitude::Small,
            _ if distance < 0.214 => Magnitude::Medium,
            _ => Magnitude::Large,
        }
    }

    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Magnitude::Negligible => "negligible",
            Magnitude::Small => "small",
            Magnitude::Medium => "medium",
            Magnitude::Large => "large",
        }
    }
}

/// Tests over many pairs of samples, one per task, whether the first is sooner than the second overall.
///
/// The Mann-Whitney statistics of all pairs are added up, each weighted so that a task with many trials
/// counts as much as one with few (van Elteren's test), and compared with their common normal approximation.
/// Returns the two-sided p-value. The test finds small but consistent differences for which no single task
/// has enough trials.
///
/// ```
/// use mutagen_bench::statistics::{Observation, mann_whitney, stratified};
///
/// let pair = ([1.0, 2.0, 4.0].map(Observation::event), [3.0, 5.0, 6.0].map(Observation::event));
/// assert!(mann_whitney(&pair.0, &pair.1) > 0.05);
/// assert!(stratified((0..10).map(|_| (&pair.0[..], &pair.1[..]))) < 0.001);
/// ```
pub fn stratified<'a>(pairs: impl IntoIterator<Item = (&'a [Observation], &'a [Observation])>) -> f64 {
    // Add up how far the wins of each task are from their expected number, and the variances.
    let (mut difference, mut variance) = (0.0, 0.0);
    for (first, second) in pairs {
        let (n, m) = (first.len() as f64, second.len() as f64);
        if n * m == 0.0 {
            continue;
        }
        let weight = 1.0 / (n + m + 1.0);
        difference += weight * (wins(first, second) - n * m / 2.0);
        variance += weight * weight * variance_of_wins(first, second);
    }
    if variance == 0.0 {
        return 1.0;
    }
    // The two-sided p-value of the standardised sum.
    let z = difference.abs() / f64::sqrt(variance);
    statrs::function::erf::erfc(z / std::f64::consts::SQRT_2)
}

/// The variance of the number of wins if both samples come from the same distribution, corrected for ties.
fn variance_of_wins(first: &[Observation], second: &[Observation]) -> f64 {
    let (n, m) = (first.len() as f64, second.len() as f64);
    let total = n + m;
    let mut values = [ranks(first), ranks(second)].concat();
    values.sort_by(f64::total_cmp);
    // Every group of t equal values reduces the variance by a term of t³ - t.
    let ties: f64 =
        values.chunk_by(|a, b| a == b).map(|tied| (tied.len() as f64).powi(3) - tied.len() as f64).sum();
    n * m / 12.0 * ((total + 1.0) - ties / (total * (total - 1.0)))
}

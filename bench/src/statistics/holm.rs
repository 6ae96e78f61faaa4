//! Correction of p-values for many comparisons.

/// Holm's correction: p-values that stay valid when there are many of them. If none of the differences is
/// real, the chance that *any* corrected value is below 0.05 is at most 0.05.
///
/// ```
/// use mutagen_bench::statistics::holm;
///
/// assert_eq!(holm(&[0.01, 0.04, 0.03]), [0.03, 0.06, 0.06]);
/// ```
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    // Go from the smallest p-value to the largest. Each is multiplied by the number of those not yet done.
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|one, other| p_values[*one].total_cmp(&p_values[*other]));
    let mut corrected = vec![1.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (done, index) in order.into_iter().enumerate() {
        // A larger p-value must not become smaller than one before it.
        largest = largest.max(p_values[index] * (p_values.len() - done) as f64);
        corrected[index] = largest.min(1.0);
    }
    corrected
}

//! Scales: the place of a value in a drawing.

use super::markup::{label, stroke};

/// A mapping from values to coordinates.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    log: bool,
    whole: bool,
}

impl Scale {
    /// A linear scale: equal differences are equally far apart.
    pub fn linear(low: f64, high: f64, [from, to]: [f64; 2]) -> Self {
        Scale { low, high, from, to, log: false, whole: false }
    }

    /// The same, for what is counted: labels are whole numbers.
    #[must_use]
    pub fn whole(self) -> Self {
        Scale { whole: true, ..self }
    }

    /// A logarithmic scale: equal ratios are equally far apart. It spans whole powers of ten around all
    /// positive values.
    pub fn decades(values: impl IntoIterator<Item = f64>, [from, to]: [f64; 2]) -> Self {
        let logs = values.into_iter().filter(|value| *value > 0.0 && value.is_finite()).map(f64::log10);
        let (low, high) = logs.fold((f64::MAX, f64::MIN), |(low, high), log| (low.min(log), high.max(log)));
        let (low, high) = if low <= high { (low.floor(), high.ceil()) } else { (0.0, 1.0) };
        Scale { low, high: high.max(low + 1.0), from, to, log: true, whole: false }
    }

    /// The coordinate of a value. A value outside of the scale is moved to its edge.
    pub fn at(&self, value: f64) -> f64 {
        let value = if self.log { value.max(1e-12).log10() } else { value };
        let share = (value.clamp(self.low, self.high) - self.low) / (self.high - self.low);
        self.from + share * (self.to - self.from)
    }

    /// The values that get a label: the powers of ten within the scale, or about five round numbers.
    pub fn ticks(&self) -> Vec<f64> {
        if self.log {
            return (self.low as i32..=self.high as i32).map(|power| 10_f64.powi(power)).collect();
        }
        let step = round_step((self.high - self.low) / 5.0);
        let step = if self.whole { step.max(1.0) } else { step };
        let count = ((self.high - self.low) / step + 1e-9) as usize;
        (0..=count).map(|index| self.low + step * index as f64).collect()
    }

    /// Vertical lines with labels below, from `top` to `bottom`.
    pub fn vertical_grid(&self, [top, bottom]: [f64; 2], name: impl Fn(f64) -> String) -> String {
        let tick = |value: f64| {
            let x = self.at(value);
            stroke("grid", [x, top, x, bottom]) + &label("tick", [x, bottom + 14.0], "middle", &name(value))
        };
        self.ticks().into_iter().map(tick).collect()
    }

    /// Horizontal lines with labels to their left, from `left` to `right`.
    pub fn horizontal_grid(&self, [left, right]: [f64; 2], name: impl Fn(f64) -> String) -> String {
        let tick = |value: f64| {
            let y = self.at(value);
            stroke("grid", [left, y, right, y]) + &label("tick", [left - 6.0, y + 4.0], "end", &name(value))
        };
        self.ticks().into_iter().map(tick).collect()
    }
}

/// The smallest of 1, 2, 5, 10, 20, 50, ... (or 0.1, 0.2, ...) that is no smaller than this.
fn round_step(wanted: f64) -> f64 {
    let power = 10_f64.powf(wanted.max(1e-9).log10().floor());
    [1.0, 2.0, 5.0]
        .into_iter()
        .map(|digit| digit * power)
        .find(|step| *step >= wanted - 1e-12)
        .unwrap_or(10.0 * power)
}

/// A power of ten of seconds.
pub fn seconds_tick(seconds: f64) -> String {
    match seconds {
        _ if seconds < 0.000_999 => format!("{:.0} µs", seconds * 1e6),
        _ if seconds < 0.0999 => format!("{:.0} ms", seconds * 1e3),
        _ if seconds < 0.999 => format!("{seconds:.1} s"),
        _ => format!("{seconds:.0} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_scale_spans_whole_decades_and_puts_them_equally_far_apart() {
        let scale = Scale::decades([0.03, 5.0, f64::INFINITY, 0.0], [100.0, 400.0]);
        assert_eq!(
            scale.ticks().iter().map(|tick| seconds_tick(*tick)).collect::<Vec<_>>(),
            ["10 ms", "0.1 s", "1 s", "10 s"]
        );
        assert_eq!([0.01, 0.1, 10.0, 1e9].map(|value| scale.at(value).round()), [100.0, 200.0, 400.0, 400.0]);
    }

    #[test]
    fn a_linear_scale_has_round_ticks() {
        assert_eq!(Scale::linear(0.0, 20.0, [0.0, 1.0]).ticks(), [0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!(Scale::linear(0.0, 15.0, [0.0, 1.0]).ticks(), [0.0, 5.0, 10.0, 15.0]);
        assert_eq!(Scale::linear(0.0, 1.0, [0.0, 1.0]).ticks().len(), 6);
        assert_eq!(Scale::linear(0.0, 2.0, [0.0, 1.0]).whole().ticks(), [0.0, 1.0, 2.0]);
    }
}

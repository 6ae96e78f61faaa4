//! Numbers formatted for people.

/// A time: `35 ms`, `1.27 s`, `18 min`.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        _ if seconds < 0.0005 => "0 ms".to_owned(),
        _ if seconds < 0.0995 => format!("{:.0} ms", seconds * 1000.0),
        _ if seconds < 9.995 => format!("{seconds:.2} s"),
        _ if seconds < 99.95 => format!("{seconds:.1} s"),
        _ if seconds < 600.0 => format!("{seconds:.0} s"),
        _ if seconds < 7200.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

/// A large number, shortened: `345`, `12.3k`, `4.56M`.
pub fn short(number: f64) -> String {
    let scaled = |value: f64, unit: &str| match value {
        _ if value < 9.995 => format!("{value:.2}{unit}"),
        _ if value < 99.95 => format!("{value:.1}{unit}"),
        _ => format!("{value:.0}{unit}"),
    };
    match number {
        _ if number < 999.5 => format!("{number:.0}"),
        _ if number < 999_500.0 => scaled(number / 1e3, "k"),
        _ => scaled(number / 1e6, "M"),
    }
}

/// A whole number with its thousands separated: `123 456`.
pub fn whole(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A p-value: `0.032`, `< 0.001`.
pub fn p_value(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_have_their_unit() {
        assert_eq!(
            [0.0, 0.0351, 1.273, 18.0, 100.4, 1080.4, 30749.3].map(seconds),
            ["0 ms", "35 ms", "1.27 s", "18.0 s", "100 s", "18 min", "8.5 h"]
        );
        assert_eq!(
            [0.0, 999.0, 999.6, 12_345.0, 4_560_000.0].map(short),
            ["0", "999", "1.00k", "12.3k", "4.56M"]
        );
        assert_eq!(
            [7.0, 1234.0, 123_456.0, 1_234_567.0].map(whole),
            ["7", "1\u{202f}234", "123\u{202f}456", "1\u{202f}234\u{202f}567"]
        );
        assert_eq!([0.0001, 0.05].map(p_value), ["< 0.001", "0.050"]);
    }
}

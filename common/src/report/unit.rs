//! One unit for all times of a table: microseconds where some are so short that milliseconds would need an exponent.

use serde_json::Value;

/// A table has microseconds from here on, in milliseconds: three digits of such a time are five places.
const SHORT_MS: f64 = 0.01;

/// Returns whether a table of these headings and cells should be in microseconds.
pub fn has_short_times<'t>(mut cells: impl Iterator<Item = (&'t str, &'t Value)>) -> bool {
    let is_short = |value: &Value| value.as_f64().is_some_and(|time| time > 0.0 && time < SHORT_MS);
    cells.any(|(heading, value)| in_microseconds(heading).is_some() && is_short(value))
}

/// The heading of a column of milliseconds when it is in microseconds; `None` where it is no such column.
pub fn in_microseconds(heading: &str) -> Option<String> {
    let before = heading.strip_suffix("ms")?;
    (before.is_empty() || before.ends_with([' ', '\u{a0}'])).then(|| format!("{before}µs"))
}

/// The same time in microseconds.
pub fn scaled(milliseconds: &Value) -> Value {
    milliseconds.as_f64().map_or(milliseconds.clone(), |time| (time * 1e3).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_columns_of_milliseconds_change() {
        assert_eq!(in_microseconds("kernel ms").as_deref(), Some("kernel µs"));
        assert_eq!(in_microseconds("ms").as_deref(), Some("µs"));
        for other in ["items", "GB/s", "", "ms of all"] {
            assert_eq!(in_microseconds(other), None, "{other}");
        }
    }

    #[test]
    fn one_short_time_decides() {
        let [long, short, word] = [Value::from(2.5), Value::from(2.5e-4), Value::from("–")];
        assert!(has_short_times([("events ms", &long), ("device ms", &short)].into_iter()));
        assert!(!has_short_times([("events ms", &long), ("error", &short), ("host ms", &word)].into_iter()));
        assert_eq!((scaled(&long), scaled(&word)), (Value::from(2500.0), word));
    }
}

//! Numbers as a reader takes them in: enough digits to compare, and no more.

/// A value to three significant digits, at least to its units; with an exponent where it is far below 1.
pub fn three_digits(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 100.0 || size == 0.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        size if size >= 0.1 => 3,
        size if size >= 0.01 => 4,
        size if size >= 0.001 => 5,
        _ => return format!("{value:.1e}"),
    };
    format!("{value:.decimals$}")
}

/// A value to six significant digits, as files for other programs have it: no digits that only the binary form made.
pub fn six_digits(value: f64) -> String {
    let rounded = format!("{value:.5e}").parse().unwrap_or(value);
    if rounded != 0.0 && (rounded.abs() < 1e-4 || rounded.abs() >= 1e15) {
        format!("{rounded:e}")
    } else {
        format!("{rounded}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits() {
        for (value, text) in [
            (12345.6, "12346"),
            (123.456, "123"),
            (99.96, "100.0"),
            (1.23456, "1.23"),
            (-41.27, "-41.3"),
            (0.082_734, "0.0827"),
            (0.006_238, "0.00624"),
            (1.25e-7, "1.2e-7"),
            (0.0, "0"),
        ] {
            assert_eq!(three_digits(value), text);
        }
    }

    #[test]
    fn files_have_no_digits_of_the_binary_form() {
        for (value, text) in [
            (0.006238000001758337, "0.006238"),
            (56.25, "56.25"),
            (1.0 / 3.0, "0.333333"),
            (2.2e-7, "2.2e-7"),
            (524_288.0, "524288"),
            (0.0, "0"),
        ] {
            assert_eq!(six_digits(value), text);
        }
    }
}

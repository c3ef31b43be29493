//! Minimum, maximum, mean, median, standard deviation and count of a series of times.

use serde::{Deserialize, Serialize};

/// The figures that a report gives of a series, in milliseconds unless the key says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Middle value, or the mean of the two middle ones.
    pub median: f64,
    /// Standard deviation of the sample (n − 1 in the denominator); 0 for one run.
    pub stddev: f64,
    /// How many values.
    pub runs: usize,
}

impl Statistics {
    /// The statistics of a series in any order; `None` for an empty one.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let runs = sorted.len();
        let mean = sorted.iter().sum::<f64>() / runs as f64;
        let median = f64::midpoint(sorted[(runs - 1) / 2], sorted[runs / 2]);
        let squares: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
        let stddev = if runs > 1 { (squares / (runs - 1) as f64).sqrt() } else { 0.0 };
        Some(Statistics { min, max, mean, median, stddev, runs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_abs_diff_eq;

    #[test]
    fn a_known_series() {
        let s = Statistics::of(&[4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!((s.min, s.max, s.mean, s.median, s.runs), (1.0, 4.0, 2.5, 2.5, 4));
        assert_abs_diff_eq!(s.stddev, (5.0f64 / 3.0).sqrt(), epsilon = 1e-12);
    }

    #[test]
    fn one_run_has_no_spread_and_none_has_no_figures() {
        assert_eq!(Statistics::of(&[7.0]).unwrap().stddev, 0.0);
        assert_eq!(Statistics::of(&[5.0, 1.0, 9.0]).unwrap().median, 5.0);
        assert!(Statistics::of(&[]).is_none());
    }
}

//! Axes: from a value to a place, and the ticks that a reader expects.

/// How places follow from values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equal distances.
    Linear,
    /// Equal ratios are equal distances.
    Logarithmic,
}

/// A scale and its range.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    /// Where the ticks stand.
    ticks: Vec<f64>,
}

/// Values that are further apart than this get a logarithmic axis: on a linear one the small ones lie at 0.
const DECADES: f64 = 20.0;

/// Ticks that a linear axis has, about.
const TICKS: f64 = 5.0;

impl Axis {
    /// Over sizes: equal ratios are equal distances, and each size that was measured has its tick. `None` without sizes.
    pub fn of_sizes(sizes: impl Iterator<Item = f64>) -> Option<Self> {
        let mut ticks: Vec<f64> = sizes.collect();
        ticks.sort_by(f64::total_cmp);
        ticks.dedup();
        let (low, high) = (*ticks.first()?, *ticks.last()?);
        let margin = (high / low).powf(0.03).max(1.02);
        Some(Axis { scale: Scale::Logarithmic, low: low / margin, high: high * margin, ticks })
    }

    /// Over values, 0 included; logarithmic, without 0, where they span decades. `None` without values.
    pub fn of_values(values: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        let low = values.clone().reduce(f64::min)?;
        let high = values.clone().reduce(f64::max)?;
        if low > 0.0 && high / low >= DECADES {
            return Some(Self::decades(low, high));
        }
        Self::of_differences(values)
    }

    /// Linear over values and 0. `None` without values.
    pub fn of_differences(values: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        Some(Self::linear(values.clone().reduce(f64::min)?.min(0.0), values.reduce(f64::max)?.max(0.0)))
    }

    /// Linear from `low` to `high`, both rounded outwards to a tick.
    fn linear(low: f64, high: f64) -> Self {
        let step = round_step((high - low).max(f64::MIN_POSITIVE) / TICKS);
        let (first, last) = ((low / step).floor() as i64, (high / step).ceil() as i64);
        let ticks: Vec<f64> = (first..=last.max(first + 1)).map(|index| index as f64 * step).collect();
        Axis { scale: Scale::Linear, low: ticks[0], high: ticks[ticks.len() - 1], ticks }
    }

    /// Logarithmic; ticks at the powers of ten, and at 2 and 5 between them where those are few.
    fn decades(low: f64, high: f64) -> Self {
        let between: &[f64] = if high / low < 1e3 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
        let all: Vec<f64> =
            (first..=last).flat_map(|power| between.iter().map(move |part| part * 10f64.powi(power))).collect();
        let below = all.iter().rposition(|&tick| tick <= low * 1.0001).unwrap_or(0);
        let above = all.iter().position(|&tick| tick >= high * 0.9999).unwrap_or(all.len() - 1);
        let ticks = all[below..=above].to_vec();
        Axis { scale: Scale::Logarithmic, low: ticks[0], high: ticks[ticks.len() - 1], ticks }
    }

    /// Logarithmic over values above 0, from tick to tick.
    pub fn of_decades(low: f64, high: f64) -> Self {
        Self::decades(low, high)
    }

    /// The lowest value.
    pub fn low(&self) -> f64 {
        self.low
    }

    /// The scale.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// 0 at the low end, 1 at the high end.
    pub fn place(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Logarithmic => (value / self.low).ln() / (self.high / self.low).ln(),
        }
    }

    /// Ticks with their labels, at least `apart` of the axis from each other; the last one always stays.
    pub fn ticks(&self, apart: f64) -> Vec<(f64, String)> {
        let mut kept: Vec<f64> = Vec::new();
        for &tick in self.ticks.iter().rev() {
            if kept.last().is_none_or(|&last| self.place(last) - self.place(tick) >= apart) {
                kept.push(tick);
            }
        }
        kept.into_iter().rev().map(|tick| (self.place(tick), number(tick))).collect()
    }
}

/// 1, 2 or 5 times a power of ten, at least `step`.
pub fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let part = [1.0, 2.0, 5.0, 10.0].into_iter().find(|part| part * power >= step * 0.9999).unwrap_or(10.0);
    part * power
}

/// A tick's number without what says nothing: "128", "0.5", "20000", "1e7".
pub fn number(value: f64) -> String {
    if value != 0.0 && !(1e-4..1e7).contains(&value.abs()) {
        return format!("{value:e}");
    }
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks(0.0).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn values_of_one_magnitude_start_at_zero() {
        let axis = Axis::of_values([30.0, 96.0].into_iter()).unwrap();
        assert_eq!(labels(&axis), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(axis.place(50.0), 0.5);
    }

    #[test]
    fn losses_lie_below_zero() {
        let axis = Axis::of_values([-10.0, 30.0].into_iter()).unwrap();
        assert_eq!(labels(&axis), ["-10", "0", "10", "20", "30"]);
    }

    #[test]
    fn values_over_decades_are_logarithmic() {
        let axis = Axis::of_values([3.0, 15_000.0].into_iter()).unwrap();
        assert_eq!(axis.scale(), Scale::Logarithmic);
        assert_eq!(labels(&axis), ["1", "10", "100", "1000", "10000", "100000"]);
        let short = Axis::of_values([24.0, 700.0].into_iter()).unwrap();
        assert_eq!(labels(&short), ["20", "50", "100", "200", "500", "1000"]);
        assert!(short.place(24.0) > 0.0 && short.place(700.0) < 1.0);
    }

    #[test]
    fn every_size_has_its_tick_where_there_is_room() {
        let axis = Axis::of_sizes([128.0, 64.0, 128.0, 1000.0].into_iter()).unwrap();
        assert_eq!(labels(&axis), ["64", "128", "1000"]);
        assert_eq!(axis.ticks(0.5).len(), 2);
        assert!(Axis::of_sizes(std::iter::empty()).is_none());
    }

    #[test]
    fn steps_are_round() {
        for (least, step) in [(0.9, 1.0), (1.1, 2.0), (3.0, 5.0), (0.06, 0.1), (70.0, 100.0)] {
            assert!((round_step(least) - step).abs() < 1e-9, "{least}");
        }
    }

    #[test]
    fn nothing_but_zeros_is_still_an_axis() {
        let axis = Axis::of_values([0.0, 0.0].into_iter()).unwrap();
        assert!(axis.place(0.0).is_finite());
    }
}

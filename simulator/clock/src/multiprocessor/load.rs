//! How busy a queue is, for what waits in it beside what is played through.
use crate::constants::BUSY_CYCLES;

/// How busy a queue has been of late: what was long ago counts less.
#[derive(Default)]
pub struct Load {
    cycles: f64,
    at: f64,
}

impl Load {
    /// The part of the time before a time in which there was work.
    pub fn now(&self, at: f64) -> f64 {
        (self.left(at) / BUSY_CYCLES).min(1.0)
    }

    /// What still counts at a time of the work so far, in cycles.
    fn left(&self, at: f64) -> f64 {
        let passed = (at - self.at).max(0.0);
        self.cycles * (-passed / BUSY_CYCLES).exp()
    }

    /// Adds work that comes at a time; the part of the time before it in which there was work.
    pub fn add(&mut self, at: f64, cycles: f64) -> f64 {
        let before = self.left(at);
        self.cycles = before + cycles;
        self.at = self.at.max(at);
        (before / BUSY_CYCLES).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_half_the_time_busy_is_half_loaded() {
        let mut load = Load::default();
        let last = (0..1000).map(|at| load.add(f64::from(at) * 20.0, 10.0)).last().unwrap();
        assert!((last - 0.5).abs() < 0.02, "{last}");
        assert!(load.add(100_000.0, 10.0) < 0.001, "an idle queue forgets");
    }

    #[test]
    fn nothing_is_more_than_always_busy() {
        let mut load = Load::default();
        let most = (0..100).map(|at| load.add(f64::from(at), 500.0)).fold(0.0, f64::max);
        assert_eq!(most, 1.0);
    }
}

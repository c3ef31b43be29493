//! How long a run will take, told before ten seconds of it have passed.
//!
//! What a case takes is expected to grow with its work, beside what the shortest case took. Of a rung that has run, its own pace counts, of another one the mean pace so far.
//! The case that runs is asked how far its launch is.

use crate::observations::Standing;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Nothing is told of a run that takes less.
pub const LONG: Duration = Duration::from_secs(10);

/// A case to come, as far as its time is concerned.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// What it is known by.
    pub label: String,
    /// Cases of one rung have one pace.
    pub rung: &'static str,
    /// Proportional to what is executed.
    pub work: f64,
}

/// What has run so far, and what is to come.
#[derive(Debug)]
pub struct Forecast {
    began: Instant,
    /// Those that have not ended yet.
    loads: Vec<Load>,
    /// The one that runs.
    running: Option<Load>,
    /// When the last case ended.
    ended_at: Duration,
    /// Work and time of the cases that have ended, by rung.
    paces: HashMap<&'static str, (f64, f64)>,
    /// What a case takes without any work, in seconds: the shortest so far.
    least: Option<f64>,
}

impl Forecast {
    /// For cases that begin now.
    pub fn new(loads: Vec<Load>) -> Self {
        let (began, paces) = (Instant::now(), HashMap::new());
        Forecast { began, loads, running: None, ended_at: Duration::ZERO, paces, least: None }
    }

    /// Time since the first case began.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// A case begins; what is not known by its label takes time and tells nothing.
    pub fn begin_case(&mut self, label: &str) {
        let at = self.loads.iter().position(|load| load.label == label);
        self.running = at.map(|at| self.loads.remove(at));
    }

    /// The case that runs has ended.
    pub fn end_case(&mut self) {
        self.end_case_at(self.elapsed());
    }

    fn end_case_at(&mut self, now: Duration) {
        if let Some(load) = self.running.take() {
            let seconds = now.saturating_sub(self.ended_at).as_secs_f64();
            self.least = Some(self.least.map_or(seconds, |least| least.min(seconds)));
            let pace = self.paces.entry(load.rung).or_default();
            pace.0 += load.work;
            pace.1 += seconds;
        }
        self.ended_at = now;
    }

    /// How long all cases take, from the first one's begin, `standing` being that of the launch that runs; `None`: nothing is known yet.
    pub fn whole(&self, now: Duration, standing: Option<Standing>) -> Option<Duration> {
        let in_case = now.saturating_sub(self.ended_at).as_secs_f64();
        // Of the launch that runs: what it has taken so far, and its blocks.
        let by_blocks = standing.filter(|standing| standing.ended > 0).map(|standing| {
            let before = (in_case - standing.seconds).max(0.0);
            before + standing.seconds * standing.blocks as f64 / standing.ended as f64
        });
        let least = self.least.unwrap_or(0.0);
        let running = self.running.as_ref();
        let by_pace = running.and_then(|load| Some((self.pace(load.rung)? * load.work + least).max(in_case)));
        let case = match running {
            Some(_) => by_blocks.or(by_pace)?,
            None => in_case,
        };
        let own = running.map_or(0.0, |load| (case - least).max(0.0) / load.work);
        let rest = self.loads.iter().map(|load| self.pace(load.rung).unwrap_or(own) * load.work + least);
        Some(self.ended_at + Duration::from_secs_f64(case + rest.sum::<f64>()))
    }

    /// Seconds for a unit of work of a rung.
    fn pace(&self, rung: &str) -> Option<f64> {
        let count = |rung: &str| self.paces.get(rung).copied();
        let all = || self.paces.values().copied().reduce(|sum, pace| (sum.0 + pace.0, sum.1 + pace.1));
        let (work, seconds) = count(rung).or_else(all)?;
        // Every case had the least time, of which there is one for each.
        (work > 0.0).then(|| (seconds - self.least.unwrap_or(0.0)).max(0.0) / work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forecast(loads: &[(&'static str, f64)]) -> Forecast {
        let load =
            |(index, &(rung, work)): (usize, &(&'static str, f64))| Load { label: index.to_string(), rung, work };
        Forecast::new(loads.iter().enumerate().map(load).collect())
    }

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_larger_case_takes_as_much_longer_as_it_has_more_work() {
        let mut forecast = forecast(&[("naive", 1.0), ("naive", 10.0), ("naive", 30.0), ("shared", 10.0)]);
        forecast.begin_case("0");
        assert_eq!(forecast.whole(seconds(0), None), None, "nothing is known yet");
        forecast.end_case_at(seconds(1));
        forecast.begin_case("a library's, of which nothing is known");
        forecast.end_case_at(seconds(2));
        forecast.begin_case("1");
        // Nobody knows of the one second what the work took.
        assert_eq!(forecast.whole(seconds(2), None), Some(seconds(2 + 1 + 1 + 1)));
        forecast.end_case_at(seconds(14));
        // 13 seconds for work of 11, one of them for each case; the other rung has the mean pace.
        let pace = 12.0 / 11.0;
        let whole = forecast.whole(seconds(14), None).expect("known").as_secs_f64();
        assert!((whole - (14.0 + 40.0 * pace + 2.0)).abs() < 1e-6, "{whole}");
    }

    #[test]
    fn a_launch_that_runs_tells_by_its_blocks() {
        let mut forecast = forecast(&[("naive", 1.0), ("naive", 2.0)]);
        forecast.begin_case("0");
        let standing = Standing { blocks: 100, ended: 10, seconds: 1.0 };
        // One second of preparation, ten of the launch, and twice that.
        assert_eq!(forecast.whole(seconds(2), Some(standing)), Some(seconds(11 + 22)));
        assert_eq!(forecast.whole(seconds(2), Some(Standing { ended: 0, ..standing })), None);
    }
}

//! How long a run will take, from what its first cases took on this machine.
//!
//! A case takes a part that does not grow, for its kernel is compiled and loaded first, and one that grows with its work. Which part is how large,
//! two cases of a rung tell that differ in work, or the blocks of a launch that runs. Before that there are only bounds: a larger case takes at
//! least as long as a smaller one, and at most as much longer as it has more work. A time is told once its bounds are close enough.

use crate::observations::Standing;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Nothing is told of a run that takes less.
pub const LONG: Duration = Duration::from_secs(10);

/// A launch tells by its blocks after so long, in seconds: the first ones fill caches.
const TELLING: f64 = 0.3;

/// A case to come, as far as its time is concerned.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// The name that it is known by.
    pub label: String,
    /// Cases of one rung have one pace.
    pub rung: &'static str,
    /// Proportional to what is executed.
    pub work: f64,
}

/// The least and the most that something takes, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// At least.
    pub least: f64,
    /// At most.
    pub most: f64,
}

impl Bounds {
    const fn exactly(seconds: f64) -> Self {
        Bounds { least: seconds, most: seconds }
    }

    fn and(self, other: Bounds) -> Self {
        Bounds { least: self.least + other.least, most: self.most + other.most }
    }

    /// The value that is wrong by the same factor at either bound.
    pub fn middle(self) -> f64 {
        (self.least * self.most).sqrt()
    }
}

/// The cases that have run so far, and those that are to come.
#[derive(Debug)]
pub struct Forecast {
    began: Instant,
    /// Those that have not ended yet.
    loads: Vec<Load>,
    /// The one that runs.
    running: Option<Load>,
    /// When the last case ended, in seconds.
    ended_at: f64,
    /// The known pace of each rung.
    paces: HashMap<&'static str, Pace>,
}

/// The known pace of a rung.
#[derive(Clone, Debug, Default)]
struct Pace {
    /// Work and seconds of its cases, of several with the same work the shortest, by work.
    cases: Vec<(f64, f64)>,
    /// Seconds for a unit of work, as a launch told that ran long enough.
    by_launch: Option<f64>,
}

impl Pace {
    fn add(&mut self, work: f64, seconds: f64) {
        match self.cases.iter_mut().find(|case| case.0 == work) {
            Some(case) => case.1 = case.1.min(seconds),
            None => self.cases.push((work, seconds)),
        }
        self.cases.sort_by(|a, b| a.0.total_cmp(&b.0));
    }

    /// The time that a case of so much work takes; `None`: nothing is known.
    fn bounds(&self, work: f64) -> Option<Bounds> {
        let &(most_work, seconds) = self.cases.last()?;
        let by_two = self.cases.len().checked_sub(2).map(|at| {
            let (less_work, less_seconds) = self.cases[at];
            ((seconds - less_seconds) / (most_work - less_work)).max(0.0)
        });
        if let Some(pace) = self.by_launch.or(by_two) {
            return Some(Bounds::exactly((seconds + pace * (work - most_work)).max(0.0)));
        }
        let in_proportion = seconds * work / most_work;
        Some(Bounds { least: seconds.min(in_proportion), most: seconds.max(in_proportion) })
    }
}

impl Forecast {
    /// For cases that begin now.
    pub fn new(loads: Vec<Load>) -> Self {
        Forecast { began: Instant::now(), loads, running: None, ended_at: 0.0, paces: HashMap::new() }
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
        let now = now.as_secs_f64();
        if let Some(load) = self.running.take() {
            self.paces.entry(load.rung).or_default().add(load.work, (now - self.ended_at).max(0.0));
        }
        self.ended_at = now;
    }

    /// How long all cases take, from the first one's begin, `standing` being that of the launch that runs; `None`: nothing is known yet.
    pub fn whole(&mut self, now: Duration, standing: Option<Standing>) -> Option<Bounds> {
        let in_case = (now.as_secs_f64() - self.ended_at).max(0.0);
        let standing = standing.filter(|standing| standing.ended > 0 && standing.seconds >= TELLING);
        let case = match (&self.running, standing) {
            (Some(load), Some(Standing { blocks, ended, seconds })) => {
                let launch = seconds * blocks as f64 / ended as f64;
                let (rung, work) = (load.rung, load.work);
                let whole = (in_case - seconds).max(0.0) + launch;
                let pace = self.paces.entry(rung).or_default();
                pace.by_launch = Some(launch / work);
                // Until it ends, in place of what it will have taken.
                let mut with_it = pace.clone();
                with_it.add(work, whole);
                Bounds::exactly(with_it.bounds(work)?.least.max(in_case))
            }
            (Some(load), None) => {
                let Bounds { least, most } = self.bounds(load)?;
                Bounds { least: least.max(in_case), most: most.max(in_case) }
            }
            (None, _) => Bounds::exactly(in_case),
        };
        let own = self.running.as_ref().map(|load| (load.rung, load.work, case));
        let mut whole = Bounds::exactly(self.ended_at).and(case);
        for load in &self.loads {
            // A rung of which nothing has ended is as fast as the one that runs.
            let by_own = || {
                let (_, work, case) = own?;
                let ratio = load.work / work;
                Some(Bounds { least: case.least * ratio.min(1.0), most: case.most * ratio.max(1.0) })
            };
            whole = whole.and(self.bounds(load).or_else(by_own)?);
        }
        Some(whole)
    }

    /// The time that a case takes, by its own rung's cases or by the mean of the others'.
    fn bounds(&self, load: &Load) -> Option<Bounds> {
        if let Some(own) = self.paces.get(load.rung).and_then(|pace| pace.bounds(load.work)) {
            return Some(own);
        }
        let others: Vec<Bounds> = self.paces.values().filter_map(|pace| pace.bounds(load.work)).collect();
        let sum = others.iter().copied().reduce(Bounds::and)?;
        let count = others.len() as f64;
        Some(Bounds { least: sum.least / count, most: sum.most / count })
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
    fn one_case_gives_bounds_and_two_that_differ_a_time() {
        let mut forecast = forecast(&[("naive", 1.0), ("naive", 11.0), ("naive", 31.0), ("shared", 11.0)]);
        forecast.begin_case("0");
        assert_eq!(forecast.whole(seconds(0), None), None, "nothing is known yet");
        forecast.end_case_at(seconds(2));
        // The time that it took may have been the compiler's, or that of the work.
        let known = forecast.whole(seconds(2), None).expect("bounds");
        assert_eq!((known.least, known.most), (2.0 + 3.0 * 2.0, 2.0 + (11.0 + 31.0 + 11.0) * 2.0));
        forecast.begin_case("a library's, of which nothing is known");
        forecast.end_case_at(seconds(3));
        forecast.begin_case("1");
        forecast.end_case_at(seconds(8));
        // 5 s for work of 11 and 2 s for 1: 0.3 s for one of work. The other rung has the first one's time.
        let known = forecast.whole(seconds(8), None).expect("a time");
        assert!((known.middle() - (8.0 + 11.0 + 5.0)).abs() < 1e-6 && known.least == known.most, "{known:?}");
    }

    /// The first cases of a run are small and their kernels are compiled: 0.3 s each, of which 2 ms are the work's.
    #[test]
    fn what_compiling_takes_is_not_taken_for_work() {
        let mut forecast = forecast(&[("naive", 1.0), ("shared", 1.0), ("naive", 64.0), ("shared", 64.0)]);
        for (label, end) in [("0", 300), ("1", 600)] {
            forecast.begin_case(label);
            forecast.end_case_at(Duration::from_millis(end));
        }
        let known = forecast.whole(Duration::from_millis(600), None).expect("bounds");
        assert!(known.least < LONG.as_secs_f64(), "a run of 0.9 s is not told to take long: {known:?}");
    }

    #[test]
    fn a_launch_that_runs_tells_by_its_blocks() {
        let mut forecast = forecast(&[("naive", 1.0), ("naive", 2.0), ("shared", 1.0)]);
        forecast.begin_case("0");
        let standing = Standing { blocks: 100, ended: 10, seconds: 1.0 };
        // One second of preparation, ten of the launch; then twice the work in no more than twice the time; and as long for the other rung.
        let known = forecast.whole(seconds(2), Some(standing)).expect("a time");
        assert_eq!((known.least, known.most), (11.0 + 11.0 + 11.0, 11.0 + 22.0 + 11.0));
        assert_eq!(forecast.whole(seconds(2), Some(Standing { ended: 0, ..standing })), None);
        forecast.end_case_at(seconds(11));
        let known = forecast.whole(seconds(11), None).expect("a time");
        assert_eq!((known.least, known.most), (11.0 + 21.0 + 11.0, 11.0 + 21.0 + 11.0));
    }
}

//! A search over schedules: does a launch give the same result in whatever order its warps and blocks run?
//!
//! Every seed is another legal order. A result that depends on the order is a race that some order shows, also one between
//! atomics, which the sanitizer's rules let pass.
use simulator::exec::launch::{Request, Settings, run};
use simulator::fault::Fault;
use simulator::memory::Outside;
use simulator::search::snapshot::{Difference as Place, Snapshot};

/// The first seed whose run differs from that of seed 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Replays it: `--schedule-seed`.
    pub seed: u64,
    pub what: Changed,
}

/// The effect of the other order.
#[derive(Clone, Debug, PartialEq)]
pub enum Changed {
    Memory(Place),
    /// One of the two runs stopped.
    Stopped(Box<Fault>),
}

/// Runs a launch in its natural order and then under the seeds 1 … `schedules`, each time from the memory as it is now.
/// Memory is left as the natural order leaves it. `None`: no order made a difference.
///
/// # Errors
/// An allocation that a run freed, and that can therefore not be put back.
pub fn search(request: &Request, schedules: u64) -> Result<Option<Difference>, Outside> {
    let memory = request.memory;
    let before = Snapshot::take(memory)?;
    let with_seed = |schedule_seed| Request { settings: Settings { schedule_seed, ..request.settings }, ..*request };
    let natural = run(&with_seed(0), None).fault;
    let expected = Snapshot::take(memory)?;
    let mut found = None;
    for seed in 1..=schedules {
        before.put_back(memory)?;
        let fault = run(&with_seed(seed), None).fault;
        let what = match (&natural, fault) {
            (None, Some(fault)) => Some(Changed::Stopped(Box::new(fault))),
            (Some(natural), None) => Some(Changed::Stopped(Box::new(natural.clone()))),
            (Some(_), Some(_)) => None,
            (None, None) => expected.difference(memory)?.map(Changed::Memory),
        };
        if let Some(what) = what {
            found = Some(Difference { seed, what });
            break;
        }
    }
    expected.put_back(memory)?;
    Ok(found)
}

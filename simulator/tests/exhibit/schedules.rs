//! A search over schedules: does a launch give the same result in whatever order its warps and blocks run?
//!
//! Every seed is another legal order. A result that depends on the order is a race that some order shows, also one between
//! atomics, which the sanitizer's rules let pass.
use simulator::exec::launch::{Request, Settings, run};
use simulator::fault::Fault;
use simulator::memory::{Kind, Memory, Outside};

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
    /// The first byte that differs, in the order of addresses, and how many do.
    Memory { address: u64, bytes: u64 },
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
            (None, None) => expected.difference(memory)?,
        };
        if let Some(what) = what {
            found = Some(Difference { seed, what });
            break;
        }
    }
    expected.put_back(memory)?;
    Ok(found)
}

/// The bytes of all allocations that a kernel may write.
struct Snapshot(Vec<(u64, Vec<u8>)>);

impl Snapshot {
    fn take(memory: &Memory) -> Result<Self, Outside> {
        let mut all = Vec::new();
        for allocation in memory.live().into_iter().filter(|allocation| allocation.kind != Kind::Constant) {
            let mut bytes = vec![0; allocation.bytes as usize];
            memory.read(allocation.address, &mut bytes)?;
            all.push((allocation.address, bytes));
        }
        Ok(Self(all))
    }

    fn put_back(&self, memory: &Memory) -> Result<(), Outside> {
        self.0.iter().try_for_each(|(address, bytes)| memory.write(*address, bytes))
    }

    fn difference(&self, memory: &Memory) -> Result<Option<Changed>, Outside> {
        let (mut first, mut differing) = (None, 0);
        for (address, expected) in &self.0 {
            let mut bytes = vec![0; expected.len()];
            memory.read(*address, &mut bytes)?;
            for (offset, _) in expected.iter().zip(&bytes).enumerate().filter(|(_, (a, b))| a != b) {
                first.get_or_insert(address + offset as u64);
                differing += 1;
            }
        }
        Ok(first.map(|address| Changed::Memory { address, bytes: differing }))
    }
}

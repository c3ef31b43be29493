//! Kernels that are going to run beside another.
//!
//! A kernel runs on the host when something needs it, which may be long after others that a card would have run beside it, or after it.
//! The clock has to know of them before they run. What a pending launch will take is what the last launch of its kernel in its shape
//! took; one that never ran, or comes after a copy that is still to be done, is not known, and gets what the others leave.
use super::logs::launches::LaunchConfiguration;
use crate::objects::graphs::{Seq, Work};
use crate::objects::modules::launch::Launch;
use crate::state::Driver;
use clock::analytic::demand::Demand;
use clock::analytic::kernel_time::Estimate;
use clock::streams::ready::Engine;
use clock::streams::sharing::Wanted;
use std::collections::HashMap;

/// Pending launches that are taken for ones beside, and operations that are looked at for them: a queue may be long.
const MOST_BESIDE: usize = 64;
const MOST_LOOKED_AT: usize = 256;

/// Times of launches, by kernel and shape.
#[derive(Default)]
pub struct Expected(HashMap<(String, LaunchConfiguration), (u64, Demand)>);

impl Expected {
    /// Remembers what a launch took.
    pub fn learn(&mut self, kernel: &str, shape: LaunchConfiguration, estimate: &Estimate) {
        self.0.insert((kernel.to_owned(), shape), (estimate.duration_ns, estimate.demand));
    }

    fn of(&self, launch: &Launch, shape: LaunchConfiguration) -> Option<(u64, Demand)> {
        self.0.get(&(launch.name().to_owned(), shape)).copied()
    }
}

/// When an operation will have ended, as far as that is known beforehand.
#[derive(Clone, Default)]
struct End {
    /// Not before this, and `delay_ns` after the ends of these.
    ready_ns: u64,
    after: Vec<usize>,
    delay_ns: u64,
}

impl Driver {
    /// The launches of a device that were submitted before `horizon`, with `own`, which is `seq`, in its place among them.
    pub fn beside(&self, device: usize, seq: Seq, own: Wanted, horizon: Seq) -> (Vec<Wanted>, usize) {
        // Each operation of a stream comes after the one before, but for a graph's.
        if self.is_in_order(seq) {
            return (vec![own], 0);
        }
        let gpu = &self.devices[device];
        let mut wanted: Vec<Wanted> = Vec::new();
        let mut place = None;
        let mut ends: HashMap<Seq, End> = HashMap::new();
        for (&at, operation) in self.pending_before(horizon).take(MOST_LOOKED_AT) {
            if at == seq {
                place = Some(wanted.len());
                wanted.push(own.clone());
                // Later operations have no influence on it: its end stays unknown here.
                continue;
            }
            let known: Option<Vec<&End>> = operation.waits_for().iter().map(|earlier| ends.get(earlier)).collect();
            let (Some(known), Some(work)) = (known, &operation.work) else { continue };
            let mut start = End { ready_ns: operation.ready_on(Engine::Multiprocessors, gpu.card), ..End::default() };
            for end in known {
                start.ready_ns = start.ready_ns.max(end.ready_ns);
                start.after.extend(&end.after);
                start.delay_ns = start.delay_ns.max(end.delay_ns);
            }
            match work {
                Work::Join | Work::Allocate { .. } => {
                    ends.insert(at, start);
                }
                Work::Record(_) => {
                    start.delay_ns += self.stamp_ns(work);
                    ends.insert(at, start);
                }
                Work::Launch(launch) if self.device_of(at) == device && wanted.len() <= MOST_BESIDE => {
                    let Some((duration_ns, demand)) =
                        gpu.expected.of(launch, LaunchConfiguration::new(launch, gpu.card))
                    else {
                        continue;
                    };
                    let delay_ns = start.delay_ns + gpu.card.launch_gap_ns(operation.in_graph, duration_ns);
                    let End { ready_ns, after, .. } = start;
                    ends.insert(at, End { after: vec![wanted.len()], ..End::default() });
                    wanted.push(Wanted { ready_ns, after, delay_ns, duration_ns, demand });
                }
                _ => {}
            }
        }
        let place = place.unwrap_or_else(|| {
            wanted.push(own);
            wanted.len() - 1
        });
        (wanted, place)
    }
}

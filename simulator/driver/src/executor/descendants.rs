//! Kernels that kernels have launched. They are part of the launch that the host has made: it is done when they are, and nothing that
//! waits for it comes before.
//!
//! They are run one after the other, each with all that it launches itself before the next: first a grid's launches in the order of its
//! blocks, then those that it made into its tail. So every order that CUDA promises is kept, that of a block's streams and of the tail.
//! On the clock they lie where these orders allow it: from the end of the grid that launched them on, one stream beside the other, each
//! when an H200 had launched as many (`docs/measurements/h200-streams.md`).
use super::job::Job;
use crate::interface::Cause;
use crate::objects::modules::launch::Launch;
use crate::state::Guard;
use crate::state::logs::journal::Activity;
use clock::streams::span::Span;
use machine::exec::device_launch::DeviceLaunch;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// `cudaStreamTailLaunch`: after the grid and all that it has launched otherwise.
const TAIL: u64 = 3;
/// `cudaStreamFireAndForget`: beside all else.
const FIRE_AND_FORGET: u64 = 4;

/// Nanoseconds from a grid's end to its first launch; what each further one adds, and more of the first few; and each of one thread's, which
/// waits for the one before.
const FIRST_NS: u64 = 14_000;
const NEXT_NS: u64 = 260;
const EARLY_NS: u64 = 900;
const EARLY: u64 = 32;
const OF_A_THREAD_NS: u64 = 5_850;

/// A block's number and a stream of its own.
type BlockStream = (u64, u64);

/// A grid that has ended, with what it has launched and was not run yet.
struct Family {
    launches: VecDeque<DeviceLaunch>,
    tail: VecDeque<DeviceLaunch>,
    /// When the grid ended.
    ended_ns: u64,
    /// Launches that are run, or were.
    begun: u64,
    /// When the last of its descendants did.
    done_ns: u64,
    /// When what was launched into each last had ended.
    streams: FxHashMap<BlockStream, u64>,
    /// The stream of the grid's own family that it was launched into.
    own_stream: Option<BlockStream>,
}

impl Family {
    fn new(launched: Vec<DeviceLaunch>, span: Span, own_stream: Option<BlockStream>) -> Family {
        let (tail, launches): (VecDeque<_>, VecDeque<_>) =
            launched.into_iter().partition(|launch| launch.stream == TAIL);
        let ended_ns = span.end_ns;
        Family { launches, tail, ended_ns, begun: 0, done_ns: ended_ns, streams: FxHashMap::default(), own_stream }
    }

    /// The next launch, when it may begin, and the stream that it is in.
    fn next(&mut self) -> Option<(DeviceLaunch, u64, Option<BlockStream>)> {
        if let Some(launch) = self.launches.pop_front() {
            let stream = (launch.stream != FIRE_AND_FORGET).then_some((launch.by_block, launch.stream));
            let before = stream.and_then(|stream| self.streams.get(&stream)).copied();
            let ready_ns = self.ready_ns(&launch).max(before.unwrap_or(0));
            return Some((launch, ready_ns, stream));
        }
        let launch = self.tail.pop_front()?;
        let ready_ns = self.ready_ns(&launch).max(self.done_ns);
        Some((launch, ready_ns, None))
    }

    /// When a card has got as far as a launch.
    fn ready_ns(&mut self, launch: &DeviceLaunch) -> u64 {
        let before = self.begun;
        self.begun += 1;
        let among_others = NEXT_NS * before + EARLY_NS * before.min(EARLY);
        self.ended_ns + FIRST_NS + among_others.max(OF_A_THREAD_NS * u64::from(launch.before))
    }

    /// One of its launches has ended, with all that this has launched.
    fn child_done(&mut self, done_ns: u64, stream: Option<BlockStream>) {
        self.done_ns = self.done_ns.max(done_ns);
        if let Some(stream) = stream {
            self.streams.insert(stream, done_ns);
        }
    }
}

impl Job {
    /// Runs what a kernel has launched, and what that launches. Answers when all of it had ended.
    pub(super) fn descendants(
        &self,
        mut driver: Guard,
        device: usize,
        ancestor: &Launch,
        span: Span,
        launched: Vec<DeviceLaunch>,
    ) -> (Guard, Result<u64, Cause>) {
        let card = driver.devices[device].card;
        let mut families = vec![Family::new(launched, span, None)];
        loop {
            let Some(family) = families.last_mut() else { return (driver, Ok(span.end_ns)) };
            let Some((asked, ready_ns, stream)) = family.next() else {
                let (done_ns, stream) = (family.done_ns, family.own_stream);
                families.pop();
                match families.last_mut() {
                    Some(parent) => parent.child_done(done_ns, stream),
                    None => return (driver, Ok(done_ns)),
                }
                continue;
            };
            let launch = match driver.check_device_launch(ancestor, asked, card) {
                Ok(launch) => launch,
                Err(cause) => return (driver, Err(cause)),
            };
            let outcome;
            (driver, outcome) = self.run_kernel(driver, device, &launch, ready_ns, true);
            match outcome {
                Ok((placed, launched)) => {
                    if driver.records.trace {
                        let (name, stream) = (launch.name().to_owned(), driver.stream_id(self.stream));
                        let (kind, span, bytes) = (placed.kind, placed.span, placed.bytes);
                        driver.records.activity(Activity { kind, name, stream, span, bytes });
                    }
                    families.push(Family::new(launched, placed.span, stream));
                }
                Err(cause) => return (driver, Err(cause)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::exec::device_launch::DeviceKernel;
    use machine::program::FunctionId;

    /// Microseconds from a grid's end to that of its last child, as an H200 had them: `docs/measurements/data/h200-device-launches.csv`, less
    /// the 9 of the grid alone.
    #[test]
    fn launches_begin_as_an_h200_had_them() {
        let of_threads = [(1, 14), (2, 17), (8, 26), (32, 42), (128, 81), (512, 166), (2048, 531)];
        let of_one = [(2, 19), (8, 54), (64, 382), (1024, 5890)];
        let both = of_threads.map(|row| (row, false)).into_iter().chain(of_one.map(|row| (row, true)));
        for ((children, measured_us), is_one_thread) in both {
            let launch = |number: u32| DeviceLaunch {
                by_block: 0,
                before: if is_one_thread { number } else { 0 },
                kernel: DeviceKernel {
                    function: FunctionId(0),
                    grid: [1; 3],
                    block: [256, 1, 1],
                    dynamic_shared_bytes: 0,
                },
                stream: FIRE_AND_FORGET,
                parameters: Vec::new(),
            };
            let mut family = Family::new((0..children).map(launch).collect(), Span { start_ns: 0, end_ns: 0 }, None);
            let last_ns = std::iter::from_fn(|| family.next()).map(|(_, ready_ns, _)| ready_ns).max().unwrap_or(0);
            let ratio = last_ns as f64 / 1e3 / f64::from(measured_us);
            assert!((0.8..1.25).contains(&ratio), "{children} launches, of one thread {is_one_thread}: {ratio:.2}");
        }
    }
}

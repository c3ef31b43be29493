//! The second method: runs a launch on other data and in other orders, asks that every thread makes the same accesses and meets at the same
//! barriers, and then looks at every pair of accesses to a byte. Two are ordered where a barrier lies between: it counts the barriers of each
//! thread, not those of the block.
use crate::exhibit::{Exhibit, Setup};
use simulator::exec::launch::Settings;
use simulator::isa::{self, Operands, Space};
use simulator::listeners::Listeners;
use simulator::memory::Kind;
use simulator::probe::{Access, AccessKind, Arrival, Convergence, Launch, Probe, Strength, Who, lanes};
use simulator::sanitizer::Sanitizer;
use std::collections::{HashMap, HashSet};

/// Checks a launch that is proved, in so many runs of other data and order. Leaves other data in its memory.
///
/// # Errors
/// Data that show, or a pair that nothing orders.
pub fn check(exhibit: &Exhibit, setup: &Setup, settings: Settings, runs: u64) -> Result<(), String> {
    let mut first: Option<Recorder> = None;
    for seed in 0..runs {
        fill(setup, seed);
        let settings = Settings { schedule_seed: seed, ..settings };
        let outcome = exhibit.run(setup, settings, Some(Box::new(Recorder::default())));
        if let Some(fault) = outcome.fault {
            return Err(format!("data {seed} make it stop: {fault:?}"));
        }
        let recorder = outcome.probe.and_then(|probe| probe.concrete::<Recorder>());
        let mut recorder = *recorder.ok_or("the recorder is lost")?;
        recorder.events.sort_by_key(|event| (event.block, event.thread));
        match &first {
            Some(first) if first.events != recorder.events => return Err(format!("data {seed} change its accesses")),
            Some(_) => {}
            None => first = Some(recorder),
        }
    }
    let first = first.ok_or("no run")?;
    if first.has_phases {
        return in_other_orders(exhibit, setup, settings, runs);
    }
    first.pairs()
}

/// The sanitizer follows the order of phases: it finds no race in any of so many orders and data.
fn in_other_orders(exhibit: &Exhibit, setup: &Setup, settings: Settings, runs: u64) -> Result<(), String> {
    for seed in 0..4 * runs {
        fill(setup, seed);
        let listeners = Listeners { sanitizer: Some(Sanitizer::new()), ..Listeners::default() };
        let settings = Settings { schedule_seed: seed, ..settings };
        let heard = Listeners::back(exhibit.run(setup, settings, listeners.into_probe()).probe);
        let sanitizer = heard.sanitizer.ok_or("the sanitizer is lost")?;
        if let Some(finding) = sanitizer.findings().next() {
            return Err(format!("order {seed}: {:?}", finding.kind));
        }
    }
    Ok(())
}

/// Puts any bits into the launch's memory.
fn fill(setup: &Setup, seed: u64) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for allocation in setup.memory.live().into_iter().filter(|allocation| allocation.kind == Kind::Device) {
        let any = std::iter::repeat_with(|| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        });
        let bytes: Vec<u8> = any.take(allocation.bytes as usize).collect();
        setup.memory.write(allocation.address, &bytes).expect("inside");
    }
}

/// A thread's access, or its arrival at a barrier, which has no kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Event {
    block: u64,
    thread: u32,
    site: u32,
    kind: Option<AccessKind>,
    space: Space,
    address: u64,
    bytes: u32,
    /// Barriers of the block, and of the warp, that the thread had come to when it began, and when it had ended.
    from: [u32; 2],
    to: [u32; 2],
}

#[derive(Default)]
struct Recorder {
    events: Vec<Event>,
    threads: u32,
    /// By block and thread.
    barriers: HashMap<(u64, u32), [u32; 2]>,
    /// Copies that have not written yet, by block, thread and address: their index.
    copies: HashMap<(u64, u32, u64), usize>,
    /// Sites of `__syncwarp()`, and of copies.
    meetings: HashSet<u32>,
    copying: HashSet<u32>,
    /// Threads wait for phases of an `mbarrier`, as often as they ask.
    has_phases: bool,
}

impl Recorder {
    fn event(&mut self, who: Who, lane: usize, site: u32, kind: Option<AccessKind>) -> Event {
        let (block, thread) = (who.block_index, who.warp * 32 + lane as u32);
        let now = *self.barriers.entry((block, thread)).or_default();
        Event { block, thread, site, kind, space: Space::Generic, address: 0, bytes: 0, from: now, to: now }
    }

    /// All pairs of accesses to a byte; bytes that every access touches together are looked at once.
    fn pairs(&self) -> Result<(), String> {
        let accesses = || self.events.iter().filter(|event| event.kind.is_some());
        let least = accesses().map(|event| u64::from(event.bytes)).min().unwrap_or(1);
        let written: HashSet<_> = accesses()
            .filter(|event| event.kind != Some(AccessKind::Load))
            .flat_map(|event| event.parts(least))
            .collect();
        let mut meetings: HashMap<_, HashSet<Event>> = HashMap::new();
        for event in accesses() {
            for part in event.parts(least).filter(|part| written.contains(part)) {
                meetings.entry(part).or_default().insert(Event { site: 0, address: 0, bytes: 0, ..*event });
            }
        }
        for ((_, part), events) in meetings {
            let events: Vec<&Event> = events.iter().collect();
            for (index, one) in events.iter().enumerate() {
                if let Some(other) = events[index + 1..].iter().find(|other| meet(one, other)) {
                    return Err(format!("nothing orders two accesses of {:#x}: {one:?}, {other:?}", part * least));
                }
            }
        }
        Ok(())
    }
}

impl Event {
    /// The memory's block, if it is shared, and the numbers of the parts of so many bytes that it touches.
    fn parts(&self, bytes: u64) -> impl Iterator<Item = (Option<u64>, u64)> + use<> {
        let memory = (self.space == Space::Shared).then_some(self.block);
        let last = (self.address + u64::from(self.bytes) - 1) / bytes;
        (self.address / bytes..=last).map(move |part| (memory, part))
    }
}

fn meet(one: &Event, other: &Event) -> bool {
    let both = |kind| one.kind == Some(kind) && other.kind == Some(kind);
    if both(AccessKind::Load) || both(AccessKind::Atomic) || (one.block, one.thread) == (other.block, other.thread) {
        return false;
    }
    let apart = |level: usize| one.to[level] < other.from[level] || other.to[level] < one.from[level];
    let is_same_warp = one.thread / 32 == other.thread / 32;
    !(one.block == other.block && (apart(0) || is_same_warp && apart(1)))
}

impl Probe for Recorder {
    fn fork(&self) -> Box<dyn Probe> {
        Box::new(Recorder::default())
    }

    fn one_thread(&self) -> bool {
        true
    }

    fn launch(&mut self, launch: &Launch) {
        self.threads = launch.block.iter().product();
        for (number, site) in (0..).zip(&launch.function.sites) {
            match site.row.map(|row| isa::row(row).operands) {
                Some(Operands::Members) => _ = self.meetings.insert(number),
                Some(Operands::Copy) => _ = self.copying.insert(number),
                _ => {}
            }
        }
    }

    fn access(&mut self, access: &Access) {
        if access.order.strength == Strength::Phase {
            self.has_phases = true;
            return;
        }
        if !matches!(access.space, Space::Global | Space::Shared) {
            return;
        }
        for lane in access.lanes() {
            let mut event = self.event(access.who, lane, access.site, Some(access.kind));
            (event.space, event.address, event.bytes) = (access.space, access.address(lane), access.bytes);
            let copies = self.copying.contains(&access.site);
            if copies && access.kind == AccessKind::Store {
                let begun = self.copies.remove(&(event.block, event.thread, event.address));
                self.events[begun.expect("it has begun")].to = event.to;
            } else {
                // A copy reads at any time from now on.
                event.to = if copies { [u32::MAX; 2] } else { event.to };
                self.events.push(event);
            }
        }
    }

    fn copy_begins(&mut self, who: Who, site: u32, mask: u32, addresses: &[u64; 32], bytes: u32) {
        for lane in lanes(mask) {
            let mut event = self.event(who, lane, site, Some(AccessKind::Store));
            (event.space, event.address, event.bytes) = (Space::Shared, addresses[lane], bytes);
            event.to = [u32::MAX; 2];
            self.copies.insert((event.block, event.thread, event.address), self.events.len());
            self.events.push(event);
        }
    }

    fn barrier_arrive(&mut self, arrival: &Arrival) {
        for lane in lanes(arrival.mask) {
            let event = self.event(arrival.who, lane, arrival.site, None);
            self.events.push(event);
            let [block, warp] = self.barriers.entry((event.block, event.thread)).or_default();
            (*block, *warp) = (*block + 1, *warp + 1);
        }
    }

    fn converge(&mut self, convergence: &Convergence) {
        let warp = convergence.who.warp;
        let all = (0..32).filter(|lane| warp * 32 + lane < self.threads).fold(0, |mask, lane| mask | 1 << lane);
        if self.meetings.contains(&convergence.site) && convergence.mask == all {
            for lane in lanes(convergence.mask) {
                let event = self.event(convergence.who, lane, convergence.site, None);
                self.barriers.entry((event.block, event.thread)).or_default()[1] += 1;
            }
        }
    }
}

//! The load/store units of one multiprocessor and the memory that they reach: shared memory, a first-level cache, and a share of L2 and memory as queues.
use super::draw::Draw;
use super::joined::Stored;
use super::l1::L1;
use super::load::Load;
use super::queues::{L2, Memory};
use super::resident_warp::{Ready, Warp};
use super::setting::Setting;
use super::shared_lines::{Asked, asked, hot, own_share, shared_lines};
use super::transfers::Transfers;
use crate::analytic::stalls::Reason;
use crate::cards::{Architecture, Device};
use crate::compiler::local;
use crate::constants::{
    ATOMIC_TURN_CYCLES, BELOW_CYCLES, L1_CYCLES, L2_LOADED_CYCLES, L2_SECTORS_PER_CLOCK, L2_SPREAD_CYCLES,
    L2_TURNS_PER_WRITTEN, LINE_BYTES, LOCAL_TAG_CYCLES, MEMORY_BYTES_PER_CLOCK, MEMORY_LOADED_CYCLES,
    MEMORY_PIECE_BYTES, MEMORY_SPREAD_CYCLES, MEMORY_TURNS_ANYWHERE, MEMORY_TURNS_PER_PIECE, MEMORY_TURNS_SPARSE,
    MEMORY_WRITTEN_CYCLES, ONE_WAY_GAIN, PAGE_LINES, PARTIAL_SHARE, PARTLY_STORED_CYCLES, SECTOR_BYTES,
    SHARED_ATOMIC_CYCLES, SHARED_ATOMIC_TURNS, SHARED_BYTES_PER_CLOCK, SHARED_PASS_CYCLES, STORED_LESS_CYCLES,
    STORED_SHARE, SWAP_AGAIN_CYCLES, SWAP_CYCLES, SWAP_TURNS, TAG_CYCLES, TOGETHER_BYTES_PER_CLOCK,
    TRANSFER_BYTES_PER_CLOCK, TRANSFER_LESS_CYCLES, WARP_LANES, WARP_WORDS_BYTES,
};
use crate::listeners::traffic::share::hash;
use crate::listeners::warp_trace::{ALONE, Touch, WarpTrace};
use machine::probe::AccessKind;
use ptx::isa::machine::Pipe;
use rustc_hash::FxHashMap;

/// The units and the queues.
pub struct LoadStore<'a> {
    card: &'a Device,
    setting: &'a Setting<'a>,
    /// Until when the units have work.
    pub busy: f64,
    l2: L2,
    memory: Memory,
    transfers: Transfers,
    /// Which lines L2 does not have.
    draw: Draw,
    /// Until when atomics leave, and until when L2 has work with them.
    atomics: f64,
    atomics_below: f64,
    /// When the first one was issued.
    pub first_atomic: Option<f64>,
    /// Until when words of shared memory are swapped, by resident block.
    swapping: FxHashMap<(usize, u64, u16), f64>,
    /// How busy L2 and memory have been of late, and memory with what is written.
    l2_load: Load,
    memory_load: Load,
    written_load: Load,
    l1: L1,
    pub stored: Stored,
    shared_lines: FxHashMap<u64, bool>,
    /// The time of a request for lines that all multiprocessors ask for, over that of others: the fewer slices the lines lie in, the more.
    hot: f64,
    /// Which part of the lines that not all blocks ask for L2 does not have.
    beyond: f64,
}

/// The part of an access's lines that is left for L2 and memory.
#[derive(Default)]
struct Missed {
    /// When the last line that L1 has is there.
    arrives: f64,
    /// Sectors, and requests for lines of them.
    to_l2: u32,
    requests: u32,
    /// Bytes that memory moves for them.
    to_memory: f64,
    /// True if a line waits for memory.
    far: bool,
}

impl<'a> LoadStore<'a> {
    /// Idle units, for blocks that were followed.
    pub fn new(card: &'a Device, setting: &'a Setting<'a>, traces: &[&Vec<WarpTrace>]) -> LoadStore<'a> {
        let blocks: Vec<Asked> = traces.iter().map(|warps| asked(warps)).collect();
        let shared_lines = shared_lines(&blocks);
        LoadStore {
            card,
            setting,
            busy: 0.0,
            l2: L2::default(),
            memory: Memory::default(),
            transfers: Transfers::default(),
            draw: Draw::default(),
            atomics: 0.0,
            atomics_below: 0.0,
            first_atomic: None,
            swapping: FxHashMap::default(),
            l2_load: Load::default(),
            memory_load: Load::default(),
            written_load: Load::default(),
            l1: L1::new(if card.architecture.l1_caches_global { setting.l1_bytes } else { 0 }),
            stored: Stored::default(),
            hot: hot(card, setting, &shared_lines),
            beyond: (setting.beyond_l2 / own_share(&blocks, &shared_lines)).min(1.0),
            shared_lines,
        }
    }

    /// An access to shared memory of a warp whose lanes are all switched off: it takes its turn like another.
    pub fn none_active(&mut self, at: f64) -> Ready {
        self.shared(1.0, at)
    }

    /// The same of so many wavefronts.
    fn shared(&mut self, wavefronts: f64, at: f64) -> Ready {
        let a = self.card.architecture;
        let start = f64::max(self.busy, at);
        let busy = shared_cycles(a, wavefronts);
        self.busy = start + busy;
        let latency = f64::from(a.shared_latency_cycles) + (busy - shared_cycles(a, 1.0)) * SHARED_PASS_CYCLES;
        ((start + latency) as u64, Reason::ShortScoreboard, Pipe::Other)
    }

    /// When the data of an access are there.
    pub fn access(&mut self, warp: &Warp, touch: Touch, at: f64) -> Ready {
        let a = self.card.architecture;
        let per_request = f64::from(WARP_LANES) / f64::from(a.load_store_lanes_per_multiprocessor);
        let start = f64::max(self.busy, at);
        if touch.shared {
            return self.shared_access(warp, touch, at);
        }
        let lines = &warp.trace.lines[touch.first as usize..][..touch.lines as usize];
        let of_access: u32 = lines.iter().map(|line| line.1.count_ones()).sum();
        // Tags are looked up line by line, data leave 128 bytes at a time.
        let of_arrays = lines.first().is_some_and(|line| line.0 >= local::FIRST_LINE);
        let tags = lines.len() as f64 * if of_arrays { LOCAL_TAG_CYCLES } else { TAG_CYCLES };
        // Loads come out by banks, stores go on by sectors.
        let (data, passes) = match touch.kind {
            AccessKind::Load => (f64::from(touch.wavefronts) * WARP_WORDS_BYTES, f64::from(touch.wavefronts)),
            _ => (f64::from(of_access) * SECTOR_BYTES as f64, 1.0),
        };
        let data = (data / f64::from(a.l1_bytes_per_clock)).max(tags);
        let busy = data.max((passes * per_request).max(L1_CYCLES));
        self.busy = start + busy;
        let answered = start + busy - per_request + f64::from(a.l1_latency_cycles);
        let missed = self.look_up(warp, touch, lines, start);
        let there = missed.arrives.max(answered);
        if missed.to_l2 == 0 {
            return (there as u64, Reason::LongScoreboard, Pipe::Other);
        }
        let (turns, cycles) = self.l2_turns(touch, lines, &missed, of_arrays);
        let (from, through) = self.through_l2(touch, &missed, (turns, cycles), start);
        let way = if touch.kind == AccessKind::Atomic { 2.0 } else { 1.0 };
        // The last of several comes later than one alone would.
        let spread = f64::from(missed.requests).ln();
        // Crowded lines come later too. GDDR6 below an L2 of another kind does not slow down like that: the
        // published products on an RTX 4060.
        let crowded = self.known() * self.l2_load.add(start, cycles) * L2_LOADED_CYCLES;
        let latency = way * f64::from(a.l2_latency_cycles) + crowded + L2_SPREAD_CYCLES * spread;
        let mut done = through.max(from) + latency;
        if missed.to_memory > 0.0 {
            let there = self.by_memory(touch, missed.to_memory, from, start) + MEMORY_SPREAD_CYCLES * spread;
            done = if missed.far { done.max(there) } else { done };
        }
        // Queues are finite: who comes next waits at the load/store units.
        self.busy = self.busy.max(self.l2.end().max(self.memory.share).max(self.atomics_below) - BELOW_CYCLES);
        if touch.kind == AccessKind::Load {
            for &(line, sectors) in lines {
                let private = warp.copy > 0 && !self.shared_lines.get(&line).copied().unwrap_or(false);
                let line = if private { line ^ hash(warp.copy) << 40 } else { line };
                self.l1.fill(line, sectors, done);
            }
        }
        (done.max(there) as u64, Reason::LongScoreboard, Pipe::Other)
    }

    /// An access to shared memory.
    fn shared_access(&mut self, warp: &Warp, touch: Touch, at: f64) -> Ready {
        if touch.swaps > 0 {
            return self.swaps(warp, touch, at);
        }
        let passes = f64::from(touch.wavefronts);
        let atomic = touch.kind == AccessKind::Atomic;
        let turns = match atomic {
            true if touch.counts => f64::max(passes, SHARED_ATOMIC_CYCLES),
            true => f64::max(passes * SHARED_ATOMIC_TURNS, SHARED_ATOMIC_CYCLES),
            false => passes,
        };
        self.shared(turns, at)
    }

    /// A loop of load, sum and compare-and-swap, a round for each lane of a word. Warps of a block that meet in it make each other's rounds fail.
    fn swaps(&mut self, warp: &Warp, touch: Touch, at: f64) -> Ready {
        let rounds = f64::from(touch.swaps);
        let (issued, reason, pipe) = self.shared(rounds * SWAP_TURNS, at);
        let free = self.swapping.entry((warp.block, warp.copy, touch.word)).or_default();
        let begins = free.max(at);
        *free = if touch.word == ALONE { 0.0 } else { begins + rounds * SWAP_AGAIN_CYCLES };
        (issued.max((begins + rounds * SWAP_CYCLES) as u64), reason, pipe)
    }

    /// Looks an access's lines up in L1, and finds what L2 does not have of the rest.
    fn look_up(&mut self, warp: &Warp, touch: Touch, lines: &[(u64, u8)], start: f64) -> Missed {
        let mut missed = Missed::default();
        for &(own, sectors) in lines {
            let private = warp.copy > 0 && !self.shared_lines.get(&own).copied().unwrap_or(false);
            let line = if private { own ^ hash(warp.copy) << 40 } else { own };
            let (gone, arrives) = match touch.kind {
                AccessKind::Load => self.l1.load(line, sectors),
                AccessKind::Store if own >= local::FIRST_LINE => {
                    // An array of a thread is in L1 as soon as it is written, but for sectors that are written in part.
                    self.l1.lose(line, sectors);
                    let later = if touch.partial == 0 { 0.0 } else { PARTLY_STORED_CYCLES };
                    self.l1.fill(line, sectors, start + later);
                    (sectors, 0.0)
                }
                // Words that are stored to a line soon after others go to L2 with them.
                AccessKind::Store if touch.partial > 0 && self.stored.joins(line) => (0, 0.0),
                _ => (sectors, 0.0),
            };
            missed.arrives = missed.arrives.max(arrives);
            if gone == 0 {
                continue;
            }
            missed.to_l2 += gone.count_ones();
            missed.requests += 1;
            // A load waits for some lines longer than for others. For stores only the sum matters.
            // L2 has the lines that all ask for.
            let all_ask = self.shared_lines.get(&own) == Some(&true);
            let beyond = if all_ask { 0.0 } else { self.beyond };
            let below = !all_ask && self.draw.next(beyond);
            missed.far |= below;
            let share = match touch.kind {
                AccessKind::Load => f64::from(u8::from(below)),
                _ => beyond,
            };
            if share > 0.0 {
                // Memory is read in pieces of 64 bytes.
                let pieces = f64::from(u8::from(gone & 3 != 0) + u8::from(gone & 12 != 0));
                let near = || {
                    lines.len() < 2
                        || lines.iter().any(|other| other.0 != own && other.0 / PAGE_LINES == own / PAGE_LINES)
                };
                let alone = match pieces < 2.0 {
                    _ if touch.sparse => MEMORY_TURNS_ANYWHERE,
                    true if near() => MEMORY_TURNS_PER_PIECE,
                    true => MEMORY_TURNS_ANYWHERE,
                    false => 1.0,
                };
                // The rest of a sector that stays filled in part is read before.
                let ways = if touch.sparse { MEMORY_TURNS_SPARSE } else { 1.0 };
                missed.to_memory += share * MEMORY_PIECE_BYTES * pieces * alone * ways;
            }
        }
        missed
    }

    /// The turns of L2 for what L1 does not have, and the cycles that they take.
    fn l2_turns(&self, touch: Touch, lines: &[(u64, u8)], missed: &Missed, of_arrays: bool) -> (f64, f64) {
        let a = self.card.architecture;
        let rate = self.share_of_l2().min(L2_SECTORS_PER_CLOCK);
        // Sectors of one line that are stored in part are one turn more for all of them.
        let partial = f64::from(touch.partial.min(touch.lines));
        let turns = f64::from(missed.to_l2) + partial * (a.l2_turns_per_partial_write - 1.0) * PARTIAL_SHARE;
        // Sectors of arrays come back whole: L1 has all of them for the next load.
        let back = if of_arrays && touch.partial > 0 { f64::from(missed.to_l2) } else { 0.0 };
        let turns = turns.max(missed.requests as f64 * a.l2_turns_per_request) + back;
        let all_ask = |line: &(u64, u8)| self.shared_lines.get(&line.0) == Some(&true);
        let hot = touch.kind == AccessKind::Load && lines.iter().all(all_ask);
        (turns, turns / rate * if hot { self.hot } else { 1.0 })
    }

    /// The sectors of L2 that one of the multiprocessors gets a clock.
    fn share_of_l2(&self) -> f64 {
        f64::from(self.card.l2_bytes_per_clock) / self.setting.active.max(1.0) / SECTOR_BYTES as f64
    }

    /// One of the cards whose slices were measured, else nothing: some costs are known of these alone.
    fn known(&self) -> f64 {
        if self.card.architecture.l2_slices > 0 { 1.0 } else { 0.0 }
    }

    /// From when on L2 answers, and when all has gone through it.
    fn through_l2(&mut self, touch: Touch, missed: &Missed, (turns, cycles): (f64, f64), start: f64) -> (f64, f64) {
        let written = match touch.kind {
            AccessKind::Store => {
                self.known() * (turns + f64::from(missed.to_l2) * (L2_TURNS_PER_WRITTEN - 1.0)) / self.share_of_l2()
            }
            _ => 0.0,
        };
        let mut from = f64::max(self.l2.busy, start);
        let through = self.l2.take(start, cycles, written);
        if written > 0.0 {
            from = from.max(self.l2.written);
        }
        if touch.kind == AccessKind::Atomic {
            // Lanes of one word leave one after the other, and meet what others of the card add.
            self.first_atomic.get_or_insert(start);
            self.atomics = f64::max(self.atomics, start) + f64::from(touch.wavefronts) * ATOMIC_TURN_CYCLES;
            self.atomics_below = self.atomics_below.max(self.atomics) + self.setting.atomic_cycles;
            from = from.max(self.atomics_below);
        }
        (from, through)
    }

    /// When the last of some bytes comes from memory, which is asked from `from` on.
    fn by_memory(&mut self, touch: Touch, bytes: f64, from: f64, start: f64) -> f64 {
        let known = self.known();
        let per_clock = self.card.memory_bytes_per_s / self.card.clock_hz / self.setting.active.max(1.0);
        let per_clock = per_clock.min(MEMORY_BYTES_PER_CLOCK);
        let cycles = bytes / per_clock;
        let (all, of_written) = (self.memory_load.now(start), self.written_load.now(start));
        let read_part = (all - of_written).max(0.0);
        let balance = if all > 0.0 { 2.0 * read_part.min(of_written) / all } else { 0.0 };
        let cycles = cycles * (1.0 - known * ONE_WAY_GAIN * (1.0 - balance.min(1.0)));
        let written = if touch.kind == AccessKind::Load { 0.0 } else { cycles };
        let read = self.memory_load.add(start, cycles) * MEMORY_LOADED_CYCLES;
        let crowded = known * (read + self.written_load.add(start, written) * MEMORY_WRITTEN_CYCLES);
        let last = self.memory.take(from, cycles, bytes / MEMORY_BYTES_PER_CLOCK);
        last + f64::from(self.card.architecture.memory_latency_cycles) + crowded
    }

    /// When the last byte of a bulk copy is there, of a block that is a copy of one that was followed.
    pub fn transfer(&mut self, copy: u64, lines: &[(u64, u8)], kind: AccessKind, at: f64) -> f64 {
        let a = self.card.architecture;
        let active = self.setting.active.max(1.0);
        let loads = kind == AccessKind::Load;
        let rate = (f64::from(self.card.l2_bytes_per_clock) / active).min(TRANSFER_BYTES_PER_CLOCK);
        let (rate, away) = if loads { (rate, TRANSFER_LESS_CYCLES) } else { (rate * STORED_SHARE, STORED_LESS_CYCLES) };
        // L2 hands out lines that all ask for once for several multiprocessors.
        let (mut alone, mut together, mut own) = (0.0, 0.0, 0);
        for (line, sectors) in lines {
            let shared = self.shared_lines.get(line) == Some(&true);
            *if shared && loads { &mut together } else { &mut alone } +=
                f64::from(sectors.count_ones()) * SECTOR_BYTES as f64;
            own += u32::from(copy > 0 || !shared);
        }
        let cycles = alone / rate + together / TOGETHER_BYTES_PER_CLOCK;
        let mut latency = (f64::from(a.l2_latency_cycles) - away).max(0.0);
        let mut to_memory = 0.0;
        for _ in 0..own {
            to_memory += if self.draw.next(self.beyond) { LINE_BYTES as f64 } else { 0.0 };
        }
        let mut last = 0.0;
        if to_memory > 0.0 {
            let per_clock = self.card.memory_bytes_per_s / self.card.clock_hz / active;
            let cycles = to_memory / per_clock.min(MEMORY_BYTES_PER_CLOCK);
            last = self.memory.take(at, cycles, to_memory / MEMORY_BYTES_PER_CLOCK);
            if loads {
                latency += f64::from(a.memory_latency_cycles.saturating_sub(a.l2_latency_cycles));
            }
        }
        let bytes = alone + together;
        f64::max(self.transfers.take(at, bytes, bytes / cycles.max(1.0), latency), last + latency)
    }

    /// When shared memory has handed out so many bytes for a product: what bulk copies take is not there for others.
    pub fn operands(&mut self, bytes: f64, at: f64) -> f64 {
        let rate = SHARED_BYTES_PER_CLOCK - self.transfers.moved(at);
        self.busy = f64::max(self.busy, at) + bytes / rate;
        self.busy
    }
}

/// The time of an access to shared memory of so many wavefronts: its addresses go at the rate of the units, its data at that of the memory, in which
/// L1 lies too. Ampere's and Ada's smaller cards hand on twice what 16 lanes ask for by words.
fn shared_cycles(a: &Architecture, wavefronts: f64) -> f64 {
    let addresses = f64::from(WARP_LANES) / f64::from(a.load_store_lanes_per_multiprocessor);
    addresses.max(wavefronts * WARP_WORDS_BYTES / f64::from(a.l1_bytes_per_clock))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_loads_from_shared_memory_are_faster_than_words_where_lanes_bind() {
        let cycles = |card, wavefronts| shared_cycles(crate::cards::find(card).unwrap().architecture, wavefronts);
        assert_eq!([1.0, 2.0, 4.0].map(|wavefronts| cycles("h200", wavefronts)), [1.0, 2.0, 4.0]);
        assert_eq!([1.0, 2.0, 4.0].map(|wavefronts| cycles("rtx4060", wavefronts)), [2.0, 2.0, 4.0]);
        assert_eq!([1.0, 2.0, 4.0].map(|wavefronts| cycles("rtx2070super", wavefronts)), [2.0, 4.0, 8.0]);
    }
}

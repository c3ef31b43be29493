//! What a warp would compute if the bits that nobody has written had other values.
//!
//! As long as some of a warp's registers come from such bits, the warp has two twins: copies of its registers and of its
//! local memory in which those bits are others. What only computes is done in all three, under the warp's own control flow.
//! A bit that comes out differently is undefined; one that comes out alike was masked, shifted out, multiplied by zero or not
//! selected, and is defined. So no instruction needs a rule of its own, and nothing is called undefined that does not
//! depend on undefined bits. Comparisons are tried with more values, since two twins seldom hold the one that makes `a == b`.
//!
//! A value is settled where it matters (a branch, an address): the probe is told, and the twins go on with the warp's value.
use super::access::{Form, addresses, space_of};
use super::lanes::{Lane32, Lanes, Window};
use super::op::{Op, Row, Twin};
use super::warp::Line;
use crate::isa::Space;
use crate::probe::{Origin, UndefinedByte, Use, lanes as lanes_of};
use rustc_hash::FxHashMap;

const TWINS: usize = 2;

/// The twins of a warp.
#[derive(Default)]
pub(super) struct Twins {
    registers: [Vec<Line>; TWINS],
    /// Local memory of all lanes, each `stride` bytes.
    local: [Vec<u8>; TWINS],
    stride: usize,
    /// Where undefined values come from, as the probe numbers it: by place in the register file, and by place in local
    /// memory divided by 4.
    origins: FxHashMap<u32, Origin>,
    local_origins: FxHashMap<u64, Origin>,
    /// Basic blocks since the twins were last compared with their warp.
    blocks: u32,
}

/// Basic blocks after which it is looked up whether a warp still needs its twins.
const BLOCKS: u32 = 8;

/// Bits that a byte of a twin differs in: all in the first twin, so that what merely moves or masks them shows; in the
/// second some or other, such that four or eight bytes make an ordinary number of any type.
fn pattern(twin: usize, address: u64, lane: usize) -> u8 {
    if twin == 0 {
        return 0xff;
    }
    let seed = (address ^ (lane as u64) << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let random = (seed ^ seed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 56;
    // The exponents of floats are in the last byte: 0x44 … 0x53 are large and finite.
    if address % 4 == 3 {
        0x44 + (random as u8 & 0x8f).wrapping_add(random as u8 >> 4 & 0xf) % 16
    } else {
        random as u8 | 1
    }
}

impl Twins {
    fn of(lanes: &Lanes) -> Twins {
        let lines = lanes.registers.bytes as usize / size_of::<Line>();
        let stride = lanes.local.bytes as usize;
        let registers = copy_of::<Line>(lanes.registers.base, lines);
        let local = copy_of::<u8>(lanes.local.base, stride * super::lanes::WARP);
        Twins { registers: [registers.clone(), registers], local: [local.clone(), local], stride, ..Twins::default() }
    }

    /// Makes them as large as the warp has become.
    pub fn grow(&mut self, lines: usize, stride: usize) {
        for registers in &mut self.registers {
            registers.resize(lines.max(registers.len()), Line([0; 64]));
        }
        if self.stride < stride {
            for local in &mut self.local {
                let mut grown = vec![0; stride * super::lanes::WARP];
                for (to, from) in grown.chunks_exact_mut(stride).zip(local.chunks_exact(self.stride.max(1))) {
                    to[..self.stride].copy_from_slice(from);
                }
                *local = grown;
            }
            self.stride = stride;
        }
    }

    /// Whether a warp's registers and local memory are what they would be without undefined bits.
    fn are_alike(&self, lanes: &Lanes) -> bool {
        let alike = |window: Window, count: usize, twins: [&[u8]; TWINS]| {
            let own = bytes_of(window, count);
            twins.iter().all(|twin| *twin == own)
        };
        let registers = self.registers.each_ref().map(|file| file.as_flattened_bytes());
        alike(lanes.registers, lanes.registers.bytes as usize, registers)
            && alike(lanes.local, self.stride * super::lanes::WARP, self.local.each_ref().map(Vec::as_slice))
    }

    fn key(lanes: &Lanes, row: Row) -> u32 {
        lanes.frame_offset() as u32 + row.0
    }

    fn origin(&self, lanes: &Lanes, row: Row) -> Option<Origin> {
        self.origins.get(&Self::key(lanes, row)).copied()
    }

    /// What an op gives in the lanes of `mask` comes from there.
    fn set_origins(&mut self, lanes: &Lanes, op: &Op, mask: u32, origin: Option<Origin>) {
        // Lanes that are elsewhere keep what they had.
        if origin.is_none() && (self.origins.is_empty() || mask != lanes.context.live) {
            return;
        }
        self.set_origin(lanes, op.dst, origin);
        for index in 0..usize::from(op.more_count) {
            self.set_origin(lanes, lanes.more(op, index), origin);
        }
    }

    fn set_origin(&mut self, lanes: &Lanes, row: Row, origin: Option<Origin>) {
        match origin {
            Some(origin) => self.origins.insert(Self::key(lanes, row), origin),
            None => self.origins.remove(&Self::key(lanes, row)),
        };
    }

    /// Where the undefined bits come from that an op reads: the first of its operands that has some.
    fn source(&self, lanes: &Lanes, op: &Op) -> Option<Origin> {
        if self.origins.is_empty() {
            return None;
        }
        let more = (0..usize::from(op.more_count)).map(|index| lanes.more(op, index));
        let guard = op.guard_negated.map(|_| op.guard);
        let mut all = [op.a, op.b, op.c].into_iter().chain(more).chain(guard).filter_map(|row| self.origin(lanes, row));
        let first = all.next()?;
        Some(Origin { computed: first.computed || all.any(|origin| origin.computed), ..first })
    }

    /// The bits of a lane's value that are undefined.
    fn undefined(&mut self, lanes: &mut Lanes, row: Row, bytes: u32, lane: usize) -> u128 {
        let own = lanes.bits(row, bytes, lane);
        (0..TWINS).fold(0, |all, twin| all | own ^ self.with(lanes, twin, |lanes| lanes.bits(row, bytes, lane)))
    }

    /// The lanes of `mask` in which a value is undefined; a predicate where it has no bytes.
    fn differing(&mut self, lanes: &mut Lanes, row: Row, bytes: u32, mask: u32) -> u32 {
        if bytes == 0 {
            let own = lanes.predicate(row);
            return (0..TWINS).fold(0, |all, twin| all | own ^ self.with(lanes, twin, |l| l.predicate(row))) & mask;
        }
        lanes_of(mask).filter(|&lane| self.undefined(lanes, row, bytes, lane) != 0).fold(0, |all, lane| all | 1 << lane)
    }

    /// Gives the twins the warp's own value in the lanes of `mask`.
    fn heal(&mut self, lanes: &mut Lanes, row: Row, bytes: u32, mask: u32) {
        fn row_of<T: super::lanes::Lane>(twins: &mut Twins, lanes: &mut Lanes, row: Row) {
            let own = lanes.get::<T>(row);
            (0..TWINS).for_each(|twin| twins.with(lanes, twin, |lanes| lanes.set(row, own)));
        }
        let active = std::mem::replace(&mut lanes.mask, mask);
        match bytes {
            0 => {
                let own = lanes.predicate(row);
                (0..TWINS).for_each(|twin| self.with(lanes, twin, |lanes| lanes.set_predicate(row, own)));
            }
            1 | 2 => row_of::<u16>(self, lanes, row),
            4 => row_of::<u32>(self, lanes, row),
            8 => row_of::<u64>(self, lanes, row),
            _ => row_of::<u128>(self, lanes, row),
        }
        lanes.mask = active;
    }

    /// Gives the twins the warp's own results of an op in the lanes of `mask`.
    fn heal_results(&mut self, lanes: &mut Lanes, op: &Op, mask: u32) {
        self.heal(lanes, op.dst, op.width.into(), mask);
        for index in 0..usize::from(op.more_count) {
            let row = lanes.more(op, index);
            self.heal(lanes, row, op.width.into(), mask);
        }
    }

    /// Runs something with the registers and the local memory of a twin instead of the warp's.
    fn with<R>(&mut self, lanes: &mut Lanes, twin: usize, run: impl FnOnce(&mut Lanes) -> R) -> R {
        let local = Window { base: self.local[twin].as_mut_ptr(), ..lanes.local };
        let registers = Window { base: self.registers[twin].as_mut_ptr().cast(), ..lanes.registers };
        let own = lanes.stand_in(registers, local);
        let result = run(lanes);
        lanes.stand_in(own.0, own.1);
        result
    }

    /// Runs an op in a twin: nobody hears of it, and nothing but its registers and local memory changes.
    fn run(&mut self, lanes: &mut Lanes, op: &Op, twin: usize, mask: u32) {
        let probe = lanes.context.probe.take();
        let own = (lanes.mask, lanes.absent, lanes.stores, lanes.spins, lanes.spun_at);
        let faulted = lanes.context.fault.is_some();
        lanes.mask = mask;
        self.with(lanes, twin, |lanes| execute(lanes, op));
        (lanes.mask, lanes.absent, lanes.stores, lanes.spins, lanes.spun_at) = own;
        if !faulted {
            lanes.context.fault = None;
        }
        lanes.context.probe = probe;
    }
}

/// A copy of memory of the warp.
#[allow(unsafe_code)]
fn copy_of<T: Copy>(from: *const u8, count: usize) -> Vec<T> {
    if count == 0 {
        return Vec::new();
    }
    // SAFETY: the windows of the lanes are the warp's registers and local memory: so many values, aligned for lines, which
    // nobody changes meanwhile.
    unsafe { std::slice::from_raw_parts(from.cast::<T>(), count).to_vec() }
}

#[allow(unsafe_code)]
fn bytes_of<'w>(window: Window, count: usize) -> &'w [u8] {
    if count == 0 {
        return &[];
    }
    // SAFETY: as in `copy_of`; the slice is compared and dropped before anything runs.
    unsafe { std::slice::from_raw_parts(window.base, count) }
}

trait Bytes {
    fn as_flattened_bytes(&self) -> &[u8];
}

impl Bytes for Vec<Line> {
    #[allow(unsafe_code)]
    fn as_flattened_bytes(&self) -> &[u8] {
        // SAFETY: a line is 64 bytes and nothing else.
        unsafe { std::slice::from_raw_parts(self.as_ptr().cast(), self.len() * size_of::<Line>()) }
    }
}

#[inline(always)]
fn execute(lanes: &mut Lanes, op: &Op) {
    // SAFETY: the lanes point at a frame of the op's function, the warp's own or a copy of it with the same rows.
    #[allow(unsafe_code)]
    unsafe {
        (op.exec)(lanes, op)
    };
}

/// A load has read undefined bytes, before its registers change: gives the warp its twins.
#[cold]
#[inline(never)]
pub(super) fn begin(lanes: &mut Lanes) {
    let Some(probe) = &mut lanes.context.probe else { return };
    let bytes = probe.undefined();
    lanes.context.following.loaded(false);
    lanes.context.undefined.extend(bytes);
    if lanes.context.twins.is_none() {
        lanes.context.twins = Some(Box::new(Twins::of(lanes)));
        lanes.context.following.twins(true);
    }
    lanes.undefined = true;
}

/// Ends what [`begin`] began: the load is done in the twins too, which read other values.
#[cold]
#[inline(never)]
pub(super) fn finish_load(lanes: &mut Lanes, op: &Op) {
    lanes.undefined = false;
    let active = lanes.mask;
    let Some(mut twins) = lanes.context.twins.take() else { return };
    if op.twin == Twin::Loads {
        // The load may have changed its own guard or address: the twins have them as they were.
        let (through, local) = twins.with(lanes, 0, |lanes| {
            let through = through(lanes, op);
            (through, local_lanes(lanes, op, through))
        });
        twins.load(lanes, op, through, local);
    } else {
        // What reads memory without a register, such as a copy, is the probe's business alone.
        lanes.context.undefined.clear();
        twins.heal_results(lanes, op, active);
    }
    lanes.context.twins = Some(twins);
}

/// The active lanes that an op's guard lets through.
fn through(lanes: &Lanes, op: &Op) -> u32 {
    match op.guard_negated {
        None => lanes.mask,
        Some(negated) => lanes.mask & if negated { !lanes.predicate(op.guard) } else { lanes.predicate(op.guard) },
    }
}

/// Of the lanes in `mask` those whose access is to local memory.
fn local_lanes(lanes: &Lanes, op: &Op, mask: u32) -> u32 {
    match Form::of(op).space() {
        Space::Local => mask,
        Space::Generic => {
            let raw = addresses(lanes, op);
            lanes_of(mask).filter(|&lane| space_of(raw[lane]).0 == Space::Local).fold(0, |all, lane| all | 1 << lane)
        }
        _ => 0,
    }
}

/// The words of local memory that a lane's access touches.
fn local_words(lanes: &Lanes, op: &Op, raw: &Lane32<u64>, lane: usize) -> std::ops::Range<u64> {
    let window = if Form::of(op).space() == Space::Generic { space_of(raw[lane]).1 } else { 0 };
    let first = raw[lane].wrapping_sub(window).min(lanes.local.bytes);
    first / 4..(first + u64::from(op.bytes) * u64::from(op.vector)).div_ceil(4)
}

/// Where an undefined byte lies in the host's memory, and the bits in which a twin's differs.
fn patch(lanes: &Lanes, byte: &UndefinedByte, twin: usize) -> Option<(*mut u8, u8)> {
    let base = match byte.space {
        Space::Shared => lanes.shared.base as u64,
        Space::Global | Space::Const => 0,
        _ => return None,
    };
    Some(((base + byte.address) as *mut u8, byte.mask & pattern(twin, byte.address, 0)))
}

/// Puts a twin's bits in the place of the warp's, or the other way round.
#[allow(unsafe_code)]
fn exchange(patches: &[(*mut u8, u8)]) {
    for &(place, bits) in patches {
        // SAFETY: the warp has just read the byte, so it lies in live memory.
        unsafe { *place ^= bits };
    }
}

impl Twins {
    /// Does a load in the twins that the warp has done: `local` are the lanes that read local memory.
    fn load(&mut self, lanes: &mut Lanes, op: &Op, through: u32, local: u32) {
        let bytes = std::mem::take(&mut lanes.context.undefined);
        for byte in bytes.iter().filter(|byte| byte.space == Space::Local) {
            for twin in 0..TWINS {
                let at = byte.lane as usize * self.stride + byte.address as usize;
                if let Some(place) = self.local[twin].get_mut(at) {
                    *place ^= byte.mask & pattern(twin, byte.address, byte.lane as usize);
                }
            }
            self.local_origins.insert(byte.address / 4, byte.origin);
        }
        let mut origin = bytes.first().map(|byte| byte.origin);
        if local != 0 && origin.is_none() && !self.local_origins.is_empty() {
            let raw = self.with(lanes, 0, |lanes| addresses(lanes, op));
            let mut words = local_words(lanes, op, &raw, local.trailing_zeros() as usize);
            origin = words.find_map(|word| self.local_origins.get(&word)).copied();
        }
        // Lanes that read defined bytes get the warp's values: memory that the host sees may have changed since. A matrix
        // goes to other lanes than those that name its rows.
        let undefined = bytes.iter().fold(0, |all, byte| all | byte.lanes);
        let again = match undefined | local {
            some if some != 0 && op.bytes == 0 => through,
            some => some & through,
        };
        self.heal_results(lanes, op, through & !again);
        if again != 0 {
            for twin in 0..TWINS {
                let patches: Vec<_> = bytes.iter().filter_map(|byte| patch(lanes, byte, twin)).collect();
                exchange(&patches);
                self.run(lanes, op, twin, again);
                exchange(&patches);
            }
        }
        self.set_origins(lanes, op, through, origin);
    }

    /// A store, after the warp's own: its part in local memory is done in the twins too.
    fn store(&mut self, lanes: &mut Lanes, op: &Op, local: u32) {
        (0..TWINS).for_each(|twin| self.run(lanes, op, twin, local));
        if self.origins.is_empty() && self.local_origins.is_empty() {
            return;
        }
        let origin = self.source(lanes, op);
        let raw = addresses(lanes, op);
        for lane in lanes_of(local) {
            for word in local_words(lanes, op, &raw, lane) {
                match origin {
                    Some(origin) => self.local_origins.insert(word, origin),
                    None => self.local_origins.remove(&word),
                };
            }
        }
    }

    /// A comparison, after all have done it: a predicate is undefined where some values of the undefined bits make it true
    /// and others false.
    fn compare(&mut self, lanes: &mut Lanes, op: &Op, through: u32) {
        let bytes = u32::from(op.width);
        let undefined: [Lane32<u128>; 2] = [op.a, op.b].map(|row| {
            std::array::from_fn(|lane| if bytes == 0 { 0 } else { self.undefined(lanes, row, bytes, lane) })
        });
        let [ua, ub] = &undefined;
        let both = lanes_of(through).filter(|&lane| ua[lane] | ub[lane] != 0).fold(0, |all, lane| all | 1 << lane);
        if both == 0 {
            return;
        }
        let results = [op.dst, lanes.more(op, 0)];
        let own = results.map(|row| lanes.predicate(row));
        let values = |lanes: &mut Lanes| [op.a, op.b].map(|row| lanes.values(row, bytes));
        let [a, b] = values(lanes);
        let kept = self.with(lanes, 0, values);
        let top = 1u128 << (8 * bytes - 1);
        let mut differs = [0; 2];
        for sample in 0..6 {
            let mut tried = kept;
            for lane in lanes_of(both) {
                let (ua, ub) = (ua[lane], ub[lane]);
                let (low_a, low_b) = (a[lane] & !ua, b[lane] & !ub);
                (tried[0][lane], tried[1][lane]) = match sample {
                    0 => (kept[0][lane], kept[1][lane]),
                    1 => (low_a, low_b | ub),
                    2 => (low_a | ua, low_b),
                    3 => (low_a | ua & top, low_b | ub & !top),
                    4 => (low_a | ua & !top, low_b | ub & top),
                    // Equal, if they can be.
                    _ => (low_a | b[lane] & ua, low_b | (low_a | b[lane] & ua) & ub),
                };
            }
            self.with(lanes, 0, |lanes| {
                [op.a, op.b].into_iter().zip(&tried).for_each(|(row, values)| lanes.put_values(row, bytes, values));
            });
            self.run(lanes, op, 0, through);
            for (differs, (row, own)) in differs.iter_mut().zip(results.into_iter().zip(own)) {
                *differs |= (own ^ self.with(lanes, 0, |lanes| lanes.predicate(row))) & through;
            }
        }
        self.with(lanes, 0, |lanes| {
            [op.a, op.b].into_iter().zip(&kept).for_each(|(row, values)| lanes.put_values(row, bytes, values));
        });
        for (row, (own, differs)) in results.into_iter().zip(own.into_iter().zip(differs)) {
            let active = std::mem::replace(&mut lanes.mask, through);
            self.with(lanes, 0, |lanes| lanes.set_predicate(row, own ^ differs));
            // Two undefined predicates shall not always be alike.
            self.with(lanes, 1, |lanes| lanes.set_predicate(row, own ^ differs & 0x9e37_79b9u32.rotate_left(row.0)));
            lanes.mask = active;
        }
    }

    /// Tells the probe where a value matters, if it is undefined in some of the lanes of `mask`; it is the warp's from then on.
    fn settle(&mut self, lanes: &mut Lanes, (row, bytes): (Row, u32), mask: u32, site: u32, what: Use) {
        let differing = self.differing(lanes, row, bytes, mask);
        if differing == 0 {
            return;
        }
        let (who, origin) = (lanes.context.who, self.origin(lanes, row).unwrap_or_default());
        if let Some(probe) = &mut lanes.context.probe {
            probe.undefined_used(who, site, differing, what, origin);
        }
        self.heal(lanes, row, bytes, differing);
    }
}

/// Runs ops of a warp that has twins.
#[cold]
#[inline(never)]
pub(super) fn run_all(lanes: &mut Lanes, ops: &[Op]) {
    ops.iter().for_each(|op| step(lanes, op));
    let Some(mut twins) = lanes.context.twins.take() else { return };
    twins.blocks += 1;
    if twins.blocks.is_multiple_of(BLOCKS) && twins.are_alike(lanes) {
        return lanes.context.following.twins(false);
    }
    lanes.context.twins = Some(twins);
}

/// Runs one op, in the twins too if the warp has them.
#[inline(always)]
pub(super) fn run_op<const PROBED: bool>(lanes: &mut Lanes, op: &Op) {
    if PROBED && lanes.context.twins.is_some() {
        return step(lanes, op);
    }
    execute(lanes, op);
    if PROBED && lanes.undefined {
        finish_load(lanes, op);
    }
}

fn step(lanes: &mut Lanes, op: &Op) {
    let Some(mut twins) = lanes.context.twins.take() else { return run_op::<true>(lanes, op) };
    let computes = matches!(op.twin, Twin::Moves | Twin::Selects | Twin::Computes | Twin::Compares);
    if op.guard_negated.is_some() && !computes {
        twins.settle(lanes, (op.guard, 0), lanes.mask, op.site, Use::Branch);
    }
    let through = through(lanes, op);
    let active = lanes.mask;
    if computes {
        let moves = match op.twin {
            Twin::Moves => true,
            Twin::Selects => twins.differing(lanes, op.c, 0, through) == 0,
            _ => false,
        };
        let origin = twins.source(lanes, op).map(|origin| Origin { computed: origin.computed || !moves, ..origin });
        execute(lanes, op);
        (0..TWINS).for_each(|twin| twins.run(lanes, op, twin, active));
        if op.twin == Twin::Compares {
            twins.compare(lanes, op, through);
        }
        twins.set_origins(lanes, op, through, origin);
        lanes.context.twins = Some(twins);
        return;
    }
    let touches = matches!(op.twin, Twin::Loads | Twin::Stores | Twin::Updates);
    let mut local = 0;
    if touches {
        let address_bytes = if Form::of(op).has(Form::ADDRESS_32) { 4 } else { 8 };
        twins.settle(lanes, (op.a, address_bytes), through, op.site, Use::Address);
        local = local_lanes(lanes, op, through);
    }
    if op.twin == Twin::Updates && matches!(op.bytes, 2 | 4 | 8) {
        for row in [op.b, op.c] {
            twins.settle(lanes, (row, op.bytes.into()), through, op.site, Use::Atomic);
        }
    }
    // The probe may ask what is undefined of what is stored.
    lanes.context.twins = Some(twins);
    execute(lanes, op);
    let Some(mut twins) = lanes.context.twins.take() else { return };
    lanes.undefined = false;
    match op.twin {
        Twin::Loads => twins.load(lanes, op, through, local),
        Twin::Stores => twins.store(lanes, op, local),
        _ => {
            lanes.context.undefined.clear();
            twins.heal_results(lanes, op, through);
        }
    }
    lanes.context.twins = Some(twins);
}

/// Tells the probe if a value decides where lanes go, and is undefined; a predicate where it has no bytes.
#[cold]
#[inline(never)]
pub(super) fn decide(lanes: &mut Lanes, value: (Row, u32), mask: u32, site: u32, what: Use) {
    if let Some(mut twins) = lanes.context.twins.take() {
        twins.settle(lanes, value, mask, site, what);
        lanes.context.twins = Some(twins);
    }
}

/// Does something to the registers and the local memory of the warp, and of its twins.
pub(super) fn in_each(lanes: &mut Lanes, mut change: impl FnMut(&mut Lanes)) {
    change(lanes);
    if let Some(mut twins) = lanes.context.twins.take() {
        let probe = lanes.context.probe.take();
        (0..TWINS).for_each(|twin| twins.with(lanes, twin, &mut change));
        lanes.context.probe = probe;
        lanes.context.twins = Some(twins);
    }
}

/// A part of the local memory of the active lanes was copied to another.
pub(super) fn move_local_origins(lanes: &mut Lanes, from: u32, to: u32, bytes: u32) {
    let Some(twins) = &mut lanes.context.twins else { return };
    for word in 0..u64::from(bytes.div_ceil(4)) {
        if let Some(&origin) = twins.local_origins.get(&(u64::from(from) / 4 + word)) {
            twins.local_origins.insert(u64::from(to) / 4 + word, origin);
        }
    }
}

/// A part of the local memory of the active lanes was written with defined values, for the warp alone.
pub(super) fn heal_local(lanes: &mut Lanes, offset: u32, bytes: u32) {
    let Some(twins) = &mut lanes.context.twins else { return };
    for lane in lanes_of(lanes.mask) {
        let at = lane * twins.stride + offset as usize..lane * twins.stride + (offset + bytes) as usize;
        let own = bytes_of(lanes.local, twins.stride * super::lanes::WARP);
        for local in &mut twins.local {
            if let (Some(to), Some(from)) = (local.get_mut(at.clone()), own.get(at.clone())) {
                to.copy_from_slice(from);
            }
        }
    }
}

/// Tells the probe of a lane's local memory that is printed, if it is undefined.
pub(super) fn print_local(lanes: &mut Lanes, lane: usize, offset: u64, bytes: usize, site: u32) {
    let Some(twins) = &lanes.context.twins else { return };
    let at = lane * twins.stride + offset as usize..lane * twins.stride + offset as usize + bytes;
    let Some(own) = bytes_of(lanes.local, twins.stride * super::lanes::WARP).get(at.clone()) else { return };
    if twins.local.iter().any(|local| local.get(at.clone()).is_some_and(|other| other != own)) {
        let origin = twins.local_origins.get(&(offset / 4)).copied().unwrap_or_default();
        let who = lanes.context.who;
        if let Some(probe) = &mut lanes.context.probe {
            probe.undefined_used(who, site, 1 << lane, Use::Printed, origin);
        }
    }
}

/// What is undefined of a value that a lane is about to store: its bits, and where they come from.
pub(super) fn undefined_bits(lanes: &Lanes, row: Row, bytes: u32, lane: usize) -> (u128, Origin) {
    let Some(twins) = &lanes.context.twins else { return (0, Origin::default()) };
    let place = lanes.frame_offset() + row.0 as usize + lane * bytes as usize;
    let value = |file: &[u8]| {
        let mut value = [0; 16];
        if let Some(from) = file.get(place..place + bytes as usize) {
            value[..bytes as usize].copy_from_slice(from);
        }
        u128::from_le_bytes(value)
    };
    let own = value(bytes_of(lanes.registers, lanes.registers.bytes as usize));
    let bits = twins.registers.iter().fold(0, |all, file| all | own ^ value(file.as_flattened_bytes()));
    (bits, twins.origin(lanes, row).unwrap_or_default())
}

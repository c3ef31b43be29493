//! The ops of a warp that has twins, and where its values matter.
//!
//! See `twins` for what twins are for.
use super::state::{TWINS, Twins, pattern};
use super::twins::execute;
use crate::exec::accesses::access::{AccessForm, addresses};
use crate::exec::matrices::{warpgroup, wmma_memory};
use crate::exec::view::{Dataflow, Lane32, Lanes, Op, Row};
use crate::memory::space_of;
use crate::probe::{Origin, UndefinedByte, Use, lanes as lanes_of};
use ptx::isa::Space;

/// Basic blocks after which it is looked up whether a warp still needs its twins.
const BLOCKS: u32 = 8;

/// Ends what [`begin`](super::twins::begin) began: the load is done in the twins too, which read other values.
#[cold]
#[inline(never)]
pub(crate) fn finish_load(lanes: &mut Lanes, op: &Op) {
    lanes.undefined = false;
    let active = lanes.mask;
    let Some(mut twins) = lanes.context.listener.twins.take() else { return };
    if op.dataflow == Dataflow::Products {
        twins.product(lanes, op);
    } else if op.dataflow == Dataflow::Updates {
        let through = twins.with(lanes, 0, |lanes| through(lanes, op));
        twins.update(lanes, op, through);
    } else if op.dataflow == Dataflow::Loads {
        // The load may have changed its own guard or address: the twins have them as they were.
        let (through, local) = twins.with(lanes, 0, |lanes| {
            let through = through(lanes, op);
            (through, local_lanes(lanes, op, through))
        });
        twins.load(lanes, op, through, local);
    } else {
        // An op that reads memory without a register, such as a copy, concerns the probe alone.
        lanes.context.listener.undefined.clear();
        twins.heal_results(lanes, op, active);
    }
    lanes.context.listener.twins = Some(twins);
}

/// The active lanes that an op's guard lets through.
fn through(lanes: &Lanes, op: &Op) -> u32 {
    match op.guard_negated {
        None => lanes.mask,
        Some(negated) => lanes.mask & if negated { !lanes.predicate(op.guard) } else { lanes.predicate(op.guard) },
    }
}

/// The lanes in `mask` whose access is to local memory.
fn local_lanes(lanes: &Lanes, op: &Op, mask: u32) -> u32 {
    match AccessForm::of(op).space() {
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
    let window = if AccessForm::of(op).space() == Space::Generic { space_of(raw[lane]).1 } else { 0 };
    let first = raw[lane].wrapping_sub(window).min(lanes.local.bytes);
    first / 4..(first + u64::from(op.bytes) * u64::from(op.vector)).div_ceil(4)
}

/// The bits in which a twin's copy of an undefined byte differs; local memory has copies of its own.
fn flipped(byte: &UndefinedByte, twin: usize) -> u8 {
    byte.mask & pattern(twin, byte.address, 0)
}

/// Puts a twin's bits of shared memory in the place of the warp's, or the other way round.
#[allow(unsafe_code)]
fn exchange(lanes: &Lanes, bytes: &[UndefinedByte], twin: usize) {
    let inside = |byte: &&UndefinedByte| byte.space == Space::Shared && byte.address < lanes.shared.bytes;
    for byte in bytes.iter().filter(inside) {
        // SAFETY: the warp has just read the byte, so it lies in its block's shared memory, which one host thread at a time
        // has: that which runs the block.
        unsafe { *lanes.shared.base.add(byte.address as usize) ^= flipped(byte, twin) };
    }
}

/// Where a load puts a byte of memory: bits of a lane's register.
struct Loaded {
    row: Row,
    register_bytes: u32,
    lane: usize,
    shift: u32,
    /// Bits of the element whose highest goes on in those after it.
    signed: Option<u32>,
    byte: UndefinedByte,
}

impl Loaded {
    fn change(&self, lanes: &mut Lanes, bits: u8) {
        let mut bits = u128::from(bits) << self.shift;
        if let Some(width) = self.signed.filter(|width| bits >> (width - 1) & 1 != 0) {
            bits |= u128::MAX << width;
        }
        lanes.flip(self.row, self.register_bytes, self.lane, bits);
    }
}

/// Where a load puts the undefined bytes of shared and global memory that it reads. `lanes` are as they were before it.
fn loaded(lanes: &Lanes, op: &Op, raw: &Lane32<u64>, bytes: &[UndefinedByte]) -> Vec<Loaded> {
    let form = AccessForm::of(op);
    // From the address that a lane names.
    let place = |byte: &UndefinedByte, address: u64| {
        let window = if form.space() == Space::Generic { space_of(address).1 } else { 0 };
        byte.address.wrapping_sub(address.wrapping_sub(window))
    };
    let mut all = Vec::new();
    let bytes = bytes.iter().filter(|byte| byte.space != Space::Local);
    if op.bytes == 0 {
        let elements = wmma_memory::elements(lanes, op);
        for &byte in bytes {
            for at in elements.iter().filter(|at| byte.lanes >> at.lane & 1 != 0) {
                let place = place(&byte, at.address);
                if place < at.bytes {
                    let (row, register_bytes, lane) = (at.row, at.register_bytes, at.lane);
                    all.push(Loaded {
                        row,
                        register_bytes,
                        lane,
                        shift: at.shift + 8 * place as u32,
                        signed: None,
                        byte,
                    });
                }
            }
        }
        return all;
    }
    let (element, register_bytes) = (u64::from(op.bytes), form.register_bytes());
    let signed = form.has(AccessForm::SIGNED).then_some(8 * element as u32).filter(|&bits| bits < 128);
    for &byte in bytes {
        for lane in lanes_of(byte.lanes) {
            let place = place(&byte, raw[lane]);
            let index = (place / element) as usize;
            if index < usize::from(op.vector) {
                let row = if op.vector == 1 { op.dst } else { lanes.more(op, index) };
                all.push(Loaded { row, register_bytes, lane, shift: 8 * (place % element) as u32, signed, byte });
            }
        }
    }
    all
}

impl Twins {
    /// Does a load in the twins that the warp has done: `local` are the lanes that read local memory.
    fn load(&mut self, lanes: &mut Lanes, op: &Op, through: u32, local: u32) {
        let bytes = std::mem::take(&mut lanes.context.listener.undefined);
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
        // A lane gets the warp's values, and in them the bits of the undefined bytes changed: global memory may have changed since
        // it was read, and others see it. Local memory has a copy for each twin. So has shared memory, for a moment, where
        // matrices go to other lanes than those that name their rows.
        let gathers = op.bytes == 0 && bytes.iter().any(|byte| byte.space == Space::Shared);
        let again = if gathers { through } else { local & through };
        // The load may write the registers of its own address.
        let loaded = match gathers || bytes.is_empty() {
            true => Vec::new(),
            false => self.with(lanes, 0, |lanes| loaded(lanes, op, &addresses(lanes, op), &bytes)),
        };
        self.heal_results(lanes, op, through & !again);
        for twin in 0..TWINS {
            if again != 0 {
                exchange(lanes, &bytes, twin);
                self.run(lanes, op, twin, again);
                exchange(lanes, &bytes, twin);
            }
            for place in &loaded {
                self.with(lanes, twin, |lanes| place.change(lanes, flipped(&place.byte, twin)));
            }
        }
        self.set_origins(lanes, op, through, origin);
    }

    /// An atomic that the warp has done: the twins have its results, in which bits are changed that were not defined in
    /// memory, as an exchange gives them.
    fn update(&mut self, lanes: &mut Lanes, op: &Op, through: u32) {
        let mut bytes = std::mem::take(&mut lanes.context.listener.undefined);
        // Where lanes update one place, the first finds what was there, the others what the lane before has left.
        bytes.iter_mut().for_each(|byte| byte.lanes &= byte.lanes.wrapping_neg());
        let loaded = match bytes.is_empty() {
            true => Vec::new(),
            false => self.with(lanes, 0, |lanes| loaded(lanes, op, &addresses(lanes, op), &bytes)),
        };
        self.heal_results(lanes, op, through);
        for place in &loaded {
            for twin in 0..TWINS {
                self.with(lanes, twin, |lanes| place.change(lanes, flipped(&place.byte, twin)));
            }
        }
        self.set_origins(lanes, op, through, bytes.first().map(|byte| byte.origin));
    }

    /// A product of four warps, which the warp has done: its twins do it with other bits in the undefined bytes that it read.
    fn product(&mut self, lanes: &mut Lanes, op: &Op) {
        let bytes = std::mem::take(&mut lanes.context.listener.undefined);
        let read = bytes.first().map(|byte| byte.origin);
        let origin = read.or_else(|| self.source(lanes, op)).map(|origin| Origin { computed: true, ..origin });
        let active = lanes.mask;
        for twin in 0..TWINS {
            exchange(lanes, &bytes, twin);
            self.run(lanes, op, twin, active);
            exchange(lanes, &bytes, twin);
        }
        self.set_origins(lanes, op, active, origin);
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
    fn report_use(&mut self, lanes: &mut Lanes, (row, bytes): (Row, u32), mask: u32, site: u32, what: Use) {
        let differing = self.differing(lanes, row, bytes, mask);
        if differing == 0 {
            return;
        }
        let (who, origin) = (lanes.context.who, self.origin(lanes, row).unwrap_or_default());
        if let Some(probe) = lanes.context.probe() {
            probe.undefined_used(who, site, differing, what, origin);
        }
        self.heal(lanes, row, bytes, differing);
    }
}

/// Runs ops of a warp that has twins.
#[cold]
#[inline(never)]
pub(crate) fn run_all(lanes: &mut Lanes, ops: &[Op]) {
    ops.iter().for_each(|op| step(lanes, op));
    let Some(mut twins) = lanes.context.listener.twins.take() else { return };
    twins.blocks += 1;
    if twins.blocks.is_multiple_of(BLOCKS) && twins.are_alike(lanes) {
        return lanes.context.listener.following.twins(false);
    }
    lanes.context.listener.twins = Some(twins);
}

/// Runs one op, in the twins too if the warp has them.
#[inline(always)]
pub(crate) fn run_op<const PROBED: bool>(lanes: &mut Lanes, op: &Op) {
    if PROBED && lanes.context.listener.twins.is_some() {
        return step(lanes, op);
    }
    execute(lanes, op);
    if PROBED && lanes.undefined {
        finish_load(lanes, op);
    }
}

fn step(lanes: &mut Lanes, op: &Op) {
    let Some(mut twins) = lanes.context.listener.twins.take() else { return run_op::<true>(lanes, op) };
    let computes = matches!(op.dataflow, Dataflow::Moves | Dataflow::Selects | Dataflow::Computes | Dataflow::Compares);
    if op.guard_negated.is_some() && !computes {
        twins.report_use(lanes, (op.guard, 0), lanes.mask, op.site, Use::Branch);
    }
    let through = through(lanes, op);
    let active = lanes.mask;
    if computes {
        let moves = match op.dataflow {
            Dataflow::Moves => true,
            Dataflow::Selects => twins.differing(lanes, op.c, 0, through) == 0,
            _ => false,
        };
        let origin = twins.source(lanes, op).map(|origin| Origin { computed: origin.computed || !moves, ..origin });
        execute(lanes, op);
        (0..TWINS).for_each(|twin| twins.run(lanes, op, twin, active));
        if op.dataflow == Dataflow::Compares {
            twins.compare(lanes, op, through);
        }
        twins.set_origins(lanes, op, through, origin);
        lanes.context.listener.twins = Some(twins);
        return;
    }
    if op.dataflow == Dataflow::Products {
        for row in warpgroup::descriptors(lanes, op) {
            twins.report_use(lanes, (row, 8), active, op.site, Use::Address);
        }
    }
    let touches = matches!(op.dataflow, Dataflow::Loads | Dataflow::Stores | Dataflow::Updates);
    let mut local = 0;
    if touches {
        let address_bytes = if AccessForm::of(op).has(AccessForm::ADDRESS_32) { 4 } else { 8 };
        twins.report_use(lanes, (op.a, address_bytes), through, op.site, Use::Address);
        local = local_lanes(lanes, op, through);
    }
    if op.dataflow == Dataflow::Updates && matches!(op.bytes, 2 | 4 | 8) {
        for row in [op.b, op.c] {
            twins.report_use(lanes, (row, op.bytes.into()), through, op.site, Use::Atomic);
        }
    }
    // The probe may ask what is undefined of what is stored.
    lanes.context.listener.twins = Some(twins);
    execute(lanes, op);
    let Some(mut twins) = lanes.context.listener.twins.take() else { return };
    lanes.undefined = false;
    match op.dataflow {
        Dataflow::Loads => twins.load(lanes, op, through, local),
        Dataflow::Stores => twins.store(lanes, op, local),
        Dataflow::Products => twins.product(lanes, op),
        Dataflow::Updates => twins.update(lanes, op, through),
        _ => {
            lanes.context.listener.undefined.clear();
            twins.heal_results(lanes, op, through);
        }
    }
    lanes.context.listener.twins = Some(twins);
}

/// Tells the probe if a value decides where lanes go, and is undefined; a predicate where it has no bytes.
#[cold]
#[inline(never)]
pub(crate) fn decide(lanes: &mut Lanes, value: (Row, u32), mask: u32, site: u32, what: Use) {
    if let Some(mut twins) = lanes.context.listener.twins.take() {
        twins.report_use(lanes, value, mask, site, what);
        lanes.context.listener.twins = Some(twins);
    }
}

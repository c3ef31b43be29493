//! Finds undefined values: computes what a warp would compute if the bits that nobody has written had other values.
//!
//! As long as some of a warp's registers come from such bits, the warp has two twins: copies of its registers and of its
//! local memory in which those bits are others. Ops that only compute are done in all three, under the warp's own control flow.
//! A bit that comes out differently is undefined; one that comes out alike was masked, shifted out, multiplied by zero or not
//! selected, and is defined. So no instruction needs a rule of its own, and nothing is called undefined that does not
//! depend on undefined bits. Comparisons are tried with more values, since two twins seldom hold the one that makes `a == b`.
//!
//! Where a value matters (a branch, an address), its use is reported to the probe, and the twins go on with the warp's value.
use super::state::{TWINS, Twins};
use crate::exec::view::{Lanes, Line, Op, Row, WARP, Window};
use crate::probe::{Origin, Use, lanes as lanes_of};

impl Twins {
    pub fn of(lanes: &Lanes) -> Twins {
        let lines = lanes.registers.bytes as usize / size_of::<Line>();
        let stride = lanes.local.bytes as usize;
        let registers = copy_of::<Line>(lanes.registers.base, lines);
        let local = copy_of::<u8>(lanes.local.base, stride * WARP);
        Twins { registers: [registers.clone(), registers], local: [local.clone(), local], stride, ..Twins::default() }
    }

    /// Returns whether a warp's registers and local memory are what they would be without undefined bits.
    pub fn are_alike(&self, lanes: &Lanes) -> bool {
        let alike = |window: Window, count: usize, twins: [&[u8]; TWINS]| {
            let own = bytes_of(window, count);
            twins.iter().all(|twin| *twin == own)
        };
        let registers = self.registers.each_ref().map(|file| bytes_of_lines(file));
        alike(lanes.registers, lanes.registers.bytes as usize, registers)
            && alike(lanes.local, self.stride * WARP, self.local.each_ref().map(Vec::as_slice))
    }

    fn key(lanes: &Lanes, row: Row) -> u32 {
        lanes.frame_offset() as u32 + row.0
    }

    pub fn origin(&self, lanes: &Lanes, row: Row) -> Option<Origin> {
        self.origins.get(&Self::key(lanes, row)).copied()
    }

    /// Sets the origin of an op's results in the lanes of `mask`.
    pub fn set_origins(&mut self, lanes: &Lanes, op: &Op, mask: u32, origin: Option<Origin>) {
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
    pub fn source(&self, lanes: &Lanes, op: &Op) -> Option<Origin> {
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
    pub fn undefined(&mut self, lanes: &mut Lanes, row: Row, bytes: u32, lane: usize) -> u128 {
        let own = lanes.bits(row, bytes, lane);
        (0..TWINS).fold(0, |all, twin| all | own ^ self.with(lanes, twin, |lanes| lanes.bits(row, bytes, lane)))
    }

    /// The lanes of `mask` in which a value is undefined; a predicate where it has no bytes.
    pub fn differing(&mut self, lanes: &mut Lanes, row: Row, bytes: u32, mask: u32) -> u32 {
        if bytes == 0 {
            let own = lanes.predicate(row);
            return (0..TWINS).fold(0, |all, twin| all | own ^ self.with(lanes, twin, |l| l.predicate(row))) & mask;
        }
        lanes_of(mask).filter(|&lane| self.undefined(lanes, row, bytes, lane) != 0).fold(0, |all, lane| all | 1 << lane)
    }

    /// Gives the twins the warp's own value in the lanes of `mask`.
    pub fn heal(&mut self, lanes: &mut Lanes, row: Row, bytes: u32, mask: u32) {
        fn row_of<T: crate::exec::view::lane::Lane>(twins: &mut Twins, lanes: &mut Lanes, row: Row) {
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
    pub fn heal_results(&mut self, lanes: &mut Lanes, op: &Op, mask: u32) {
        self.heal(lanes, op.dst, op.width.into(), mask);
        for index in 0..usize::from(op.more_count) {
            let row = lanes.more(op, index);
            self.heal(lanes, row, op.width.into(), mask);
        }
    }

    /// Runs something with the registers and the local memory of a twin instead of the warp's.
    pub fn with<R>(&mut self, lanes: &mut Lanes, twin: usize, run: impl FnOnce(&mut Lanes) -> R) -> R {
        let local = Window { base: self.local[twin].as_mut_ptr(), ..lanes.local };
        let registers = Window { base: self.registers[twin].as_mut_ptr().cast(), ..lanes.registers };
        let own = lanes.stand_in(registers, local);
        let result = run(lanes);
        lanes.stand_in(own.0, own.1);
        result
    }

    /// Runs an op in a twin: nobody hears of it, and nothing but its registers and local memory changes.
    pub fn run(&mut self, lanes: &mut Lanes, op: &Op, twin: usize, mask: u32) {
        let probe = lanes.context.replace_probe(None);
        let own = (lanes.mask, lanes.read_outside, lanes.stores, lanes.spins);
        let faulted = lanes.context.fault.is_some();
        lanes.mask = mask;
        self.with(lanes, twin, |lanes| execute(lanes, op));
        (lanes.mask, lanes.read_outside, lanes.stores, lanes.spins) = own;
        if !faulted {
            lanes.context.fault = None;
        }
        lanes.context.replace_probe(probe);
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

#[allow(unsafe_code)]
fn bytes_of_lines(lines: &[Line]) -> &[u8] {
    // SAFETY: a line is 64 bytes and nothing else.
    unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), size_of_val(lines)) }
}

/// A load has read undefined bytes, before its registers change: gives the warp its twins.
#[cold]
#[inline(never)]
pub(crate) fn begin(lanes: &mut Lanes) {
    let Some(probe) = lanes.context.probe() else { return };
    let bytes = probe.undefined();
    lanes.context.listener.following.loaded(false);
    lanes.context.listener.undefined.extend(bytes);
    if lanes.context.listener.twins.is_none() {
        lanes.context.listener.twins = Some(Box::new(Twins::of(lanes)));
        lanes.context.listener.following.twins(true);
    }
    lanes.undefined = true;
}

/// Runs an op for the lanes as they are.
#[inline(always)]
pub(super) fn execute(lanes: &mut Lanes, op: &Op) {
    // Twins take turns op by op, and their addresses may differ.
    *lanes.together.patterns() = Default::default();
    // SAFETY: the lanes point at a frame of the op's function, the warp's own or a copy of it with the same rows.
    #[allow(unsafe_code)]
    unsafe {
        (op.exec)(lanes, op)
    };
}

/// Does something to the registers and the local memory of the warp, and of its twins.
pub(crate) fn in_each(lanes: &mut Lanes, mut change: impl FnMut(&mut Lanes)) {
    change(lanes);
    if let Some(mut twins) = lanes.context.listener.twins.take() {
        let probe = lanes.context.replace_probe(None);
        (0..TWINS).for_each(|twin| twins.with(lanes, twin, &mut change));
        lanes.context.replace_probe(probe);
        lanes.context.listener.twins = Some(twins);
    }
}

/// A part of the local memory of the active lanes was copied to another.
pub(crate) fn move_local_origins(lanes: &mut Lanes, from: u32, to: u32, bytes: u32) {
    let Some(twins) = &mut lanes.context.listener.twins else { return };
    for word in 0..u64::from(bytes.div_ceil(4)) {
        if let Some(&origin) = twins.local_origins.get(&(u64::from(from) / 4 + word)) {
            twins.local_origins.insert(u64::from(to) / 4 + word, origin);
        }
    }
}

/// A part of the local memory of the active lanes was written with defined values, for the warp alone.
pub(crate) fn heal_local(lanes: &mut Lanes, offset: u32, bytes: u32) {
    let Some(twins) = &mut lanes.context.listener.twins else { return };
    for lane in lanes_of(lanes.mask) {
        let at = lane * twins.stride + offset as usize..lane * twins.stride + (offset + bytes) as usize;
        let own = bytes_of(lanes.local, twins.stride * WARP);
        for local in &mut twins.local {
            if let (Some(to), Some(from)) = (local.get_mut(at.clone()), own.get(at.clone())) {
                to.copy_from_slice(from);
            }
        }
    }
}

/// Tells the probe of a lane's local memory that is printed, if it is undefined.
pub(crate) fn print_local(lanes: &mut Lanes, lane: usize, offset: u64, bytes: usize, site: u32) {
    let Some(twins) = &lanes.context.listener.twins else { return };
    let at = lane * twins.stride + offset as usize..lane * twins.stride + offset as usize + bytes;
    let Some(own) = bytes_of(lanes.local, twins.stride * WARP).get(at.clone()) else { return };
    if twins.local.iter().any(|local| local.get(at.clone()).is_some_and(|other| other != own)) {
        let origin = twins.local_origins.get(&(offset / 4)).copied().unwrap_or_default();
        let who = lanes.context.who;
        if let Some(probe) = lanes.context.probe() {
            probe.undefined_used(who, site, 1 << lane, Use::Printed, origin);
        }
    }
}

/// The undefined bits of a value that a lane is about to store, and where they come from.
pub(crate) fn undefined_bits(lanes: &Lanes, row: Row, bytes: u32, lane: usize) -> (u128, Origin) {
    let Some(twins) = &lanes.context.listener.twins else { return (0, Origin::default()) };
    let place = lanes.frame_offset() + row.0 as usize + lane * bytes as usize;
    let value = |file: &[u8]| {
        let mut value = [0; 16];
        if let Some(from) = file.get(place..place + bytes as usize) {
            value[..bytes as usize].copy_from_slice(from);
        }
        u128::from_le_bytes(value)
    };
    let own = value(bytes_of(lanes.registers, lanes.registers.bytes as usize));
    let bits = twins.registers.iter().fold(0, |all, file| all | own ^ value(bytes_of_lines(file)));
    (bits, twins.origin(lanes, row).unwrap_or_default())
}

//! `st`: from registers to memory.
//!
//! As for loads, the hot forms have a function each and all others share one. Where several lanes store to one address,
//! the last lane's value stays.
use super::access::{self, Form, Hosts, addresses, all_global, by_space, order_of, resolve};
use super::lanes::{Lane, Lane32, Lanes, WARP};
use super::op::{Op, Row, Selected, Semantics, Versions};
use super::shape::{Eyes, Plain, Shape};
use crate::fault::AccessKind::Store as KIND;
use crate::isa::{self, Refusal};
use crate::probe::{Order, Pattern, Stored};
use crate::ptx::tree::Space;
use std::marker::PhantomData;

/// `st` in every form.
pub fn select(form: &isa::Form) -> Result<Selected, Refusal> {
    let ty = form.ty(0).ok_or(Refusal::NoSuchForm)?;
    // Operands are `[a], b`: b is the value.
    let register_bytes = u32::from(form.widths[2]).div_ceil(8);
    let order = order_of(form);
    let mut flags = 0;
    flags |= if form.widths[1] == 32 { Form::ADDRESS_32 } else { 0 };
    flags |= if form.call_parameter { Form::CALL_PARAMETER } else { 0 };
    if register_bytes < ty.bytes() || ty.bytes() == 0 || form.space == Space::Const {
        return Err(Refusal::NoSuchForm);
    }
    let data = Form::new(form.space, order, register_bytes, flags).0;
    let simple = form.vector == 1 && order == Order::Plain && !form.call_parameter && register_bytes == ty.bytes();
    let selected = match (simple, ty.bytes(), form.space) {
        (true, 4, Space::Global) => hot::<u32, GLOBAL>(),
        (true, 4, Space::Shared) => hot::<u32, SHARED>(),
        (true, 4, Space::Generic) => hot::<u32, GENERIC>(),
        (true, 8, Space::Global) => hot::<u64, GLOBAL>(),
        (true, 8, Space::Shared) => hot::<u64, SHARED>(),
        (true, 8, Space::Generic) => hot::<u64, GENERIC>(),
        _ => Selected::plainly_told::<Any<false>, Any<true>>(),
    };
    Ok(selected.with(data))
}

const GLOBAL: u8 = 0;
const SHARED: u8 = 1;
const GENERIC: u8 = 2;

#[cfg(target_arch = "x86_64")]
const fn hot<T: Lane, const SPACE: u8>() -> Selected {
    use super::shape::{Avx2, Avx512};
    let bare =
        Versions::each::<Hot<T, Plain, SPACE, false>, Hot<T, Avx2, SPACE, false>, Hot<T, Avx512, SPACE, false>>();
    let probed = Versions::each::<Hot<T, Plain, SPACE, true>, Hot<T, Avx2, SPACE, true>, Hot<T, Avx512, SPACE, true>>();
    Selected { bare, probed, data: 0 }
}

#[cfg(not(target_arch = "x86_64"))]
const fn hot<T: Lane, const SPACE: u8>() -> Selected {
    Selected::told::<Hot<T, Plain, SPACE, false>, Hot<T, Plain, SPACE, true>>()
}

struct Hot<T, E, const SPACE: u8, const PROBED: bool>(PhantomData<(T, E)>);

impl<T: Lane, E: Eyes, const SPACE: u8, const PROBED: bool> Semantics for Hot<T, E, SPACE, PROBED> {
    #[inline(always)]
    #[allow(unsafe_code)]
    fn run(lanes: &mut Lanes, op: &Op) {
        let space = if SPACE == SHARED { Space::Shared } else { Space::Global };
        if let Some((Shape::Dense, host)) = access::glance::<T, E>(lanes, op, space) {
            if PROBED {
                let raw = addresses(lanes, op);
                let pending = Pending::new(lanes, op, &Hosts::Dense(host), size_of::<T>() as u64);
                access::tell(lanes, op, space, KIND, size_of::<T>() as u64, &raw, Pattern::Dense, Some(&pending));
            }
            lanes.stores += 1;
            // SAFETY: `glance` found the whole access inside live memory. A kernel that races leaves some value or other,
            // as on hardware.
            return unsafe { (host as *mut Lane32<T>).write_unaligned(lanes.get::<T>(op.b)) };
        }
        careful::<T>(lanes, op, SPACE, PROBED);
    }
}

/// The hot forms at any addresses.
#[inline(never)]
#[allow(unsafe_code)]
fn careful<T: Lane>(lanes: &mut Lanes, op: &Op, space: u8, probed: bool) {
    let raw = addresses(lanes, op);
    if space == GENERIC && !all_global(lanes, &raw) {
        return any(lanes, op, &raw, probed);
    }
    let space = if space == SHARED { Space::Shared } else { Space::Global };
    let bytes = size_of::<T>() as u64;
    let Some((hosts, pattern)) = resolve(lanes, op, space, KIND, bytes, &raw) else { return };
    let values = lanes.get::<T>(op.b);
    if probed {
        let pending = Pending::new(lanes, op, &hosts, bytes);
        access::tell(lanes, op, space, KIND, bytes, &raw, pattern, Some(&pending));
    }
    lanes.stores += 1;
    // SAFETY: `resolve` found the lanes' addresses inside live memory. A kernel that races leaves some value or other,
    // as on hardware.
    unsafe {
        match hosts {
            Hosts::Dense(first) => (first as *mut Lane32<T>).write_unaligned(values),
            Hosts::Same(address) => (address as *mut T).write(values[WARP - 1]),
            Hosts::Each(addresses) => lanes.each(|lane| (addresses[lane] as *mut T).write(values[lane])),
        }
    }
}

struct Any<const PROBED: bool>;

impl<const PROBED: bool> Semantics for Any<PROBED> {
    #[inline(always)]
    fn run(lanes: &mut Lanes, op: &Op) {
        let raw = addresses(lanes, op);
        any(lanes, op, &raw, PROBED);
    }
}

/// Any form, at any addresses of the op's space.
#[inline(never)]
fn any(lanes: &mut Lanes, op: &Op, raw: &Lane32<u64>, probed: bool) {
    match Form::of(op).space() {
        Space::Generic => by_space(lanes, raw, |lanes, space, raw| in_space(lanes, op, space, raw, probed)),
        space => in_space(lanes, op, space, raw, probed),
    }
}

fn in_space(lanes: &mut Lanes, op: &Op, space: Space, raw: &Lane32<u64>, probed: bool) {
    let bytes = u64::from(op.bytes) * u64::from(op.vector);
    let Some((hosts, pattern)) = resolve(lanes, op, space, KIND, bytes, raw) else { return };
    if probed {
        let pending = Pending::new(lanes, op, &hosts, bytes);
        access::tell(lanes, op, space, KIND, bytes, raw, pattern, Some(&pending));
    }
    lanes.stores += 1;
    let hosts = hosts.each(bytes);
    for index in 0..usize::from(op.vector) {
        let row = element_row(lanes, op, index);
        let offset = index as u64 * u64::from(op.bytes);
        match (op.bytes, Form::of(op).register_bytes()) {
            (1, 2) => truncate(lanes, row, &hosts, offset, |v: u16| v as u8),
            (1, 4) => truncate(lanes, row, &hosts, offset, |v: u32| v as u8),
            (1, 8) => truncate(lanes, row, &hosts, offset, |v: u64| v as u8),
            (2, 2) => truncate(lanes, row, &hosts, offset, |v: u16| v),
            (2, 4) => truncate(lanes, row, &hosts, offset, |v: u32| v as u16),
            (2, 8) => truncate(lanes, row, &hosts, offset, |v: u64| v as u16),
            (4, 4) => truncate(lanes, row, &hosts, offset, |v: u32| v),
            (4, 8) => truncate(lanes, row, &hosts, offset, |v: u64| v as u32),
            (8, 8) => truncate(lanes, row, &hosts, offset, |v: u64| v),
            (1, _) => truncate(lanes, row, &hosts, offset, |v: u128| v as u8),
            (2, _) => truncate(lanes, row, &hosts, offset, |v: u128| v as u16),
            (4, _) => truncate(lanes, row, &hosts, offset, |v: u128| v as u32),
            (8, _) => truncate(lanes, row, &hosts, offset, |v: u128| v as u64),
            _ => truncate(lanes, row, &hosts, offset, |v: u128| v),
        }
    }
}

fn element_row(lanes: &Lanes, op: &Op, index: usize) -> Row {
    if op.vector == 1 { op.b } else { lanes.more(op, index) }
}

#[inline(always)]
#[allow(unsafe_code)]
fn truncate<R: Lane, M: Copy>(lanes: &mut Lanes, row: Row, hosts: &Lane32<u64>, offset: u64, f: impl Fn(R) -> M) {
    let values = lanes.get::<R>(row);
    lanes.each(|lane| {
        // SAFETY: `resolve` found the whole vector inside live memory for every active lane.
        unsafe { ((hosts[lane] + offset) as *mut M).write_unaligned(f(values[lane])) }
    });
}

/// What a store is about to write, for the probe.
struct Pending {
    values: Lane32<[u8; 16]>,
    hosts: Lane32<u64>,
    bytes: usize,
}

impl Pending {
    fn new(lanes: &Lanes, op: &Op, hosts: &Hosts, bytes: u64) -> Pending {
        let mut values = [[0; 16]; WARP];
        let element = usize::from(op.bytes);
        for index in 0..usize::from(op.vector) {
            let at = index * element;
            if at + element > 16 {
                break;
            }
            let row = element_row(lanes, op, index);
            for (lane, value) in values.iter_mut().enumerate() {
                let bits = lanes.bits(row, Form::of(op).register_bytes(), lane).to_le_bytes();
                value[at..at + element].copy_from_slice(&bits[..element]);
            }
        }
        Pending { values, hosts: hosts.each(bytes), bytes: (bytes as usize).min(16) }
    }
}

impl Stored for Pending {
    fn value(&self, lane: u32) -> [u8; 16] {
        self.values[lane as usize]
    }

    #[allow(unsafe_code)]
    fn current(&self, lane: u32) -> [u8; 16] {
        let mut bytes = [0; 16];
        let host = self.hosts[lane as usize] as *const u8;
        // SAFETY: `resolve` found the access inside live memory, and the store has not happened yet.
        unsafe { std::ptr::copy_nonoverlapping(host, bytes.as_mut_ptr(), self.bytes) };
        bytes
    }
}

//! `st`: from registers to memory. Where several lanes store to one address, the last lane's value stays.
use super::access::{AccessForm, Hosts, resolve};
use super::tell::element_row;
use crate::exec::fast_paths::hot::{self, Direction};
use crate::exec::fast_paths::pattern::EIGHT;
use crate::exec::view::{Lane, Lane32, Lanes, Op, Row, Selected, WARP};
use crate::probe::{AccessKind, Addresses};
use ptx::isa::{self, Refusal, Space};

/// `st` in every form.
pub fn select(form: &isa::Form) -> Result<Selected, Refusal> {
    refuse_if!(form.space == Space::Const, Refusal::NoSuchForm);
    hot::select::<Store>(form, 0)
}

struct Store;

impl Direction for Store {
    const KIND: AccessKind = AccessKind::Store;
    /// Operands are `[a], b`: b is the value.
    const REGISTER: usize = 2;
    /// A kernel does not store to them, and what it hands on in a call is not hot.
    const OF_PARAMETERS: Option<[Selected; 2]> = None;

    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn transfer<T: Lane>(lanes: &mut Lanes, op: &Op, hosts: &Hosts) {
        let values = lanes.get::<T>(op.b);
        lanes.stores += 1;
        // SAFETY: every lane's element was found inside live memory before. A kernel that races leaves some value or other, as on hardware.
        unsafe {
            match hosts {
                Hosts::Dense(first) => (*first as *mut Lane32<T>).write_unaligned(values),
                Hosts::Same(address) => (*address as *mut T).write(values[WARP - 1]),
                Hosts::Eights { firsts, dense } => {
                    for (number, eight) in values.as_chunks::<EIGHT>().0.iter().enumerate() {
                        let first = firsts[number];
                        match dense {
                            true => (first as *mut [T; EIGHT]).write_unaligned(*eight),
                            false => (first as *mut T).write(eight[EIGHT - 1]),
                        }
                    }
                }
                Hosts::Each(addresses) => each(lanes, &values, addresses),
            }
        }
    }

    /// Saves what is about to be written.
    #[cold]
    #[inline(never)]
    fn before(lanes: &mut Lanes, _: &Op, hosts: Hosts, bytes: u64) -> Hosts {
        save_before(lanes, &hosts, bytes);
        hosts
    }

    fn any(lanes: &mut Lanes, op: &Op, space: Space, raw: &Lane32<u64>, probed: bool) {
        let bytes = u64::from(op.bytes) * u64::from(op.vector);
        let Some((hosts, pattern)) = resolve(lanes, op, space, Store::KIND, bytes, raw) else { return };
        if probed {
            hot::tell_of::<Store>(lanes, op, space, bytes, Addresses::of(pattern, raw, lanes.mask), &hosts);
        }
        lanes.stores += 1;
        let hosts = hot::with_before::<Store>(lanes, op, space, hosts, bytes).each(bytes);
        for index in 0..usize::from(op.vector) {
            let row = element_row(lanes, op, index);
            let offset = index as u64 * u64::from(op.bytes);
            match (op.bytes, AccessForm::of(op).register_bytes()) {
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
}

/// Stores to each active lane's address. A function of its own, so that they lie in memory.
///
/// # Safety
/// The active lanes' elements lie inside live memory.
#[inline(never)]
#[allow(unsafe_code)]
unsafe fn each<T: Lane>(lanes: &mut Lanes, values: &Lane32<T>, addresses: &Lane32<u64>) {
    // SAFETY: each active lane's element lies inside live memory, as this function asks. A kernel that races leaves some value or other, as on hardware.
    let write = |lane: usize| unsafe { (addresses[lane] as *mut T).write(values[lane]) };
    match lanes.mask == !0 {
        true => (0..WARP).for_each(write),
        false => lanes.each(write),
    }
}

/// Saves what is about to be written to global memory, `bytes` for each lane, where the launch keeps it as it was.
pub(super) fn save_before(lanes: &mut Lanes, hosts: &Hosts, bytes: u64) {
    let mask = lanes.mask;
    let Some(before) = &mut lanes.context.before else { return };
    match hosts {
        Hosts::Dense(first) => before.save(*first, WARP as u64 * bytes),
        Hosts::Same(address) => before.save(*address, bytes),
        Hosts::Eights { .. } | Hosts::Each(_) => {
            crate::probe::lanes(mask).for_each(|lane| before.save(hosts.of(lane, bytes), bytes));
        }
    }
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

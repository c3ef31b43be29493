//! `ld`, `ldu`: from memory to registers.
use super::access::{AccessForm, Hosts, order_of, resolve};
use crate::exec::fast_paths::hot::{self, Direction};
use crate::exec::fast_paths::pattern::EIGHT;
use crate::exec::view::{Lane, Lane32, Lanes, Op, Row, Selected, WARP};
use crate::probe::{AccessKind, Addresses};
use ptx::isa::{self, Refusal, Space};

/// `ld` and `ldu` in every form.
pub fn select(form: &isa::Form) -> Result<Selected, Refusal> {
    let signed = if form.ty(0).is_some_and(isa::Type::is_signed) { AccessForm::SIGNED } else { 0 };
    let spins = if order_of(form).is_weak() { 0 } else { AccessForm::SPINS };
    let read_only = if form.has("nc") { AccessForm::READ_ONLY } else { 0 };
    hot::select::<Load>(form, signed | spins | read_only)
}

/// A load of any order by which a thread waits for others.
pub fn polling(plain: Selected) -> Selected {
    hot::any::<Load>(plain.data & !AccessForm::HOT | AccessForm::SPINS)
}

struct Load;

impl Direction for Load {
    const KIND: AccessKind = AccessKind::Load;
    const REGISTER: usize = 0;
    const OF_PARAMETERS: Option<[Selected; 2]> = Some(hot::of_parameters::<Load>());

    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn transfer<T: Lane>(lanes: &mut Lanes, op: &Op, hosts: &Hosts) {
        // SAFETY: every lane's element was found inside live memory before. A kernel that races reads some bytes or others, as on hardware.
        let values: Lane32<T> = unsafe {
            match hosts {
                Hosts::Dense(first) => (*first as *const Lane32<T>).read_unaligned(),
                Hosts::Same(address) => [(*address as *const T).read(); WARP],
                Hosts::Eights { firsts, dense } => {
                    let mut values = [T::default(); WARP];
                    for (number, eight) in values.as_chunks_mut::<EIGHT>().0.iter_mut().enumerate() {
                        let first = firsts[number];
                        *eight = match dense {
                            true => (first as *const [T; EIGHT]).read_unaligned(),
                            false => [(first as *const T).read(); EIGHT],
                        };
                    }
                    values
                }
                Hosts::Each(addresses) => return each::<T>(lanes, op, addresses),
            }
        };
        lanes.set(op.dst, values);
    }

    /// The places of the older values, for a load through the read-only cache.
    #[cold]
    #[inline(never)]
    fn before(lanes: &mut Lanes, op: &Op, hosts: Hosts, bytes: u64) -> Hosts {
        match &mut lanes.context.before {
            Some(before) if AccessForm::of(op).has(AccessForm::READ_ONLY) => {
                Hosts::Each(hosts.each(bytes).map(|host| before.place(host)))
            }
            _ => hosts,
        }
    }

    fn any(lanes: &mut Lanes, op: &Op, space: Space, raw: &Lane32<u64>, probed: bool) {
        let form = AccessForm::of(op);
        let element = u64::from(op.bytes);
        let bytes = element * u64::from(op.vector);
        let Some((hosts, pattern)) = resolve(lanes, op, space, Load::KIND, bytes, raw) else { return };
        if probed {
            hot::tell_of::<Load>(lanes, op, space, bytes, Addresses::of(pattern, raw, lanes.mask), &hosts);
        }
        if form.has(AccessForm::SPINS) {
            lanes.spin(raw);
        }
        let hosts = hot::with_before::<Load>(lanes, op, space, hosts, bytes).each(bytes);
        for index in 0..usize::from(op.vector) {
            let row = if op.vector == 1 { op.dst } else { lanes.more(op, index) };
            let offset = index as u64 * element;
            let signed = form.has(AccessForm::SIGNED);
            match (op.bytes, form.register_bytes(), signed) {
                (1, 2, false) => extend(lanes, row, &hosts, offset, |v: u8| u16::from(v)),
                (1, 4, false) => extend(lanes, row, &hosts, offset, |v: u8| u32::from(v)),
                (1, 8, false) => extend(lanes, row, &hosts, offset, |v: u8| u64::from(v)),
                (1, 2, true) => extend(lanes, row, &hosts, offset, |v: i8| i16::from(v)),
                (1, 4, true) => extend(lanes, row, &hosts, offset, |v: i8| i32::from(v)),
                (1, 8, true) => extend(lanes, row, &hosts, offset, |v: i8| i64::from(v)),
                (2, 2, _) => extend(lanes, row, &hosts, offset, |v: u16| v),
                (2, 4, false) => extend(lanes, row, &hosts, offset, |v: u16| u32::from(v)),
                (2, 8, false) => extend(lanes, row, &hosts, offset, |v: u16| u64::from(v)),
                (2, 4, true) => extend(lanes, row, &hosts, offset, |v: i16| i32::from(v)),
                (2, 8, true) => extend(lanes, row, &hosts, offset, |v: i16| i64::from(v)),
                (4, 4, _) => extend(lanes, row, &hosts, offset, |v: u32| v),
                (4, 8, false) => extend(lanes, row, &hosts, offset, |v: u32| u64::from(v)),
                (4, 8, true) => extend(lanes, row, &hosts, offset, |v: i32| i64::from(v)),
                (8, 8, _) => extend(lanes, row, &hosts, offset, |v: u64| v),
                (16, 16, _) => extend(lanes, row, &hosts, offset, |v: u128| v),
                // `select` lets no register through that is narrower than its element; a row of 16 bytes takes the rest.
                (1, ..) => extend(lanes, row, &hosts, offset, |v: u8| u128::from(v)),
                (2, ..) => extend(lanes, row, &hosts, offset, |v: u16| u128::from(v)),
                (4, ..) => extend(lanes, row, &hosts, offset, |v: u32| u128::from(v)),
                _ => extend(lanes, row, &hosts, offset, |v: u64| u128::from(v)),
            }
        }
    }
}

/// Loads from 32 addresses. A function of its own, so that they lie in memory.
///
/// # Safety
/// Elements lie inside live memory.
#[inline(never)]
#[allow(unsafe_code)]
unsafe fn each<T: Lane>(lanes: &mut Lanes, op: &Op, addresses: &Lane32<u64>) {
    let mut values = [T::default(); WARP];
    for lane in 0..WARP {
        // SAFETY: each element lies inside live memory, as this function asks. A kernel that races reads some bytes or others, as on hardware.
        values[lane] = unsafe { (addresses[lane] as *const T).read() };
    }
    lanes.set(op.dst, values);
}

#[inline(always)]
#[allow(unsafe_code)]
fn extend<M: Copy, R: Lane>(lanes: &mut Lanes, row: Row, hosts: &Lane32<u64>, offset: u64, f: impl Fn(M) -> R) {
    let mut values = [R::default(); WARP];
    for lane in 0..WARP {
        // SAFETY: `resolve` found the whole vector inside live memory for every address in `hosts`.
        values[lane] = f(unsafe { ((hosts[lane] + offset) as *const M).read_unaligned() });
    }
    lanes.set(row, values);
}

//! `ld`, `ldu`: from memory to registers.
//!
//! The hot forms (one element of 4 or 8 bytes, as wide as its register, not ordered) have a function each; all other forms
//! share one that moves element by element.
use super::access::{self, Form, Hosts, addresses, all_global, by_space, order_of, resolve};
use super::lanes::{Lane, Lane32, Lanes, WARP};
use super::op::{Op, Row, Selected, Semantics, Versions};
use super::shape::{Eyes, Plain, Shape};
use crate::fault::AccessKind::Load as KIND;
use crate::isa::{self, Refusal};
use crate::probe::{Order, Pattern};
use crate::ptx::tree::Space;
use std::marker::PhantomData;

/// `ld` and `ldu` in every form.
pub fn select(form: &isa::Form) -> Result<Selected, Refusal> {
    let ty = form.ty(0).ok_or(Refusal::NoSuchForm)?;
    let register_bytes = u32::from(form.widths[0]).div_ceil(8);
    let order = order_of(form);
    let mut flags = 0;
    flags |= if form.widths[1] == 32 { Form::ADDRESS_32 } else { 0 };
    flags |= if ty.is_signed() { Form::SIGNED } else { 0 };
    flags |= if order == Order::Plain { 0 } else { Form::SPINS };
    flags |= if form.call_parameter { Form::CALL_PARAMETER } else { 0 };
    if register_bytes < ty.bytes() || ty.bytes() == 0 {
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
        if let Some((shape, host)) = access::glance::<T, E>(lanes, op, space) {
            if PROBED {
                let (raw, pattern) = (addresses(lanes, op), pattern_of(shape));
                access::tell(lanes, op, space, KIND, size_of::<T>() as u64, &raw, pattern, None);
            }
            // SAFETY: `glance` found the whole access inside live memory. A kernel that races reads some bytes or others,
            // as on hardware.
            let values: Lane32<T> = unsafe {
                match shape {
                    Shape::Dense => (host as *const Lane32<T>).read_unaligned(),
                    _ => [(host as *const T).read(); WARP],
                }
            };
            return lanes.set(op.dst, values);
        }
        careful::<T>(lanes, op, SPACE, PROBED);
    }
}

fn pattern_of(shape: Shape) -> Pattern {
    match shape {
        Shape::Dense => Pattern::Dense,
        Shape::Same => Pattern::Same,
        Shape::Other => Pattern::Any,
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
    if probed {
        access::tell(lanes, op, space, KIND, bytes, &raw, pattern, None);
    }
    // SAFETY: `resolve` found the lanes' addresses inside live memory. A kernel that races reads some bytes or others,
    // as on hardware.
    let values: Lane32<T> = unsafe {
        match hosts {
            Hosts::Dense(first) => (first as *const Lane32<T>).read_unaligned(),
            Hosts::Same(address) => [(address as *const T).read(); WARP],
            Hosts::Each(addresses) => {
                let mut values = [T::default(); WARP];
                for lane in 0..WARP {
                    values[lane] = (addresses[lane] as *const T).read();
                }
                values
            }
        }
    };
    lanes.set(op.dst, values);
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
    let form = Form::of(op);
    let element = u64::from(op.bytes);
    let bytes = element * u64::from(op.vector);
    let Some((hosts, pattern)) = resolve(lanes, op, space, KIND, bytes, raw) else { return };
    if probed {
        access::tell(lanes, op, space, KIND, bytes, raw, pattern, None);
    }
    if form.has(Form::SPINS) {
        lanes.spins += 1;
    }
    let hosts = hosts.each(bytes);
    for index in 0..usize::from(op.vector) {
        let row = if op.vector == 1 { op.dst } else { lanes.more(op, index) };
        let offset = index as u64 * element;
        let signed = form.has(Form::SIGNED);
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

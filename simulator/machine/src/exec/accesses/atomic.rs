//! `atom` and `red`: read, change and write a memory location as one step.
//!
//! Kernels whose atomics other blocks can see run on one host thread, so plain reads and writes are atomic. The lanes of a
//! warp go one after the other, lowest first.
use super::access::{AccessForm, Hosts, addresses, in_spaces, order_of, resolve, scope_of};
use super::store::save_before;
use super::tell::{CheckedAccess, current, tell};
use crate::exec::fast_paths::pattern::Pattern;
use crate::exec::fast_paths::scattered::hosts_of_scattered;
use crate::exec::view::half_bits::{narrow_bf16, narrow_f16, widen_bf16, widen_f16};
use crate::exec::view::{Lane, Lane32, Lanes, Op, Row, Selected, WARP, plainly_told};
use crate::probe::AccessKind::Atomic as KIND;
use crate::probe::{Addresses, Order, Scope, Strength};
use ptx::isa::{self, Refusal, Space, Type};

/// The operation on the location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    And,
    Or,
    Xor,
    Exchange,
    CompareAndSwap,
    Add,
    Increment,
    Decrement,
    Min,
    Max,
}

const CHANGES: [(&str, Change, &[Type]); 10] = {
    use Type::*;
    [
        ("and", Change::And, &[B32, B64]),
        ("or", Change::Or, &[B32, B64]),
        ("xor", Change::Xor, &[B32, B64]),
        ("exch", Change::Exchange, &[B32, B64, B128]),
        ("cas", Change::CompareAndSwap, &[B16, B32, B64, B128]),
        ("add", Change::Add, &[U32, S32, U64, F32, F64, F16, F16x2, Bf16, Bf16x2]),
        ("inc", Change::Increment, &[U32]),
        ("dec", Change::Decrement, &[U32]),
        ("min", Change::Min, &[U32, S32, U64, S64, F16, F16x2, Bf16, Bf16x2]),
        ("max", Change::Max, &[U32, S32, U64, S64, F16, F16x2, Bf16, Bf16x2]),
    ]
};

/// In [`Op::data`], above what [`AccessForm`] has there: the change in bits 16–19, the index of its type in 20–23, and whether
/// there is a result.
const RESULT: u32 = 1 << 24;

/// `atom`: gives the old value.
pub fn atom(form: &isa::Form) -> Result<Selected, Refusal> {
    select(form, RESULT)
}

/// `red`: gives nothing.
pub fn red(form: &isa::Form) -> Result<Selected, Refusal> {
    select(form, 0)
}

fn select(form: &isa::Form, result: u32) -> Result<Selected, Refusal> {
    let ty = form.ty(0).ok_or(Refusal::NoSuchForm)?;
    let found = CHANGES.iter().position(|(name, ..)| form.has(name)).ok_or(Refusal::NoSuchForm)?;
    let (_, change, types) = CHANGES[found];
    let number = types.iter().position(|&known| known == ty).ok_or(Refusal::NoSuchForm)?;
    let vector_only = matches!(change, Change::Min | Change::Max) && ty.is_float();
    if vector_only && form.vector == 1 || matches!(form.space, Space::Const | Space::Param | Space::Local) {
        return Err(Refusal::NoSuchForm);
    }
    let order = match order_of(form) {
        order if order.is_weak() => {
            Order { strength: Strength::Relaxed, scope: scope_of(form).unwrap_or(Scope::Device) }
        }
        order => order,
    };
    let address_32 = if form.widths[1] == 32 { AccessForm::ADDRESS_32 } else { 0 };
    let is_swap = matches!(change, Change::CompareAndSwap) && ty.bytes() == 4;
    let swap = if is_swap { AccessForm::SWAPS_A_WORD } else { 0 };
    let data = AccessForm::new(form.space, order, ty.bytes(), address_32 | swap).0;
    let data = data | (found as u32) << 16 | (number as u32) << 20 | result;
    Ok(plainly_told(update_all::<false>, update_all::<true>).with(data))
}

fn update_all<const PROBED: bool>(lanes: &mut Lanes, op: &Op) {
    let raw = addresses(lanes, op);
    in_spaces(lanes, op, &raw, |lanes, space, raw| in_space(lanes, op, space, raw, PROBED));
}

fn in_space(lanes: &mut Lanes, op: &Op, space: Space, raw: &Lane32<u64>, probed: bool) {
    let element = u64::from(op.bytes);
    let bytes = element * u64::from(op.vector);
    let (hosts, pattern) = match hosts_of_scattered(lanes, op, space, bytes, raw) {
        Some(hosts) => (Hosts::Each(hosts), Pattern::Scattered),
        None => {
            let Some(found) = resolve(lanes, op, space, KIND, bytes, raw) else { return };
            found
        }
    };
    if probed {
        let addresses = Addresses::of(pattern, raw, lanes.mask);
        tell(lanes, op, CheckedAccess { space, kind: KIND, bytes, addresses, stored: None });
    }
    if space == Space::Global {
        save_before(lanes, &hosts, bytes);
    }
    let mut hosts = match hosts {
        Hosts::Each(hosts) => hosts,
        hosts => hosts.each(bytes),
    };
    let firsts = hosts;
    let mut changed = update(lanes, op, space, &Places { hosts: &hosts, rows: rows(lanes, op, 0) });
    for index in 1..usize::from(op.vector) {
        for host in &mut hosts {
            *host += element;
        }
        changed |= update(lanes, op, space, &Places { hosts: &hosts, rows: rows(lanes, op, index) });
    }
    if probed {
        let (who, mask) = (lanes.context.who, lanes.mask);
        if let Some(probe) = lanes.context.probe() {
            probe.updated(who, op.site, mask, &|lane| current(&Hosts::Each(firsts), lane as u32, bytes));
        }
    }
    // An atomic that changes nothing is how a lane waits for a lock.
    if changed {
        lanes.stores += 1;
    } else {
        lanes.spin(raw);
    }
}

/// Where an element is, and the rows of its operands.
struct Places<'a> {
    hosts: &'a Lane32<u64>,
    rows: Rows,
}

#[derive(Clone, Copy)]
struct Rows {
    d: Option<Row>,
    b: Row,
    c: Row,
}

fn rows(lanes: &Lanes, op: &Op, index: usize) -> Rows {
    let result = op.data & RESULT != 0;
    if op.vector == 1 {
        return Rows { d: result.then_some(op.dst), b: op.b, c: op.c };
    }
    // "More" has the elements of d, where there is a d, then those of b.
    let first = if result { usize::from(op.vector) } else { 0 };
    Rows { d: result.then(|| lanes.more(op, index)), b: lanes.more(op, first + index), c: op.c }
}

/// Changes one element of every active lane; whether any value differs from before.
fn update(lanes: &mut Lanes, op: &Op, space: Space, places: &Places) -> bool {
    let (_, change, types) = CHANGES[(op.data >> 16 & 0xf) as usize % CHANGES.len()];
    let ty = types[(op.data >> 20 & 0xf) as usize % types.len()];
    use Change::*;
    use Type::*;
    macro_rules! extreme {
        ($name:ident) => {
            match ty {
                U32 => each(lanes, places, |old: u32, b, _| old.$name(b)),
                S32 => each(lanes, places, |old: i32, b, _| old.$name(b)),
                U64 => each(lanes, places, |old: u64, b, _| old.$name(b)),
                S64 => each(lanes, places, |old: i64, b, _| old.$name(b)),
                F16 => each(lanes, places, |old: u16, b, _| half(old, b, f32::$name)),
                Bf16 => each(lanes, places, |old: u16, b, _| brain(old, b, f32::$name)),
                F16x2 => each(lanes, places, |old: u32, b, _| pair(old, b, |x, y| half(x, y, f32::$name))),
                _ => each(lanes, places, |old: u32, b, _| pair(old, b, |x, y| brain(x, y, f32::$name))),
            }
        };
    }
    match (change, ty.bytes()) {
        (And, 4) => each(lanes, places, |old: u32, b, _| old & b),
        (And, _) => each(lanes, places, |old: u64, b, _| old & b),
        (Or, 4) => each(lanes, places, |old: u32, b, _| old | b),
        (Or, _) => each(lanes, places, |old: u64, b, _| old | b),
        (Xor, 4) => each(lanes, places, |old: u32, b, _| old ^ b),
        (Xor, _) => each(lanes, places, |old: u64, b, _| old ^ b),
        (Exchange, 4) => each(lanes, places, |_: u32, b, _| b),
        (Exchange, 8) => each(lanes, places, |_: u64, b, _| b),
        (Exchange, _) => each(lanes, places, |_: u128, b, _| b),
        (CompareAndSwap, 2) => each(lanes, places, |old: u16, b, c| if old == b { c } else { old }),
        (CompareAndSwap, 4) => each(lanes, places, |old: u32, b, c| if old == b { c } else { old }),
        (CompareAndSwap, 8) => each(lanes, places, |old: u64, b, c| if old == b { c } else { old }),
        (CompareAndSwap, _) => each(lanes, places, |old: u128, b, c| if old == b { c } else { old }),
        (Increment, _) => each(lanes, places, |old: u32, b, _| if old >= b { 0 } else { old + 1 }),
        (Decrement, _) => each(lanes, places, |old: u32, b, _| if old == 0 || old > b { b } else { old - 1 }),
        (Add, bytes) => match ty {
            // In global memory hardware flushes subnormals; in shared memory it keeps them.
            F32 if space == Space::Shared => each(lanes, places, |old, b, _| float(old, b, |x, y| x + y)),
            F32 => each(lanes, places, |old, b, _| float(old, b, |x, y| flush(flush(x) + flush(y)))),
            // A NaN that is added stays as it is, also a signalling one.
            F64 => each(lanes, places, |old, b, _| match f64::from_bits(b) {
                nan if nan.is_nan() => b,
                number => (f64::from_bits(old) + number).to_bits(),
            }),
            F16 => each(lanes, places, |old: u16, b, _| half(old, b, |x, y| x + y)),
            Bf16 => each(lanes, places, |old: u16, b, _| brain(old, b, |x, y| x + y)),
            F16x2 => each(lanes, places, |old: u32, b, _| pair(old, b, |x, y| half(x, y, |x, y| x + y))),
            Bf16x2 => each(lanes, places, |old: u32, b, _| pair(old, b, |x, y| brain(x, y, |x, y| x + y))),
            _ if bytes == 4 => each(lanes, places, |old: u32, b, _| old.wrapping_add(b)),
            _ => each(lanes, places, |old: u64, b, _| old.wrapping_add(b)),
        },
        (Min, _) => extreme!(min),
        (Max, _) => extreme!(max),
    }
}

#[allow(unsafe_code)]
fn each<T: Lane + PartialEq>(lanes: &mut Lanes, places: &Places, f: impl Fn(T, T, T) -> T) -> bool {
    let Rows { d, b, c } = places.rows;
    let (b, c) = (lanes.get::<T>(b), lanes.get::<T>(c));
    let mut before = [T::default(); WARP];
    let mut changed = false;
    lanes.each(|lane| {
        let place = places.hosts[lane] as *mut T;
        // SAFETY: `resolve` found every active lane's location inside live memory.
        let old = unsafe { place.read_unaligned() };
        let new = f(old, b[lane], c[lane]);
        changed |= new != old;
        // SAFETY: as above.
        unsafe { place.write_unaligned(new) };
        before[lane] = old;
    });
    if let Some(row) = d {
        lanes.set(row, before);
    }
    changed
}

fn float(old: u32, b: u32, f: impl Fn(f32, f32) -> f32) -> u32 {
    f(f32::from_bits(old), f32::from_bits(b)).to_bits()
}

/// A zero of the same sign for a subnormal.
fn flush(x: f32) -> f32 {
    if x.is_subnormal() { 0f32.copysign(x) } else { x }
}

/// Binary32 has more than twice the digits of a half and two, so rounding its sum again rounds only once.
fn half(old: u16, b: u16, f: impl Fn(f32, f32) -> f32) -> u16 {
    narrow_f16(f(widen_f16(old.into()), widen_f16(b.into()))) as u16
}

/// As [`half`].
fn brain(old: u16, b: u16, f: impl Fn(f32, f32) -> f32) -> u16 {
    narrow_bf16(f(widen_bf16(old.into()), widen_bf16(b.into()))) as u16
}

fn pair(old: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(old as u16, b as u16)) | u32::from(f((old >> 16) as u16, (b >> 16) as u16)) << 16
}

//! Extended-precision arithmetic: `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`. The carry flag is a predicate row, the
//! first of "more".
//!
//! There is one kind of flag, the carry out of a sum. A difference is the sum a + ~b + 1, so that it leaves the flag set
//! where it does *not* borrow, and `subc` is a + ~b + flag: measured on an H100, and what NVRTC's 128-bit division, which
//! mixes both families, relies on.
use super::integer::High;
use crate::exec::view::{Answer, Lane, Lanes, Op, WARP, plainly};
use ptx::isa::{Form, Refusal, Type};

/// Bits of [`Op::data`].
const READS: u32 = 1;
const WRITES: u32 = 2;
/// The flag that comes in where the instruction reads none is set: the 1 of a + ~b + 1.
const SET: u32 = 4;

/// `add.cc`, or `addc` where it reads the flag.
pub fn add(form: &Form, reads: bool) -> Answer {
    let selected = match form.widths[0] {
        32 => plainly(|lanes, op| sum::<u32>(lanes, op, |b| b)),
        64 => plainly(|lanes, op| sum::<u64>(lanes, op, |b| b)),
        _ => return Err(Refusal::NoSuchForm),
    };
    Ok(selected.with(flags(form, reads)))
}

/// `sub.cc`, or `subc` where it reads the flag.
pub fn sub(form: &Form, reads: bool) -> Answer {
    let selected = match form.widths[0] {
        32 => plainly(|lanes, op| sum::<u32>(lanes, op, |b| !b)),
        64 => plainly(|lanes, op| sum::<u64>(lanes, op, |b| !b)),
        _ => return Err(Refusal::NoSuchForm),
    };
    Ok(selected.with(flags(form, reads) | SET))
}

/// `mad.cc`, or `madc` where it reads the flag: the carry of the sum, not of the product.
pub fn mad(form: &Form, reads: bool) -> Answer {
    let selected = match (form.ty(0), form.has("hi")) {
        (Some(Type::U32 | Type::S32), false) => plainly(|lanes, op| product::<u32>(lanes, op, u32::wrapping_mul)),
        (Some(Type::U64 | Type::S64), false) => plainly(|lanes, op| product::<u64>(lanes, op, u64::wrapping_mul)),
        (Some(Type::U32), true) => plainly(|lanes, op| product::<u32>(lanes, op, High::high)),
        (Some(Type::U64), true) => plainly(|lanes, op| product::<u64>(lanes, op, High::high)),
        (Some(Type::S32), true) => {
            plainly(|lanes, op| product::<u32>(lanes, op, |a, b| (a as i32).high(b as i32) as u32))
        }
        (Some(Type::S64), true) => {
            plainly(|lanes, op| product::<u64>(lanes, op, |a, b| (a as i64).high(b as i64) as u64))
        }
        _ => return Err(Refusal::NoSuchForm),
    };
    Ok(selected.with(flags(form, reads)))
}

/// Sums with a flag in and out.
trait Carry: Lane {
    fn plus(self, other: Self, flag: bool) -> (Self, bool);
}
macro_rules! carry {
    ($($t:ty)*) => { $(
        impl Carry for $t {
            fn plus(self, other: Self, flag: bool) -> (Self, bool) {
                let (sum, first) = self.overflowing_add(other);
                let (sum, second) = sum.overflowing_add(flag.into());
                (sum, first | second)
            }
        }
    )* };
}
carry!(u32 u64);

fn flags(form: &Form, reads: bool) -> u32 {
    (u32::from(reads) * READS) | (u32::from(form.has("cc")) * WRITES)
}

fn sum<T: Carry>(lanes: &mut Lanes, op: &Op, second: fn(T) -> T) {
    let (a, b) = (lanes.get::<T>(op.a), lanes.get::<T>(op.b));
    finish(lanes, op, |lane, flag| a[lane].plus(second(b[lane]), flag));
}

fn product<T: Carry>(lanes: &mut Lanes, op: &Op, half: fn(T, T) -> T) {
    let (a, b, c) = (lanes.get::<T>(op.a), lanes.get::<T>(op.b), lanes.get::<T>(op.c));
    finish(lanes, op, |lane, flag| half(a[lane], b[lane]).plus(c[lane], flag));
}

fn finish<T: Carry>(lanes: &mut Lanes, op: &Op, f: impl Fn(usize, bool) -> (T, bool)) {
    let row = lanes.more(op, 0);
    let before = match (op.data & READS != 0, op.data & SET != 0) {
        (true, _) => lanes.predicate(row),
        (false, true) => !0,
        (false, false) => 0,
    };
    let mut after = 0;
    let mut d = [T::default(); WARP];
    for (lane, d) in d.iter_mut().enumerate() {
        let (result, flag) = f(lane, before >> lane & 1 != 0);
        *d = result;
        after |= u32::from(flag) << lane;
    }
    lanes.set(op.dst, d);
    if op.data & WRITES != 0 {
        lanes.set_predicate(row, after);
    }
}

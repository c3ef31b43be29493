//! Extended-precision arithmetic: `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`. The carry flag is a predicate row, the
//! first of "more"; a difference sets it where it borrows.
use super::elementwise::plainly;
use super::integer::High;
use super::lanes::{Lane, Lanes, WARP};
use super::op::{Op, Selected};
use crate::isa::{Form, Refusal, Type};

type Answer = Result<Selected, Refusal>;

/// Bits of [`Op::data`].
const READS: u32 = 1;
const WRITES: u32 = 2;

/// `add.cc`, or `addc` where it reads the flag.
pub fn add(form: &Form, reads: bool) -> Answer {
    let selected = match form.widths[0] {
        32 => plainly(|lanes, op| sum::<u32>(lanes, op, Wide::plus)),
        64 => plainly(|lanes, op| sum::<u64>(lanes, op, Wide::plus)),
        _ => return Err(Refusal::NoSuchForm),
    };
    Ok(selected.with(flags(form, reads)))
}

/// `sub.cc`, or `subc` where it reads the flag.
pub fn sub(form: &Form, reads: bool) -> Answer {
    let selected = match form.widths[0] {
        32 => plainly(|lanes, op| sum::<u32>(lanes, op, Wide::minus)),
        64 => plainly(|lanes, op| sum::<u64>(lanes, op, Wide::minus)),
        _ => return Err(Refusal::NoSuchForm),
    };
    Ok(selected.with(flags(form, reads)))
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

/// Sums and differences with a flag in and out.
trait Wide: Lane {
    fn plus(self, other: Self, carry: bool) -> (Self, bool);
    fn minus(self, other: Self, borrow: bool) -> (Self, bool);
}
macro_rules! wide {
    ($($t:ty)*) => { $(
        impl Wide for $t {
            fn plus(self, other: Self, carry: bool) -> (Self, bool) {
                let (sum, first) = self.overflowing_add(other);
                let (sum, second) = sum.overflowing_add(carry.into());
                (sum, first | second)
            }
            fn minus(self, other: Self, borrow: bool) -> (Self, bool) {
                let (rest, first) = self.overflowing_sub(other);
                let (rest, second) = rest.overflowing_sub(borrow.into());
                (rest, first | second)
            }
        }
    )* };
}
wide!(u32 u64);

fn flags(form: &Form, reads: bool) -> u32 {
    (u32::from(reads) * READS) | (u32::from(form.has("cc")) * WRITES)
}

fn sum<T: Wide>(lanes: &mut Lanes, op: &Op, f: fn(T, T, bool) -> (T, bool)) {
    let (a, b) = (lanes.get::<T>(op.a), lanes.get::<T>(op.b));
    finish(lanes, op, |lane, flag| f(a[lane], b[lane], flag));
}

fn product<T: Wide>(lanes: &mut Lanes, op: &Op, half: fn(T, T) -> T) {
    let (a, b, c) = (lanes.get::<T>(op.a), lanes.get::<T>(op.b), lanes.get::<T>(op.c));
    finish(lanes, op, |lane, flag| half(a[lane], b[lane]).plus(c[lane], flag));
}

fn finish<T: Wide>(lanes: &mut Lanes, op: &Op, f: impl Fn(usize, bool) -> (T, bool)) {
    let row = lanes.more(op, 0);
    let before = if op.data & READS != 0 { lanes.predicate(row) } else { 0 };
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

//! Bitwise logic, shifts, and `lop3`, on registers and on predicates.
use super::integer::by_width;
use crate::exec::view::{Answer, Lanes, Op, WARP, binary, lane, plainly, ternary, unary, whole};
use ptx::isa::{Form, Refusal, Type};

pub fn and(form: &Form) -> Answer {
    match form.ty(0) {
        Some(Type::Pred) => Ok(plainly(|lanes, op| predicates(lanes, op, |a, b| a & b))),
        _ => by_width!(form, T => binary(|a: T, b: T| a & b)),
    }
}

pub fn or(form: &Form) -> Answer {
    match form.ty(0) {
        Some(Type::Pred) => Ok(plainly(|lanes, op| predicates(lanes, op, |a, b| a | b))),
        _ => by_width!(form, T => binary(|a: T, b: T| a | b)),
    }
}

pub fn xor(form: &Form) -> Answer {
    match form.ty(0) {
        Some(Type::Pred) => Ok(plainly(|lanes, op| predicates(lanes, op, |a, b| a ^ b))),
        _ => by_width!(form, T => binary(|a: T, b: T| a ^ b)),
    }
}

pub fn not(form: &Form) -> Answer {
    match form.ty(0) {
        Some(Type::Pred) => Ok(plainly(|lanes, op| {
            let a = lanes.predicate(op.a);
            lanes.set_predicate(op.dst, !a);
        })),
        _ => by_width!(form, T => unary(|a: T| !a)),
    }
}

pub fn cnot(form: &Form) -> Answer {
    by_width!(form, T => unary(|a: T| T::from(a == 0)))
}

/// `shl`: amounts beyond the width give 0.
pub fn shl(form: &Form) -> Answer {
    by_width!(form, T => binary(|a: T, n: u32| if n < T::BITS { a.wrapping_shl(n) } else { 0 }))
}

/// `shr`: amounts beyond the width give 0, or the sign everywhere.
pub fn shr(form: &Form) -> Answer {
    Ok(match form.ty(0) {
        Some(Type::S16) => binary(|a: i16, n: u32| a.wrapping_shr(n.min(15))),
        Some(Type::S32) => binary(|a: i32, n: u32| a.wrapping_shr(n.min(31))),
        Some(Type::S64) => binary(|a: i64, n: u32| a.wrapping_shr(n.min(63))),
        _ => return by_width!(form, T => binary(|a: T, n: u32| if n < T::BITS { a.wrapping_shr(n) } else { 0 })),
    })
}

/// `shf`: the 64 bits of `b:a` shifted by `c`, their upper (left) or lower (right) half.
pub fn shf(form: &Form) -> Answer {
    Ok(match (form.has("l"), form.has("clamp")) {
        (true, true) => ternary(|a: u32, b: u32, c: u32| funnel_left(a, b, c.min(32))),
        (true, false) => ternary(|a: u32, b: u32, c: u32| funnel_left(a, b, c & 31)),
        (false, true) => ternary(|a: u32, b: u32, c: u32| funnel_right(a, b, c.min(32))),
        (false, false) => ternary(|a: u32, b: u32, c: u32| funnel_right(a, b, c & 31)),
    })
}

/// `lop3`, and its form with a predicate: whether the result, combined with a predicate, is not zero.
pub fn lop3(form: &Form) -> Answer {
    Ok(match (form.has("and"), form.has("or"), form.has("BoolOp")) {
        (false, false, false) => whole(
            #[inline(always)]
            |lanes, op| {
                let d = table(lanes, op);
                lanes.set(op.dst, d);
            },
        ),
        (true, ..) => plainly(|lanes, op| table_and_test(lanes, op, |a, b| a & b)),
        (_, true, _) => plainly(|lanes, op| table_and_test(lanes, op, |a, b| a | b)),
        _ => return Err(Refusal::NoSuchForm),
    })
}

fn predicates(lanes: &mut Lanes, op: &Op, f: impl Fn(u32, u32) -> u32) {
    let bits = f(lanes.predicate(op.a), lanes.predicate(op.b));
    lanes.set_predicate(op.dst, bits);
}

#[inline(always)]
fn funnel_left(low: u32, high: u32, n: u32) -> u32 {
    ((u64::from(high) << 32 | u64::from(low)) << n >> 32) as u32
}

#[inline(always)]
fn funnel_right(low: u32, high: u32, n: u32) -> u32 {
    ((u64::from(high) << 32 | u64::from(low)) >> n) as u32
}

/// Three sources through the truth table in `imm`: bit 4a + 2b + c of it is the result for the bits a, b, c.
#[inline(always)]
fn table(lanes: &mut Lanes, op: &Op) -> [u32; WARP] {
    let (a, b, c) = (lanes.get::<u32>(op.a), lanes.get::<u32>(op.b), lanes.get::<u32>(op.c));
    let entry: [u32; 8] = lane::array(|i| 0u32.wrapping_sub((op.imm as u32 >> i) & 1));
    let mut d = [u32::default(); WARP];
    for lane in 0..WARP {
        let (a, b, c) = (a[lane], b[lane], c[lane]);
        let by_c = |i: usize| entry[i] ^ (entry[i] ^ entry[i + 1]) & c;
        let by_bc = |i: usize| by_c(i) ^ (by_c(i) ^ by_c(i + 2)) & b;
        d[lane] = by_bc(0) ^ (by_bc(0) ^ by_bc(4)) & a;
    }
    d
}

/// `lop3.BoolOp d|p, a, b, c, table, q`: "more" has the table, q, and p.
fn table_and_test(lanes: &mut Lanes, op: &Op, combine: fn(u32, u32) -> u32) {
    let d = table(lanes, op);
    let q = lanes.predicate(lanes.more(op, 1));
    let p = lanes.more(op, 2);
    let bits = combine(lanes.pack(|lane| d[lane] != 0), q);
    lanes.set(op.dst, d);
    lanes.set_predicate(p, bits);
}

//! Bit fields, bit counts, byte permutation.
use super::integer::by_width;
use crate::exec::view::{Answer, each1, each2, each3, each4, unary};
use ptx::isa::{Form, Refusal, Type};

pub fn popc(form: &Form) -> Answer {
    by_width!(form, T => unary(|a: T| a.count_ones()))
}

pub fn clz(form: &Form) -> Answer {
    by_width!(form, T => each1(|a: T| a.leading_zeros()))
}

pub fn brev(form: &Form) -> Answer {
    by_width!(form, T => each1(|a: T| a.reverse_bits()))
}

/// `bfind`: the position of the highest bit that differs from the sign (from 0 for unsigned types), all ones where none
/// does; with `.shiftamt` the shift that would bring it to the top.
pub fn bfind(form: &Form) -> Answer {
    let amount = form.has("shiftamt");
    Ok(match (form.ty(0), amount) {
        (Some(Type::U32), false) => each1(|a: u32| 31u32.wrapping_sub(a.leading_zeros())),
        (Some(Type::U32), true) => each1(|a: u32| shift_amount(a.leading_zeros(), 32)),
        (Some(Type::U64), false) => each1(|a: u64| 63u32.wrapping_sub(a.leading_zeros())),
        (Some(Type::U64), true) => each1(|a: u64| shift_amount(a.leading_zeros(), 64)),
        (Some(Type::S32), false) => each1(|a: i32| 31u32.wrapping_sub((a ^ a >> 31).leading_zeros())),
        (Some(Type::S32), true) => each1(|a: i32| shift_amount((a ^ a >> 31).leading_zeros(), 32)),
        (Some(Type::S64), false) => each1(|a: i64| 63u32.wrapping_sub((a ^ a >> 63).leading_zeros())),
        (Some(Type::S64), true) => each1(|a: i64| shift_amount((a ^ a >> 63).leading_zeros(), 64)),
        _ => return Err(Refusal::NoSuchForm),
    })
}

pub fn bfe(form: &Form) -> Answer {
    Ok(match form.ty(0) {
        Some(Type::U32) => {
            each3(|a: u32, position: u32, length: u32| extract(a.into(), 32, position, length, false) as u32)
        }
        Some(Type::S32) => {
            each3(|a: i32, position: u32, length: u32| extract(a as u32 as u64, 32, position, length, true) as u32)
        }
        Some(Type::U64) => each3(|a: u64, position: u32, length: u32| extract(a, 64, position, length, false)),
        Some(Type::S64) => each3(|a: u64, position: u32, length: u32| extract(a, 64, position, length, true)),
        _ => return Err(Refusal::NoSuchForm),
    })
}

/// `bfi`: `a` into `b`.
pub fn bfi(form: &Form) -> Answer {
    Ok(match form.ty(0) {
        Some(Type::B32) => each4(|a: u32, b: u32, position: u32, length: u32| {
            let field = field(32, position, length) as u32;
            b & !field | a.checked_shl(position & 0xff).unwrap_or(0) & field
        }),
        Some(Type::B64) => each4(|a: u64, b: u64, position: u32, length: u32| {
            let field = field(64, position, length);
            b & !field | a.checked_shl(position & 0xff).unwrap_or(0) & field
        }),
        _ => return Err(Refusal::NoSuchForm),
    })
}

/// `bmsk`: ones from bit `a` on, `b` of them.
pub fn bmsk(form: &Form) -> Answer {
    Ok(if form.has("clamp") {
        each2(|start: u32, length: u32| field(32, start.min(32), length.min(32)) as u32)
    } else {
        each2(|start: u32, length: u32| field(32, start & 31, length & 31) as u32)
    })
}

/// `szext`: keeps the lowest `b` bits and repeats their sign (for `.s32`), or zeros, above.
pub fn szext(form: &Form) -> Answer {
    Ok(match (form.ty(0), form.has("clamp")) {
        (Some(Type::S32), true) => each2(|a: i32, n: u32| if n >= 32 { a } else { sign_from(a, n) }),
        (Some(Type::S32), false) => each2(|a: i32, n: u32| sign_from(a, n & 31)),
        (Some(Type::U32), true) => each2(|a: u32, n: u32| if n >= 32 { a } else { a & !(!0 << n) }),
        (Some(Type::U32), false) => each2(|a: u32, n: u32| a & !(!0 << (n & 31))),
        _ => return Err(Refusal::NoSuchForm),
    })
}

pub fn fns(_: &Form) -> Answer {
    Ok(each3(nth_set))
}

/// `prmt`, in its seven modes.
pub fn prmt(form: &Form) -> Answer {
    Ok(match form.modifiers.first() {
        None => each3(|a: u32, b: u32, c: u32| pick(a, b, |i| c >> (4 * i))),
        Some(&"f4e") => each3(|a: u32, b: u32, c: u32| pick(a, b, |i| (c & 3) + i)),
        Some(&"b4e") => each3(|a: u32, b: u32, c: u32| pick(a, b, |i| (c & 3).wrapping_sub(i) & 7)),
        Some(&"rc8") => each3(|a: u32, b: u32, c: u32| pick(a, b, |_| c & 3)),
        Some(&"ecl") => each3(|a: u32, b: u32, c: u32| pick(a, b, |i| i.max(c & 3))),
        Some(&"ecr") => each3(|a: u32, b: u32, c: u32| pick(a, b, |i| i.min(c & 3))),
        Some(&"rc16") => each3(|a: u32, b: u32, c: u32| pick(a, b, |i| (c & 1) * 2 + (i & 1))),
        _ => return Err(Refusal::NoSuchForm),
    })
}

fn shift_amount(leading: u32, bits: u32) -> u32 {
    if leading == bits { !0 } else { leading }
}

/// Ones from `position` on, `length` of them, within `bits`; both count modulo 256.
fn field(bits: u32, position: u32, length: u32) -> u64 {
    let (position, length) = (position & 0xff, (length & 0xff).min(bits));
    let ones = if length == 64 { !0 } else { (1u64 << length) - 1 };
    let all = if bits == 64 { !0 } else { (1u64 << bits) - 1 };
    ones.checked_shl(position).unwrap_or(0) & all
}

/// The field as the manual's loop has it: bits beyond the width read as the sign bit of the field, or of the value.
fn extract(a: u64, bits: u32, position: u32, length: u32, signed: bool) -> u64 {
    let (position, length) = (position & 0xff, length & 0xff);
    if length == 0 {
        return 0;
    }
    let sign = signed && a >> (position + length - 1).min(bits - 1) & 1 != 0;
    let value = a.checked_shr(position).unwrap_or(0);
    let known = length.min(bits.saturating_sub(position));
    let mask = if known >= 64 { !0 } else { (1u64 << known) - 1 };
    value & mask | if sign { !mask } else { 0 }
}

fn sign_from(a: i32, bits: u32) -> i32 {
    if bits == 0 { 0 } else { a << (32 - bits) >> (32 - bits) }
}

/// The position of the `offset`-th set bit of `mask`, counted upwards from `base` (downwards where negative); offset 0
/// asks for the bit at `base` itself. Offset −2³¹, whose magnitude the manual's loop cannot count, gives 0 on an H100.
fn nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    if offset == i32::MIN {
        return 0;
    }
    if offset == 0 {
        return if base < 32 && mask >> base & 1 != 0 { base } else { !0 };
    }
    let mut left = offset.unsigned_abs();
    let mut position = i64::from(base);
    while (0..32).contains(&position) {
        left -= mask >> position & 1;
        if left == 0 {
            return position as u32;
        }
        position += if offset > 0 { 1 } else { -1 };
    }
    !0
}

/// Four bytes of `b:a`; bit 3 of a selector repeats the byte's sign instead.
fn pick(a: u32, b: u32, selector: impl Fn(u32) -> u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    (0..4).fold(0, |d, i| {
        let selector = selector(i);
        let byte = (bytes >> (8 * (selector & 7))) as u8;
        let byte = if selector & 8 != 0 { (byte as i8 >> 7) as u8 } else { byte };
        d | u32::from(byte) << (8 * i)
    })
}

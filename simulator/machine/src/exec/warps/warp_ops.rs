//! Exchange between the lanes of a warp: `shfl`, `vote`, `match`, `redux`, `activemask`, `elect`, `movmatrix`.
//!
//! The lanes that a member mask names have met when these run: the active lanes are those that take part.
use super::convergence::MEETS_ANYWHERE;
use crate::exec::arithmetic::extreme::{Extreme, larger, smaller};
use crate::exec::arithmetic::float::Float;
use crate::exec::view::elementwise::plainly;
use crate::exec::view::lane::{self, Lane, WARP};
use crate::exec::view::lanes::Lanes;
use crate::exec::view::op::{Answer, Op, Selected, Semantics};
use ptx::isa::{Form, Refusal, Type};

/// `shfl`: the register of another lane, and whether that lane lies in the segment.
pub fn shfl(form: &Form) -> Answer {
    Ok(match () {
        _ if form.has("up") => Selected::pure::<Shuffle<UP>>(),
        _ if form.has("down") => Selected::pure::<Shuffle<DOWN>>(),
        _ if form.has("bfly") => Selected::pure::<Shuffle<BUTTERFLY>>(),
        _ if form.has("idx") => Selected::pure::<Shuffle<INDEX>>(),
        _ => return Err(Refusal::NoSuchForm),
    })
}

pub fn vote(form: &Form) -> Answer {
    Ok(match () {
        _ if form.has("ballot") => plainly(|lanes, op| {
            let bits = lanes.predicate(op.a) & lanes.mask;
            lanes.set(op.dst, [bits; WARP]);
        }),
        _ if form.has("all") => plainly(|lanes, op| poll(lanes, op, |votes, mask| votes == mask)),
        _ if form.has("any") => plainly(|lanes, op| poll(lanes, op, |votes, _| votes != 0)),
        _ if form.has("uni") => plainly(|lanes, op| poll(lanes, op, |votes, mask| votes == 0 || votes == mask)),
        _ => return Err(Refusal::NoSuchForm),
    })
}

/// `match`
pub fn matching(form: &Form) -> Answer {
    Ok(match (form.has("all"), form.widths[1]) {
        (false, 32) => plainly(match_any::<u32>),
        (false, 64) => plainly(match_any::<u64>),
        (true, 32) => plainly(match_all::<u32>),
        (true, 64) => plainly(match_all::<u64>),
        _ => return Err(Refusal::NoSuchForm),
    })
}

pub fn redux(form: &Form) -> Answer {
    let operation = form.modifiers.iter().find(|name| matches!(**name, "add" | "min" | "max" | "and" | "or" | "xor"));
    Ok(match (operation.copied(), form.ty(0)) {
        (Some("add"), Some(Type::U32 | Type::S32)) => plainly(|l, o| reduce::<u32>(l, o, u32::wrapping_add)),
        (Some("min"), Some(Type::U32)) => plainly(|l, o| reduce::<u32>(l, o, u32::min)),
        (Some("max"), Some(Type::U32)) => plainly(|l, o| reduce::<u32>(l, o, u32::max)),
        (Some("min"), Some(Type::S32)) => plainly(|l, o| reduce::<i32>(l, o, i32::min)),
        (Some("max"), Some(Type::S32)) => plainly(|l, o| reduce::<i32>(l, o, i32::max)),
        (Some("and"), Some(Type::B32)) => plainly(|l, o| reduce::<u32>(l, o, |a, b| a & b)),
        (Some("or"), Some(Type::B32)) => plainly(|l, o| reduce::<u32>(l, o, |a, b| a | b)),
        (Some("xor"), Some(Type::B32)) => plainly(|l, o| reduce::<u32>(l, o, |a, b| a ^ b)),
        (Some("min"), Some(Type::F32)) => plainly(|l, o| reduce_float(l, o, smaller)).with(float_style(form)),
        (Some("max"), Some(Type::F32)) => plainly(|l, o| reduce_float(l, o, larger)).with(float_style(form)),
        _ => return Err(Refusal::NoSuchForm),
    })
}

pub fn activemask(_: &Form) -> Answer {
    Ok(plainly(|lanes, op| lanes.set(op.dst, [lanes.mask; WARP])))
}

/// `elect`: the lowest lane that takes part.
pub fn elect(_: &Form) -> Answer {
    Ok(plainly(|lanes, op| {
        let leader = lanes.mask.trailing_zeros();
        lanes.set(op.dst, [leader; WARP]);
        lanes.set_predicate(lanes.more(op, 0), 1u32.checked_shl(leader).unwrap_or(0));
    }))
}

/// `bar.warp.sync`: that its lanes are here is all it does.
pub fn bar_warp_sync(_: &Form) -> Answer {
    Ok(plainly(|_, _| {}).with(MEETS_ANYWHERE))
}

/// `movmatrix`: lane 4r + c holds the elements (r, 2c) and (r, 2c + 1) of an 8×8 matrix.
pub fn movmatrix(form: &Form) -> Answer {
    refuse_if!(!form.has("m8n8") || !form.has("trans"), Refusal::NoSuchForm);
    Ok(plainly(|lanes, op| {
        let a = lanes.get::<u32>(op.a);
        let element = |row: usize, column: usize| a[4 * row + column / 2] >> (16 * (column & 1)) & 0xffff;
        let d = lane::array(|lane| {
            let (row, column) = (lane / 4, lane % 4 * 2);
            element(column, row) | element(column + 1, row) << 16
        });
        lanes.set::<u32>(op.dst, d);
    }))
}

const UP: u8 = 0;
const DOWN: u8 = 1;
const BUTTERFLY: u8 = 2;
const INDEX: u8 = 3;

/// A lane whose source is outside of its segment keeps its own value.
struct Shuffle<const WAY: u8>;

impl<const WAY: u8> Shuffle<WAY> {
    /// Which lane one reads, for its `b` and its `c`, and whether that is in the segment.
    #[inline(always)]
    fn source(lane: u32, b: u32, c: u32) -> (u32, bool) {
        let (b, mask, clamp) = (b & 31, c >> 8 & 31, c & 31);
        let min = lane & mask;
        let max = min | clamp & !mask;
        match WAY {
            UP => (lane.wrapping_sub(b), lane.wrapping_sub(b) as i32 >= max as i32),
            DOWN => (lane + b, lane + b <= max),
            BUTTERFLY => (lane ^ b, lane ^ b <= max),
            _ => (min | b & !mask, min | b & !mask <= max),
        }
    }
}

impl<const WAY: u8> Semantics for Shuffle<WAY> {
    #[inline(always)]
    fn run(lanes: &mut Lanes, op: &Op) {
        let (a, b, c) = (lanes.get::<u32>(op.a), lanes.get::<u32>(op.b), lanes.get::<u32>(op.c));
        let (mut sources, mut are_inside) = ([0u32; WARP], [0u32; WARP]);
        for lane in 0..WARP {
            let (from, is_inside) = Self::source(lane as u32, b[lane], c[lane]);
            sources[lane] = if is_inside { from & 31 } else { lane as u32 };
            are_inside[lane] = u32::from(is_inside);
        }
        let inside = lanes.pack(|lane| are_inside[lane] != 0);
        let (mut d, mut read_outside) = (a, 0u32);
        if lanes.mask == !0 {
            for lane in 0..WARP {
                d[lane] = a[sources[lane] as usize % WARP];
            }
        } else {
            lanes.each(|lane| match sources[lane] {
                from if lanes.mask >> from & 1 != 0 => d[lane] = a[from as usize % WARP],
                // Undefined by the manual: the lane keeps its own value here too, and the probe hears of it.
                from => read_outside |= 1 << from,
            });
        }
        lanes.read_outside = read_outside;
        lanes.set(op.dst, d);
        lanes.set_predicate(lanes.more(op, 0), inside);
    }
}

fn poll(lanes: &mut Lanes, op: &Op, decide: impl Fn(u32, u32) -> bool) {
    let answer = decide(lanes.predicate(op.a) & lanes.mask, lanes.mask);
    lanes.set_predicate(op.dst, if answer { !0 } else { 0 });
}

fn match_any<T: Lane + PartialEq>(lanes: &mut Lanes, op: &Op) {
    let a = lanes.get::<T>(op.a);
    let mut d = [0; WARP];
    lanes.each(|lane| d[lane] = lanes.pack(|other| a[other] == a[lane]) & lanes.mask);
    lanes.set(op.dst, d);
}

fn match_all<T: Lane + PartialEq>(lanes: &mut Lanes, op: &Op) {
    let a = lanes.get::<T>(op.a);
    let first = a[lanes.mask.trailing_zeros() as usize & 31];
    let all = lanes.pack(|lane| a[lane] == first) & lanes.mask == lanes.mask;
    lanes.set(op.dst, [if all { lanes.mask } else { 0 }; WARP]);
    lanes.set_predicate(lanes.more(op, 0), if all { !0 } else { 0 });
}

fn reduce<T: Lane>(lanes: &mut Lanes, op: &Op, f: impl Fn(T, T) -> T) {
    let a = lanes.get::<T>(op.a);
    let mut total: Option<T> = None;
    lanes.each(|lane| total = Some(total.map_or(a[lane], |total| f(total, a[lane]))));
    lanes.set(op.dst, [total.unwrap_or_default(); WARP]);
}

/// `.abs` in bit 8, beside what `min` and `max` have.
fn float_style(form: &Form) -> u32 {
    Extreme { third: false, ..Extreme::of(form) }.pack() | u32::from(form.has("abs")) << 8
}

fn reduce_float(lanes: &mut Lanes, op: &Op, choose: impl Fn(f32, f32) -> f32 + Copy) {
    let style = Extreme::unpack(op.data);
    let absolute = op.data >> 8 & 1 != 0;
    reduce::<f32>(lanes, op, |a, b| {
        let (a, b) = if absolute { (a.magnitude(), b.magnitude()) } else { (a, b) };
        style.choose(a, b, choose)
    });
}

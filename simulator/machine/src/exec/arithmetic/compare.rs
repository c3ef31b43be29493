//! Comparison and selection: `setp`, `set`, `selp`, `slct`, `isspacep`.
use super::float::Float;
use crate::exec::view::half_bits::{Brain, Half};
use crate::exec::view::{Answer, Lane, Lanes, Op, WARP, each3, lane, plainly, ternary, whole_of_each};
use crate::memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW_BYTES};
use ptx::isa::{Form, Refusal, Space, Type};
use std::cmp::Ordering;

/// `setp`: `p = (a cmp b) op c`, `q = !(a cmp b) op c`.
pub fn setp(form: &Form) -> Answer {
    let relation = Relation::of(form)?;
    let selected = match form.ty(0) {
        Some(Type::F32 | Type::F64) => compare_floats(form, relation)?,
        Some(Type::F16) => plainly(set_halves::<Half, u16>),
        Some(Type::Bf16) => plainly(set_halves::<Brain, u16>),
        Some(Type::F16x2) => plainly(set_halves::<Half, u32>),
        Some(Type::Bf16x2) => plainly(set_halves::<Brain, u32>),
        Some(ty) => compare_integers(form, relation, ty.is_signed())?,
        None => return Err(Refusal::NoSuchForm),
    };
    let data = relation.0 | (Combine::of(form) as u32) << 8 | u32::from(form.has("ftz")) << 16;
    Ok(selected.with(data))
}

/// `set`: 1.0, or all ones, where the comparison holds.
pub fn set(form: &Form) -> Answer {
    let (Some(to), Some(from)) = (form.ty(0), form.ty(1)) else { return Err(Refusal::NoSuchForm) };
    let relation = Relation::of(form)?;
    let selected = match (from, form.widths[1]) {
        (Type::F32, _) => plainly(|lanes, op| set_lanes::<f32>(lanes, op, ordered)),
        (Type::F64, _) => plainly(|lanes, op| set_lanes::<f64>(lanes, op, ordered)),
        (Type::F16, _) => plainly(|lanes, op| set_lanes::<Half>(lanes, op, ordered)),
        (Type::Bf16, _) => plainly(|lanes, op| set_lanes::<Brain>(lanes, op, ordered)),
        (Type::F16x2, _) => plainly(set_pairs::<Half>),
        (Type::Bf16x2, _) => plainly(set_pairs::<Brain>),
        (Type::S16, _) => plainly(|lanes, op| set_lanes::<i16>(lanes, op, integers)),
        (Type::S32, _) => plainly(|lanes, op| set_lanes::<i32>(lanes, op, integers)),
        (Type::S64, _) => plainly(|lanes, op| set_lanes::<i64>(lanes, op, integers)),
        (_, 16) => plainly(|lanes, op| set_lanes::<u16>(lanes, op, integers)),
        (_, 32) => plainly(|lanes, op| set_lanes::<u32>(lanes, op, integers)),
        (_, 64) => plainly(|lanes, op| set_lanes::<u64>(lanes, op, integers)),
        _ => return Err(Refusal::NoSuchForm),
    };
    let truth = match to {
        Type::F32 => Truth::F32,
        Type::F16 => Truth::F16,
        Type::Bf16 => Truth::Bf16,
        Type::F16x2 => Truth::F16,
        Type::Bf16x2 => Truth::Bf16,
        Type::U16 | Type::S16 => Truth::Ones16,
        Type::U32 | Type::S32 if matches!(from, Type::F16x2 | Type::Bf16x2) => Truth::Ones16,
        Type::U32 | Type::S32 => Truth::Ones32,
        _ => return Err(Refusal::NoSuchForm),
    };
    let data = relation.0 | (Combine::of(form) as u32) << 8 | u32::from(form.has("ftz")) << 16 | (truth as u32) << 24;
    Ok(selected.with(data))
}

pub fn selp(form: &Form) -> Answer {
    Ok(match form.widths[0] {
        16 => whole_of_each(select::<u16>),
        32 => whole_of_each(select::<u32>),
        64 => whole_of_each(select::<u64>),
        _ => return Err(Refusal::NoSuchForm),
    })
}

/// `slct`: the first source where the third is at least 0 (a NaN is not).
pub fn slct(form: &Form) -> Answer {
    Ok(match (form.widths[0], form.ty(1)) {
        (16, Some(Type::S32)) => each3(|a: u16, b: u16, c: i32| if c >= 0 { a } else { b }),
        (32, Some(Type::S32)) => ternary(|a: u32, b: u32, c: i32| if c >= 0 { a } else { b }),
        (64, Some(Type::S32)) => ternary(|a: u64, b: u64, c: i32| if c >= 0 { a } else { b }),
        (16, Some(Type::F32)) if form.has("ftz") => {
            each3(|a: u16, b: u16, c: f32| if c.flushed() >= 0.0 { a } else { b })
        }
        (32, Some(Type::F32)) if form.has("ftz") => {
            ternary(|a: u32, b: u32, c: f32| if c.flushed() >= 0.0 { a } else { b })
        }
        (64, Some(Type::F32)) if form.has("ftz") => {
            ternary(|a: u64, b: u64, c: f32| if c.flushed() >= 0.0 { a } else { b })
        }
        (16, Some(Type::F32)) => each3(|a: u16, b: u16, c: f32| if c >= 0.0 { a } else { b }),
        (32, Some(Type::F32)) => ternary(|a: u32, b: u32, c: f32| if c >= 0.0 { a } else { b }),
        (64, Some(Type::F32)) => ternary(|a: u64, b: u64, c: f32| if c >= 0.0 { a } else { b }),
        _ => return Err(Refusal::NoSuchForm),
    })
}

/// `isspacep`: whether an address lies in a space's window of the generic address space.
pub fn isspacep(form: &Form) -> Answer {
    Ok(match form.space {
        Space::Shared => plainly(|lanes, op| is_in(lanes, op, |a| in_window(a, SHARED_WINDOW))),
        Space::Local => plainly(|lanes, op| is_in(lanes, op, |a| in_window(a, LOCAL_WINDOW))),
        Space::Param => plainly(|lanes, op| is_in(lanes, op, |a| in_window(a, PARAM_WINDOW))),
        Space::Global => plainly(|lanes, op| {
            is_in(lanes, op, |a| ![SHARED_WINDOW, LOCAL_WINDOW, PARAM_WINDOW].iter().any(|&w| in_window(a, w)))
        }),
        // Constants lie in the same arena as global memory.
        _ => return Err(Refusal::NoSuchForm),
    })
}

/// A comparison as the set of outcomes that satisfy it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Relation(u32);

const LESS: u32 = 1;
const EQUAL: u32 = 2;
const GREATER: u32 = 4;
const UNORDERED: u32 = 8;

impl Relation {
    fn of(form: &Form) -> Result<Self, Refusal> {
        let relation = form.modifiers.iter().find_map(|name| {
            Some(match *name {
                "eq" => EQUAL,
                "ne" => LESS | GREATER,
                "lt" | "lo" => LESS,
                "le" | "ls" => LESS | EQUAL,
                "gt" | "hi" => GREATER,
                "ge" | "hs" => GREATER | EQUAL,
                "equ" => EQUAL | UNORDERED,
                "neu" => LESS | GREATER | UNORDERED,
                "ltu" => LESS | UNORDERED,
                "leu" => LESS | EQUAL | UNORDERED,
                "gtu" => GREATER | UNORDERED,
                "geu" => GREATER | EQUAL | UNORDERED,
                "num" => LESS | EQUAL | GREATER,
                "nan" => UNORDERED,
                _ => return None,
            })
        });
        relation.map(Relation).ok_or(Refusal::NoSuchForm)
    }
    fn holds(self, outcome: Option<Ordering>) -> bool {
        let outcome = match outcome {
            Some(Ordering::Less) => LESS,
            Some(Ordering::Equal) => EQUAL,
            Some(Ordering::Greater) => GREATER,
            None => UNORDERED,
        };
        self.0 & outcome != 0
    }
}

/// How the comparison is combined with the third source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Combine {
    Alone,
    And,
    Or,
    Xor,
}

impl Combine {
    fn of(form: &Form) -> Self {
        match () {
            _ if form.has("and") => Combine::And,
            _ if form.has("or") => Combine::Or,
            _ if form.has("xor") => Combine::Xor,
            _ => Combine::Alone,
        }
    }
    #[inline(always)]
    fn apply(data: u32, test: u32, lanes: &Lanes, op: &Op) -> u32 {
        match data >> 8 & 3 {
            0 => test,
            1 => test & lanes.predicate(op.c),
            2 => test | lanes.predicate(op.c),
            _ => test ^ lanes.predicate(op.c),
        }
    }
}

/// The value that `set` writes for true.
#[derive(Clone, Copy)]
enum Truth {
    Ones32,
    Ones16,
    F32,
    F16,
    Bf16,
}

impl Truth {
    fn bits(data: u32) -> u32 {
        const OF: [u32; 5] = [!0, 0xffff, 0x3f80_0000, 0x3c00, 0x3f80];
        OF[(data >> 24) as usize]
    }
}

/// Both predicates of `setp` from the lanes for which the comparison holds.
#[inline(always)]
fn set_predicates(lanes: &mut Lanes, op: &Op, test: u32) {
    let (p, q) = if op.data >> 8 & 3 == 0 {
        (test, !test)
    } else {
        (Combine::apply(op.data, test, lanes, op), Combine::apply(op.data, !test, lanes, op))
    };
    lanes.set_predicate(op.dst, p);
    lanes.set_predicate(lanes.more(op, 0), q);
}

/// The vectorised comparison of each relation.
macro_rules! test {
    ($t:ty, |$a:ident, $b:ident| $holds:expr) => {
        whole_of_each(
            #[inline(always)]
            |lanes, op| {
                let test = lanes.test2(op, |$a: $t, $b: $t| $holds);
                set_predicates(lanes, op, test);
            },
        )
    };
}

fn compare_integers(form: &Form, relation: Relation, signed: bool) -> Answer {
    macro_rules! ordered {
        ($t:ty) => {
            match relation.0 {
                LESS => test!($t, |a, b| a < b),
                3 => test!($t, |a, b| a <= b),
                GREATER => test!($t, |a, b| a > b),
                _ => test!($t, |a, b| a >= b),
            }
        };
    }
    macro_rules! any {
        ($unsigned:ty, $signed:ty) => {
            match (relation.0, signed) {
                (EQUAL, _) => test!($unsigned, |a, b| a == b),
                (5, _) => test!($unsigned, |a, b| a != b),
                (_, false) => ordered!($unsigned),
                (_, true) => ordered!($signed),
            }
        };
    }
    refuse_if!(relation.0 >= 7, Refusal::NoSuchForm);
    Ok(match form.widths[1] {
        16 if signed => plainly(|lanes, op| set_lanes_predicates::<i16>(lanes, op, integers)),
        16 => plainly(|lanes, op| set_lanes_predicates::<u16>(lanes, op, integers)),
        32 => any!(u32, i32),
        64 => any!(u64, i64),
        _ => return Err(Refusal::NoSuchForm),
    })
}

#[allow(
    clippy::neg_cmp_op_on_partial_ord,
    clippy::double_comparisons,
    clippy::nonminimal_bool,
    reason = "a NaN makes the difference"
)]
fn compare_floats(form: &Form, relation: Relation) -> Answer {
    macro_rules! any {
        ($t:ty) => {
            match relation.0 {
                1 => test!($t, |a, b| a < b),
                2 => test!($t, |a, b| a == b),
                3 => test!($t, |a, b| a <= b),
                4 => test!($t, |a, b| a > b),
                5 => test!($t, |a, b| a < b || a > b),
                6 => test!($t, |a, b| a >= b),
                7 => test!($t, |a, b| !(a.is_nan() | b.is_nan())),
                8 => test!($t, |a, b| a.is_nan() | b.is_nan()),
                9 => test!($t, |a, b| !(a >= b)),
                10 => test!($t, |a, b| !(a < b || a > b)),
                11 => test!($t, |a, b| !(a > b)),
                12 => test!($t, |a, b| !(a <= b)),
                13 => test!($t, |a, b| a != b),
                _ => test!($t, |a, b| !(a < b)),
            }
        };
    }
    Ok(match (form.ty(0), form.has("ftz")) {
        (Some(Type::F32), false) => any!(f32),
        (Some(Type::F32), true) => plainly(|lanes, op| set_lanes_predicates::<f32>(lanes, op, ordered)),
        _ => any!(f64),
    })
}

/// `setp` of halves: one comparison for `p` and `q`, or, for pairs, one for each of the two.
fn set_halves<T: Float, R: Lane + Into<u32>>(lanes: &mut Lanes, op: &Op) {
    let relation = Relation(op.data & 0xff);
    let flush = op.data >> 16 & 1 != 0;
    let (a, b) = (lanes.get::<R>(op.a), lanes.get::<R>(op.b));
    let half = |x: R, shift: u32| {
        let x = T::of_bits((Into::<u32>::into(x) >> shift & 0xffff).into());
        if flush { x.flushed() } else { x }
    };
    let test = |shift: u32| lanes.pack(|lane| relation.holds(half(a[lane], shift).partial_cmp(&half(b[lane], shift))));
    if size_of::<R>() == 2 {
        let test = test(0);
        set_predicates(lanes, op, test);
    } else {
        let (p, q) = (test(0), test(16));
        let (p, q) = (Combine::apply(op.data, p, lanes, op), Combine::apply(op.data, q, lanes, op));
        lanes.set_predicate(op.dst, p);
        lanes.set_predicate(lanes.more(op, 0), q);
    }
}

fn integers<T: Ord>(a: T, b: T, _: bool) -> Option<Ordering> {
    Some(a.cmp(&b))
}

fn ordered<T: Float>(a: T, b: T, flush: bool) -> Option<Ordering> {
    if flush { a.flushed().partial_cmp(&b.flushed()) } else { a.partial_cmp(&b) }
}

/// `setp` of any type by its relation.
fn set_lanes_predicates<T: Lane>(lanes: &mut Lanes, op: &Op, compare: impl Fn(T, T, bool) -> Option<Ordering>) {
    let relation = Relation(op.data & 0xff);
    let flush = op.data >> 16 & 1 != 0;
    let (a, b) = (lanes.get::<T>(op.a), lanes.get::<T>(op.b));
    let test = lanes.pack(|lane| relation.holds(compare(a[lane], b[lane], flush)));
    set_predicates(lanes, op, test);
}

fn set_lanes<T: Lane>(lanes: &mut Lanes, op: &Op, compare: impl Fn(T, T, bool) -> Option<Ordering>) {
    let relation = Relation(op.data & 0xff);
    let flush = op.data >> 16 & 1 != 0;
    let (a, b) = (lanes.get::<T>(op.a), lanes.get::<T>(op.b));
    let test = lanes.pack(|lane| relation.holds(compare(a[lane], b[lane], flush)));
    let test = Combine::apply(op.data, test, lanes, op);
    let truth = Truth::bits(op.data);
    if truth > 0xffff {
        lanes.set(op.dst, lane::array(|lane| if test >> lane & 1 != 0 { truth } else { 0 }));
    } else {
        lanes.set(op.dst, lane::array(|lane| if test >> lane & 1 != 0 { truth as u16 } else { 0 }));
    }
}

/// `set` of pairs: each half for itself, combined with the same predicate.
fn set_pairs<T: Float>(lanes: &mut Lanes, op: &Op) {
    let relation = Relation(op.data & 0xff);
    let flush = op.data >> 16 & 1 != 0;
    let (a, b) = (lanes.get::<u32>(op.a), lanes.get::<u32>(op.b));
    let truth = Truth::bits(op.data);
    let mut d = [0; WARP];
    for shift in [0, 16] {
        let half = |x: u32| T::of_bits((x >> shift & 0xffff).into());
        let test = lanes.pack(|lane| relation.holds(ordered(half(a[lane]), half(b[lane]), flush)));
        let test = Combine::apply(op.data, test, lanes, op);
        for (lane, d) in d.iter_mut().enumerate() {
            *d |= if test >> lane & 1 != 0 { truth << shift } else { 0 };
        }
    }
    lanes.set(op.dst, d);
}

#[inline(always)]
fn select<T: Lane>(lanes: &mut Lanes, op: &Op) {
    let (a, b) = (lanes.get::<T>(op.a), lanes.get::<T>(op.b));
    let c = lanes.predicate(op.c);
    let mut d = [T::default(); WARP];
    for lane in 0..WARP {
        d[lane] = if lanes.has(c, lane) { a[lane] } else { b[lane] };
    }
    lanes.set(op.dst, d);
}

fn in_window(address: u64, window: u64) -> bool {
    address.wrapping_sub(window) < WINDOW_BYTES
}

fn is_in(lanes: &mut Lanes, op: &Op, test: impl Fn(u64) -> bool) {
    let a = lanes.get::<u64>(op.a);
    let bits = lanes.pack(|lane| test(a[lane]));
    lanes.set_predicate(op.dst, bits);
}

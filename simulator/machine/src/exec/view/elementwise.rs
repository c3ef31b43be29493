//! From a function of one lane to the semantics of an instruction.
//!
//! `unary`, `binary`, `ternary` compute all 32 lanes in a form that the compiler turns into vector instructions, once per
//! vector level: for arithmetic that the host's vector units have. `each1` … `each4` call the function for the active
//! lanes one after the other, compiled once: for what costs more than the loop around it.
//!
//! The functions are given as zero-sized values (closures that capture nothing, or named functions), so a select function
//! reads `binary(u32::wrapping_add)` and yet each instruction is compiled for itself. A function used with the first
//! three must be total (no trap on any bits, inactive lanes included) and, unless small, `#[inline(always)]`: otherwise it is
//! compiled without the level's instructions.
use super::lane::{Lane, WARP};
use super::lanes::Lanes;
use super::op::{Op, Selected, Semantics, Versions};
use super::versions::base;
use std::marker::PhantomData;

/// `d = f(a)`, vectorised.
pub fn unary<A: Lane, D: Lane, F: Fn(A) -> D + Copy>(_: F) -> Selected {
    Selected::each::<Unary<A, D, F>>()
}

/// `d = f(a, b)`, vectorised.
pub fn binary<A: Lane, B: Lane, D: Lane, F: Fn(A, B) -> D + Copy>(_: F) -> Selected {
    Selected::each::<Binary<A, B, D, F>>()
}

/// `d = f(a, b, c)`, vectorised.
pub fn ternary<A: Lane, B: Lane, C: Lane, D: Lane, F: Fn(A, B, C) -> D + Copy>(_: F) -> Selected {
    Selected::each::<Ternary<A, B, C, D, F>>()
}

/// `d = f(a)`, lane by lane.
pub fn each1<A: Lane, D: Lane, F: Fn(A) -> D + Copy>(_: F) -> Selected {
    plain::<Each1<A, D, F>>()
}

/// `d = f(a, b)`, lane by lane.
pub fn each2<A: Lane, B: Lane, D: Lane, F: Fn(A, B) -> D + Copy>(_: F) -> Selected {
    plain::<Each2<A, B, D, F>>()
}

/// `d = f(a, b, c)`, lane by lane.
pub fn each3<A: Lane, B: Lane, C: Lane, D: Lane, F: Fn(A, B, C) -> D + Copy>(_: F) -> Selected {
    plain::<Each3<A, B, C, D, F>>()
}

/// `d = f(a, b, c, e)`, lane by lane.
pub fn each4<A: Lane, B: Lane, C: Lane, E: Lane, D: Lane, F: Fn(A, B, C, E) -> D + Copy>(_: F) -> Selected {
    plain::<Each4<A, B, C, E, D, F>>()
}

/// A semantics of any kind, given as a function of the lanes and the op, compiled once per vector level.
pub fn whole<F: Fn(&mut Lanes, &Op) + Copy>(_: F) -> Selected {
    Selected::pure::<Whole<F>>()
}

/// As [`whole`], with versions for several warps.
pub fn whole_of_each<F: Fn(&mut Lanes, &Op) + Copy>(_: F) -> Selected {
    Selected::each::<Whole<F>>()
}

/// A semantics that gains nothing from vector instructions: compiled once.
fn plain<S: Semantics>() -> Selected {
    let versions = Versions([base::<S>; 3]);
    Selected::alone(versions, versions)
}

/// As [`whole`], compiled once.
pub fn plainly<F: Fn(&mut Lanes, &Op) + Copy>(_: F) -> Selected {
    plain::<Whole<F>>()
}

/// As [`plainly`], with a function of its own for launches that a probe hears of.
pub fn plainly_told<Bare, Probed>(_: Bare, _: Probed) -> Selected
where
    Bare: Fn(&mut Lanes, &Op) + Copy,
    Probed: Fn(&mut Lanes, &Op) + Copy,
{
    Selected::alone(Versions([base::<Whole<Bare>>; 3]), Versions([base::<Whole<Probed>>; 3]))
}

/// The value of a zero-sized type of which the functions above have been given one.
#[inline(always)]
#[allow(unsafe_code)]
fn value<F: Copy>() -> F {
    const { assert!(size_of::<F>() == 0, "the function captures something") };
    // SAFETY: a pointer to no bytes may dangle; a value exists (the constructors took one) and may be copied.
    unsafe { std::ptr::NonNull::<F>::dangling().read() }
}

struct Whole<F>(PhantomData<F>);
impl<F: Fn(&mut Lanes, &Op) + Copy> Semantics for Whole<F> {
    #[inline(always)]
    fn run(lanes: &mut Lanes, op: &Op) {
        value::<F>()(lanes, op);
    }
}

struct Unary<A, D, F>(PhantomData<(A, D, F)>);
impl<A: Lane, D: Lane, F: Fn(A) -> D + Copy> Semantics for Unary<A, D, F> {
    #[inline(always)]
    fn run(lanes: &mut Lanes, op: &Op) {
        lanes.map1(op, value::<F>());
    }
}

struct Binary<A, B, D, F>(PhantomData<(A, B, D, F)>);
impl<A: Lane, B: Lane, D: Lane, F: Fn(A, B) -> D + Copy> Semantics for Binary<A, B, D, F> {
    #[inline(always)]
    fn run(lanes: &mut Lanes, op: &Op) {
        lanes.map2(op, value::<F>());
    }
}

struct Ternary<A, B, C, D, F>(PhantomData<(A, B, C, D, F)>);
impl<A: Lane, B: Lane, C: Lane, D: Lane, F: Fn(A, B, C) -> D + Copy> Semantics for Ternary<A, B, C, D, F> {
    #[inline(always)]
    fn run(lanes: &mut Lanes, op: &Op) {
        lanes.map3(op, value::<F>());
    }
}

struct Each1<A, D, F>(PhantomData<(A, D, F)>);
impl<A: Lane, D: Lane, F: Fn(A) -> D + Copy> Semantics for Each1<A, D, F> {
    fn run(lanes: &mut Lanes, op: &Op) {
        let a = lanes.get::<A>(op.a);
        let mut d = [D::default(); WARP];
        lanes.each(|lane| d[lane] = value::<F>()(a[lane]));
        lanes.set(op.dst, d);
    }
}

struct Each2<A, B, D, F>(PhantomData<(A, B, D, F)>);
impl<A: Lane, B: Lane, D: Lane, F: Fn(A, B) -> D + Copy> Semantics for Each2<A, B, D, F> {
    fn run(lanes: &mut Lanes, op: &Op) {
        let (a, b) = (lanes.get::<A>(op.a), lanes.get::<B>(op.b));
        let mut d = [D::default(); WARP];
        lanes.each(|lane| d[lane] = value::<F>()(a[lane], b[lane]));
        lanes.set(op.dst, d);
    }
}

struct Each3<A, B, C, D, F>(PhantomData<(A, B, C, D, F)>);
impl<A: Lane, B: Lane, C: Lane, D: Lane, F: Fn(A, B, C) -> D + Copy> Semantics for Each3<A, B, C, D, F> {
    fn run(lanes: &mut Lanes, op: &Op) {
        let (a, b, c) = (lanes.get::<A>(op.a), lanes.get::<B>(op.b), lanes.get::<C>(op.c));
        let mut d = [D::default(); WARP];
        lanes.each(|lane| d[lane] = value::<F>()(a[lane], b[lane], c[lane]));
        lanes.set(op.dst, d);
    }
}

struct Each4<A, B, C, E, D, F>(PhantomData<(A, B, C, E, D, F)>);
impl<A: Lane, B: Lane, C: Lane, E: Lane, D: Lane, F: Fn(A, B, C, E) -> D + Copy> Semantics for Each4<A, B, C, E, D, F> {
    fn run(lanes: &mut Lanes, op: &Op) {
        let (a, b, c) = (lanes.get::<A>(op.a), lanes.get::<B>(op.b), lanes.get::<C>(op.c));
        let e = lanes.get::<E>(lanes.more(op, 0));
        let mut d = [D::default(); WARP];
        lanes.each(|lane| d[lane] = value::<F>()(a[lane], b[lane], c[lane], e[lane]));
        lanes.set(op.dst, d);
    }
}

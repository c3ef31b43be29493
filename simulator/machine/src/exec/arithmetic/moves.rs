//! Copies between registers: `mov` with packing and unpacking of vectors, and `cvta`.
use super::special_registers;
use crate::exec::view::{Answer, Lane, Lanes, Op, WARP, lane, plainly, unary, whole};
use crate::memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW};
use ptx::isa::{Form, Refusal, Space, Type};

/// `mov` in every form.
pub fn mov(form: &Form) -> Answer {
    if form.special.is_some() {
        return special_registers::select(form);
    }
    if form.vector > 1 {
        return vector(form);
    }
    Ok(match (form.ty(0), form.widths[0]) {
        (Some(Type::Pred), _) => plainly(|lanes, op| {
            let bits = lanes.predicate(op.a);
            lanes.set_predicate(op.dst, bits);
        }),
        (_, 16) => unary(|a: u16| a),
        (_, 32) => unary(|a: u32| a),
        (_, 64) => unary(|a: u64| a),
        (_, 128) => unary(|a: u128| a),
        _ => return Err(Refusal::NoSuchForm),
    })
}

/// `cvta`, both ways: adds or takes off the base of the space's window. Global and constant addresses are generic ones.
pub fn cvta(form: &Form) -> Answer {
    refuse_if!(form.widths[0] != 64, Refusal::NoSuchForm);
    Ok(match (form.space, form.has("to")) {
        (Space::Global | Space::Const, _) => unary(|a: u64| a),
        (Space::Shared, false) => unary(|a: u64| a.wrapping_add(SHARED_WINDOW)),
        (Space::Shared, true) => unary(|a: u64| a.wrapping_sub(SHARED_WINDOW)),
        (Space::Local, false) => unary(|a: u64| a.wrapping_add(LOCAL_WINDOW)),
        (Space::Local, true) => unary(|a: u64| a.wrapping_sub(LOCAL_WINDOW)),
        (Space::Param, false) => unary(|a: u64| a.wrapping_add(PARAM_WINDOW)),
        (Space::Param, true) => unary(|a: u64| a.wrapping_sub(PARAM_WINDOW)),
        (Space::Generic, _) => return Err(Refusal::NoSuchForm),
    })
}

/// `mov d, {…}` and `mov {…}, a`: the first element in the lowest bits.
fn vector(form: &Form) -> Answer {
    let whole_bits = form.widths[0].max(form.widths[1]);
    let packs = form.widths[0] > form.widths[1];
    Ok(match (packs, whole_bits, form.vector) {
        (true, 32, 2) => whole(
            #[inline(always)]
            |lanes, op| pack(lanes, op, |[a, b]: [u16; 2]| u32::from(a) | u32::from(b) << 16),
        ),
        (true, 64, 2) => whole(
            #[inline(always)]
            |lanes, op| pack(lanes, op, |[a, b]: [u32; 2]| u64::from(a) | u64::from(b) << 32),
        ),
        (true, 16, 2) => plainly(|lanes, op| pack(lanes, op, |[a, b]: [u16; 2]| a & 0xff | b << 8)),
        (true, 32, 4) => plainly(|lanes, op| {
            pack(lanes, op, |part: [u16; 4]| (0..4).fold(0, |whole, i| whole | u32::from(part[i] as u8) << (8 * i)))
        }),
        (true, 64, 4) => plainly(|lanes, op| {
            pack(lanes, op, |part: [u16; 4]| (0..4).fold(0, |whole, i| whole | u64::from(part[i]) << (16 * i)))
        }),
        (true, 128, 2) => plainly(|lanes, op| pack(lanes, op, |[a, b]: [u64; 2]| u128::from(a) | u128::from(b) << 64)),
        (true, 128, 4) => plainly(|lanes, op| {
            pack(lanes, op, |part: [u32; 4]| (0..4).fold(0, |whole, i| whole | u128::from(part[i]) << (32 * i)))
        }),
        (false, 32, 2) => whole(
            #[inline(always)]
            |lanes, op| unpack(lanes, op, |a: u32, i| (a >> (16 * i)) as u16),
        ),
        (false, 64, 2) => whole(
            #[inline(always)]
            |lanes, op| unpack(lanes, op, |a: u64, i| (a >> (32 * i)) as u32),
        ),
        (false, 16, 2) => plainly(|lanes, op| unpack(lanes, op, |a: u16, i| a >> (8 * i) & 0xff)),
        (false, 32, 4) => plainly(|lanes, op| unpack(lanes, op, |a: u32, i| (a >> (8 * i)) as u16 & 0xff)),
        (false, 64, 4) => plainly(|lanes, op| unpack(lanes, op, |a: u64, i| (a >> (16 * i)) as u16)),
        (false, 128, 2) => plainly(|lanes, op| unpack(lanes, op, |a: u128, i| (a >> (64 * i)) as u64)),
        (false, 128, 4) => plainly(|lanes, op| unpack(lanes, op, |a: u128, i| (a >> (32 * i)) as u32)),
        _ => return Err(Refusal::NoSuchForm),
    })
}

#[inline(always)]
fn pack<T: Lane, D: Lane, const N: usize>(lanes: &mut Lanes, op: &Op, join: impl Fn([T; N]) -> D) {
    let parts: [_; N] = lane::array(|i| lanes.get::<T>(lanes.more(op, i)));
    let mut d = [D::default(); WARP];
    for lane in 0..WARP {
        d[lane] = join(lane::array(|i| parts[i][lane]));
    }
    lanes.set(op.dst, d);
}

#[inline(always)]
fn unpack<A: Lane, T: Lane>(lanes: &mut Lanes, op: &Op, part: impl Fn(A, usize) -> T) {
    // Read before anything is written: an element may be the source itself.
    let a = lanes.get::<A>(op.a);
    for i in 0..op.vector as usize {
        let mut d = [T::default(); WARP];
        for lane in 0..WARP {
            d[lane] = part(a[lane], i);
        }
        let row = lanes.more(op, i);
        lanes.set(row, d);
    }
}

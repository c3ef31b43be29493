//! `mma` and `wmma.mma`: a matrix product spread over the registers of a warp, laid out as [`super::matrix_layout`] says.
use super::matrix_layout::{MatrixSize, Part, TYPES, element_bits, index_of};
use crate::exec::arithmetic::exact::Value;
use crate::exec::arithmetic::float::Float;
use crate::exec::arithmetic::rounding::{BF16, E4M3, E5M2, F16, F32, Format, Mode};
use crate::exec::view::half_bits::{widen_bf16, widen_f16};
use crate::exec::view::{Answer, Lanes, Op, Register, plainly};
use ptx::isa::{Form, Refusal, Type};

pub fn mma(form: &Form) -> Answer {
    let &[d, a, b, c] = form.types else { return Err(Refusal::NoSuchForm) };
    let shape = MatrixSize::of(form).ok_or(Refusal::NoSuchForm)?;
    let kind = Kind { shape, d, a, b, c, and: form.has("and"), finite: form.has("satfinite"), doubled: false };
    if (shape.m, shape.n, shape.k) == (8, 8, 4) && (a, b) == (Type::F16, Type::F16) {
        return quarters(form, kind);
    }
    if is_modelled(shape, a) { product(kind) } else { Err(Refusal::NoSuchForm) }
}

/// `wmma.mma`. Fragments are by element, so that the layouts in memory do not matter here.
pub fn wmma(form: &Form) -> Answer {
    let (doubled, [d, a, b, c]) = match *form.types {
        [d, c] => (true, [d, Type::F16, Type::F16, c]),
        [d, a, b, c] => (false, [d, a, b, c]),
        _ => return Err(Refusal::NoSuchForm),
    };
    let shape = MatrixSize::of(form).filter(|shape| shape.is_wmma(a)).ok_or(Refusal::NoSuchForm)?;
    product(Kind { shape, d, a, b, c, and: form.has("and"), finite: form.has("satfinite"), doubled })
}

fn product(kind: Kind) -> Answer {
    let Kind { d, a, b, c, .. } = kind;
    let selected = match (d, a, b, c) {
        (Type::F64, Type::F64, Type::F64, Type::F64) => plainly(doubles),
        (Type::S32, _, _, Type::S32) if a == Type::B1 && b == Type::B1 => plainly(bits),
        (Type::S32, _, _, Type::S32) if element_bits(a) < 16 && element_bits(a) == element_bits(b) => plainly(integers),
        (Type::F32 | Type::F16, _, _, Type::F32 | Type::F16)
            if format(a).is_some() && element_bits(a) == element_bits(b) =>
        {
            plainly(floats)
        }
        _ => return Err(Refusal::NoSuchForm),
    };
    Ok(selected.with(kind.pack()))
}

/// Returns whether `mma` has the shape, and its one layout rule.
fn is_modelled(shape: MatrixSize, a: Type) -> bool {
    let shapes: &[(u32, u32)] = match a {
        Type::F64 => &[(8, 4), (16, 4), (16, 8), (16, 16)],
        Type::B1 => &[(8, 128), (16, 128), (16, 256)],
        Type::U4 | Type::S4 => &[(8, 32), (16, 32), (16, 64)],
        Type::U8 | Type::S8 => &[(8, 16), (16, 16), (16, 32)],
        Type::E4m3 | Type::E5m2 => &[(16, 16), (16, 32)],
        Type::F16 | Type::Bf16 => &[(16, 8), (16, 16)],
        Type::Tf32 => &[(16, 4), (16, 8)],
        _ => &[],
    };
    shape.n == 8 && shapes.contains(&(shape.m, shape.k))
}

/// The matrices that a form multiplies; travels in [`Op::data`].
#[derive(Clone, Copy, Debug)]
struct Kind {
    shape: MatrixSize,
    d: Type,
    a: Type,
    b: Type,
    c: Type,
    /// `.and.popc` instead of `.xor.popc`.
    and: bool,
    /// `.satfinite` of integers.
    finite: bool,
    /// A and B of `wmma` with `f16`: 8 registers each, more than their elements need.
    doubled: bool,
}

impl Kind {
    fn pack(self) -> u32 {
        index_of(self.d)
            | index_of(self.a) << 4
            | index_of(self.b) << 8
            | index_of(self.c) << 12
            | u32::from(self.and) << 16
            | u32::from(self.finite) << 17
            | u32::from(self.doubled) << 18
            | self.shape.pack() << 19
    }
    fn unpack(data: u32) -> Self {
        let ty = |shift: u32| TYPES[(data >> shift & 15) as usize];
        Kind {
            shape: MatrixSize::unpack(data >> 19),
            d: ty(0),
            a: ty(4),
            b: ty(8),
            c: ty(12),
            and: data >> 16 & 1 != 0,
            finite: data >> 17 & 1 != 0,
            doubled: data >> 18 & 1 != 0,
        }
    }
}

/// Where the registers of the four fragments begin in "more", and how many of each hold its matrix: D, A, B, C.
struct Fragments {
    from: [usize; 4],
    count: [usize; 4],
}

impl Fragments {
    fn of(kind: Kind) -> Self {
        let parts = [(Part::C, kind.d), (Part::A, kind.a), (Part::B, kind.b), (Part::C, kind.c)];
        let count = parts.map(|(part, ty)| part.registers(kind.shape, ty));
        let (a, b) = if kind.doubled { (8, 8) } else { (count[1], count[2]) };
        Fragments { from: [0, count[0], count[0] + a, count[0] + a + b], count }
    }
}

fn format(ty: Type) -> Option<Format> {
    Some(match ty {
        Type::F16 => F16,
        Type::Bf16 => BF16,
        Type::Tf32 => F32,
        Type::E4m3 => E4M3,
        Type::E5m2 => E5M2,
        _ => return None,
    })
}

/// Reads a fragment's elements and hands them to `put` with their place.
fn read<R: Register>(
    lanes: &Lanes,
    op: &Op,
    (from, count): (usize, usize),
    bits: u32,
    place: impl Fn(usize, usize, usize, usize) -> (usize, usize),
    mut put: impl FnMut(usize, usize, u64),
) {
    let each = (32 / bits).max(1) as usize;
    let mask = if bits == 64 { !0 } else { (1 << bits) - 1 };
    for r in 0..count {
        let register = lanes.get::<R>(lanes.more(op, from + r));
        for (lane, register) in register.iter().enumerate() {
            for k in 0..each {
                let (row, column) = place(r, lane, k, each);
                put(row, column, register.wide() >> (k as u32 * bits) & mask);
            }
        }
    }
}

/// Writes D from its elements.
fn write<R: Register>(
    lanes: &mut Lanes,
    op: &Op,
    shape: MatrixSize,
    (count, bits): (usize, u32),
    element: impl Fn(usize, usize) -> u64,
) {
    let each = (32 / bits).max(1) as usize;
    for r in 0..count {
        let register = std::array::from_fn(|lane| {
            let of = |k: usize| {
                let (row, column) = Part::C.place(shape, r, lane, k, each);
                element(row, column) << (k as u32 * bits)
            };
            R::narrow((0..each).fold(0, |all, k| all | of(k)))
        });
        let row = lanes.more(op, r);
        lanes.set::<R>(row, register);
    }
}

/// Elements of the largest A (16×64 of `.s4`), B (64×8) and C (16×16) that stand for numbers.
const LARGEST: [usize; 3] = [1024, 512, 256];

/// D = A·B + C: `dot` adds the products of a row and a column to an element of C.
fn multiply<R: Register, T: Copy + Default>(
    lanes: &mut Lanes,
    op: &Op,
    decode: [impl Fn(u64) -> T; 2],
    dot: impl Fn(u64, &[T], &[T]) -> u64,
) {
    let kind = Kind::unpack(op.data);
    let shape = kind.shape;
    let (n, k) = (shape.n as usize, shape.k as usize);
    let Fragments { from, count } = Fragments::of(kind);
    let [decode_a, decode_b] = decode;
    // A by rows, B by columns, C by rows.
    let (mut a, mut b, mut c) = ([T::default(); LARGEST[0]], [T::default(); LARGEST[1]], [0u64; LARGEST[2]]);
    let part = |i: usize| (from[i], count[i]);
    let place = |part: Part| move |r, lane, e, each| part.place(shape, r, lane, e, each);
    read::<R>(lanes, op, part(1), element_bits(kind.a), place(Part::A), |row, i, bits| a[row * k + i] = decode_a(bits));
    read::<R>(lanes, op, part(2), element_bits(kind.b), place(Part::B), |i, column, bits| {
        b[column * k + i] = decode_b(bits);
    });
    read::<R>(lanes, op, part(3), element_bits(kind.c), place(Part::C), |row, column, bits| c[row * n + column] = bits);
    for (row, c) in c.chunks_exact_mut(n).enumerate().take(shape.m as usize) {
        for (column, c) in c.iter_mut().enumerate() {
            *c = dot(*c, &a[row * k..][..k], &b[column * k..][..k]);
        }
    }
    write::<R>(lanes, op, shape, (count[0], element_bits(kind.d)), |row, column| c[row * n + column]);
}

/// `f64`: fused, in the order of k.
fn doubles(lanes: &mut Lanes, op: &Op) {
    multiply::<u64, f64>(lanes, op, [f64::from_bits, f64::from_bits], |c, a, b| {
        let sum = a.iter().zip(b).fold(f64::from_bits(c), |sum, (a, b)| a.mul_add(*b, sum));
        sum.canonical().to_bits()
    });
}

/// The smaller floating-point types: exact products, summed in double precision, rounded once. Hardware rounds its
/// partial sums in ways of its own; the manual leaves their order and rounding open.
fn floats(lanes: &mut Lanes, op: &Op) {
    let kind = Kind::unpack(op.data);
    let decode = |ty: Type| move |bits: u64| decoded(ty, bits);
    multiply::<u32, f32>(lanes, op, [decode(kind.a), decode(kind.b)], |c, a, b| dot((kind.c, kind.d), c, a, b));
}

/// The value of an element's bits, exactly.
#[inline(always)]
pub(super) fn decoded(ty: Type, bits: u64) -> f32 {
    match ty {
        Type::F16 => widen_f16(bits as u32),
        Type::Bf16 => widen_bf16(bits as u32),
        // The lower 13 bits are not looked at.
        Type::Tf32 => f32::from_bits(bits as u32 & !0x1fff),
        _ => format(ty).map_or(0.0, |format| format.decode(bits).to_f32(Mode::Nearest)),
    }
}

/// Bits of an element of D: an element of C plus the products of a row and a column, rounded once.
#[inline(always)]
pub(super) fn dot((of_c, of_d): (Type, Type), c: u64, a: &[f32], b: &[f32]) -> u64 {
    let c = if of_c == Type::F16 { widen_f16(c as u32) } else { f32::from_bits(c as u32) };
    let sum = a.iter().zip(b).fold(f64::from(c), |sum, (a, b)| sum + f64::from(*a) * f64::from(*b));
    match of_d {
        Type::F16 => F16.encode(Value::of_f64(sum), Mode::Nearest),
        _ => (sum as f32).canonical().bits(),
    }
}

/// Integers of 8 and 4 bits into 32, wrapping, or saturated at the end under `.satfinite`.
fn integers(lanes: &mut Lanes, op: &Op) {
    let kind = Kind::unpack(op.data);
    let decode = |ty: Type| {
        let unused = 64 - element_bits(ty);
        move |bits: u64| {
            let up = bits << unused;
            if ty.is_signed() { (up as i64 >> unused) as i32 } else { (up >> unused) as i32 }
        }
    };
    multiply::<u32, i32>(lanes, op, [decode(kind.a), decode(kind.b)], |c, a, b| {
        let sum = a.iter().zip(b).fold(i64::from(c as u32 as i32), |sum, (a, b)| sum + i64::from(a * b));
        let sum = if kind.finite { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
        u64::from(sum as u32)
    });
}

/// Single bits: counts of `a ^ b` or `a & b`. A register counts as one element of 32 bits here.
fn bits(lanes: &mut Lanes, op: &Op) {
    let kind = Kind::unpack(op.data);
    let Fragments { from, count } = Fragments::of(kind);
    let (mut a, mut b, mut c) = ([[0u32; 8]; 16], [[0u32; 8]; 8], [[0u32; 8]; 16]);
    let place = |part: Part| move |r, lane, e, each| part.place(kind.shape, r, lane, e, each);
    read::<u32>(lanes, op, (from[1], count[1]), 32, place(Part::A), |row, k, bits| a[row][k] = bits as u32);
    read::<u32>(lanes, op, (from[2], count[2]), 32, place(Part::B), |k, column, bits| b[column][k] = bits as u32);
    read::<u32>(lanes, op, (from[3], count[3]), 32, place(Part::C), |row, column, bits| c[row][column] = bits as u32);
    write::<u32>(lanes, op, kind.shape, (count[0], 32), |row, column| {
        let pairs = a[row].iter().zip(&b[column]);
        let ones: u32 = pairs.map(|(a, b)| if kind.and { a & b } else { a ^ b }.count_ones()).sum();
        c[row][column].wrapping_add(ones).into()
    });
}

/// In [`Op::data`]: A, B is by columns.
const COLUMNS: [u32; 2] = [1 << 26, 1 << 27];

/// The 8×8×4 products of `f16`, one for each four lanes of the lower half of a warp and the four of the upper half that are 16 further on.
fn quarters(form: &Form, kind: Kind) -> Answer {
    let layouts: Vec<bool> =
        form.modifiers.iter().filter_map(|m| ["row", "col"].iter().position(|l| l == m)).map(|l| l == 1).collect();
    let (&[a, b], true) = (&layouts[..], [kind.c, kind.d].iter().all(|ty| matches!(ty, Type::F16 | Type::F32))) else {
        return Err(Refusal::NoSuchForm);
    };
    let layouts = if a { COLUMNS[0] } else { 0 } | if b { COLUMNS[1] } else { 0 };
    Ok(plainly(multiply_quarters).with(kind.pack() | layouts))
}

fn multiply_quarters(lanes: &mut Lanes, op: &Op) {
    let kind = Kind::unpack(op.data);
    let registers = |ty: Type| if ty == Type::F16 { 4 } else { 8 };
    let from = [0, registers(kind.d), registers(kind.d) + 2, registers(kind.d) + 4];
    // A lane's product, the row or column that it begins with, and where its four stand.
    let quarter = |lane: usize| (lane % 16 / 4, lane / 16 * 4);
    // By product, A by rows, B by columns, C by rows.
    let (mut a, mut b, mut c) = ([[[0f32; 4]; 8]; 4], [[[0f32; 4]; 8]; 4], [[[0u64; 8]; 8]; 4]);
    let value = |bits: u64| decoded(Type::F16, bits);
    for (lane, i) in (0..32).flat_map(|lane| (0..4).map(move |i| (lane, i))) {
        let (product, half) = quarter(lane);
        let element =
            |at: usize| u64::from(lanes.get::<u32>(lanes.more(op, from[at] + i / 2))[lane] >> (16 * (i % 2)) & 0xffff);
        let place = |along: bool| if along { (half + i, lane % 4) } else { (half + lane % 4, i) };
        let (row, k) = place(op.data & COLUMNS[0] != 0);
        a[product][row][k] = value(element(1));
        let (column, k) = place(op.data & COLUMNS[1] == 0);
        b[product][column][k] = value(element(2));
    }
    let place = |ty: Type, lane: usize, i: usize| match ty {
        Type::F16 => (lane % 4, i),
        _ => ((lane & 1) + (i & 2), (i & 4) + (lane & 2) + (i & 1)),
    };
    for (lane, i) in (0..32).flat_map(|lane| (0..8).map(move |i| (lane, i))) {
        let (product, half) = quarter(lane);
        let (row, column) = place(kind.c, lane, i);
        let (register, shift) = if kind.c == Type::F16 { (i / 2, 16 * (i % 2)) } else { (i, 0) };
        let bits = lanes.get::<u32>(lanes.more(op, from[3] + register))[lane] >> shift;
        c[product][half + row][column] = u64::from(if kind.c == Type::F16 { bits & 0xffff } else { bits });
    }
    for r in 0..registers(kind.d) {
        let register = std::array::from_fn(|lane| {
            let (product, half) = quarter(lane);
            let element = |i: usize| {
                let (row, column) = place(kind.d, lane, i);
                let row = half + row;
                dot((kind.c, kind.d), c[product][row][column], &a[product][row], &b[product][column]) as u32
            };
            if kind.d == Type::F16 { element(2 * r) | element(2 * r + 1) << 16 } else { element(r) }
        });
        lanes.set::<u32>(lanes.more(op, r), register);
    }
}

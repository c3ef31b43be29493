//! `wgmma`: matrix products of four warps, with B and mostly A read from shared memory through descriptors.
//!
//! A warp does its own sixteen rows of the sixty-four when it waits for them, so that a kernel that does not wait, or writes to their
//! memory too early, has another result: every time, not sometimes. Where that cannot be (`lower::analyses::late_products`), and for listeners
//! that follow undefined values, it does them when the instruction is issued. Both are times that the PTX manual allows.
use super::matrix::{decoded, dot};
use super::matrix_layout::{MatrixSize, Part, TYPES, element_bits, index_of};
use super::warpgroup_tile::{Descriptor, Tile};
use crate::exec::asynchronous::bulk;
use crate::exec::asynchronous::copies::Product;
use crate::exec::view::{Lanes, Op, Row, Selected, WARP, plainly};
use crate::fault::Fault;
use crate::probe::AccessKind;
use ptx::isa::{Form, Refusal, Space, Type};

/// Rows of A and D that one warp of the four has.
const ROWS: usize = 16;

/// The matrices that a form multiplies; travels in [`Op::data`], with the immediates of the instruction in [`Op::imm`].
#[derive(Clone, Copy, Debug)]
struct Kind {
    n: usize,
    d: Type,
    a: Type,
    b: Type,
    /// A comes from registers.
    registers: bool,
    /// `.satfinite` of integers.
    finite: bool,
}

/// Bits of [`Op::imm`]: the factors −1 of A and B, and which of them are stored by columns.
pub const NEGATE_A: i64 = 1;
pub const NEGATE_B: i64 = 2;
pub const TRANSPOSE_A: i64 = 4;
pub const TRANSPOSE_B: i64 = 8;
/// And that it may be computed when it is waited for.
pub const LATE: i64 = 16;

impl Kind {
    fn of(form: &Form) -> Result<Kind, Refusal> {
        let &[d, a, b] = form.types else { return Err(Refusal::NoSuchForm) };
        let size = MatrixSize::of(form).ok_or(Refusal::NoSuchForm)?;
        let (allowed, k) = match (d, a, b) {
            (Type::F32 | Type::F16, Type::F16, Type::F16) | (Type::F32, Type::Bf16, Type::Bf16) => (8, 16),
            (Type::F32, Type::Tf32, Type::Tf32) => (8, 8),
            (Type::F32 | Type::F16, Type::E4m3 | Type::E5m2, Type::E4m3 | Type::E5m2) => (8, 32),
            // Above 32, integers have multiples of 16 only.
            (Type::S32, Type::S8 | Type::U8, Type::S8 | Type::U8) => (if size.n > 32 { 16 } else { 8 }, 32),
            _ => return Err(Refusal::NoSuchForm),
        };
        if size.m != 64 || size.k != k || !(8..=256).contains(&size.n) || !size.n.is_multiple_of(allowed) {
            return Err(Refusal::NoSuchForm);
        }
        let registers = form.vector > 1;
        Ok(Kind { n: size.n as usize, d, a, b, registers, finite: form.has("satfinite") })
    }

    fn pack(self) -> u32 {
        index_of(self.d)
            | index_of(self.a) << 4
            | index_of(self.b) << 8
            | u32::from(self.registers) << 12
            | u32::from(self.finite) << 13
            | (self.n as u32 / 8) << 16
    }

    fn unpack(data: u32) -> Kind {
        let ty = |shift: u32| TYPES[(data >> shift & 15) as usize];
        Kind {
            n: (data >> 16 & 63) as usize * 8,
            d: ty(0),
            a: ty(4),
            b: ty(8),
            registers: data >> 12 & 1 != 0,
            finite: data >> 13 & 1 != 0,
        }
    }

    /// Elements of A along k: 32 bytes of them.
    fn k(self) -> usize {
        32 / self.a.bytes() as usize
    }

    /// Registers of D.
    fn results(self) -> usize {
        self.n / 2 * element_bits(self.d) as usize / 32
    }
}

/// `wgmma.mma_async`
pub fn multiply(form: &Form) -> Result<Selected, Refusal> {
    Ok(plainly(multiply_or_keep).with(Kind::of(form)?.pack()))
}

/// `wgmma.fence`: the registers are as they were written here in any case; lowering looks at where it is missing.
pub fn fence(_: &Form) -> Result<Selected, Refusal> {
    Ok(plainly(|_, _| {}))
}

/// `wgmma.commit_group`
pub fn commit_group(_: &Form) -> Result<Selected, Refusal> {
    Ok(plainly(|lanes, _| {
        lanes.context.blocks.copies.open_products += 1;
        bulk::commit_warp(lanes);
    }))
}

/// `wgmma.wait_group`, with the number of groups that may be under way in `imm`.
pub fn wait_group(_: &Form) -> Result<Selected, Refusal> {
    Ok(plainly(wait))
}

fn wait(lanes: &mut Lanes, op: &Op) {
    let under_way = op.imm.clamp(0, u32::MAX.into()) as u32;
    let active = lanes.mask;
    let copies = &mut lanes.context.blocks.copies;
    let limit = copies.open_products.saturating_sub(under_way);
    let due = copies.products.iter().take_while(|product| product.group < limit).count();
    let due: Vec<Product> = copies.products.drain(..due).collect();
    for product in due {
        lanes.mask = product.mask;
        compute(lanes, &product);
    }
    lanes.mask = active;
    bulk::wait_warp(lanes, under_way);
}

fn multiply_or_keep(lanes: &mut Lanes, op: &Op) {
    let Some(product) = issue(lanes, op, Kind::unpack(op.data)) else { return };
    match op.imm & LATE != 0 && !lanes.context.listener.follows {
        true => lanes.context.blocks.copies.products.push(product),
        false => compute(lanes, &product),
    }
}

/// Checks a product and takes what it reads of registers but A. Descriptors and the predicate are the same in all lanes; `None`: it faulted.
fn issue(lanes: &mut Lanes, op: &Op, kind: Kind) -> Option<Product> {
    let lane = lanes.mask.trailing_zeros() as usize % WARP;
    let at = kind.results();
    let value = |lanes: &Lanes, index: usize| lanes.get::<u64>(lanes.more(op, index))[lane];
    let rows = if kind.registers { 4 } else { 1 };
    let product = Product {
        data: op.data,
        imm: op.imm,
        more: op.more,
        a: if kind.registers { 0 } else { value(lanes, at) },
        b: value(lanes, at + rows),
        keeps: lanes.predicate(op.c) >> lane & 1 != 0,
        mask: lanes.mask,
        group: lanes.context.blocks.copies.open_products,
    };
    let (tile_a, tile_b) = tiles(lanes, &product, kind);
    for tile in tile_a.iter().chain([&tile_b]) {
        let (first, end) = tile.span();
        if end > lanes.shared.bytes {
            let at = lanes.context.place(op.site, lanes.mask);
            let (space, kind) = (Space::Shared, AccessKind::Load);
            lanes.context.stop(Fault::OutOfBounds { at, space, address: first, bytes: (end - first) as u32, kind });
            lanes.mask = 0;
            return None;
        }
    }
    if lanes.context.listener.listens() {
        let mut regions = tile_a.map_or_else(Vec::new, |tile| tile.chunks());
        regions.extend(tile_b.chunks());
        bulk::begin_product(lanes, op.site, &regions);
    }
    Some(product)
}

/// The part of A in shared memory that this warp reads, unless A is in registers, and B.
fn tiles(lanes: &Lanes, product: &Product, kind: Kind) -> (Option<Tile>, Tile) {
    let warp = lanes.context.who.warp as usize % 4;
    let a = Descriptor::new(product.a, product.imm & TRANSPOSE_A != 0);
    let b = Descriptor::new(product.b, product.imm & TRANSPOSE_B != 0);
    let rows = ROWS * warp..ROWS * (warp + 1);
    ((!kind.registers).then(|| Tile::new(a, kind.a.bytes(), rows)), Tile::new(b, kind.b.bytes(), 0..kind.n))
}

pub(crate) fn descriptors(lanes: &Lanes, op: &Op) -> impl Iterator<Item = Row> + use<> {
    let kind = Kind::unpack(op.data);
    let (a, b) = (kind.results(), kind.results() + if kind.registers { 4 } else { 1 });
    let rows = [lanes.more(op, a), lanes.more(op, b)];
    rows.into_iter().skip(usize::from(kind.registers))
}

/// A's rows of this warp, as k by rows of bits: from registers or from memory.
fn read_a(lanes: &Lanes, more: u32, kind: Kind, tile: Option<Tile>, mut put: impl FnMut(usize, usize, u64)) {
    let Some(tile) = tile else {
        let bits = element_bits(kind.a);
        let (each, shape) = ((32 / bits) as usize, MatrixSize { m: 16, n: 8, k: kind.k() as u32 });
        for r in 0..4 {
            let register = lanes.get::<u32>(lanes.more_from(more, kind.results() + r));
            for (lane, register) in register.iter().enumerate() {
                for e in 0..each {
                    let (row, column) = Part::A.place(shape, r, lane, e, each);
                    let mask = if bits == 32 { u32::MAX } else { (1 << bits) - 1 };
                    put(row, column, u64::from(register >> (e as u32 * bits) & mask));
                }
            }
        }
        return;
    };
    tile.read(lanes, put);
}

/// D = A·B + D in the arithmetic of `T`: `dot` adds the products of a row and a column to an element of D.
fn add<T: Copy + Default>(
    lanes: &mut Lanes,
    product: &Product,
    kind: Kind,
    decode: [impl Fn(u64) -> T; 2],
    dot: impl Fn(u64, &[T], &[T]) -> u64,
) {
    let (more, keeps) = (product.more, product.keeps);
    let (tile_a, tile_b) = tiles(lanes, product, kind);
    let (n, k) = (kind.n, kind.k());
    let [decode_a, decode_b] = decode;
    let (mut rows, mut columns) = (vec![T::default(); ROWS * k], vec![T::default(); n * k]);
    read_a(lanes, more, kind, tile_a, |row, i, bits| rows[row * k + i] = decode_a(bits));
    tile_b.read(lanes, |column, i, bits| columns[column * k + i] = decode_b(bits));
    let bits = element_bits(kind.d);
    let (each, mask) = ((32 / bits) as usize, if bits == 32 { u32::MAX } else { (1 << bits) - 1 });
    for r in 0..kind.results() {
        let row = lanes.more_from(more, r);
        let before = lanes.get::<u32>(row);
        let after = std::array::from_fn(|lane| {
            (0..each).fold(0, |all, e| {
                // As in the fragments of `mma`, eight columns one after the other.
                let i = r * each + e;
                let (m, column) = (lane / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + lane % 4 * 2 + i % 2);
                let c = if keeps { before[lane] >> (e as u32 * bits) & mask } else { 0 };
                let d = dot(c.into(), &rows[m * k..][..k], &columns[column * k..][..k]);
                all | (d as u32 & mask) << (e as u32 * bits)
            })
        });
        lanes.set::<u32>(row, after);
    }
}

/// Computes a product, from memory as it is now.
fn compute(lanes: &mut Lanes, product: &Product) {
    let kind = Kind::unpack(product.data);
    match kind.d {
        Type::S32 => integers(lanes, product, kind),
        _ => floats(lanes, product, kind),
    }
}

/// Floating-point types, in the arithmetic of `mma`.
fn floats(lanes: &mut Lanes, product: &Product, kind: Kind) {
    let decode = |ty: Type, negate: bool| {
        let sign = if negate { -1.0 } else { 1.0 };
        move |bits: u64| sign * decoded(ty, bits)
    };
    let imm = product.imm;
    let decode = [decode(kind.a, imm & NEGATE_A != 0), decode(kind.b, imm & NEGATE_B != 0)];
    add::<f32>(lanes, product, kind, decode, |c, a, b| dot((kind.d, kind.d), c, a, b));
}

/// Integers of 8 bits into 32, wrapping, or saturated at the end under `.satfinite`.
fn integers(lanes: &mut Lanes, product: &Product, kind: Kind) {
    let decode = |ty: Type| {
        move |bits: u64| match ty.is_signed() {
            true => i32::from(bits as u8 as i8),
            false => i32::from(bits as u8),
        }
    };
    add::<i32>(lanes, product, kind, [decode(kind.a), decode(kind.b)], |c, a, b| {
        let sum = a.iter().zip(b).fold(i64::from(c as u32 as i32), |sum, (a, b)| sum + i64::from(a * b));
        let sum = if kind.finite { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
        u64::from(sum as u32)
    });
}

//! `wmma.load` and `wmma.store`: matrices between memory and a warp's registers.
//!
//! A register of a lane whose elements lie one after the other in memory is one access of the warp; else each of its elements
//! is.
use super::matrix_layout::{MatrixSize, Part, TYPES, element_bits, index_of, per_register};
use crate::exec::accesses::access::{AccessForm, addresses, in_spaces, resolve};
use crate::exec::accesses::tell::{CheckedAccess, RegisterPart, tell, tell_gathered};
use crate::exec::view::{Answer, Lane32, Lanes, Op, Row, WARP, lane, plainly_told};
use crate::probe::{AccessKind, Addresses};
use ptx::isa::{self, Refusal, Space, Type};

/// `wmma.load`
pub fn load(form: &isa::Form) -> Answer {
    let part = match (form.has("a"), form.has("b"), form.has("c")) {
        (true, false, false) => Part::A,
        (false, true, false) => Part::B,
        (false, false, true) => Part::C,
        _ => return Err(Refusal::NoSuchForm),
    };
    let data = Matrix::of(form, part)?.pack(form);
    Ok(plainly_told(load_matrix::<false>, load_matrix::<true>).with(data))
}

/// `wmma.store`
pub fn store(form: &isa::Form) -> Answer {
    refuse_if!(!form.has("d"), Refusal::NoSuchForm);
    let data = Matrix::of(form, Part::C)?.pack(form);
    Ok(plainly_told(store_matrix::<false>, store_matrix::<true>).with(data))
}

/// A matrix in memory and its fragment; travels in [`Op::data`].
#[derive(Clone, Copy)]
struct Matrix {
    part: Part,
    shape: MatrixSize,
    ty: Type,
    /// Columns one after the other, instead of rows.
    by_columns: bool,
    /// Elements between two rows (or columns) are given, rather than as many as there are in one.
    has_stride: bool,
}

const PARTS: [Part; 3] = [Part::A, Part::B, Part::C];

impl Matrix {
    fn of(form: &isa::Form, part: Part) -> Result<Matrix, Refusal> {
        let (&[ty], Some(shape)) = (form.types, MatrixSize::of(form)) else { return Err(Refusal::NoSuchForm) };
        let exists = match (part, ty) {
            (Part::A | Part::B, _) => shape.is_wmma(ty),
            (Part::C, Type::F16) => shape.is_wmma(Type::F16),
            (Part::C, Type::F32) => shape.is_wmma(Type::F16) || shape.is_wmma(Type::Tf32),
            (Part::C, Type::S32) => [Type::S8, Type::S4, Type::B1].into_iter().any(|ty| shape.is_wmma(ty)),
            (Part::C, Type::F64) => shape.is_wmma(Type::F64),
            _ => false,
        };
        let matrix = Matrix { part, shape, ty, by_columns: form.has("col"), has_stride: form.widths[3] != 0 };
        // Elements of less than a byte are never apart.
        if !exists || form.has("col") == form.has("row") || element_bits(ty) < 8 && !matrix.is_together() {
            return Err(Refusal::NoSuchForm);
        }
        Ok(matrix)
    }

    fn pack(self, form: &isa::Form) -> u32 {
        let flags = if form.widths[1] == 32 { AccessForm::ADDRESS_32 } else { 0 };
        let space = match form.space {
            space @ (Space::Generic | Space::Global) => space,
            _ => Space::Shared,
        };
        let part = PARTS.iter().position(|&part| part == self.part).unwrap_or(0) as u32;
        AccessForm::new(space, Default::default(), if self.ty == Type::F64 { 8 } else { 4 }, flags).0
            | index_of(self.ty) << 16
            | self.shape.pack() << 20
            | part << 27
            | u32::from(self.by_columns) << 29
            | u32::from(self.has_stride) << 30
    }

    fn unpack(data: u32) -> Matrix {
        Matrix {
            part: PARTS[(data >> 27 & 3) as usize % PARTS.len()],
            shape: MatrixSize::unpack(data >> 20),
            ty: TYPES[(data >> 16 & 15) as usize % TYPES.len()],
            by_columns: data >> 29 & 1 != 0,
            has_stride: data >> 30 & 1 != 0,
        }
    }

    /// Returns whether the elements of a register lie one after the other in memory.
    fn is_together(self) -> bool {
        per_register(self.ty) == 1 || self.by_columns == (self.part == Part::B)
    }

    /// Accesses for a register of a lane, and the bytes of each.
    fn accesses(self) -> (usize, u64) {
        let (each, bits) = (per_register(self.ty), element_bits(self.ty));
        if self.is_together() { (1, u64::from(each * bits / 8)) } else { (each as usize, u64::from(bits / 8)) }
    }

    /// Bytes from the matrix' beginning to element `k` of register `r` of a lane, `stride` elements being between two rows.
    fn offset(self, r: usize, lane: usize, k: usize, stride: u64) -> u64 {
        let (row, column) = self.part.place(self.shape, r, lane, k, per_register(self.ty) as usize);
        let (line, within) = if self.by_columns { (column, row) } else { (row, column) };
        (line as u64).wrapping_mul(stride).wrapping_add(within as u64).wrapping_mul(element_bits(self.ty).into()) / 8
    }

    /// Elements of a row (or column).
    fn line(self) -> u32 {
        let MatrixSize { m, n, k } = self.shape;
        let (rows, columns) = match self.part {
            Part::A => (m, k),
            Part::B => (k, n),
            Part::C => (m, n),
        };
        if self.by_columns { rows } else { columns }
    }
}

#[allow(unsafe_code)]
fn load_matrix<const PROBED: bool>(lanes: &mut Lanes, op: &Op) {
    let matrix = Matrix::unpack(op.data);
    let registers = matrix.part.registers(matrix.shape, matrix.ty);
    let mut values = [[0u64; WARP]; MOST_REGISTERS];
    each_access(lanes, op, AccessKind::Load, PROBED, |_, r, shift, bytes, lane, host| {
        // SAFETY: `resolve` found the access inside live memory.
        let value = unsafe {
            match bytes {
                1 => u64::from((host as *const u8).read_unaligned()),
                2 => u64::from((host as *const u16).read_unaligned()),
                4 => u64::from((host as *const u32).read_unaligned()),
                _ => (host as *const u64).read_unaligned(),
            }
        };
        values[r][lane] |= value << shift;
    });
    // A and B of `f16` have registers for each element twice, or four times.
    for r in 0..usize::from(op.vector) {
        let row = lanes.more(op, r);
        match matrix.ty {
            Type::F64 => lanes.set::<u64>(row, values[r % registers]),
            _ => lanes.set::<u32>(row, values[r % registers].map(|bits| bits as u32)),
        }
    }
}

#[allow(unsafe_code)]
fn store_matrix<const PROBED: bool>(lanes: &mut Lanes, op: &Op) {
    lanes.stores += 1;
    let double = Matrix::unpack(op.data).ty == Type::F64;
    each_access(lanes, op, AccessKind::Store, PROBED, |lanes, r, shift, bytes, lane, host| {
        let value = lanes.bits(lanes.more(op, r), if double { 8 } else { 4 }, lane) as u64 >> shift;
        if let Some(before) = &mut lanes.context.before {
            before.save(host, bytes);
        }
        // SAFETY: `resolve` found the access inside live memory.
        unsafe {
            match bytes {
                2 => (host as *mut u16).write_unaligned(value as u16),
                4 => (host as *mut u32).write_unaligned(value as u32),
                _ => (host as *mut u64).write_unaligned(value),
            }
        }
    });
}

/// Where a load puts elements that lie one after the other: bits of a lane's register.
pub(crate) struct Elements {
    pub row: Row,
    pub register_bytes: u32,
    pub shift: u32,
    pub lane: usize,
    pub address: u64,
    pub bytes: u64,
}

/// All of a load's, by the registers as they are.
pub(crate) fn elements(lanes: &Lanes, op: &Op) -> Vec<Elements> {
    let matrix = Matrix::unpack(op.data);
    let bases = addresses(lanes, op);
    let strides = if matrix.has_stride { lanes.get::<u32>(op.c) } else { [matrix.line(); WARP] };
    let (accesses, bytes) = matrix.accesses();
    let registers = matrix.part.registers(matrix.shape, matrix.ty);
    let register_bytes = if matrix.ty == Type::F64 { 8 } else { 4 };
    let mut all = Vec::new();
    for r in 0..usize::from(op.vector) {
        for k in 0..accesses {
            all.extend((0..WARP).map(|lane| Elements {
                row: lanes.more(op, r),
                register_bytes,
                shift: k as u32 * element_bits(matrix.ty),
                lane,
                address: bases[lane].wrapping_add(matrix.offset(r % registers, lane, k, strides[lane].into())),
                bytes,
            }));
        }
    }
    all
}

/// Registers of a lane for the largest matrix.
const MOST_REGISTERS: usize = 8;

/// Checks every access of the matrix and calls `f` with the register, the bit in it, the bytes, the lane and the host's address.
fn each_access(
    lanes: &mut Lanes,
    op: &Op,
    kind: AccessKind,
    probed: bool,
    mut f: impl FnMut(&mut Lanes, usize, u32, u64, usize, u64),
) {
    let matrix = Matrix::unpack(op.data);
    let bases = addresses(lanes, op);
    let strides = if matrix.has_stride { lanes.get::<u32>(op.c) } else { [matrix.line(); WARP] };
    let (accesses, bytes) = matrix.accesses();
    for r in 0..matrix.part.registers(matrix.shape, matrix.ty) {
        for k in 0..accesses {
            let raw: Lane32<u64> =
                lane::array(|lane| bases[lane].wrapping_add(matrix.offset(r, lane, k, strides[lane].into())));
            let mut in_space = |lanes: &mut Lanes, space: Space, raw: &Lane32<u64>| {
                let Some((hosts, pattern)) = resolve(lanes, op, space, kind, bytes, raw) else { return };
                if probed {
                    let addresses = Addresses::of(pattern, raw, lanes.mask);
                    let access = CheckedAccess { space, kind, bytes, addresses, stored: None };
                    let register_bytes = if matrix.ty == Type::F64 { 8 } else { 4 };
                    let shift = k as u32 * element_bits(matrix.ty);
                    let part =
                        |lanes: &Lanes, lane, _| RegisterPart { row: lanes.more(op, r), register_bytes, lane, shift };
                    match kind {
                        AccessKind::Store => {
                            tell_gathered(
                                lanes,
                                op,
                                (CheckedAccess { stored: Some(&hosts), ..access }, bytes as usize),
                                &part,
                            );
                        }
                        _ => tell(lanes, op, access),
                    }
                }
                let hosts = hosts.each(bytes);
                for lane in crate::probe::lanes(lanes.mask) {
                    f(lanes, r, k as u32 * element_bits(matrix.ty), bytes, lane, hosts[lane]);
                }
            };
            in_spaces(lanes, op, &raw, &mut in_space);
            if lanes.mask == 0 {
                return;
            }
        }
    }
}

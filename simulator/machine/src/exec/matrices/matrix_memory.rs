//! `ldmatrix` and `stmatrix`: 8×8 matrices of 16-bit elements between shared memory and a warp's registers.
//!
//! Lane 8m + r gives the address of row r of matrix m (16 bytes). Lane 4r + c holds the elements (r, 2c) and (r, 2c + 1) of
//! every matrix in one 32-bit register; with `.trans`, those of the transposed matrix.
use crate::exec::accesses::access::{AccessForm, addresses, in_spaces, resolve};
use crate::exec::accesses::tell::{CheckedAccess, RegisterPart, tell, tell_gathered};
use crate::exec::view::{Lane32, Lanes, Op, Selected, WARP, lane, plainly_told};
use crate::probe::{AccessKind, Addresses};
use ptx::isa::{self, Refusal, Space, Type};

/// Bytes of a row.
const ROW: u64 = 16;
const TRANSPOSED: u32 = 1 << 16;
/// In [`Op::data`]: matrices in bits 17–19.
const MATRICES: u32 = 17;

/// `ldmatrix`.
pub fn load(form: &isa::Form) -> Result<Selected, Refusal> {
    Ok(plainly_told(load_rows::<false>, load_rows::<true>).with(data(form)?))
}

/// `stmatrix`.
pub fn store(form: &isa::Form) -> Result<Selected, Refusal> {
    Ok(plainly_told(store_rows::<false>, store_rows::<true>).with(data(form)?))
}

fn data(form: &isa::Form) -> Result<u32, Refusal> {
    refuse_if!(!form.has("m8n8") || form.ty(0) != Some(Type::B16), Refusal::NoSuchForm);
    let matrices = [("x1", 1), ("x2", 2), ("x4", 4)].into_iter().find(|(name, _)| form.has(name));
    let (_, matrices) = matrices.ok_or(Refusal::NoSuchForm)?;
    let space = if form.space == Space::Generic { Space::Generic } else { Space::Shared };
    let address_32 = if form.widths[1] == 32 { AccessForm::ADDRESS_32 } else { 0 };
    let transposed = if form.has("trans") { TRANSPOSED } else { 0 };
    Ok(AccessForm::new(space, Default::default(), 4, address_32).0 | transposed | matrices << MATRICES)
}

/// Where the element `index` (0 or 1) of a lane lies: row and column in memory.
fn element(op: &Op, lane: usize, index: usize) -> (usize, usize) {
    let (row, column) = (lane / 4, lane % 4 * 2 + index);
    if op.data & TRANSPOSED != 0 { (column, row) } else { (row, column) }
}

/// The element in a column of the row that a lane names: whose register has it.
fn part(lanes: &Lanes, op: &Op, lane: usize, column: usize) -> RegisterPart {
    let (matrix, row) = (lane / 8, lane % 8);
    let (row, column) = if op.data & TRANSPOSED != 0 { (column, row) } else { (row, column) };
    let lane = 4 * row + column / 2;
    RegisterPart { row: lanes.more(op, matrix), register_bytes: 4, lane, shift: 16 * (column as u32 % 2) }
}

/// Finds the rows of all matrices in host memory, with the lanes active that name them.
fn rows(lanes: &mut Lanes, op: &Op, kind: AccessKind, probed: bool) -> Option<Lane32<u64>> {
    let raw = addresses(lanes, op);
    let active = lanes.mask;
    let matrices = op.data >> MATRICES & 7;
    lanes.mask = active & (!0 >> (WARP as u32 - 8 * matrices));
    let mut found = None;
    let mut in_space = |lanes: &mut Lanes, space: Space, raw: &Lane32<u64>| {
        if let Some((hosts, pattern)) = resolve(lanes, op, space, kind, ROW, raw) {
            if probed {
                let addresses = Addresses::of(pattern, raw, lanes.mask);
                let access = CheckedAccess { space, kind, bytes: ROW, addresses, stored: None };
                match kind {
                    AccessKind::Store => {
                        let access = CheckedAccess { stored: Some(&hosts), ..access };
                        tell_gathered(lanes, op, (access, 2), &|lanes, lane, column| part(lanes, op, lane, column));
                    }
                    _ => tell(lanes, op, access),
                }
            }
            let hosts = hosts.each(ROW);
            let all = found.get_or_insert([0; WARP]);
            lanes.each(|lane| all[lane] = hosts[lane]);
        }
    };
    in_spaces(lanes, op, &raw, &mut in_space);
    if lanes.mask == 0 && found.is_none() {
        return None;
    }
    if lanes.mask != 0 {
        lanes.mask = active;
    }
    found
}

#[allow(unsafe_code)]
fn load_rows<const PROBED: bool>(lanes: &mut Lanes, op: &Op) {
    let Some(rows) = rows(lanes, op, AccessKind::Load, PROBED) else { return };
    for matrix in 0..(op.data >> MATRICES & 7) as usize {
        let at = |lane: usize, index: usize| {
            let (row, column) = element(op, lane, index);
            let host = rows[8 * matrix + row];
            // SAFETY: `resolve` found the 16 bytes of each row inside live memory; rows of lanes that are not there are null.
            if host == 0 { 0 } else { u32::from(unsafe { *((host + 2 * column as u64) as *const u16) }) }
        };
        let values: Lane32<u32> = lane::array(|lane| at(lane, 0) | at(lane, 1) << 16);
        let row = lanes.more(op, matrix);
        lanes.set(row, values);
    }
}

#[allow(unsafe_code)]
fn store_rows<const PROBED: bool>(lanes: &mut Lanes, op: &Op) {
    let Some(rows) = rows(lanes, op, AccessKind::Store, PROBED) else { return };
    lanes.stores += 1;
    for matrix in 0..(op.data >> MATRICES & 7) as usize {
        let values = lanes.get::<u32>(lanes.more(op, matrix));
        lanes.each(|lane| {
            for index in 0..2 {
                let (row, column) = element(op, lane, index);
                let host = rows[8 * matrix + row];
                if host != 0 {
                    // SAFETY: as in `load_rows`.
                    unsafe { *((host + 2 * column as u64) as *mut u16) = (values[lane] >> (16 * index)) as u16 };
                }
            }
        });
    }
}

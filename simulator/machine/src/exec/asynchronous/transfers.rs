//! Transfers of the asynchronous proxy that are under way: their sides, their pieces, and how each tells that it is done.
use super::bulk_reduce::Reduction;
use super::phase::Object;
use crate::probe::{AccessKind, Move, Origin, Region, Who};
use ptx::isa::Space;
use std::collections::HashMap;

/// The unit of bulk copies: addresses and sizes are multiples of it.
pub(crate) const UNIT: u64 = 16;

/// The transfers of all blocks that a worker runs.
#[derive(Default)]
pub(crate) struct Queue {
    pub under_way: Vec<Transfer>,
    /// The number of each thread's open group: block, warp, lane.
    pub open: HashMap<(u64, u32, u32), u32>,
    pub next: u64,
}

/// One side of a transfer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    pub space: Space,
    /// The block that it belongs to if it is shared memory, and where that begins in host memory.
    pub block: u64,
    pub base: u64,
}

impl Side {
    /// Global memory, whose addresses are the host's.
    pub const GLOBAL: Side = Side { space: Space::Global, block: 0, base: 0 };
}

/// Bytes that move together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// Host addresses.
    pub to: u64,
    pub from: Source,
    pub bytes: u32,
}

impl Piece {
    /// The range that it copies; `None` if it does not copy.
    pub fn moved(&self, order: &Order) -> Option<Move> {
        let Source::At(from) = self.from else { return None };
        Some(Move { from: from - order.from.base, to: self.to - order.to.base, bytes: self.bytes.into() })
    }
}

/// Where a piece comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    At(u64),
    /// A constant of so many bytes, repeated: what lies outside of a tensor.
    Fill(u32, u8),
    /// A value: what a register held.
    Value(u128),
}

/// How a transfer tells that it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Completion {
    /// Counts its bytes out of the `mbarrier` at a host address of a block's shared memory.
    Barrier { host: u64, block: u64, address: u64 },
    /// Belongs to its thread's group of a number.
    Group(u32),
}

/// A transfer that is under way.
pub(crate) struct Transfer {
    pub number: u64,
    pub who: Who,
    pub lane: u32,
    pub to: Side,
    pub from: Side,
    pub pieces: Vec<Piece>,
    pub reduction: Option<Reduction>,
    pub completion: Completion,
    /// Bytes that the barrier hears of.
    pub bytes: u32,
    /// The phase of the barrier when it began.
    pub phase: Object,
}

/// A transfer that an instruction asks for.
pub(crate) struct Order {
    pub lane: u32,
    pub site: u32,
    pub to: Side,
    pub from: Side,
    pub pieces: Vec<Piece>,
    pub reduction: Option<Reduction>,
    pub completion: Completion,
    pub bytes: u32,
    /// The undefined bits of the value that it brings.
    pub undefined: Option<([u8; 16], Origin)>,
}

/// The memory that pieces touch on one side, neighbours joined.
pub(crate) fn touched(order: &Order, side: Side, kind: AccessKind, at: impl Fn(&Piece) -> Option<u64>) -> Vec<Region> {
    let mut regions: Vec<Region> = Vec::new();
    for piece in &order.pieces {
        let Some(host) = at(piece) else { continue };
        let (address, bytes) = (host - side.base, u64::from(piece.bytes));
        match regions.last_mut() {
            Some(last) if last.address + last.bytes == address => last.bytes += bytes,
            _ => regions.push(Region { kind, space: side.space, block: side.block, address, bytes }),
        }
    }
    regions
}

/// The `mbarrier` at a host address.
#[allow(unsafe_code)]
pub(crate) fn object(host: u64) -> Object {
    // SAFETY: the barrier was found inside a block's shared memory when the transfer was issued, and transfers are done
    // before the block that it belongs to gives its memory back.
    Object(unsafe { (host as *const u64).read_unaligned() })
}

/// Writes the `mbarrier` at a host address.
#[allow(unsafe_code)]
pub(super) fn store_object(host: u64, object: Object) {
    // SAFETY: as in `object`.
    unsafe { (host as *mut u64).write_unaligned(object.0) }
}

/// Moves a transfer's bytes.
#[allow(unsafe_code)]
pub(super) fn perform(transfer: &Transfer) {
    for piece in &transfer.pieces {
        let length = piece.bytes as usize;
        let to = piece.to as *mut u8;
        if let (Some(reduction), Source::At(from)) = (transfer.reduction, piece.from) {
            reduction.apply(piece.to, from, length);
            continue;
        }
        // SAFETY: both places were found inside their memories when the transfer was issued; shared memory stays where it is
        // as long as its block runs, and the arena's addresses can be used even if the allocation was freed meanwhile.
        unsafe {
            match (piece.from, transfer.reduction) {
                (Source::At(from), _) => std::ptr::copy(from as *const u8, to, length),
                (Source::Fill(value, size), _) => {
                    let bytes = value.to_le_bytes();
                    for i in 0..length {
                        to.add(i).write(bytes[i % usize::from(size.clamp(1, 4))]);
                    }
                }
                (Source::Value(value), None) => {
                    std::ptr::copy_nonoverlapping(value.to_le_bytes().as_ptr(), to, length.min(16));
                }
                (Source::Value(value), Some(reduction)) => {
                    reduction.apply(piece.to, value.to_le_bytes().as_ptr() as u64, length.min(16));
                }
            }
        }
    }
}

//! What the asynchronous proxy has under way: bulk copies, tensor tiles, stores and atomics to other blocks.
//!
//! A transfer is checked when it is issued and done when somebody waits for it: when a thread asks for the phase of its
//! `mbarrier`, when its thread waits for its group, at the latest when a block whose memory it touches ends. So a kernel that
//! does not wait reads what was there before: every time, not sometimes. Both are times that the PTX manual allows.
use super::bulk_reduce::Reduction;
use super::cluster;
use super::lanes::{Lane32, Lanes};
use super::phase::Object;
use super::twin_steps;
use crate::probe::{self, AccessKind, Move, Origin, Region, TransferEnd, Who};
use ptx::isa::Space;
use std::collections::HashMap;

/// The transfers of all blocks that a worker runs.
#[derive(Default)]
pub(super) struct Queue {
    under_way: Vec<Transfer>,
    /// The number of each thread's open group: block, warp, lane.
    open: HashMap<(u64, u32, u32), u32>,
    next: u64,
}

/// One side of a transfer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub space: Space,
    /// Of shared memory: whose, and where it begins in host memory.
    pub block: u64,
    pub base: u64,
}

impl Side {
    /// Global memory, whose addresses are the host's.
    pub const GLOBAL: Side = Side { space: Space::Global, block: 0, base: 0 };
}

/// Bytes that move together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// Host addresses.
    pub to: u64,
    pub from: Source,
    pub bytes: u32,
}

impl Piece {
    /// What it copies, where it does.
    fn moved(&self, order: &Order) -> Option<Move> {
        let Source::At(from) = self.from else { return None };
        Some(Move { from: from - order.from.base, to: self.to - order.to.base, bytes: self.bytes.into() })
    }
}

/// Where a piece comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    At(u64),
    /// A constant of so many bytes, repeated: what lies outside of a tensor.
    Fill(u32, u8),
    /// A value: what a register held.
    Value(u128),
}

/// How a transfer tells that it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Completion {
    /// Counts its bytes out of the `mbarrier` at a host address of a block's shared memory.
    Barrier { host: u64, block: u64, address: u64 },
    /// Belongs to its thread's group of a number.
    Group(u32),
}

/// A transfer that is under way.
pub(super) struct Transfer {
    number: u64,
    who: Who,
    lane: u32,
    to: Side,
    from: Side,
    pieces: Vec<Piece>,
    reduction: Option<Reduction>,
    completion: Completion,
    /// Bytes that the barrier hears of.
    bytes: u32,
    /// The phase of the barrier when it began.
    phase: Object,
}

/// What an instruction asks for.
pub(super) struct Order {
    pub lane: u32,
    pub site: u32,
    pub to: Side,
    pub from: Side,
    pub pieces: Vec<Piece>,
    pub reduction: Option<Reduction>,
    pub completion: Completion,
    pub bytes: u32,
    /// What is not defined of the value that it brings.
    pub undefined: Option<([u8; 16], Origin)>,
}

/// Begins a transfer.
pub(super) fn begin(lanes: &mut Lanes, order: Order) {
    let (mut regions, mut moves) = (Vec::new(), Vec::new());
    if lanes.context.probe.is_some() {
        if order.reduction.is_none() {
            moves.extend(order.pieces.iter().filter_map(|piece| piece.moved(&order)));
            moves.sort_unstable_by_key(|moved| moved.from);
        }
        let kind = if order.reduction.is_some() { AccessKind::Atomic } else { AccessKind::Store };
        regions = self::regions(&order, order.to, kind, |piece| Some(piece.to));
        regions.extend(self::regions(&order, order.from, AccessKind::Load, |piece| match piece.from {
            Source::At(at) => Some(at),
            Source::Fill(..) | Source::Value(_) => None,
        }));
    }
    enqueue(lanes, order, &regions, &moves);
}

/// Notes a transfer as under way, and tells what it touches.
fn enqueue(lanes: &mut Lanes, order: Order, regions: &[Region], moves: &[Move]) {
    let Order { lane, site, to, from, pieces, reduction, completion, bytes, undefined } = order;
    let who = lanes.context.who;
    let queue = &mut lanes.context.bulk;
    let number = queue.next;
    queue.next += 1;
    let phase = match completion {
        Completion::Barrier { host, .. } => object(host),
        Completion::Group(_) => Object(0),
    };
    if let Some(probe) = &mut lanes.context.probe {
        let barrier = match completion {
            Completion::Barrier { block, address, .. } => Some((block, address)),
            Completion::Group(_) => None,
        };
        probe.transfer_begins(&probe::Transfer { who, site, lane, number, regions, moves, undefined, barrier });
        if lane == WHOLE_WARP && lanes.context.following.has_loaded() {
            twin_steps::begin(lanes);
        }
    }
    let transfer = Transfer { number, who, lane, to, from, pieces, reduction, completion, bytes, phase };
    lanes.context.bulk.under_way.push(transfer);
}

/// What pieces touch on one side, neighbours joined.
fn regions(order: &Order, side: Side, kind: AccessKind, at: impl Fn(&Piece) -> Option<u64>) -> Vec<Region> {
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

/// The group that a thread's transfers belong to until it commits.
pub(super) fn open_group(lanes: &Lanes, lane: u32) -> u32 {
    let who = &lanes.context.who;
    lanes.context.bulk.open.get(&(who.block_index, who.warp, lane)).copied().unwrap_or(0)
}

/// Closes the active lanes' groups.
pub(super) fn commit(lanes: &mut Lanes) {
    probe::lanes(lanes.mask).for_each(|lane| close_group(lanes, lane as u32));
}

fn close_group(lanes: &mut Lanes, lane: u32) {
    let (block, warp) = (lanes.context.who.block_index, lanes.context.who.warp);
    *lanes.context.bulk.open.entry((block, warp, lane)).or_default() += 1;
}

/// The lane that stands for a whole warp: whose products of four warps are under way.
pub(super) const WHOLE_WARP: u32 = 32;

/// Begins a product of four warps that reads ranges of the block's shared memory: first bytes, and how many. It is done
/// already; what is under way is told to those who listen.
pub(super) fn begin_product(lanes: &mut Lanes, site: u32, chunks: &[(u64, u64)]) {
    let own = cluster::own(lanes);
    let side = Side { space: Space::Shared, block: own.block, base: own.base };
    let region = |&(address, bytes): &(u64, u64)| {
        let kind = AccessKind::Load;
        Region { kind, space: Space::Shared, block: own.block, address, bytes }
    };
    let regions: Vec<Region> = chunks.iter().map(region).collect();
    let completion = Completion::Group(open_group(lanes, WHOLE_WARP));
    let (lane, pieces, reduction, bytes, undefined) = (WHOLE_WARP, Vec::new(), None, 0, None);
    let order = Order { lane, site, to: side, from: side, pieces, reduction, completion, bytes, undefined };
    enqueue(lanes, order, &regions, &[]);
}

/// Closes the warp's group of products.
pub(super) fn commit_warp(lanes: &mut Lanes, _: &super::op::Op) {
    if lanes.context.probe.is_some() {
        close_group(lanes, WHOLE_WARP);
    }
}

/// Waits until at most so many groups of the warp's products are under way.
pub(super) fn wait_warp(lanes: &mut Lanes, under_way: u32) {
    let who = lanes.context.who;
    let limit = open_group(lanes, WHOLE_WARP).saturating_sub(under_way);
    finish(lanes, TransferEnd::Waited, |transfer| {
        (transfer.who.block_index, transfer.who.warp, transfer.lane) == (who.block_index, who.warp, WHOLE_WARP)
            && matches!(transfer.completion, Completion::Group(group) if group < limit)
    });
}

/// Waits until at most so many groups of each active lane are under way.
pub(super) fn wait_group(lanes: &mut Lanes, under_way: u32) {
    let who = lanes.context.who;
    let mut limit = [0; super::lanes::WARP];
    for lane in probe::lanes(lanes.mask) {
        limit[lane] = open_group(lanes, lane as u32).saturating_sub(under_way);
    }
    let mask = lanes.mask;
    finish(lanes, TransferEnd::Waited, |transfer| {
        (transfer.who.block_index, transfer.who.warp) == (who.block_index, who.warp)
            && transfer.lane != WHOLE_WARP
            && mask >> transfer.lane & 1 != 0
            && matches!(transfer.completion, Completion::Group(group) if group < limit[transfer.lane as usize])
    });
}

/// Somebody asks for the phases of the active lanes' barriers, at host addresses: what they wait for comes now.
pub(super) fn arrive_at(lanes: &mut Lanes, barriers: &Lane32<u64>) {
    if lanes.context.bulk.under_way.is_empty() {
        return;
    }
    let mask = lanes.mask;
    let asked = |host: u64| probe::lanes(mask).any(|lane| barriers[lane] == host);
    finish(
        lanes,
        TransferEnd::Asked,
        |transfer| matches!(transfer.completion, Completion::Barrier { host, .. } if asked(host)),
    );
}

/// A block is about to end: what touches its memory, or was begun by it, is done now.
pub(super) fn end_block(lanes: &mut Lanes, block: u64) {
    if lanes.context.bulk.under_way.is_empty() {
        return;
    }
    finish(lanes, TransferEnd::Block, |transfer| {
        let touches = |side: &Side| side.space == Space::Shared && side.block == block;
        transfer.who.block_index == block || touches(&transfer.to) || touches(&transfer.from)
    });
    lanes.context.bulk.open.retain(|(open, ..), _| *open != block);
}

/// Does the transfers that `due` names, in their order.
fn finish(lanes: &mut Lanes, end: TransferEnd, due: impl Fn(&Transfer) -> bool) {
    let queue = &mut lanes.context.bulk;
    if !queue.under_way.iter().any(&due) {
        return;
    }
    let (done, left) = std::mem::take(&mut queue.under_way).into_iter().partition(|transfer| due(transfer));
    queue.under_way = left;
    let done: Vec<Transfer> = done;
    for transfer in &done {
        perform(transfer);
        let mut phase = None;
        if let Completion::Barrier { host, block, address } = transfer.completion {
            let before = object(host);
            let after = before.complete(transfer.bytes);
            store_object(host, after);
            phase = Some(probe::Completed {
                block,
                address,
                ended: after.is_past(before),
                late: before.is_past(transfer.phase),
            });
        }
        lanes.stores += 1;
        let who = lanes.context.who;
        if let Some(probe) = &mut lanes.context.probe {
            probe.transfer_ends(who, transfer.number, end, phase);
        }
    }
}

#[allow(unsafe_code)]
fn object(host: u64) -> Object {
    // SAFETY: the barrier was found inside a block's shared memory when the transfer was issued, and transfers are done
    // before the block that it belongs to gives its memory back.
    Object(unsafe { (host as *const u64).read_unaligned() })
}

#[allow(unsafe_code)]
fn store_object(host: u64, object: Object) {
    // SAFETY: as in `object`.
    unsafe { (host as *mut u64).write_unaligned(object.0) }
}

/// Moves the bytes.
#[allow(unsafe_code)]
fn perform(transfer: &Transfer) {
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

//! The work of the asynchronous proxy: bulk copies, tensor tiles, stores and atomics to other blocks.
//!
//! A transfer is checked when it is issued and done when somebody waits for it: when a thread asks for the phase of its
//! `mbarrier`, when its thread waits for its group, at the latest when a block whose memory it touches ends. So a kernel that
//! does not wait reads what was there before: every time, not sometimes. Both are times that the PTX manual allows.
use super::phase::Object;
use super::transfers::{Completion, Order, Side, Source, Transfer, object, perform, store_object, touched};
use crate::exec::accesses::cluster_address;
use crate::exec::undefined::twins;
use crate::exec::view::{Lane32, Lanes};
use crate::probe::{self, AccessKind, Move, Region, TransferEnd};
use ptx::isa::Space;

/// Begins a transfer.
pub(crate) fn begin(lanes: &mut Lanes, order: Order) {
    let (mut regions, mut moves) = (Vec::new(), Vec::new());
    if lanes.context.listener.listens() {
        if order.reduction.is_none() {
            moves.extend(order.pieces.iter().filter_map(|piece| piece.moved(&order)));
            moves.sort_unstable_by_key(|moved| moved.from);
        }
        let kind = if order.reduction.is_some() { AccessKind::Atomic } else { AccessKind::Store };
        regions = touched(&order, order.to, kind, |piece| Some(piece.to));
        regions.extend(touched(&order, order.from, AccessKind::Load, |piece| match piece.from {
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
    let queue = &mut lanes.context.blocks.transfers;
    let number = queue.next;
    queue.next += 1;
    let phase = match completion {
        Completion::Barrier { host, .. } => object(host),
        Completion::Group(_) => Object(0),
    };
    if let Some(probe) = lanes.context.probe() {
        let barrier = match completion {
            Completion::Barrier { block, address, .. } => Some((block, address)),
            Completion::Group(_) => None,
        };
        probe.transfer_begins(&probe::Transfer { who, site, lane, number, regions, moves, undefined, barrier });
        if lane == WHOLE_WARP && lanes.context.listener.following.has_loaded() {
            twins::begin(lanes);
        }
    }
    let transfer = Transfer { number, who, lane, to, from, pieces, reduction, completion, bytes, phase };
    lanes.context.blocks.transfers.under_way.push(transfer);
}

/// The group that a thread's transfers belong to until it commits.
pub(super) fn open_group(lanes: &Lanes, lane: u32) -> u32 {
    let who = &lanes.context.who;
    lanes.context.blocks.transfers.open.get(&(who.block_index, who.warp, lane)).copied().unwrap_or(0)
}

/// Closes the active lanes' groups.
pub(super) fn commit(lanes: &mut Lanes) {
    probe::lanes(lanes.mask).for_each(|lane| close_group(lanes, lane as u32));
}

fn close_group(lanes: &mut Lanes, lane: u32) {
    let (block, warp) = (lanes.context.who.block_index, lanes.context.who.warp);
    *lanes.context.blocks.transfers.open.entry((block, warp, lane)).or_default() += 1;
}

/// The lane that stands for a whole warp: whose products of four warps are under way.
pub(super) const WHOLE_WARP: u32 = 32;

/// Begins a product of four warps that reads ranges of the block's shared memory: first bytes, and how many. It is done
/// already; what is under way is told to those who listen.
pub(crate) fn begin_product(lanes: &mut Lanes, site: u32, chunks: &[(u64, u64)]) {
    let own = cluster_address::own(lanes);
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
pub(crate) fn commit_warp(lanes: &mut Lanes) {
    if lanes.context.listener.listens() {
        close_group(lanes, WHOLE_WARP);
    }
}

/// Waits until at most so many groups of the warp's products are under way.
pub(crate) fn wait_warp(lanes: &mut Lanes, under_way: u32) {
    let who = lanes.context.who;
    let limit = open_group(lanes, WHOLE_WARP).saturating_sub(under_way);
    finish(lanes, TransferEnd::Waited, |transfer| {
        (transfer.who.block_index, transfer.who.warp, transfer.lane) == (who.block_index, who.warp, WHOLE_WARP)
            && matches!(transfer.completion, Completion::Group(group) if group < limit)
    });
}

/// Waits until at most so many groups of each active lane are under way.
pub(crate) fn wait_group(lanes: &mut Lanes, under_way: u32) {
    let who = lanes.context.who;
    let mut limit = [0; crate::exec::view::lane::WARP];
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
    if lanes.context.blocks.transfers.under_way.is_empty() {
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
pub(crate) fn end_block(lanes: &mut Lanes, block: u64) {
    if lanes.context.blocks.transfers.under_way.is_empty() {
        return;
    }
    finish(lanes, TransferEnd::Block, |transfer| {
        let touches = |side: &Side| side.space == Space::Shared && side.block == block;
        transfer.who.block_index == block || touches(&transfer.to) || touches(&transfer.from)
    });
    lanes.context.blocks.transfers.open.retain(|(open, ..), _| *open != block);
}

/// Does the transfers that `due` names, in their order.
fn finish(lanes: &mut Lanes, end: TransferEnd, due: impl Fn(&Transfer) -> bool) {
    let queue = &mut lanes.context.blocks.transfers;
    if !queue.under_way.iter().any(&due) {
        return;
    }
    let (done, left) = std::mem::take(&mut queue.under_way).into_iter().partition(|transfer| due(transfer));
    queue.under_way = left;
    let done: Vec<Transfer> = done;
    for transfer in &done {
        if let Some(before) = lanes.context.before.as_mut().filter(|_| transfer.to.space == Space::Global) {
            transfer.pieces.iter().for_each(|piece| before.save(piece.to, piece.bytes.into()));
        }
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
        if let Some(probe) = lanes.context.probe() {
            probe.transfer_ends(who, transfer.number, end, phase);
        }
    }
}

//! The transfers of the asynchronous proxy that are under way.
use super::proxy_fences::{KnownFence, ProxyFences};
use super::vector_clock::VectorClock;
use machine::probe::{AccessKind, Move, Origin, Region, Who};
use rustc_hash::FxHashMap;

/// The transfers that are under way, and the proxy fences.
#[derive(Default)]
pub struct Transfers {
    pub under_way: FxHashMap<u64, TransferUnderWay>,
    /// The last stamp of each channel: block, proxy, lane.
    pub stamps: FxHashMap<(u64, u32, u32), u32>,
    pub fences: ProxyFences,
}

pub struct TransferUnderWay {
    pub who: Who,
    pub site: u32,
    pub lane: u32,
    pub regions: Vec<Region>,
    /// By what they are read from.
    pub moves: Vec<Move>,
    /// The undefined bits of the value that it brings.
    pub undefined: Option<([u8; 16], Origin)>,
    /// The knowledge of its thread when it began, and the fences that the thread knew of.
    pub clock: VectorClock,
    pub fences: Vec<KnownFence>,
    pub proxy: u32,
    pub channel: u32,
    pub stamp: u32,
}

impl Transfers {
    /// A block has ended: nobody asks for its fences and stamps any more.
    pub fn end_block(&mut self, block: u64) {
        self.fences.end_block(block);
        self.stamps.retain(|(of, ..), _| *of != block);
    }
}

impl TransferUnderWay {
    /// The addresses that a byte is copied to.
    pub fn moved(&self, from: u64) -> impl Iterator<Item = u64> + '_ {
        // Pieces are apart where a transfer reads them, but for rows of a tensor whose stride is 0: those are the same.
        let end = self.moves.partition_point(|moved| moved.from <= from);
        let first = self.moves[..end].last().map_or(0, |moved| moved.from);
        let same = self.moves[..end].iter().rev().take_while(move |moved| moved.from == first);
        same.filter(move |moved| from - moved.from < moved.bytes).map(move |moved| moved.to + (from - moved.from))
    }

    /// The undefined bits of the value that it brings, by address.
    pub fn brings(&self) -> Vec<(u64, u8, Origin)> {
        let to = self.regions.iter().find(|region| region.kind == AccessKind::Store);
        let (Some(to), Some((mask, origin))) = (to, self.undefined) else { return Vec::new() };
        (to.address..).zip(mask).filter(|(_, mask)| *mask != 0).map(|(at, mask)| (at, mask, origin)).collect()
    }
}

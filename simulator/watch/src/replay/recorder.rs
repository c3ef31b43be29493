//! The listener that keeps steps.
use super::step::{Act, Step, Touched};
use crate::counters::bank_conflicts::passes;
use machine::probe::{Access, AccessKind, Arrival, Completed, Convergence, Probe, Transfer, TransferEnd, Who, lanes};
use ptx::isa::Space;
use rustc_hash::FxHashMap;

/// The listener. It hears one thread, so that its steps stand in the order in which they happened.
pub struct Recorder {
    /// Numbers of the blocks that are kept.
    blocks: Vec<u64>,
    most: usize,
    bank_bytes: u32,
    pub steps: Vec<Step>,
    /// The steps of these blocks beyond the most.
    pub dropped: u64,
    /// The lanes of each warp that have not ended.
    live: FxHashMap<(u64, u32), u32>,
    /// The steps that transfers are when they have come, by their number.
    under_way: FxHashMap<u64, (Who, u32, u32, Act)>,
}

impl Recorder {
    /// Keeps at most so many steps of blocks, on a card whose banks are so wide.
    pub fn new(blocks: Vec<u64>, most: usize, bank_bytes: u32) -> Recorder {
        let (live, under_way) = (FxHashMap::default(), FxHashMap::default());
        Recorder { blocks, most, bank_bytes, steps: Vec::new(), dropped: 0, live, under_way }
    }

    fn keep(&mut self, who: &Who, site: u32, mask: u32, act: Act) {
        if !self.blocks.contains(&who.block_index) {
            return;
        }
        if self.steps.len() == self.most {
            self.dropped += 1;
            return;
        }
        let (block, warp, function) = (who.block_index, who.warp, who.function);
        self.steps.push(Step { block, warp, function, site, mask, act });
    }

    /// The addresses that the same instruction loaded from, of the same lanes: those of a copy whose write comes later.
    fn copied_from(&self, access: &Access) -> Option<Vec<u64>> {
        let is_its = |step: &&Step| is_of(step, &access.who, access.site, access.mask);
        match &self.steps.iter().rev().find(is_its)?.act {
            Act::Access(Touched { kind: AccessKind::Load, addresses, .. }) => Some(addresses.clone()),
            _ => None,
        }
    }
}

/// True if it is a step of these lanes at this instruction.
fn is_of(step: &Step, who: &Who, site: u32, mask: u32) -> bool {
    (step.block, step.warp, step.function, step.site, step.mask)
        == (who.block_index, who.warp, who.function, site, mask)
}

impl Probe for Recorder {
    fn fork(&self) -> Box<dyn Probe> {
        Box::new(Recorder::new(self.blocks.clone(), self.most, self.bank_bytes))
    }

    fn join(&mut self, worker: Box<dyn Probe>) {
        if let Some(worker) = worker.concrete::<Recorder>() {
            self.steps.extend(worker.steps);
            self.dropped += worker.dropped;
        }
    }

    fn one_thread(&self) -> bool {
        true
    }

    fn run(&mut self, who: Who, _: u32, mask: u32, live: u32) {
        let before = self.live.insert((who.block_index, who.warp), live).unwrap_or(live | mask);
        if before & !live != 0 {
            self.keep(&who, u32::MAX, before & !live, Act::Exit);
        }
    }

    // The last lanes of a warp end with a block of instructions that nothing comes after.
    fn block_end(&mut self, block: [u32; 3], block_index: u64) {
        let mut left: Vec<(u32, u32)> = self
            .live
            .iter()
            .filter(|((of, _), _)| *of == block_index)
            .map(|(&(_, warp), &live)| (warp, live))
            .collect();
        left.sort_unstable();
        for (warp, live) in left.into_iter().filter(|&(_, live)| live != 0) {
            self.keep(&Who { block, block_index, warp, function: 0 }, u32::MAX, live, Act::Exit);
        }
        self.live.retain(|&(of, _), _| of != block_index);
    }

    fn branch(&mut self, who: Who, site: u32, active: u32, taken: u32) {
        if taken != 0 && taken != active {
            self.keep(&who, site, active, Act::Branch { taken });
        }
    }

    fn access(&mut self, access: &Access) {
        if !self.blocks.contains(&access.who.block_index) {
            return;
        }
        let of_bank = match access.space {
            Space::Shared => true,
            Space::Global | Space::Const => false,
            _ => return,
        };
        let mut all = [0; 32];
        access.lanes().for_each(|lane| all[lane] = access.address(lane));
        let each = || access.lanes().map(|lane| all[lane]).collect::<Vec<_>>();
        let values = |stored: &dyn machine::probe::Stored| access.lanes().map(|l| stored.value(l as u32)).collect();
        let is_store = access.kind == AccessKind::Store;
        let left = access.stored.filter(|_| is_store).map(values);
        let from = if is_store && left.is_none() { self.copied_from(access) } else { None };
        let passes = of_bank.then(|| passes(access.kind, access.mask, &all, access.bytes, self.bank_bytes));
        let (kind, space, bytes, addresses) = (access.kind, access.space, access.bytes, each());
        let passes = passes.map(|passes| [passes.wavefronts, passes.ideal]);
        let touched = Touched { kind, space, bytes, addresses, left, from, passes };
        self.keep(&access.who, access.site, access.mask, Act::Access(touched));
    }

    fn updated(&mut self, who: Who, site: u32, mask: u32, left: &dyn Fn(usize) -> [u8; 16]) {
        // Nothing else is told of between an atomic and its result, unless the atomic itself was one too many.
        let its = self.steps.last_mut().filter(|step| is_of(step, &who, site, mask));
        if let Some(Step { act: Act::Access(touched), .. }) = its {
            touched.left = Some(lanes(mask).map(left).collect());
        }
    }

    fn barrier_arrive(&mut self, arrival: &Arrival) {
        let Arrival { who, site, mask, id, expected, waits, .. } = *arrival;
        self.keep(&who, site, mask, Act::Arrive { id, expected, waits });
    }

    fn barrier_release(&mut self, block_index: u64, id: u32) {
        self.keep(&Who { block_index, ..Who::default() }, u32::MAX, 0, Act::Release { id });
    }

    fn converge(&mut self, convergence: &Convergence) {
        self.keep(&convergence.who, convergence.site, convergence.mask, Act::Converge);
    }

    // Products of four warps only read, and are no step.
    fn transfer_begins(&mut self, transfer: &Transfer) {
        let Transfer { who, site, lane, number, regions, moves, .. } = *transfer;
        if regions.iter().any(|region| region.kind != AccessKind::Load) {
            let act = |come| Act::Copy { regions: regions.to_vec(), moves: moves.to_vec(), come };
            self.keep(&who, site, 1 << lane, act(false));
            self.under_way.insert(number, (who, site, 1 << lane, act(true)));
        }
    }

    fn transfer_ends(&mut self, _: Who, number: u64, _: TransferEnd, _: Option<Completed>) {
        if let Some((who, site, mask, act)) = self.under_way.remove(&number) {
            self.keep(&who, site, mask, act);
        }
    }
}

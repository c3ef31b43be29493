//! Hears what each step of a block does that other warps may notice.
use machine::exec::steps::{How, Order, Touch};
use machine::probe::{Access, AccessKind, Arrival, Launch, Phase, PhaseAct, Probe, Strength};
use machine::program::{Function, Site};
use ptx::isa::{self, Operands, Space};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The listener to the steps of one block.
pub struct Steps {
    order: Arc<Order>,
    /// By function and site: the number of a change that commutes with others of its number.
    changes: Vec<Vec<Option<u64>>>,
}

/// The number of arrivals at `mbarrier` objects, which come in any order.
const ARRIVES: u64 = 0;

impl Steps {
    /// Listens to the block that the order is for.
    pub fn new(order: Arc<Order>) -> Steps {
        Steps { order, changes: Vec::new() }
    }

    fn note(&self, touch: Touch) {
        self.order.note(|step| match step.touches.last_mut() {
            // Lanes side by side are one range.
            Some(last)
                if (last.shared, last.how) == (touch.shared, touch.how)
                    && last.address + last.bytes == touch.address =>
            {
                last.bytes += touch.bytes;
            }
            Some(last) if *last == touch => {}
            _ => step.touches.push(touch),
        });
    }
}

/// The numbers of a program's atomics whose results nobody reads: the same operation has the same number, and all sums of a type have one.
fn changes(launch: &Launch) -> Vec<Vec<Option<u64>>> {
    let mut known = HashMap::new();
    let mut of_function = |function: &Function| {
        let read: HashSet<u32> = function.sites.iter().flat_map(|site| function.reads(site)).copied().collect();
        let mut of_site = |site: &Site| {
            let (sums, row) = (site.opcode.adds_in_memory(), site.row.map(isa::row)?);
            let gives_nothing = match row.operands {
                Operands::Reduce => row.class == isa::Class::Atomic,
                Operands::Update => sums && !function.writes(site).iter().any(|result| read.contains(result)),
                _ => false,
            };
            let operation = if sums { format!("{:?}", site.opcode.last) } else { site.text.to_string() };
            let next = known.len() as u64 + ARRIVES + 1;
            gives_nothing.then(|| *known.entry(operation).or_insert(next))
        };
        function.sites.iter().map(&mut of_site).collect()
    };
    launch.program.functions.iter().map(&mut of_function).collect()
}

impl Probe for Steps {
    fn fork(&self) -> Box<dyn Probe> {
        Box::new(Steps { order: self.order.clone(), changes: self.changes.clone() })
    }

    fn one_thread(&self) -> bool {
        true
    }

    fn launch(&mut self, launch: &Launch) {
        self.changes = changes(launch);
    }

    fn access(&mut self, access: &Access) {
        let communicates = access.kind == AccessKind::Atomic || !access.order.is_weak();
        let is_ours = access.who.block_index == self.order.block;
        if !communicates || !is_ours || access.order.strength == Strength::Phase {
            return;
        }
        let shared = match access.space {
            Space::Shared => true,
            Space::Global => false,
            _ => return,
        };
        let of_site = || *self.changes.get(access.who.function as usize)?.get(access.site as usize)?;
        let how = match access.kind {
            AccessKind::Load => How::Read,
            AccessKind::Store => How::Write,
            AccessKind::Atomic => of_site().map_or(How::Write, How::Change),
        };
        for lane in access.lanes() {
            self.note(Touch { shared, address: access.address(lane), bytes: access.bytes.into(), how });
        }
    }

    fn phase(&mut self, phase: &Phase) {
        if phase.who.block_index != self.order.block {
            return;
        }
        let how = match phase.act {
            PhaseAct::Init | PhaseAct::Invalidate => How::Write,
            PhaseAct::Arrive { .. } => How::Change(ARRIVES),
            PhaseAct::Test { .. } => How::Read,
        };
        for lane in machine::probe::lanes(phase.mask) {
            self.note(Touch { shared: true, address: phase.addresses[lane], bytes: 8, how });
        }
    }

    fn barrier_arrive(&mut self, arrival: &Arrival) {
        if arrival.who.block_index == self.order.block {
            self.order.note(|step| step.arrived.push(arrival.id));
        }
    }

    fn barrier_release(&mut self, block_index: u64, id: u32) {
        if block_index == self.order.block {
            self.order.note(|step| step.released.push(id));
        }
    }
}

//! The state of one multiprocessor while its blocks are played through.
use super::load_store::LoadStore;
use super::phases::Phases;
use super::resident_warp::NEVER;
use super::setting::Setting;
use super::units::{Cost, costs};
use crate::analytic::stalls::Stalls;
use crate::cards::Device;
use crate::compiler::code::Code;
use crate::constants::{MOST_SCHEDULERS, QUEUE_HOLDS};
use crate::listeners::warp_trace::WarpTrace;
use ptx::isa::machine::{UNITS, Unit};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// A block that is there.
pub(super) struct Block {
    pub live: u32,
    pub stored: u64,
    pub arrived: u32,
    pub waiting: Vec<usize>,
    /// By scheduler: instructions of its warps since the last barrier.
    pub issued: [u32; MOST_SCHEDULERS],
    pub phases: Phases,
}

/// True for units whose instructions wait in the queue to the load/store units, which holds some.
pub(super) fn waits_in_queue(unit: Unit) -> bool {
    matches!(unit, Unit::Memory | Unit::Copy | Unit::Shuffle)
}

/// The multiprocessor with all that is on it.
pub(super) struct Machine<'a> {
    pub card: &'a Device,
    pub setting: &'a Setting<'a>,
    pub codes: &'a FxHashMap<u32, Arc<Code>>,
    pub costs: [Cost; UNITS],
    /// When each scheduler's units are free; the fp32 unit has two halves.
    pub free: Vec<[f64; UNITS]>,
    /// When each scheduler's tensor unit begins with the last product of four warps that it was given.
    pub begun: Vec<f64>,
    pub load_store: LoadStore<'a>,
    pub barriers: f64,
    /// By scheduler: when each instruction in its queue to the load/store units leaves it, and whether that is a store.
    pub queues: Vec<VecDeque<(f64, bool)>>,
    /// When each scheduler has read its last instruction's operands, and whose that was.
    pub ports: Vec<(f64, u64)>,
    /// By scheduler: when loads will write to how many registers.
    pub arriving: Vec<VecDeque<(u64, u16)>>,
    pub stalls: Stalls,
    pub issued: u64,
    /// Instructions of the text that these stand for.
    pub text: f64,
    /// The time of every so many instructions, and those of the text until then.
    pub marks: Vec<(u64, f64)>,
}

impl<'a> Machine<'a> {
    /// An idle one, for blocks that were followed.
    pub fn new(
        card: &'a Device,
        setting: &'a Setting<'a>,
        traces: &[&'a Vec<WarpTrace>],
        codes: &'a FxHashMap<u32, Arc<Code>>,
    ) -> Machine<'a> {
        let schedulers = card.architecture.schedulers_per_multiprocessor.max(1) as usize;
        Machine {
            card,
            setting,
            codes,
            costs: costs(card.architecture, schedulers),
            free: vec![[0.0; UNITS]; schedulers],
            begun: vec![0.0; schedulers],
            load_store: LoadStore::new(card, setting, traces),
            barriers: 0.0,
            queues: vec![VecDeque::with_capacity(QUEUE_HOLDS); schedulers],
            ports: vec![(0.0, NEVER); schedulers],
            arriving: vec![VecDeque::new(); schedulers],
            stalls: Stalls::default(),
            issued: 0,
            text: 0.0,
            marks: Vec::new(),
        }
    }
}

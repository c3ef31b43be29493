//! Running one kernel: the executor with its listeners, and what becomes of what they heard.
use super::cause::Cause;
use super::engine::fault_code;
use super::launch::Launch;
use super::listeners::Listeners;
use super::records::LaunchRecord;
use super::state::Driver;
use crate::counters::{Counters, Report};
use crate::device::Device;
use crate::diagnostics::{self, Scene};
use crate::exec::context::Facts;
use crate::exec::launch::{Request, Settings, run};
use crate::exec::program::FunctionId;
use crate::isa::Class;
use crate::lower::Tier;
use crate::sanitizer::Sanitizer;
use crate::timeline::Span;
use crate::timeline::kernel_time::{Estimate, Work, estimate};
use crate::timeline::traffic::Traffic;
use serde_json::Value;
use std::io::Write;

/// A kernel that ran.
pub struct Ran {
    pub kernel: String,
    pub estimate: Estimate,
    launch: Launch,
    counters: Value,
    lines: Value,
}

impl Ran {
    /// For the bridge.
    pub fn record(self, card: &'static Device, stream: u64, span: Span) -> LaunchRecord {
        LaunchRecord {
            kernel: self.kernel,
            device: card.name,
            grid: self.launch.grid,
            block: self.launch.block,
            dynamic_shared_bytes: self.launch.dynamic_shared_bytes,
            stream,
            span,
            bound_by: self.estimate.bound_by.to_owned(),
            counters: self.counters,
            lines: self.lines,
        }
    }
}

impl Driver {
    /// Runs a kernel to its end, or to its fault.
    pub fn run_kernel(&mut self, device: usize, launch: &Launch) -> Result<Ran, Cause> {
        let tier = if self.settings.counters || self.settings.sanitize { Tier::Probed } else { Tier::Bare };
        let program = launch.loaded.program(tier)?;
        let function = &program.functions[launch.index];
        let kernel = function.name.clone();
        self.records.launches_run += 1;
        let machine = &self.machines[device];
        let (card, a) = (machine.card, machine.card.architecture);
        let occupancy = launch.occupancy(card);
        let defaults = match self.settings.instruction_budget {
            0 => Settings::default(),
            budget => Settings::default().with_budget(budget),
        };
        let request = Request {
            program: &program,
            function: FunctionId(launch.index as u32),
            grid: launch.grid,
            block: launch.block,
            dynamic_shared_bytes: launch.dynamic_shared_bytes,
            parameters: &launch.parameters,
            cooperative: launch.cooperative,
            memory: &machine.memory,
            settings: Settings {
                schedule_seed: self.settings.schedule_seed,
                threads: self.settings.threads,
                ..defaults
            },
            resident_blocks: occupancy.blocks_per_multiprocessor * card.multiprocessors,
            facts: Facts {
                multiprocessors: card.multiprocessors,
                warps_per_multiprocessor: a.max_threads_per_multiprocessor / 32,
                reserved_shared_bytes: a.shared_bytes_reserved_per_block,
                shared_unit_bytes: a.shared_unit_bytes,
                clock_khz: (card.clock_hz / 1e3) as u32,
                grid_id: self.records.launches_run,
            },
        };
        let shared_bytes = launch.attributes.static_shared_bytes + launch.dynamic_shared_bytes;
        let resident = occupancy.blocks_per_multiprocessor;
        let listeners = Listeners {
            counters: self.settings.counters.then(|| Counters::new(a.shared_bank_bytes, a.global_store_piece_bytes)),
            traffic: (self.settings.counters)
                .then(|| Traffic::new(card, launch.blocks(), launch.threads(), resident, shared_bytes)),
            sanitizer: self.settings.sanitize.then(Sanitizer::new),
        };
        let outcome = run(&request, listeners.into_probe());
        if !outcome.printed.is_empty() {
            let mut out = std::io::stdout().lock();
            // Nobody to tell when the program's output is closed.
            let _ = out.write_all(outcome.printed.as_bytes()).and_then(|()| out.flush());
        }
        if !self.settings.sanitize {
            machine.memory.assume_initialised();
        }
        let listeners = Listeners::back(outcome.probe);
        let heard = crate::probe::Launch {
            program: &program,
            function,
            function_id: launch.index as u32,
            grid: launch.grid,
            block: launch.block,
            shared_bytes: function.shared_bytes_with(launch.dynamic_shared_bytes),
            dynamic_shared_bytes: launch.dynamic_shared_bytes,
            cooperative: launch.cooperative,
            parameters: &launch.parameters,
            memory: &machine.memory,
        };
        let scene = Scene { launch: &heard, sources: &diagnostics::read_source };
        for finding in listeners.sanitizer.iter().flat_map(Sanitizer::findings) {
            self.records.finding(diagnostics::finding(finding, &scene));
        }
        if let Some(fault) = &outcome.fault {
            let diagnosis = diagnostics::fault(fault, &scene);
            self.records.finding(diagnosis.clone());
            return Err(Cause::Diagnosed(fault_code(fault), Box::new(diagnosis)));
        }
        let report = listeners.counters.map(|counters| counters.report(&program));
        let work = report
            .as_ref()
            .map_or_else(|| Work { instructions: outcome.warp_instructions, ..Work::default() }, work_of);
        let mut work = Work { blocks: launch.blocks(), threads_per_block: launch.threads(), ..work };
        if let Some(traffic) = listeners.traffic {
            work.answered_by(card, &traffic.found());
        }
        let estimate = estimate(card, occupancy, &work);
        let (counters, lines) = match report {
            Some(mut report) => {
                let residency = &mut report.totals.residency;
                residency.registers = Some(launch.attributes.registers);
                residency.blocks_per_multiprocessor = Some(occupancy.blocks_per_multiprocessor);
                residency.theoretical_occupancy = Some(100.0 * occupancy.theoretical(a, launch.threads()));
                (as_json(&report.totals)?, as_json(&report.lines)?)
            }
            None => (Value::Object(Default::default()), Value::Array(Vec::new())),
        };
        Ok(Ran { kernel, estimate, launch: launch.clone(), counters, lines })
    }
}

fn as_json(value: &impl serde::Serialize) -> Result<Value, Cause> {
    serde_json::to_value(value).map_err(|error| Cause::Defect(error.to_string()))
}

/// What the clock wants to know of what was counted.
fn work_of(report: &Report) -> Work {
    let totals = &report.totals;
    let memory = &totals.memory;
    let class = |classes: &[Class]| classes.iter().filter_map(|class| totals.instructions_by_class.get(class)).sum();
    let sectors = memory.global_load_sectors
        + memory.global_store_sectors
        + memory.local_load_sectors
        + memory.local_store_sectors
        + memory.atomic_sectors;
    Work {
        instructions: totals.instructions,
        fp32_instructions: class(&[Class::Float]),
        fp64_instructions: class(&[Class::Double]),
        fp16_instructions: class(&[Class::Half]),
        integer_instructions: class(&[Class::Integer, Class::Logic, Class::Compare, Class::Convert]),
        special_instructions: class(&[Class::Special]),
        tensor_fmas: totals.tensor_fmas,
        memory_requests: memory.global_load_requests
            + memory.global_store_requests
            + memory.local_load_requests
            + memory.local_store_requests
            + memory.atomics,
        l1_sectors: sectors,
        l2_sectors: sectors,
        memory_bytes: sectors * 32,
        shared_wavefronts: memory.shared_load_wavefronts + memory.shared_store_wavefronts,
        barriers: totals.barriers,
        ..Work::default()
    }
}

//! From counts per site and block to totals and lines.
use super::listener::{Counters, FunctionCounts};
use super::totals::{Line, Merge, SiteCounts, Totals};
use machine::program::{Function, Program};
use std::collections::BTreeMap;

/// Everything that was counted in a launch.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub totals: Totals,
    /// In the order of files and lines; instructions without a line are missing here.
    pub lines: Vec<Line>,
}

/// The instructions of one site, added up.
#[derive(Clone, Copy, Default)]
struct Executed {
    warps: u64,
    lanes: u64,
}

impl Counters {
    /// The launch's counters. `program` is the one that was launched.
    pub fn report(&self, program: &Program) -> Report {
        self.report_of(program, true)
    }

    /// As [`Self::report`], without the lines.
    pub fn totals(&self, program: &Program) -> Totals {
        self.report_of(program, false).totals
    }

    fn report_of(&self, program: &Program, with_lines: bool) -> Report {
        let mut report = Report::default();
        let mut all = SiteCounts::default();
        let mut lines: BTreeMap<(u32, u32), Line> = BTreeMap::new();
        let mut line_sites: BTreeMap<(u32, u32), SiteCounts> = BTreeMap::new();
        for (function, counts) in program.functions.iter().zip(&self.functions) {
            let executed = executed_per_site(function, counts);
            for ((site, executed), mut counts) in
                function.sites.iter().zip(&executed).zip(counts.all_counts(self.bank_bytes))
            {
                let lanes = executed.lanes - counts.predicated_off.min(executed.lanes);
                let flops = lanes * u64::from(site.flops);
                report.totals.instructions += executed.warps;
                report.totals.thread_instructions += lanes;
                report.totals.flops += flops;
                report.totals.tensor_fmas += executed.warps * u64::from(site.tensor_fmas);
                if executed.warps > 0 {
                    *report.totals.instructions_by_class.entry(site.class).or_default() += executed.warps;
                }
                // Parameters of calls live in registers on hardware; here they are local memory that does not count.
                if site.call_parameter {
                    counts.local = Default::default();
                }
                all.merge(&counts);
                if !with_lines || site.at.line == 0 || executed.warps == 0 && counts.barriers == 0 {
                    continue;
                }
                let key = (site.at.file, site.at.line);
                let line = lines.entry(key).or_insert_with(|| Line {
                    file: file_name(program, site.at.file),
                    line: site.at.line,
                    ..Line::default()
                });
                line.instructions += executed.warps;
                line.thread_instructions += lanes;
                line.flops += flops;
                line.tensor_fmas += executed.warps * u64::from(site.tensor_fmas);
                *line.instructions_by_class.entry(site.class).or_default() += executed.warps;
                line_sites.entry(key).or_default().merge(&counts);
            }
        }
        for (key, counts) in line_sites {
            if let Some(line) = lines.get_mut(&key) {
                line.memory = counts.memory(self.bank_bytes);
                line.barriers = counts.barriers;
                line.branches = counts.branches;
                line.divergent_branches = counts.divergent;
            }
        }
        let totals = &mut report.totals;
        totals.memory = all.memory(self.bank_bytes);
        totals.predicated_off = all.predicated_off;
        totals.barriers = all.barriers;
        totals.busiest_block = self.busiest_block();
        totals.branches = all.branches;
        totals.divergent_branches = all.divergent;
        totals.branch_efficiency = ratio(100 * (all.branches - all.divergent), all.branches);
        totals.active_lanes_per_instruction = ratio(totals.thread_instructions, totals.instructions);
        totals.cgma = ratio(totals.flops, totals.memory.global_accesses);
        report.lines = lines.into_values().collect();
        report
    }
}

/// The path of a `.file` index; indices of PTX start at 1.
fn file_name(program: &Program, file: u32) -> String {
    program.files.get(file as usize).cloned().unwrap_or_default()
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// How often each site's instruction ran: as often as its block.
fn executed_per_site(function: &Function, counts: &FunctionCounts) -> Vec<Executed> {
    let mut executed = vec![Executed::default(); function.sites.len()];
    for (block, runs) in function.blocks.iter().zip(&counts.blocks) {
        for at in executed.get_mut(block.sites.start as usize..block.sites.end as usize).into_iter().flatten() {
            at.warps += runs.warps;
            at.lanes += runs.lanes;
        }
    }
    executed
}

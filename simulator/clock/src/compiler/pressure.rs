//! How many registers a compiler has left for loads that are under way.
//!
//! `ptxas` keeps a kernel without launch bounds at so many registers a thread, where that is enough for its values, that a multiprocessor can be full
//! of its warps: 32 of a Hopper card, 40 of Ampere's and Ada's smaller ones, 64 of Turing's. Where a number of blocks is asked for, it has what these
//! leave. What a loop keeps from turn to turn is not there for loads.
use crate::cards::Architecture;
use crate::constants::{
    LEAST_OPEN, MOST_OPEN, MOST_REGISTERS, REGISTER_UNIT, REGISTERS_OF_COMPILER, SHARE_OF_WARP_REGISTERS,
};
use machine::program::Function;

/// By basic block: registers of 32 bits for loads that are under way in code that begins with it. By register of the text, `free`: whether its
/// value takes none, for instructions have it without one; `uniform`: whether all lanes have the same in it.
pub fn open(a: &Architecture, function: &Function, free: &[bool], uniform: &[bool]) -> Vec<usize> {
    let threads = function.required_threads.or(function.max_threads).map(|threads| threads.iter().product::<u32>());
    let asked = threads
        .zip(function.min_blocks)
        .map(|(threads, blocks)| a.registers_per_multiprocessor / (threads * blocks).max(1));
    let full = a.registers_per_multiprocessor / a.max_threads_per_multiprocessor / REGISTER_UNIT * REGISTER_UNIT;
    let (all, most) = match asked {
        Some(asked) => (asked.min(MOST_REGISTERS), MOST_REGISTERS),
        None if function.register_estimate <= full => (full, MOST_OPEN),
        None => (MOST_REGISTERS, MOST_OPEN),
    };
    let left = |live: u32| all.saturating_sub(REGISTERS_OF_COMPILER + live).clamp(LEAST_OPEN, most) as usize;
    let of_warp = if a.compute_capability >= (7, 5) { SHARE_OF_WARP_REGISTERS } else { 0.0 };
    live(function, free, uniform, of_warp).into_iter().map(left).collect()
}

/// By basic block: registers of values that are known at its beginning and needed later.
fn live(function: &Function, free: &[bool], uniform: &[bool], of_warp: f64) -> Vec<u32> {
    let words = free.len().div_ceil(64);
    let count = function.blocks.len();
    let sites = |block: usize| {
        let sites = &function.blocks[block].sites;
        &function.sites[sites.start as usize..sites.end as usize]
    };
    let (mut reads, mut writes) = (vec![vec![0u64; words]; count], vec![vec![0u64; words]; count]);
    let mut width = vec![0u32; free.len()];
    for block in 0..count {
        for site in sites(block) {
            for &register in function.reads(site) {
                let (word, bit) = (register as usize / 64, 1 << (register % 64));
                reads[block][word] |= bit & !writes[block][word];
            }
            for &register in function.writes(site) {
                width[register as usize] = site.opcode.words;
                if !site.guarded {
                    writes[block][register as usize / 64] |= 1 << (register % 64);
                }
            }
        }
    }
    let mut live = reads.clone();
    loop {
        let mut changed = false;
        for block in (0..count).rev() {
            for next in function.blocks[block].end.successors() {
                for word in 0..words {
                    let more = live[next.0 as usize][word] & !writes[block][word] & !live[block][word];
                    live[block][word] |= more;
                    changed |= more != 0;
                }
            }
        }
        if !changed {
            break;
        }
    }
    let of_block = |live: &Vec<u64>| {
        let register = |at: &usize| live[at / 64] >> (at % 64) & 1 == 1 && !free[*at];
        let share = |at: usize| if uniform[at] { 1.0 - of_warp } else { 1.0 };
        let taken: f64 = (0..free.len()).filter(register).map(|at| f64::from(width[at]) * share(at)).sum();
        taken.ceil() as u32
    };
    live.iter().map(of_block).collect()
}

//! The time of a launch's atomics on global memory, which L2 carries out.
use super::work::Work;
use crate::cards::Device;
use crate::constants::{ANSWER_BYTES, ATOMIC_BYTES};

/// Cycles in which L2 carries out the atomics of a launch whose blocks alone have so many between the first and the last.
pub fn atomic_cycles(card: &Device, work: &Work, alone: f64) -> f64 {
    let a = card.architecture;
    let steps = work.atomic_steps as f64;
    let queue = &work.atomic_queue;
    let rate = a.atomic_steps_per_clock;
    let turns = match a.l2_slices {
        0 => {
            // Before Volta no two floats of a sector are added side by side: kernel 2 of assignment 2 is much faster on a P100 in blocks of 32
            // columns, whose warps add one float each, than in those of 4 to 16, whose warps add eight to two floats of one sector.
            let one_by_one = a.compute_capability.0 < 7 && queue.parts.iter().any(|part| part.floats > 0.0);
            let steps = if one_by_one { work.atomic_lanes as f64 } else { steps };
            let one_after_the_other = steps / work.atomic_spread.max(1.0).powf(a.atomic_overlap);
            one_after_the_other.max(queue.floats * (1.0 + a.atomic_float_turns))
        }
        slices => queue.turns(f64::from(slices), a.atomic_float_turns, alone * rate),
    };
    let bytes = steps * ATOMIC_BYTES + work.answered_atomics as f64 * ANSWER_BYTES;
    (turns / rate).max(bytes / f64::from(card.l2_bytes_per_clock))
}

//! What units take for an instruction.
use crate::analytic::stalls::Reason;
use crate::cards::Architecture;
use crate::compiler::code::Instruction;
use crate::constants::{
    ADD_LATENCY, CHECK_LATENCY, CONSTANT_CYCLES, CONSTANT_LATENCY, CONTROL_CYCLES, CONTROL_LATENCY, FP16_LATENCY,
    FP32_LATENCY, FP64_LATENCY, INTEGER_LATENCY, SHUFFLE_LATENCY, SPECIAL_LATENCY, TENSOR_LATENCY, WARP_LANES,
    WARP_SHARE_OF_TENSOR,
};
use ptx::isa::machine::{EVERY_UNIT, UNITS, Unit};

/// How long a scheduler's unit is busy with an instruction, when its result is there after its issue, and what waits for that.
pub(super) type Cost = (f64, u64, Reason);

/// Of each unit's instructions, but for products of matrices.
pub(super) fn costs(a: &Architecture, schedulers: usize) -> [Cost; UNITS] {
    let mut costs = [(1.0, 1, Reason::Wait); UNITS];
    for unit in EVERY_UNIT {
        costs[unit as usize] = cost(a, schedulers, unit);
    }
    costs
}

/// Of a product of matrices.
pub(super) fn product(a: &Architecture, schedulers: usize, instruction: &Instruction) -> Cost {
    // Where there are products of four warps, those of one do not reach their rate.
    let of_one = !instruction.of_four && matches!(a.compute_capability.0, 9 | 10);
    let share = if of_one { WARP_SHARE_OF_TENSOR } else { 1.0 };
    let rate = f64::from(a.tensor_fma_per_clock.max(1)) * share / schedulers as f64;
    let busy = f64::from(instruction.tensor_fmas) / rate;
    (busy, busy as u64 + TENSOR_LATENCY, Reason::Wait)
}

fn cost(a: &Architecture, schedulers: usize, unit: Unit) -> Cost {
    let lanes = |lanes: u32| f64::from(WARP_LANES) * schedulers as f64 / f64::from(lanes.max(1));
    match unit {
        Unit::Fp32 => (lanes(a.fp32_lanes_per_multiprocessor), FP32_LATENCY, Reason::Wait),
        Unit::Multiply => (lanes(a.int32_lanes_per_multiprocessor), FP32_LATENCY, Reason::Wait),
        Unit::Wide => (2.0 * lanes(a.int32_lanes_per_multiprocessor), ADD_LATENCY, Reason::Wait),
        Unit::Add => (lanes(a.int32_lanes_per_multiprocessor), ADD_LATENCY, Reason::Wait),
        Unit::Integer => (lanes(a.int32_lanes_per_multiprocessor), INTEGER_LATENCY, Reason::Wait),
        Unit::Special => (lanes(a.special_lanes_per_multiprocessor), SPECIAL_LATENCY, Reason::ShortScoreboard),
        Unit::Check => (lanes(a.special_lanes_per_multiprocessor), CHECK_LATENCY, Reason::Wait),
        Unit::Fp64 => (lanes(a.fp64_lanes_per_multiprocessor), FP64_LATENCY, Reason::Wait),
        Unit::Fp16 => (lanes(a.fp16_lanes_per_multiprocessor / 2), FP16_LATENCY, Reason::Wait),
        Unit::Control | Unit::Detour => (CONTROL_CYCLES, CONTROL_LATENCY, Reason::BranchResolving),
        Unit::Constant => (CONSTANT_CYCLES, CONSTANT_LATENCY, Reason::ShortScoreboard),
        Unit::Barrier => (1.0, 1, Reason::Barrier),
        Unit::Shuffle => (1.0, SHUFFLE_LATENCY, Reason::ShortScoreboard),
        Unit::Memory | Unit::Copy | Unit::Commit | Unit::Await | Unit::Setup | Unit::Nothing | Unit::Tensor => {
            (1.0, 1, Reason::Wait)
        }
    }
}

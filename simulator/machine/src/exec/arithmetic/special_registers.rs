//! `mov` from a special register.
use crate::exec::view::context::LaunchConstants;
use crate::exec::view::elementwise::whole;
use crate::exec::view::lane;
use crate::exec::view::lane::{Lane32, WARP};
use crate::exec::view::lanes::Lanes;
use crate::exec::view::op::{Op, Selected};
use ptx::isa::{self, Refusal, Special};

/// `mov` of the form's special register, to a destination of 16, 32 or 64 bits.
pub fn select(form: &isa::Form) -> Result<Selected, Refusal> {
    let special = form.special.ok_or(Refusal::NoSuchForm)?;
    let code = code(special);
    refuse_if!(form.widths[0] == 1 && code & 0xff != EXPLICIT_CLUSTER, Refusal::NoSuchForm);
    Ok(whole(read_into).with(code | u32::from(form.widths[0]) << 16))
}

const CLOCK: u32 = 17;
const EXPLICIT_CLUSTER: u32 = 28;
/// Components of `%reserved_smem_offset_…`: `end` and `cap`.
const RESERVED_END: usize = 1;
const RESERVED_CAPACITY: usize = 2;

/// The code in [`Op::data`]: the register in bits 0–7, its component in 8–15; the destination's bits are in 16–23.
fn code(special: Special) -> u32 {
    let (number, component) = match special {
        Special::Tid(c) => (0, c),
        Special::Ntid(c) => (1, c),
        Special::Ctaid(c) => (2, c),
        Special::Nctaid(c) => (3, c),
        Special::ClusterId(c) => (29, c),
        Special::NclusterId(c) => (30, c),
        Special::LaneId => (4, 0),
        Special::WarpId => (5, 0),
        Special::NwarpId => (6, 0),
        Special::SmId => (7, 0),
        Special::NsmId => (8, 0),
        Special::GridId => (9, 0),
        Special::ClusterCtaid(c) => (10, c),
        Special::ClusterNctaid(c) => (11, c),
        Special::ClusterCtarank => (31, 0),
        Special::ClusterNctarank => (32, 0),
        Special::LanemaskEq => (12, 0),
        Special::LanemaskLe => (13, 0),
        Special::LanemaskLt => (14, 0),
        Special::LanemaskGe => (15, 0),
        Special::LanemaskGt => (16, 0),
        Special::Clock | Special::Clock64 => (CLOCK, 0),
        Special::ClockHi => (18, 0),
        Special::GlobalTimer | Special::GlobalTimerLo => (19, 0),
        Special::GlobalTimerHi => (20, 0),
        Special::EnvReg(n) => (21, n),
        Special::DynamicSmemSize => (22, 0),
        Special::TotalSmemSize => (23, 0),
        Special::AggrSmemSize => (24, 0),
        Special::ReservedSmemOffset(n) => (25, n),
        Special::CurrentGraphExec => (26, 0),
        // Performance monitors count nothing.
        Special::Pm(_) => (27, 0),
        Special::IsExplicitCluster => (EXPLICIT_CLUSTER, 0),
    };
    number | u32::from(component) << 8
}

#[inline(always)]
fn read_into(lanes: &mut Lanes, op: &Op) {
    let (number, component, bits) = (op.data & 0xff, (op.data >> 8 & 0xff) as usize, op.data >> 16 & 0xff);
    // The read that each thread begins with.
    if let (0, 32, Some(coordinates)) = (number, bits, coordinates(lanes, component)) {
        return lanes.set(op.dst, coordinates);
    }
    lanes.context.clock.reads += u64::from(number == CLOCK);
    let values = values(lanes, number, component);
    match bits {
        1 => lanes.set_predicate(op.dst, if values[0] != 0 { !0 } else { 0 }),
        16 => lanes.set(op.dst, lane::array(|lane| values[lane] as u16)),
        32 => lanes.set(op.dst, lane::array(|lane| values[lane] as u32)),
        _ => lanes.set(op.dst, values),
    }
}

/// The threads' numbers in their block along an axis; `None`: there is no such axis.
#[inline(always)]
fn coordinates(lanes: &Lanes, axis: usize) -> Option<Lane32<u32>> {
    lanes.context.launch.threads.get(lanes.context.who.warp as usize)?.get(axis).copied()
}

#[inline(never)]
fn values(lanes: &Lanes, number: u32, component: usize) -> Lane32<u64> {
    let context = &lanes.context;
    let (who, launch, clusters) = (&context.who, &context.launch, &context.blocks.clusters);
    // Vector registers have four components; the fourth is 0.
    let part = |vector: [u32; 3]| u64::from(vector.get(component).copied().unwrap_or(0));
    let per_lane = |f: fn(u32) -> u32| lane::array(|lane| f(lane as u32).into());
    // A launch without clusters is one of clusters of a single block.
    let shape: [u32; 3] = lane::array(|axis| clusters.shape[axis].max(1));
    let cluster = |part: &dyn Fn(usize) -> u32| if component < 3 { u64::from(part(component)) } else { 0 };
    let value = match number {
        0 => {
            return match coordinates(lanes, component) {
                Some(coordinates) => lane::array(|lane| coordinates[lane].into()),
                None => [0; WARP],
            };
        }
        1 => part(launch.block),
        2 => part(who.block),
        3 => part(launch.grid),
        4 => return per_lane(|lane| lane),
        5 => who.warp.into(),
        6 => launch.facts.warps_per_multiprocessor.into(),
        7 => who.block_index.checked_rem(launch.facts.multiprocessors.into()).unwrap_or(0),
        8 => launch.facts.multiprocessors.into(),
        9 => launch.facts.grid_id,
        10 => cluster(&|axis| who.block[axis] % shape[axis]),
        11 => cluster(&|axis| shape[axis]),
        29 => cluster(&|axis| who.block[axis] / shape[axis]),
        30 => cluster(&|axis| launch.grid[axis] / shape[axis]),
        31 => clusters.rank.into(),
        32 => clusters.size().into(),
        EXPLICIT_CLUSTER => clusters.explicit.into(),
        12 => return per_lane(|lane| 1 << lane),
        13 => return per_lane(|lane| !0 >> (31 - lane)),
        14 => return per_lane(|lane| (1 << lane) - 1),
        15 => return per_lane(|lane| !0 << lane),
        16 => return per_lane(|lane| !0 << lane << 1),
        CLOCK => context.clock.now() + context.clock.reads,
        18 => (context.clock.now() + context.clock.reads) >> 32,
        19 => nanoseconds(context.clock.now(), launch.facts.clock_khz),
        20 => nanoseconds(context.clock.now(), launch.facts.clock_khz) >> 32,
        21 => match component {
            1 => launch.workspace >> 32,
            2 => launch.workspace & 0xffff_ffff,
            _ => 0,
        },
        22 => launch.dynamic_shared_bytes.into(),
        23 => shared_taken(launch, 0),
        24 => shared_taken(launch, launch.facts.reserved_shared_bytes),
        25 => match component {
            RESERVED_END => launch.reserved_shared.end.into(),
            RESERVED_CAPACITY => launch.reserved_shared.len() as u64,
            // Where it begins, and where its parts begin: cooperative groups, the only one, use the second.
            _ => launch.reserved_shared.start.into(),
        },
        _ => 0,
    };
    [value; WARP]
}

/// Bytes that a block takes of the multiprocessor's shared memory.
fn shared_taken(launch: &LaunchConstants, reserved_bytes: u32) -> u64 {
    let unit = launch.facts.shared_unit_bytes.max(1);
    (u64::from(launch.shared_bytes) + u64::from(reserved_bytes)).next_multiple_of(unit.into())
}

/// Virtual time of so many cycles, from an arbitrary point on as the manual has it: runs repeat.
fn nanoseconds(cycles: u64, clock_khz: u32) -> u64 {
    (u128::from(cycles) * 1_000_000).checked_div(clock_khz.into()).unwrap_or(0) as u64
}

//! `mov` from a special register.
use crate::exec::view::{Lane32, Lanes, LaunchConstants, Op, Selected, WARP, lane, whole};
use ptx::isa::{self, Refusal, Special};

/// `mov` of the form's special register, to a destination of 16, 32 or 64 bits.
pub fn select(form: &isa::Form) -> Result<Selected, Refusal> {
    let special = form.special.ok_or(Refusal::NoSuchForm)?;
    refuse_if!(form.widths[0] == 1 && special != Special::IsExplicitCluster, Refusal::NoSuchForm);
    // The register in bits 0–7, its component in 8–15, the destination's bits in 16–23.
    let (number, component) = special.code();
    Ok(whole(read_into).with(u32::from_le_bytes([number, component, form.widths[0], 0])))
}

/// Components of `%reserved_smem_offset_…`: `end` and `cap`.
const RESERVED_END: u8 = 1;
const RESERVED_CAPACITY: u8 = 2;

#[inline(always)]
fn read_into(lanes: &mut Lanes, op: &Op) {
    let [number, component, bits, _] = op.data.to_le_bytes();
    // The read that each thread begins with, of `%tid`.
    if let (0, 32, Some(coordinates)) = (number, bits, coordinates(lanes, component)) {
        return lanes.set(op.dst, coordinates);
    }
    let values = values(lanes, Special::of_code(number, component));
    match bits {
        1 => lanes.set_predicate(op.dst, if values[0] != 0 { !0 } else { 0 }),
        16 => lanes.set(op.dst, lane::array(|lane| values[lane] as u16)),
        32 => lanes.set(op.dst, lane::array(|lane| values[lane] as u32)),
        _ => lanes.set(op.dst, values),
    }
}

/// The threads' numbers in their block along an axis; `None`: there is no such axis.
#[inline(always)]
fn coordinates(lanes: &Lanes, axis: u8) -> Option<Lane32<u32>> {
    lanes.context.launch.threads.get(lanes.context.who.warp as usize)?.get(usize::from(axis)).copied()
}

#[inline(never)]
fn values(lanes: &mut Lanes, special: Special) -> Lane32<u64> {
    use Special::*;
    lanes.context.clock.reads += u64::from(matches!(special, Clock | Clock64));
    let context = &lanes.context;
    let (who, launch, clusters) = (&context.who, &context.launch, &context.blocks.clusters);
    // Vector registers have four components; the fourth is 0.
    let part = |vector: [u32; 3], c: u8| u64::from(vector.get(usize::from(c)).copied().unwrap_or(0));
    let per_lane = |f: fn(u32) -> u32| lane::array(|lane| f(lane as u32).into());
    // A launch without clusters is one of clusters of a single block.
    let shape: [u32; 3] = lane::array(|axis| clusters.shape[axis].max(1));
    let value = match special {
        Tid(c) => {
            return match coordinates(lanes, c) {
                Some(coordinates) => lane::array(|lane| coordinates[lane].into()),
                None => [0; WARP],
            };
        }
        Ntid(c) => part(launch.block, c),
        Ctaid(c) => part(who.block, c),
        Nctaid(c) => part(launch.grid, c),
        LaneId => return per_lane(|lane| lane),
        WarpId => who.warp.into(),
        NwarpId => launch.facts.warps_per_multiprocessor.into(),
        SmId => who.block_index.checked_rem(launch.facts.multiprocessors.into()).unwrap_or(0),
        NsmId => launch.facts.multiprocessors.into(),
        GridId => launch.facts.grid_id,
        ClusterCtaid(c) => part(lane::array(|axis| who.block[axis] % shape[axis]), c),
        ClusterNctaid(c) => part(shape, c),
        ClusterId(c) => part(lane::array(|axis| who.block[axis] / shape[axis]), c),
        NclusterId(c) => part(lane::array(|axis| launch.grid[axis] / shape[axis]), c),
        ClusterCtarank => clusters.rank.into(),
        ClusterNctarank => clusters.size().into(),
        IsExplicitCluster => clusters.explicit.into(),
        LanemaskEq => return per_lane(|lane| 1 << lane),
        LanemaskLe => return per_lane(|lane| !0 >> (31 - lane)),
        LanemaskLt => return per_lane(|lane| (1 << lane) - 1),
        LanemaskGe => return per_lane(|lane| !0 << lane),
        LanemaskGt => return per_lane(|lane| !0 << lane << 1),
        Clock | Clock64 => context.clock.now() + context.clock.reads,
        ClockHi => (context.clock.now() + context.clock.reads) >> 32,
        GlobalTimer | GlobalTimerLo => nanoseconds(context.clock.now(), launch.facts.clock_khz),
        GlobalTimerHi => nanoseconds(context.clock.now(), launch.facts.clock_khz) >> 32,
        EnvReg(1) => launch.workspace >> 32,
        EnvReg(2) => launch.workspace & 0xffff_ffff,
        DynamicSmemSize => launch.dynamic_shared_bytes.into(),
        TotalSmemSize => shared_taken(launch, 0),
        AggrSmemSize => shared_taken(launch, launch.facts.reserved_shared_bytes),
        ReservedSmemOffset(RESERVED_END) => launch.reserved_shared.end.into(),
        ReservedSmemOffset(RESERVED_CAPACITY) => launch.reserved_shared.len() as u64,
        // Where it begins, and where its parts begin: cooperative groups, the only one, use the second.
        ReservedSmemOffset(_) => launch.reserved_shared.start.into(),
        // Performance monitors count nothing.
        EnvReg(_) | CurrentGraphExec | Pm(_) => 0,
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

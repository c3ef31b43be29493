//! Each semantics compiled for the host's vector units, and the choice among them at run time.
#![allow(unsafe_code, reason = "functions for vector units, which are called only where the host has these")]
use super::lanes::Lanes;
use super::op::{Exec, Level, Op, Selected, Semantics, Versions};
use crate::exec::fast_paths::together::MOST;

impl Versions {
    pub const fn of<S: Semantics>() -> Versions {
        Versions::each::<S, S, S>()
    }

    /// A version of its own for each level. A level that this build does without has the version of the level below it.
    ///
    /// The tests of this crate, for which the engine is compiled once more, have one level. The tests below compare the levels of a few
    /// semantics, and those in `simulator/tests` compare whole programs.
    pub const fn each<Base: Semantics, WithAvx2: Semantics, WithAvx512: Semantics>() -> Versions {
        let base: Exec = base::<Base>;
        #[cfg(all(with_avx2, not(test)))]
        let avx2: Exec = avx2::<WithAvx2>;
        #[cfg(not(all(with_avx2, not(test))))]
        let avx2 = base;
        #[cfg(all(with_avx512, not(test)))]
        let avx512: Exec = avx512::<WithAvx512>;
        #[cfg(not(all(with_avx512, not(test))))]
        let avx512 = avx2;
        Versions([base, avx2, avx512])
    }

    /// Versions of an op for the warps that go together. Without vector instructions each warp's is called, since compiling it once more gains nothing.
    pub(crate) const fn together<WithAvx2: Semantics, WithAvx512: Semantics>() -> Versions {
        Versions::each::<Together<Called>, Together<WithAvx2>, Together<WithAvx512>>()
    }

    /// The version for a level.
    pub const fn at(&self, level: Level) -> Exec {
        self.0[level as usize]
    }
}

impl Level {
    /// The levels that this build has versions for: all of them with the feature `every-vector-level`, else the plain one and that of the
    /// machine that compiled it. A host of another level runs the version below its own.
    pub const COMPILED: &[Level] = &[
        Level::Base,
        #[cfg(with_avx2)]
        Level::Avx2,
        #[cfg(with_avx512)]
        Level::Avx512,
    ];
}

impl Selected {
    /// Versions for one warp alone: several take it one by one.
    pub const fn alone(bare: Versions, probed: Versions) -> Selected {
        Selected { bare, probed, together: None, recorded: None, data: 0 }
    }

    /// A semantics that probes need not hear of: all that only computes.
    pub const fn pure<S: Semantics>() -> Selected {
        Selected::alone(Versions::of::<S>(), Versions::of::<S>())
    }

    /// Likewise; it touches nothing but registers, so that several warps take it with their frames alone.
    pub const fn each<S: Semantics>() -> Selected {
        let together = Some(Versions::together::<S, S>());
        Selected { together, recorded: together, ..Selected::pure::<S>() }
    }

    /// A semantics with a version that tells the probe what it does.
    pub const fn told<Bare: Semantics, Probed: Semantics>() -> Selected {
        Selected::alone(Versions::of::<Bare>(), Versions::of::<Probed>())
    }

    /// The function for warps that go together; `recorded`: a probe is told of it afterwards.
    pub fn of_several(&self, level: Level, recorded: bool) -> Exec {
        let versions = if recorded { self.recorded } else { self.together };
        versions.map_or(one_by_one, |versions| versions.at(level))
    }

    /// The same with something for [`Op::data`].
    pub const fn with(self, data: u32) -> Selected {
        Selected { data, ..self }
    }
}

/// An op on the frame of each of the warps that go together.
struct Together<S>(std::marker::PhantomData<S>);

impl<S: Semantics> Semantics for Together<S> {
    #[inline(always)]
    fn run(lanes: &mut Lanes, op: &Op) {
        for at in 0..lanes.together.count.min(MOST) {
            lanes.step_to(at);
            S::run(lanes, op);
            // An op that faulted has cleared the mask: those after it do not run.
            if lanes.mask == 0 {
                return;
            }
        }
    }
}

/// The op as one warp runs it.
struct Called;

impl Semantics for Called {
    #[inline(always)]
    fn run(lanes: &mut Lanes, op: &Op) {
        // SAFETY: lowering chose `exec` for the frame that the lanes point at and for this host.
        unsafe { (op.exec)(lanes, op) }
    }
}

// `unsafe fn` only because `Exec` is: the bodies are safe, and what they ask of the op is said there.
pub(crate) unsafe fn base<S: Semantics>(lanes: &mut Lanes, op: &Op) {
    S::run(lanes, op);
}

#[cfg(any(with_avx2, all(test, target_arch = "x86_64")))]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,popcnt,lzcnt")]
unsafe fn avx2<S: Semantics>(lanes: &mut Lanes, op: &Op) {
    S::run(lanes, op);
}

#[cfg(any(with_avx512, all(test, target_arch = "x86_64")))]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,popcnt,lzcnt")]
unsafe fn avx512<S: Semantics>(lanes: &mut Lanes, op: &Op) {
    S::run(lanes, op);
}

/// Runs `op.inner` for the active lanes that the guard lets through.
///
/// # Safety
/// As [`Exec`].
pub unsafe fn guarded(lanes: &mut Lanes, op: &Op) {
    let active = lanes.mask;
    let guard = lanes.predicate(op.guard);
    let through = active & if op.guard_negated == Some(true) { !guard } else { guard };
    if through == 0 {
        return;
    }
    lanes.mask = through;
    // SAFETY: the inner semantics has the same rows and the same version as the guard's wrapper: lowering set both.
    unsafe { (op.inner)(lanes, op) };
    // An op that faulted has cleared the mask, and so it stays.
    if lanes.mask != 0 {
        lanes.mask = active;
    }
}

/// [`guarded`], telling the probe.
///
/// # Safety
/// As [`Exec`].
pub unsafe fn guarded_probed(lanes: &mut Lanes, op: &Op) {
    let (who, active) = (lanes.context.who, lanes.mask);
    let guard = lanes.predicate(op.guard);
    let through = active & if op.guard_negated == Some(true) { !guard } else { guard };
    if let Some(probe) = lanes.context.probe_of_flow()
        && active != 0
    {
        probe.guarded(who, op.site, active, through);
    }
    // SAFETY: the inner semantics has the same rows and the same version as the guard's wrapper: lowering set both.
    unsafe { guarded(lanes, op) };
}

/// Runs an op for each of the warps that go together, one after the other, as if each ran alone.
///
/// # Safety
/// As [`Exec`].
pub unsafe fn one_by_one(lanes: &mut Lanes, op: &Op) {
    for at in 0..lanes.together.count.min(MOST) {
        lanes.turn_to(at);
        // SAFETY: the frame that the lanes point at is one of the same function.
        unsafe { (op.exec)(lanes, op) };
        // An op that faulted has cleared the mask: the place of the fault is this warp's.
        if lanes.mask == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::op::{Dataflow, Row};
    use super::*;

    struct AddU32;
    impl Semantics for AddU32 {
        #[inline(always)]
        fn run(lanes: &mut Lanes, op: &Op) {
            lanes.map2(op, |a: u32, b: u32| a.wrapping_add(b));
        }
    }
    struct FmaF32;
    impl Semantics for FmaF32 {
        #[inline(always)]
        fn run(lanes: &mut Lanes, op: &Op) {
            lanes.map3(op, |a: f32, b: f32, c: f32| a.mul_add(b, c));
        }
    }
    struct LessI32;
    impl Semantics for LessI32 {
        #[inline(always)]
        fn run(lanes: &mut Lanes, op: &Op) {
            let less = lanes.test2(op, |a: i32, b: i32| a < b);
            lanes.set_predicate(op.dst, less);
        }
    }

    #[repr(align(64))]
    struct File([u32; 32 * 8 + super::super::lanes::SLACK / 4]);

    fn op(exec: Exec) -> Op {
        Op {
            exec,
            inner: exec,
            dst: Row(0),
            a: Row(128),
            b: Row(256),
            c: Row(384),
            imm: 0,
            guard: Row(512),
            guard_negated: None,
            vector: 1,
            bytes: 4,
            used: 0,
            more: 0,
            site: 0,
            data: 0,
            dataflow: Dataflow::Computes,
            width: 4,
            more_count: 0,
        }
    }

    fn levels() -> impl Iterator<Item = Level> {
        [Level::Base, Level::Avx2, Level::Avx512].into_iter().filter(|level| *level <= Level::of_host())
    }

    /// The versions of a semantics for every level, whichever the build has.
    fn all_of<S: Semantics>() -> Versions {
        #[cfg(target_arch = "x86_64")]
        return Versions([base::<S>, avx2::<S>, avx512::<S>]);
        #[cfg(not(target_arch = "x86_64"))]
        return Versions::of::<S>();
    }

    fn run(op: &Op, mask: u32, fill: impl Fn(usize) -> u32) -> Vec<u32> {
        let mut file = Box::new(File(std::array::from_fn(fill)));
        // SAFETY: the file is aligned, alone ours, and larger than the rows that `op` names; levels are the host's.
        unsafe {
            let mut lanes = Lanes::new(file.0.as_mut_ptr().cast(), mask);
            (op.exec)(&mut lanes, op);
        }
        file.0[..160].to_vec()
    }

    #[test]
    fn every_level_computes_the_same_and_keeps_inactive_lanes() {
        for level in levels() {
            for mask in [!0, 0, 1, 0x8000_0000, 0x5a5a_1234] {
                let add = op(all_of::<AddU32>().at(level));
                let fill = |i: usize| (i as u32).wrapping_mul(0x9e37_79b9);
                let got = run(&add, mask, fill);
                for (lane, &got) in got.iter().enumerate().take(32) {
                    let want =
                        if mask >> lane & 1 != 0 { fill(32 + lane).wrapping_add(fill(64 + lane)) } else { fill(lane) };
                    assert_eq!(got, want, "{level:?} mask {mask:#x} lane {lane}");
                }
            }
        }
    }

    #[test]
    fn fma_rounds_once_at_every_level() {
        // 1 + 2^-23 squared needs the fused product: rounding the product first loses its last bit.
        let x = 1.0f32 + f32::EPSILON;
        for level in levels() {
            let fma = op(all_of::<FmaF32>().at(level));
            let got = run(&fma, !0, |i| if i < 96 { x.to_bits() } else { (-1.0f32 - 2.0 * f32::EPSILON).to_bits() });
            assert_eq!(f32::from_bits(got[5]), f32::EPSILON * f32::EPSILON, "{level:?}");
        }
    }

    #[test]
    fn predicates_merge_by_mask() {
        for level in levels() {
            let less = op(all_of::<LessI32>().at(level));
            let got = run(&less, 0x0000_ffff, |i| if i == 0 { 0xf00d_0000 } else { (i % 3) as u32 });
            let want =
                (0..16).fold(0xf00d_0000, |bits, lane| bits | ((((32 + lane) % 3) < ((64 + lane) % 3)) as u32) << lane);
            assert_eq!(got[0], want, "{level:?}");
        }
    }

    #[test]
    fn guard_restores_the_mask_unless_the_op_faulted() {
        let mut guarded_add = op(guarded);
        guarded_add.inner = all_of::<AddU32>().at(Level::detect());
        let got = run(&guarded_add, 0xff, |i| if i == 128 { 0x0f } else { i as u32 });
        assert_eq!(got[3], 32 + 3 + 64 + 3);
        assert_eq!(got[4], 4);
        guarded_add.guard_negated = Some(true);
        let got = run(&guarded_add, 0xff, |i| if i == 128 { 0x0f } else { i as u32 });
        assert_eq!(got[3], 3);
        assert_eq!(got[4], 32 + 4 + 64 + 4);
    }
}

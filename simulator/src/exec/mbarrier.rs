//! `mbarrier`: barriers that lie in shared memory, without transactions.
//!
//! The object is opaque to the kernel. Here: bits 0–19 arrivals that the phase waits for, 20–39 arrivals expected in each
//! phase, bit 63 the phase's parity. The state that an arrival gives is the object as it was before.
use super::access::{Form, addresses, by_space, resolve, scope_of};
use super::async_copy;
use super::lanes::{Lane32, Lanes, WARP};
use super::op::{Op, Selected, Semantics};
use super::tell::{Told, tell_as};
use crate::isa::Space;
use crate::isa::{self, Refusal};
use crate::probe::AccessKind::Atomic as KIND;
use crate::probe::{Addresses, Order, Phase, PhaseAct, Scope, Strength};

const COUNT: u64 = (1 << 20) - 1;
const PARITY: u64 = 1 << 63;

/// What an instruction does to the barrier: bits 16–19 of [`Op::data`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Init,
    Invalidate,
    Arrive,
    ArriveDrop,
    TestState,
    TestParity,
    /// `cp.async.mbarrier.arrive`, with and without `.noinc`.
    CopyArrive,
    CopyArriveNoinc,
}

const ACTS: [Act; 8] = [
    Act::Init,
    Act::Invalidate,
    Act::Arrive,
    Act::ArriveDrop,
    Act::TestState,
    Act::TestParity,
    Act::CopyArrive,
    Act::CopyArriveNoinc,
];

/// In [`Op::data`]: the count is left out and is 1.
const NO_COUNT: u32 = 1 << 20;
/// In [`Op::data`]: `.noComplete`, which must not end a phase.
const NO_COMPLETE: u32 = 1 << 21;

/// `mbarrier.init`.
pub fn init(form: &isa::Form) -> Result<Selected, Refusal> {
    select(form, Act::Init, Strength::Relaxed)
}

/// `mbarrier.inval`.
pub fn inval(form: &isa::Form) -> Result<Selected, Refusal> {
    select(form, Act::Invalidate, Strength::Relaxed)
}

/// `mbarrier.arrive`.
pub fn arrive(form: &isa::Form) -> Result<Selected, Refusal> {
    select(form, Act::Arrive, Strength::Release)
}

/// `mbarrier.arrive_drop`.
pub fn arrive_drop(form: &isa::Form) -> Result<Selected, Refusal> {
    select(form, Act::ArriveDrop, Strength::Release)
}

/// `mbarrier.test_wait` and `.try_wait`, by state.
pub fn test_wait(form: &isa::Form) -> Result<Selected, Refusal> {
    select(form, Act::TestState, Strength::Acquire)
}

/// `mbarrier.test_wait.parity` and `.try_wait.parity`.
pub fn test_wait_parity(form: &isa::Form) -> Result<Selected, Refusal> {
    select(form, Act::TestParity, Strength::Acquire)
}

/// `cp.async.mbarrier.arrive`.
pub fn copy_arrive(form: &isa::Form) -> Result<Selected, Refusal> {
    let act = if form.has("noinc") { Act::CopyArriveNoinc } else { Act::CopyArrive };
    select(form, act, Strength::Release)
}

/// `mbarrier.pending_count`.
pub fn pending_count(_: &isa::Form) -> Result<Selected, Refusal> {
    Ok(super::elementwise::unary(|state: u64| (state & COUNT) as u32))
}

fn select(form: &isa::Form, act: Act, strength: Strength) -> Result<Selected, Refusal> {
    if form.has("expect_tx") || form.has("cluster") {
        return Err(Refusal::NotModelled);
    }
    let strength = if form.has("relaxed") { Strength::Relaxed } else { strength };
    let order = Order { strength, scope: scope_of(form).unwrap_or(Scope::Block) };
    let space = if form.space == Space::Generic { Space::Generic } else { Space::Shared };
    let mut data = Form::new(space, order, 8, if form.widths[1] == 32 { Form::ADDRESS_32 } else { 0 }).0;
    data |= (ACTS.iter().position(|&a| a == act).unwrap_or(0) as u32) << 16;
    data |= if form.widths[2] == 0 { NO_COUNT } else { 0 };
    data |= if form.has("noComplete") { NO_COMPLETE } else { 0 };
    Ok(Selected::plainly_told::<Touch<false>, Touch<true>>().with(data))
}

struct Touch<const PROBED: bool>;

impl<const PROBED: bool> Semantics for Touch<PROBED> {
    #[inline(always)]
    fn run(lanes: &mut Lanes, op: &Op) {
        let raw = addresses(lanes, op);
        match Form::of(op).space() {
            Space::Generic => by_space(lanes, &raw, |lanes, space, raw| touch(lanes, op, space, raw, PROBED)),
            space => touch(lanes, op, space, &raw, PROBED),
        }
    }
}

#[allow(unsafe_code)]
fn touch(lanes: &mut Lanes, op: &Op, space: Space, raw: &Lane32<u64>, probed: bool) {
    let Some((hosts, pattern)) = resolve(lanes, op, space, KIND, 8, raw) else { return };
    if probed {
        let addresses = Addresses::of(pattern, raw, lanes.mask);
        let order = Some(Order { strength: Strength::Phase, scope: Scope::Block });
        tell_as(lanes, op, Told { space, kind: KIND, bytes: 8, addresses, stored: None }, order);
    }
    let act = ACTS[(op.data >> 16 & 7) as usize];
    if matches!(act, Act::CopyArrive | Act::CopyArriveNoinc) {
        // The barrier hears of the copies when they are done: now.
        async_copy::finish_all(lanes);
    }
    let hosts = hosts.each(8);
    let counts = if op.data & NO_COUNT != 0 { [1; WARP] } else { lanes.get::<u32>(op.b) };
    let states = lanes.get::<u64>(op.b);
    let mut before = [0; WARP];
    let (mut done, mut ended) = (0u32, 0u32);
    let mut changed = false;
    lanes.each(|lane| {
        let place = hosts[lane] as *mut u64;
        // SAFETY: `resolve` found every active lane's barrier inside live memory.
        let old = unsafe { place.read_unaligned() };
        let new = match act {
            Act::Init => u64::from(counts[lane]) & COUNT | (u64::from(counts[lane]) & COUNT) << 20,
            Act::Invalidate => 0,
            Act::Arrive => arrived(old, counts[lane], 0),
            Act::ArriveDrop => arrived(old, counts[lane], counts[lane]),
            // Counts the thread in, and its copies' completion out: nothing changes.
            Act::CopyArrive => old,
            Act::CopyArriveNoinc => arrived(old, 1, 0),
            Act::TestState => {
                done |= u32::from((old ^ states[lane]) & PARITY != 0) << lane;
                old
            }
            Act::TestParity => {
                done |= u32::from((old & PARITY != 0) != (counts[lane] & 1 != 0)) << lane;
                old
            }
        };
        before[lane] = old;
        changed |= new != old;
        ended |= u32::from((old ^ new) & PARITY != 0) << lane;
        // SAFETY: as above.
        unsafe { place.write_unaligned(new) };
    });
    if changed {
        lanes.stores += 1;
    }
    if probed {
        tell_phase(lanes, op, raw, act, (done, ended));
    }
    match act {
        Act::Arrive | Act::ArriveDrop => lanes.set(op.dst, before),
        Act::TestState | Act::TestParity => {
            lanes.spins += u32::from(done != lanes.mask);
            lanes.set_predicate(op.dst, done);
        }
        _ => {}
    }
}

/// Tells the probe what became of the barriers: which lanes found a phase `done`, and whose arrivals `ended` one.
fn tell_phase(lanes: &mut Lanes, op: &Op, addresses: &Lane32<u64>, act: Act, (done, ended): (u32, u32)) {
    let act = match act {
        Act::Init => PhaseAct::Init,
        Act::Invalidate => PhaseAct::Invalidate,
        Act::Arrive | Act::ArriveDrop | Act::CopyArrive | Act::CopyArriveNoinc => PhaseAct::Arrive { ended },
        Act::TestState | Act::TestParity => PhaseAct::Test { over: done },
    };
    let (who, site, mask, order) = (lanes.context.who, op.site, lanes.mask, Form::of(op).order());
    if let Some(probe) = &mut lanes.context.probe {
        probe.phase(&Phase { who, site, mask, addresses, act, order });
    }
}

/// The barrier after `count` arrivals, of which `dropped` come no more in later phases.
fn arrived(barrier: u64, count: u32, dropped: u32) -> u64 {
    let pending = (barrier & COUNT).saturating_sub(count.into());
    let expected = (barrier >> 20 & COUNT).saturating_sub(dropped.into());
    let parity = barrier & PARITY;
    if pending == 0 { expected | expected << 20 | parity ^ PARITY } else { pending | expected << 20 | parity }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_ends_with_its_last_arrival() {
        let barrier = 3 | 3 << 20;
        let barrier = arrived(arrived(barrier, 1, 0), 1, 0);
        assert_eq!((barrier & COUNT, barrier & PARITY), (1, 0));
        let barrier = arrived(barrier, 1, 1);
        assert_eq!((barrier & COUNT, barrier >> 20 & COUNT, barrier & PARITY), (2, 2, PARITY));
        assert_eq!(arrived(barrier, 2, 0) & PARITY, 0);
    }
}

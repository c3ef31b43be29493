//! `mbarrier`: barriers that lie in shared memory, with arrivals of threads and transactions of asynchronous copies.
//!
//! [`Object`] says what an object holds. The state that an arrival gives is the object as it was before. Whoever asks for a
//! phase makes the copies come that the phase waits for: they are done no earlier than somebody looks (`bulk`).
use super::phase::{COUNT, Object, Waited};
use super::{async_copy, bulk};
use crate::exec::accesses::access::{AccessForm, addresses, in_spaces, resolve, scope_of};
use crate::exec::accesses::cluster_address::stop;
use crate::exec::accesses::tell::{CheckedAccess, tell_as};
use crate::exec::view::{Lane32, Lanes, Op, Selected, WARP, plainly_told, unary};
use crate::fault::Fault;
use crate::probe::AccessKind::Atomic as KIND;
use crate::probe::{Addresses, Order, Phase, PhaseAct, Scope, Strength};
use ptx::isa::{self, Refusal, Space};

/// The operation of an instruction on the barrier: bits 16–19 of [`Op::data`].
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
    ExpectTx,
    CompleteTx,
    /// `.expect_tx` of an arrival.
    ArriveExpect,
    ArriveDropExpect,
}

const ACTS: [Act; 12] = [
    Act::Init,
    Act::Invalidate,
    Act::Arrive,
    Act::ArriveDrop,
    Act::TestState,
    Act::TestParity,
    Act::CopyArrive,
    Act::CopyArriveNoinc,
    Act::ExpectTx,
    Act::CompleteTx,
    Act::ArriveExpect,
    Act::ArriveDropExpect,
];

/// In [`Op::data`]: the count is left out and is 1.
const NO_COUNT: u32 = 1 << 20;
/// In [`Op::data`]: `.noComplete`, which must not end a phase.
const NO_COMPLETE: u32 = 1 << 21;

/// Functions of instructions by rows: the act, or another where the form has a modifier, and the order where it names none.
macro_rules! instructions {
    ($($(#[$about:meta])* $name:ident: $act:ident $(, $with:ident $modifier:literal)?; $strength:ident)*) => { $(
        $(#[$about])*
        pub fn $name(form: &isa::Form) -> Result<Selected, Refusal> {
            let act = Act::$act;
            $(let act = if form.has($modifier) { Act::$with } else { act };)?
            select(form, act, Strength::$strength)
        }
    )* };
}
instructions! {
    /// `mbarrier.init`.
    init: Init; Relaxed
    /// `mbarrier.inval`.
    inval: Invalidate; Relaxed
    /// `mbarrier.arrive`.
    arrive: Arrive, ArriveExpect "expect_tx"; Release
    /// `mbarrier.arrive_drop`.
    arrive_drop: ArriveDrop, ArriveDropExpect "expect_tx"; Release
    /// `mbarrier.expect_tx`.
    expect_tx: ExpectTx; Relaxed
    /// `mbarrier.complete_tx`.
    complete_tx: CompleteTx; Relaxed
    /// `mbarrier.test_wait` and `.try_wait`, by state.
    test_wait: TestState; Acquire
    /// `mbarrier.test_wait.parity` and `.try_wait.parity`.
    test_wait_parity: TestParity; Acquire
    /// `cp.async.mbarrier.arrive`.
    copy_arrive: CopyArrive, CopyArriveNoinc "noinc"; Release
}

/// `mbarrier.pending_count`.
pub fn pending_count(_: &isa::Form) -> Result<Selected, Refusal> {
    Ok(unary(|state: u64| Object(state).pending()))
}

fn select(form: &isa::Form, act: Act, strength: Strength) -> Result<Selected, Refusal> {
    // An instruction that counts bytes names how many.
    refuse_if!(form.has("expect_tx") && form.widths[2] == 0, Refusal::NoSuchForm);
    let strength = if form.has("relaxed") { Strength::Relaxed } else { strength };
    let order = Order { strength, scope: scope_of(form).unwrap_or(Scope::Block) };
    let space = if form.space == Space::Generic { Space::Generic } else { Space::Shared };
    let mut data = AccessForm::new(space, order, 8, if form.widths[1] == 32 { AccessForm::ADDRESS_32 } else { 0 }).0;
    data |= (ACTS.iter().position(|&a| a == act).unwrap_or(0) as u32) << 16;
    data |= if form.widths[2] == 0 { NO_COUNT } else { 0 };
    data |= if form.has("noComplete") { NO_COMPLETE } else { 0 };
    Ok(plainly_told(touch_all::<false>, touch_all::<true>).with(data))
}

fn touch_all<const PROBED: bool>(lanes: &mut Lanes, op: &Op) {
    let raw = addresses(lanes, op);
    in_spaces(lanes, op, &raw, |lanes, space, raw| touch(lanes, op, space, raw, PROBED));
}

#[allow(unsafe_code)]
fn touch(lanes: &mut Lanes, op: &Op, space: Space, raw: &Lane32<u64>, probed: bool) {
    let Some((hosts, pattern)) = resolve(lanes, op, space, KIND, 8, raw) else { return };
    if probed {
        let addresses = Addresses::of(pattern, raw, lanes.mask);
        let order = Some(Order { strength: Strength::Phase, scope: Scope::Block });
        tell_as(lanes, op, CheckedAccess { space, kind: KIND, bytes: 8, addresses, stored: None }, order);
    }
    let act = ACTS[(op.data >> 16 & 15) as usize];
    if matches!(act, Act::CopyArrive | Act::CopyArriveNoinc) {
        // The barrier hears of the copies when they are done: now.
        async_copy::finish_all(lanes);
    }
    let hosts = hosts.each(8);
    let counts = if op.data & NO_COUNT != 0 { [1; WARP] } else { lanes.get::<u32>(op.b) };
    let states = lanes.get::<u64>(op.b);
    let is_over = |object: Object, lane: usize| match act {
        Act::TestState => object.is_past(Object(states[lane])),
        _ => object.parity() != (counts[lane] & 1 != 0),
    };
    if matches!(act, Act::TestState | Act::TestParity) {
        // Only who would wait makes the copies come.
        let active = lanes.mask;
        // SAFETY: `resolve` found every active lane's barrier inside live memory.
        let object = |lane: usize| Object(unsafe { (hosts[lane] as *const u64).read_unaligned() });
        let waits = crate::probe::lanes(active).filter(|&lane| !is_over(object(lane), lane));
        lanes.mask = waits.fold(0, |mask, lane| mask | 1 << lane);
        bulk::arrive_at(lanes, &hosts);
        lanes.mask = active;
    }
    if matches!(act, Act::ArriveExpect | Act::ArriveDropExpect | Act::ExpectTx)
        && !expects_what_it_can(lanes, op, &hosts, &counts)
    {
        return;
    }
    let mut before = [0; WARP];
    let (mut done, mut ended) = (0u32, 0u32);
    let mut changed = false;
    lanes.each(|lane| {
        let place = hosts[lane] as *mut u64;
        // SAFETY: `resolve` found every active lane's barrier inside live memory.
        let old = Object(unsafe { place.read_unaligned() });
        let count = counts[lane];
        let new = match act {
            Act::Init => Object::new(count),
            Act::Invalidate => Object(0),
            Act::Arrive => old.arrive(count, 0),
            Act::ArriveDrop => old.arrive(count, count),
            Act::ArriveExpect => old.expect(count).arrive(1, 0),
            Act::ArriveDropExpect => old.expect(count).arrive(1, 1),
            Act::ExpectTx => old.expect(count),
            Act::CompleteTx => old.complete(count),
            // Counts the thread in, and its copies' completion out: nothing changes.
            Act::CopyArrive => old,
            Act::CopyArriveNoinc => old.arrive(1, 0),
            Act::TestState | Act::TestParity => {
                done |= u32::from(is_over(old, lane)) << lane;
                old
            }
        };
        before[lane] = old.0;
        changed |= new != old;
        // A new object, or none any more, is nobody's phase.
        let lives = !matches!(act, Act::Init | Act::Invalidate);
        ended |= u32::from(lives && new.is_past(old)) << lane;
        // SAFETY: as above.
        unsafe { place.write_unaligned(new.0) };
    });
    if changed {
        lanes.stores += 1;
    }
    if probed {
        tell_phase(lanes, op, raw, act, (done, ended));
    }
    match act {
        Act::Arrive | Act::ArriveDrop | Act::ArriveExpect | Act::ArriveDropExpect => lanes.set(op.dst, before),
        Act::TestState | Act::TestParity => {
            lanes.spins += u32::from(done != lanes.mask);
            note_wait(lanes, raw, &before, done);
            lanes.set_predicate(op.dst, done);
        }
        _ => {}
    }
}

/// Returns whether no phase is to wait for more bytes than it can count, each lane for itself. If one is, the launch ends there.
#[allow(unsafe_code)]
fn expects_what_it_can(lanes: &mut Lanes, op: &Op, hosts: &Lane32<u64>, more: &Lane32<u32>) -> bool {
    for lane in crate::probe::lanes(lanes.mask) {
        // SAFETY: `resolve` found every active lane's barrier inside live memory.
        let object = Object(unsafe { (hosts[lane] as *const u64).read_unaligned() });
        let bytes = i64::from(object.bytes()) + i64::from(more[lane]);
        if bytes > COUNT as i64 {
            stop::<()>(lanes, op, lane, |at| Fault::TooManyBytes { at, bytes: bytes as u64 });
            return false;
        }
    }
    true
}

/// Remembers what the warp waits for, for the message if it waits for ever.
fn note_wait(lanes: &mut Lanes, raw: &Lane32<u64>, objects: &Lane32<u64>, done: u32) {
    let waits = lanes.mask & !done;
    let who = (lanes.context.who.block_index, lanes.context.who.warp);
    let context = &mut lanes.context;
    if waits != 0 {
        let lane = waits.trailing_zeros() as usize;
        let object = Object(objects[lane]);
        let waited = Waited { address: raw[lane], arrivals: object.pending(), bytes: object.bytes() };
        context.blocks.waited.insert(who, waited);
    } else if !context.blocks.waited.is_empty() {
        context.blocks.waited.remove(&who);
    }
}

/// Tells the probe what became of the barriers: which lanes found a phase `done`, and whose arrivals `ended` one.
fn tell_phase(lanes: &mut Lanes, op: &Op, addresses: &Lane32<u64>, act: Act, (done, ended): (u32, u32)) {
    let act = match act {
        Act::Init => PhaseAct::Init,
        Act::Invalidate => PhaseAct::Invalidate,
        Act::TestState | Act::TestParity => PhaseAct::Test { over: done },
        _ => PhaseAct::Arrive { ended },
    };
    let (who, site, mask, order) = (lanes.context.who, op.site, lanes.mask, AccessForm::of(op).order());
    if let Some(probe) = lanes.context.probe() {
        probe.phase(&Phase { who, site, mask, addresses, act, order });
    }
}

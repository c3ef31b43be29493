//! Instructions that order, hint or wait: `fence`, `membar`, `prefetch`, `nanosleep` and their like.
//!
//! Memory is sequentially consistent here (the blocks of a kernel that could tell run on one host thread), so fences only
//! tell the probe that they are there; caches do not exist, so hints do nothing.
use super::access::{SCOPES, scope_of};
use crate::exec::view::{Lanes, MOST_SPINS, Op, Selected, each1, plainly, plainly_told};
use crate::probe::{Probe, Scope, Who};
use ptx::isa::{Form, Refusal};

/// `fence` and `membar`.
pub fn fence(form: &Form) -> Result<Selected, Refusal> {
    let mbarrier_init = form.has("mbarrier_init");
    if mbarrier_init || form.has("proxy") {
        let data = if mbarrier_init { RELEASES } else { 0 };
        return Ok(plainly_told(nothing, tell_proxy_fence).with(data));
    }
    let scope = scope_of(form).unwrap_or(Scope::Block);
    Ok(plainly_told(nothing, tell_fence).with(scope as u32))
}

/// Hints of all kinds.
pub fn hint(_: &Form) -> Result<Selected, Refusal> {
    Ok(plainly(nothing))
}

/// `createpolicy.fractional`: accesses that are handed the policy drop it, so its value is any.
pub fn policy(form: &Form) -> Result<Selected, Refusal> {
    if form.has("fractional") { Ok(each1(|_: u32| 0u64)) } else { Err(Refusal::NoSuchForm) }
}

/// `griddepcontrol`: launches run one after the other here, so it only tells the probe.
pub fn dependents(form: &Form) -> Result<Selected, Refusal> {
    Ok(plainly_told(nothing, tell_dependents).with(u32::from(form.has("wait"))))
}

/// `nanosleep`: time does not pass, but others get their turn.
pub fn nanosleep(_: &Form) -> Result<Selected, Refusal> {
    Ok(plainly(|lanes, _| lanes.spins += MOST_SPINS))
}

fn nothing(_: &mut Lanes, _: &Op) {}

/// Tells the probe, with the warp and its active lanes, if there are any.
fn tell(lanes: &mut Lanes, words: impl FnOnce(&mut dyn Probe, Who, u32)) {
    let (who, mask) = (lanes.context.who, lanes.mask);
    if let Some(probe) = lanes.context.probe()
        && mask != 0
    {
        words(probe, who, mask);
    }
}

fn tell_fence(lanes: &mut Lanes, op: &Op) {
    tell(lanes, |probe, who, mask| probe.fence(who, op.site, mask, SCOPES[op.data as usize % SCOPES.len()]));
}

/// In [`Op::data`]: orders like a fence for the cluster, too.
const RELEASES: u32 = 1;

/// `fence.proxy.…`, and `fence.mbarrier_init`, which makes barriers known to the asynchronous proxy.
fn tell_proxy_fence(lanes: &mut Lanes, op: &Op) {
    tell(lanes, |probe, who, mask| {
        if op.data & RELEASES != 0 {
            probe.fence(who, op.site, mask, Scope::Cluster);
        }
        probe.proxy_fence(who, op.site, mask);
    });
}

fn tell_dependents(lanes: &mut Lanes, op: &Op) {
    tell(lanes, |probe, who, mask| probe.dependents(who, op.site, mask, op.data != 0));
}

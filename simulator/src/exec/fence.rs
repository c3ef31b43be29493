//! Instructions that order, hint or wait: `fence`, `membar`, `prefetch`, `nanosleep` and their like.
//!
//! Memory is sequentially consistent here (the blocks of a kernel that could tell run on one host thread), so fences only
//! tell the probe that they are there; caches do not exist, so hints do nothing.
use super::elementwise::plain;
use super::lanes::Lanes;
use super::op::{Op, Selected, Semantics};
use super::warp::PATIENCE;
use crate::isa::{Form, Refusal};

/// `fence` and `membar`.
pub fn fence(form: &Form) -> Result<Selected, Refusal> {
    let scope = if form.has("cta") {
        0
    } else if form.has("sys") {
        2
    } else if form.has("gpu") || form.has("gl") || form.has("cluster") {
        1
    } else {
        // Between proxies, of which there is one here, and after mbarrier.init: for the block.
        0
    };
    Ok(Selected::plainly_told::<Nothing, Fence>().with(scope))
}

/// Hints of all kinds.
pub fn hint(_: &Form) -> Result<Selected, Refusal> {
    Ok(plain::<Nothing>())
}

/// `nanosleep`: time does not pass, but others get their turn.
pub fn nanosleep(_: &Form) -> Result<Selected, Refusal> {
    Ok(plain::<Sleep>())
}

struct Nothing;

impl Semantics for Nothing {
    #[inline(always)]
    fn run(_: &mut Lanes, _: &Op) {}
}

struct Fence;

impl Semantics for Fence {
    #[inline(always)]
    fn run(lanes: &mut Lanes, op: &Op) {
        let (who, mask) = (lanes.context.who, lanes.mask);
        if let Some(probe) = &mut lanes.context.probe
            && mask != 0
        {
            probe.fence(who, op.site, mask, op.data as u8);
        }
    }
}

struct Sleep;

impl Semantics for Sleep {
    #[inline(always)]
    fn run(lanes: &mut Lanes, _: &Op) {
        lanes.spins += PATIENCE;
    }
}

//! Transfers of the asynchronous proxy as parties beside a block's warps.
//!
//! So that threads can know of a transfer like of each other, a block's transfers count as warps after the block's own: one each for those
//! that report to a barrier, those of groups, and products. Their lanes stand for the barrier, the thread's warp, or the warp.

/// How many warps stand for a block's transfers.
pub const PROXIES: usize = 3;
pub const OF_BARRIERS: u32 = 0;
pub const OF_GROUPS: u32 = 1;
pub const OF_PRODUCTS: u32 = 2;
/// The lane of a transfer that a whole warp issues.
pub const WHOLE_WARP: u32 = 32;

/// The party that stands for a transfer of the asynchronous proxy, and the lane that issued it.
#[derive(Clone, Copy, Debug)]
pub struct TransferParty {
    pub warp: u32,
    pub lane: u32,
    pub stamp: u32,
    pub issuer: u32,
}

//! Knowledge that strong writes publish at an address, and that of threads who have read it there without having acquired it.
use super::knowledge::{MANY, Outside, When, join};
use crate::sanitizer::findings::finding::Missed;
use machine::probe::Scope;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The knowledge that was published at an address.
#[derive(Clone, Debug, Default)]
pub struct Published {
    /// For every thread of the device.
    far: Arc<Outside>,
    /// Per block, for its own threads.
    near: FxHashMap<u32, Arc<Outside>>,
    /// With a scope that ends at the block, for messages.
    narrow: Arc<Outside>,
}

impl Published {
    /// A thread of a block publishes, with a scope.
    pub fn add(&mut self, block: u32, scope: Scope, news: &Arc<Outside>) {
        join(self.near.entry(block).or_default(), news);
        join(if scope >= Scope::Device { &mut self.far } else { &mut self.narrow }, news);
    }

    /// The knowledge that a read by a thread of a block, with a scope, can give.
    pub fn to(&self, block: u32, scope: Scope) -> News {
        let near = self.near.get(&block).cloned().unwrap_or_default();
        let (mut far, mut narrow) = (Arc::default(), self.narrow.clone());
        if scope >= Scope::Device {
            far = self.far.clone();
        } else {
            join(&mut narrow, &self.far);
        }
        News { near, far, narrow }
    }
}

/// The knowledge that a read can give.
#[derive(Clone, Debug, Default)]
pub struct News {
    /// After any acquire.
    pub near: Arc<Outside>,
    /// After one for the device.
    pub far: Arc<Outside>,
    /// Not at all, since somebody's scope is too narrow.
    pub narrow: Arc<Outside>,
}

/// The signals that lanes of a warp have read, and would know of if a fence or a wider scope made it an acquire.
#[derive(Clone, Debug, Default)]
pub struct Pending(Vec<PendingRead>);

#[derive(Clone, Debug, Default)]
struct PendingRead {
    mask: u32,
    /// Function and site of the read.
    read: (u32, u32),
    news: News,
}

impl Pending {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The lanes of `mask` have read at a function's site.
    pub fn add(&mut self, mask: u32, read: (u32, u32), news: &News) {
        let found = self.0.iter().position(|pending| pending.read == read && pending.mask == mask);
        let index = found.unwrap_or_else(|| {
            self.0.push(PendingRead { mask, read, ..PendingRead::default() });
            self.0.len() - 1
        });
        let known = &mut self.0[index].news;
        join(&mut known.near, &news.near);
        join(&mut known.far, &news.far);
        join(&mut known.narrow, &news.narrow);
    }

    /// The lanes of `mask` acquire, with a scope, what they have read: `learn` is told which lanes learn what.
    pub fn acquire(&mut self, mask: u32, scope: Scope, mut learn: impl FnMut(u32, &Arc<Outside>)) {
        for mut pending in std::mem::take(&mut self.0) {
            let both = pending.mask & mask;
            if both != 0 {
                let News { near, far, narrow } = &pending.news;
                learn(both, near);
                // A narrow fence leaves out the rest, which stays, as with a narrow scope.
                let mut left = News { narrow: narrow.clone(), ..News::default() };
                if scope >= Scope::Device {
                    learn(both, far);
                } else {
                    join(&mut left.narrow, far);
                    left.far = far.clone();
                }
                if !left.narrow.is_empty() {
                    self.0.push(PendingRead { mask: both, read: pending.read, news: left });
                }
            }
            pending.mask &= !mask;
            if pending.mask != 0 {
                self.0.push(pending);
            }
        }
    }

    /// The reason for which `lane` of a block's thread does not know of an earlier access although it has read a signal after it, and where
    /// it read that.
    pub fn missed(&self, earlier: When, block: u32, lane: u32) -> Option<(Missed, (u32, u32))> {
        let of_lane = |pending: &&PendingRead| lane == MANY || pending.mask >> lane & 1 != 0;
        let covers = |outside: &Outside| {
            outside
                .get(&earlier.block)
                .and_then(|warps| warps.get(earlier.warp as usize))
                .is_some_and(|seen| seen.covers(earlier))
        };
        self.0.iter().rev().filter(of_lane).find_map(|pending| {
            let missed = match () {
                () if earlier.block != block && covers(&pending.news.narrow) => Missed::Scope,
                () if covers(&pending.news.near) || covers(&pending.news.far) => Missed::Fence,
                () => return None,
            };
            Some((missed, pending.read))
        })
    }
}

//! Shadow of global memory: pages of 4 KiB that come into being when touched.
use super::stretch::{Shadow, Shadows};
use rustc_hash::FxHashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Shadow of global memory.
pub struct Pages {
    pages: Vec<Shadow>,
    index: FxHashMap<u64, u32>,
    /// Direct-mapped: page number (plus one) and its index.
    recent: [(u64, u32); 64],
}

/// Words of a page.
const PAGE_WORDS: usize = 1024;

impl Default for Pages {
    fn default() -> Self {
        Self { pages: Vec::new(), index: FxHashMap::default(), recent: [(0, 0); 64] }
    }
}

/// Pages of launches that are over: taking them again is cheaper than memory that the host has yet to provide.
static SPARE: Mutex<Vec<Shadow>> = Mutex::new(Vec::new());

/// At most so many are kept, of up to 32 KiB each.
const MOST_SPARE: usize = 1024;

fn spare() -> MutexGuard<'static, Vec<Shadow>> {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Pages {
    fn drop(&mut self) {
        let mut spare = spare();
        let room = MOST_SPARE.saturating_sub(spare.len());
        spare.extend(self.pages.drain(..).filter(|page| page.bytes.is_none()).take(room));
    }
}

impl Shadows for Pages {
    #[inline]
    fn of(&mut self, word: usize) -> (&mut Shadow, usize) {
        let number = (word / PAGE_WORDS) as u64;
        let slot = (number % 64) as usize;
        if self.recent[slot].0 != number + 1 {
            self.recent[slot] = (number + 1, self.find(number));
        }
        (&mut self.pages[self.recent[slot].1 as usize], word % PAGE_WORDS)
    }
}

impl Pages {
    /// True if anybody has written one of these words, the last one among them.
    #[inline]
    pub fn is_written(&mut self, first: usize, last: usize) -> bool {
        let page = |word: usize| word / PAGE_WORDS;
        let end = if page(first) == page(last) { last } else { page(first) * PAGE_WORDS + PAGE_WORDS - 1 };
        let (shadow, index) = self.of(first);
        shadow.is_written(index, end - first + 1) || end < last && self.is_written(end + 1, last)
    }

    #[cold]
    fn find(&mut self, number: u64) -> u32 {
        let pages = &mut self.pages;
        *self.index.entry(number).or_insert_with(|| {
            let mut page = spare().pop().unwrap_or_default();
            page.clear(PAGE_WORDS);
            pages.push(page);
            pages.len() as u32 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::{Cell, Use};
    use super::super::stretch::Parties;
    use super::*;

    /// Nobody is ordered, and nobody is far.
    struct Strangers;

    impl Parties for Strangers {
        fn ordered(&self, _: Cell) -> bool {
            false
        }
        fn stays(&self, _: Cell, _: Cell) -> bool {
            false
        }
        fn same_lane(&self, _: Cell, _: Cell) -> bool {
            false
        }
    }

    #[test]
    fn pages_are_apart() {
        let mut pages = Pages::default();
        let mut access = |word: usize, used, who| {
            let mut met = 0;
            let (page, word) = pages.of(word);
            page.access(word, used, Cell::new(who, 0, 0), true, &Strangers, |_, _| met += 1);
            met
        };
        for word in [0, 1024, 64 * 1024, 1 << 38] {
            assert_eq!(access(word, Use::Write, 1), 0, "nobody was here");
        }
        assert_eq!(access(64 * 1024, Use::Read, 2), 1);
    }

    #[test]
    fn a_page_that_serves_again_is_empty() {
        for who in 1..4 {
            let mut pages = Pages::default();
            for word in (0..64 * PAGE_WORDS).step_by(PAGE_WORDS / 2) {
                let (page, word) = pages.of(word);
                let now = Cell::new(who, 0, 0);
                page.access(word, Use::Write, now, true, &Strangers, |_, _| panic!("nobody was here"));
            }
        }
    }
}

//! Which bytes of global memory an operation has read and written: what makes two operations that nothing orders a race.
use rustc_hash::FxHashMap;

/// How bytes are touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    Read,
    Written,
    /// By an atomic, or by a volatile or ordered access: among themselves these are no race.
    Strong,
}

use Touch::{Read, Strong, Written};

/// The pairs that race. A plain read of memory that others update atomically is common, and right, in global memory.
const CLASHES: [(Touch, Touch); 5] =
    [(Written, Written), (Written, Read), (Read, Written), (Written, Strong), (Strong, Written)];

/// Bytes of a page, and words of a map with a bit for each.
const PAGE: u64 = 4096;
const WORDS: usize = PAGE as usize / 64;
/// Pages of one kernel that are kept: 256 MiB of memory.
const MOST_PAGES: usize = 1 << 16;

/// The memory that an operation touches.
#[derive(Default)]
pub struct Footprint {
    /// Ranges that copies and fills touch: first byte, one after the last, and how.
    ranges: Vec<(u64, u64, Touch)>,
    /// Pages that kernels touch, by address divided by the page's size.
    pages: FxHashMap<u64, Box<Page>>,
}

/// A page, in the order of [`Touch`].
struct Page {
    bits: [[u64; WORDS]; 3],
    /// Function and site of the first access of each kind.
    sites: [Option<(u32, u32)>; 3],
}

/// Bytes that two operations both touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clash {
    pub address: u64,
    /// The first operation's touch, and the second's.
    pub touches: [Touch; 2],
    pub sites: [Option<(u32, u32)>; 2],
}

impl Footprint {
    /// Notes a range that a copy or a fill touches.
    pub fn add_range(&mut self, address: u64, bytes: u64, touch: Touch) {
        if bytes > 0 {
            self.ranges.push((address, address + bytes, touch));
        }
    }

    /// Notes bytes that a kernel touches at a place.
    pub fn add(&mut self, address: u64, bytes: u64, touch: Touch, site: (u32, u32)) {
        let (mut at, end) = (address, address + bytes);
        while at < end {
            let (page, next) = (at / PAGE, (at / PAGE + 1) * PAGE);
            let stop = end.min(next);
            if self.pages.len() < MOST_PAGES || self.pages.contains_key(&page) {
                let page = self.pages.entry(page).or_insert_with(Page::new);
                page.set(at % PAGE, stop - at, touch);
                page.sites[touch as usize].get_or_insert(site);
            }
            at = stop;
        }
    }

    /// Bytes that both touch in ways that need an order.
    pub fn clash(&self, other: &Footprint) -> Option<Clash> {
        CLASHES.iter().copied().find_map(|(first, second)| self.meets(first, other, second))
    }

    /// The first byte that this touches in one way and the other in another.
    fn meets(&self, first: Touch, other: &Footprint, second: Touch) -> Option<Clash> {
        let own = self.ranges.iter().filter(|range| range.2 == first);
        let others = || other.ranges.iter().filter(|range| range.2 == second);
        let clash = |address, sites| Clash { address, touches: [first, second], sites };
        for &(start, end, _) in own {
            if let Some(range) = others().find(|range| range.0 < end && start < range.1) {
                return Some(clash(start.max(range.0), [None, None]));
            }
            if let Some((address, page)) = other.within(start, end, second) {
                return Some(clash(address, [None, page.sites[second as usize]]));
            }
        }
        for &(start, end, _) in others() {
            if let Some((address, page)) = self.within(start, end, first) {
                return Some(clash(address, [page.sites[first as usize], None]));
            }
        }
        let (few, many) = if self.pages.len() <= other.pages.len() { (self, other) } else { (other, self) };
        let mut common: Vec<u64> = few.pages.keys().filter(|page| many.pages.contains_key(page)).copied().collect();
        common.sort_unstable();
        common.into_iter().find_map(|number| {
            let (a, b) = (&self.pages[&number], &other.pages[&number]);
            let byte = first_common(&a.bits[first as usize], &b.bits[second as usize])?;
            Some(clash(number * PAGE + byte, [a.sites[first as usize], b.sites[second as usize]]))
        })
    }

    /// The first byte of a range that a kernel touches in a way.
    fn within(&self, start: u64, end: u64, touch: Touch) -> Option<(u64, &Page)> {
        let inside = |number: u64| number * PAGE < end && start < (number + 1) * PAGE;
        let mut pages: Vec<u64> = self.pages.keys().filter(|&&number| inside(number)).copied().collect();
        pages.sort_unstable();
        pages.into_iter().find_map(|number| {
            let page = &self.pages[&number];
            let (low, high) = (start.max(number * PAGE) - number * PAGE, end.min((number + 1) * PAGE) - number * PAGE);
            let mut range = [0; WORDS];
            set_bits(&mut range, low, high - low);
            Some((number * PAGE + first_common(&page.bits[touch as usize], &range)?, &**page))
        })
    }
}

impl Page {
    fn new() -> Box<Page> {
        Box::new(Page { bits: [[0; WORDS]; 3], sites: [None; 3] })
    }

    fn set(&mut self, offset: u64, bytes: u64, touch: Touch) {
        set_bits(&mut self.bits[touch as usize], offset, bytes);
    }
}

fn set_bits(bits: &mut [u64; WORDS], offset: u64, bytes: u64) {
    let end = offset + bytes;
    for word in offset / 64..end.div_ceil(64) {
        let (low, high) = (offset.saturating_sub(word * 64), (end - word * 64).min(64));
        bits[word as usize] |= (u64::MAX >> (64 - (high - low))) << low;
    }
}

fn first_common(a: &[u64; WORDS], b: &[u64; WORDS]) -> Option<u64> {
    let word = a.iter().zip(b).position(|(a, b)| a & b != 0)?;
    Some(word as u64 * 64 + u64::from((a[word] & b[word]).trailing_zeros()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(touches: &[(u64, u64, Touch)]) -> Footprint {
        let mut footprint = Footprint::default();
        touches.iter().zip(0..).for_each(|(&(at, bytes, touch), site)| footprint.add(at, bytes, touch, (0, site)));
        footprint
    }

    fn copy(at: u64, bytes: u64, touch: Touch) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.add_range(at, bytes, touch);
        footprint
    }

    #[test]
    fn writes_clash_with_what_touches_the_same_bytes() {
        let half = kernel(&[(0, 4096, Read), (4096, 5000, Written)]);
        assert_eq!(half.clash(&kernel(&[(0, 4096, Read)])), None);
        assert_eq!(half.clash(&kernel(&[(9096, 100, Written)])), None, "disjoint parts");
        let clash = half.clash(&kernel(&[(0, 8, Read), (9095, 100, Read)])).unwrap();
        assert_eq!((clash.address, clash.touches, clash.sites), (9095, [Written, Read], [Some((0, 1)), Some((0, 1))]));
        assert_eq!(half.clash(&copy(0, 4096, Read)), None);
        assert_eq!(half.clash(&copy(4095, 2, Read)).map(|clash| clash.address), Some(4096));
        assert_eq!(copy(4000, 96, Written).clash(&half).map(|clash| clash.address), Some(4000));
        assert_eq!(copy(0, 10, Written).clash(&copy(10, 10, Written)), None);
        assert_eq!(copy(0, 11, Read).clash(&copy(10, 10, Written)).map(|clash| clash.address), Some(10));
    }

    #[test]
    fn atomics_are_no_race_among_themselves() {
        let atomic = kernel(&[(64, 4, Strong)]);
        assert_eq!(atomic.clash(&kernel(&[(64, 4, Strong)])), None);
        assert_eq!(atomic.clash(&kernel(&[(64, 4, Read)])), None, "a look at a counter");
        assert!(atomic.clash(&kernel(&[(67, 1, Written)])).is_some());
    }
}

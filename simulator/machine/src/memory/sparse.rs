//! Ranges of which only those pages are held that somebody has looked at.
//!
//! A program that runs some blocks of a large grid gives its inputs by a function instead of by their bytes. A copy of such a range carries
//! the function along, and a page comes into being when a kernel first looks it up. Pages are counted from the range's start, so
//! that the same number names the same bytes in a copy.
use super::range::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a page: a host holds no less.
pub(super) const PAGE: u64 = 4096;

/// Makes the bytes of a range from an offset in it on.
pub type Source = Arc<dyn Fn(u64, &mut [u8]) + Send + Sync>;

/// A range that is held in part.
pub(super) struct Sparse {
    pub range: Range,
    source: Source,
    /// One bit for each page that is held.
    present: Vec<AtomicU64>,
    held: AtomicU64,
    /// Pages may differ from what the source makes.
    pub written: AtomicBool,
    making: Mutex<()>,
}

impl Sparse {
    /// A range of which nothing is held yet.
    pub fn new(range: Range, source: Source) -> Sparse {
        let pages = (range.end - range.start).div_ceil(PAGE);
        let present = (0..pages.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Sparse {
            range,
            source,
            present,
            held: AtomicU64::new(0),
            written: AtomicBool::new(false),
            making: Mutex::default(),
        }
    }

    /// Has the pages of `first ..= last`, which lie in the range, be held. Answers the addresses of these pages.
    #[inline]
    pub fn hold(&self, first: u64, last: u64) -> Range {
        let (from, to) = ((first - self.range.start) / PAGE, (last - self.range.start) / PAGE);
        for page in from..=to {
            if !self.holds(page) {
                self.make(page);
            }
        }
        Range { start: self.range.start + from * PAGE, end: self.end(to) }
    }

    fn holds(&self, page: u64) -> bool {
        self.present[(page / 64) as usize].load(Ordering::Acquire) >> (page % 64) & 1 != 0
    }

    /// The address after a page's last byte.
    fn end(&self, page: u64) -> u64 {
        self.range.end.min(self.range.start + (page + 1) * PAGE)
    }

    #[cold]
    #[allow(unsafe_code)]
    fn make(&self, page: u64) {
        let _one_at_a_time = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if self.holds(page) {
            return;
        }
        let start = self.range.start + page * PAGE;
        // SAFETY: inside the range, which is live memory; nobody looks at a page that is not held.
        let bytes = unsafe { std::slice::from_raw_parts_mut(start as *mut u8, (self.end(page) - start) as usize) };
        (self.source)(page * PAGE, bytes);
        self.note(page);
    }

    fn note(&self, page: u64) {
        let before = self.present[(page / 64) as usize].fetch_or(1 << (page % 64), Ordering::Release);
        self.held.fetch_add((!before >> (page % 64) & 1) * PAGE, Ordering::Relaxed);
    }

    /// Bytes that are held.
    pub fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// The pages are not held any more.
    pub fn forget(&self) {
        self.present.iter().for_each(|word| word.store(0, Ordering::Release));
        self.held.store(0, Ordering::Relaxed);
    }

    /// Gives the whole pages of a place of the host back to it: what copies have put there is about to be overwritten.
    #[allow(unsafe_code)]
    pub fn give_back(&self) {
        let (first, end) = (self.range.start.next_multiple_of(PAGE), self.range.end / PAGE * PAGE);
        self.forget();
        if first < end {
            // SAFETY: pages that belong to the place alone, and whose bytes nobody looks at any more.
            unsafe { libc::madvise(first as *mut libc::c_void, (end - first) as usize, libc::MADV_DONTNEED) };
        }
    }

    /// Reads from an address in the range on, without holding more than before.
    #[allow(unsafe_code)]
    pub fn read(&self, address: u64, into: &mut [u8]) {
        let (mut at, mut rest) = (address, into);
        while !rest.is_empty() {
            let page = (at - self.range.start) / PAGE;
            let (part, after) = rest.split_at_mut(((self.end(page) - at) as usize).min(rest.len()));
            if self.holds(page) {
                // SAFETY: a page that is held is live memory.
                unsafe { std::ptr::copy_nonoverlapping(at as *const u8, part.as_mut_ptr(), part.len()) };
            } else {
                (self.source)(at - self.range.start, part);
            }
            at += part.len() as u64;
            rest = after;
        }
    }

    /// A copy in another range of the same size, which is empty: of pages that may differ from what the source makes.
    #[allow(unsafe_code)]
    pub fn copy(&self, range: Range) -> Sparse {
        let copy = Sparse::new(range, self.source.clone());
        if !self.written.load(Ordering::Acquire) {
            return copy;
        }
        copy.written.store(true, Ordering::Release);
        for page in (0..(range.end - range.start).div_ceil(PAGE)).filter(|&page| self.holds(page)) {
            let from = self.range.start + page * PAGE;
            let (to, bytes) = ((range.start + page * PAGE) as *mut u8, (self.end(page) - from) as usize);
            // SAFETY: both are inside their ranges, which are live memory apart from each other.
            unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to, bytes) };
            copy.note(page);
        }
        copy
    }
}

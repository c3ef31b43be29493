//! Global memory as it was before the launch wrote there: what loads through the read-only cache (`ld.global.nc`) and fetches of texels give.
//!
//! Those caches hear of no write, and the machine's compiler moves such loads ahead of stores and barriers. So they happen as early as
//! they may: a page is saved before the launch first writes to it, and a load through that cache reads the saved one. Only a launch
//! that may load so what it writes pays for that.
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bytes that are saved together: no larger than a page of the host's memory, so that all of it can be read if a byte can.
const PAGE: u64 = 4096;
/// The most pages that are saved, 64 MiB. A load of what is written beyond them gives the new value.
const MOST: usize = 1 << 14;
/// Pages that a worker knows of without asking the others.
const KNOWN: usize = 64;

/// The pages that a launch has saved, of all its workers.
#[derive(Default)]
pub(crate) struct Saved {
    pages: Mutex<FxHashMap<u64, Box<[u8; PAGE as usize]>>>,
    count: AtomicUsize,
}

impl Saved {
    /// Saves a page unless it is, or there are too many. Answers where it is saved; if it is not, the page itself.
    #[allow(unsafe_code)]
    fn save(&self, page: u64) -> u64 {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if pages.len() >= MOST && !pages.contains_key(&page) {
            return page * PAGE;
        }
        let saved = pages.entry(page).or_insert_with(|| {
            let mut bytes = Box::new([0; PAGE as usize]);
            // SAFETY: the launch is about to write inside of this page of the host's memory, so all of it can be read. Other workers
            // may write to words of it that they share with nobody.
            unsafe { std::ptr::copy_nonoverlapping((page * PAGE) as *const u8, bytes.as_mut_ptr(), PAGE as usize) };
            self.count.fetch_add(1, Ordering::Relaxed);
            bytes
        });
        saved.as_ptr() as u64
    }

    fn find(&self, page: u64) -> Option<u64> {
        let pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        Some(pages.get(&page)?.as_ptr() as u64)
    }
}

/// A worker's way to them.
pub(crate) struct Before<'l> {
    saved: &'l Saved,
    known: [Known; KNOWN],
}

#[derive(Clone, Copy, Default)]
struct Known {
    page: u64,
    /// Where it is saved; 0: it was not when there were `count` pages.
    at: u64,
    count: usize,
}

impl<'l> Before<'l> {
    pub fn new(saved: &'l Saved) -> Before<'l> {
        Before { saved, known: [Known::default(); KNOWN] }
    }

    /// Saves the pages of bytes that are about to be written.
    pub fn save(&mut self, first: u64, bytes: u64) {
        for page in first / PAGE..=(first + bytes.max(1) - 1) / PAGE {
            let known = &mut self.known[page as usize % KNOWN];
            if known.page != page || known.at == 0 {
                *known = Known { page, at: self.saved.save(page), count: 0 };
            }
        }
    }

    /// Returns whether bytes lie in one page, as elements do that are aligned.
    pub fn is_one_page(&self, first: u64, bytes: u64) -> bool {
        first % PAGE + bytes <= PAGE
    }

    /// Where the older value of an element is, which lies in one page.
    pub fn place(&mut self, host: u64) -> u64 {
        let (page, count) = (host / PAGE, self.saved.count.load(Ordering::Relaxed));
        let known = &mut self.known[page as usize % KNOWN];
        if known.page != page || known.at == 0 && known.count != count {
            *known = Known { page, at: self.saved.find(page).unwrap_or(0), count };
        }
        if known.at == 0 { host } else { known.at + host % PAGE }
    }
}

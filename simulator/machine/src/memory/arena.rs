//! One reserved range of host addresses per device, and the places in it.
//!
//! The range has a fixed address, so that addresses (and all that hangs on them: sectors, banks, messages) repeat from run
//! to run. Pages come from the host when first touched and go back when freed.
#![allow(unsafe_code, reason = "the range comes from the host's system, and its places are addresses")]
use super::allocation::{ALIGNMENT, BLOCK_BYTES, GUARD_BYTES, SMALL_BYTES};
use super::backing::Backing;
use super::range::Range;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

const PAGE_BYTES: u64 = 4096;
/// Allocations from here on are given large pages by hosts that have them: copies fill them from end to end, and making small pages would take
/// longer than the copy.
const LARGE_BYTES: u64 = 32 << 20;
/// Arenas lie side by side from here on: far from where Linux puts programs, heaps and libraries.
const FIRST_ADDRESS: u64 = 0x1000_0000_0000;
const SLOT_BYTES: u64 = 1 << 40;
const SLOTS: u32 = 64;
/// Freed places wait until so much has been freed after them, while address space lasts.
const LEAST_ARENA_BYTES: u64 = 64 << 30;

pub(super) struct Arena {
    base: u64,
    bytes: u64,
    slot: Option<u32>,
    places: Mutex<Places>,
}

#[derive(Default)]
struct Places {
    /// Offset of the first byte never used.
    fresh: u64,
    /// Taken regions by the address handed out: (offset, bytes).
    taken: HashMap<u64, (u64, u64)>,
    /// The backing of places whose pages other processes may show too.
    shared: HashMap<u64, Backing>,
    /// Freed regions, oldest first.
    freed: VecDeque<(u64, u64)>,
    count: u64,
}

static USED_SLOTS: Mutex<u64> = Mutex::new(0);

impl Arena {
    /// Reserves address space for `bytes` of memory with guard zones and quarantine.
    pub(super) fn reserve(bytes: u64) -> std::io::Result<Arena> {
        let bytes = bytes.saturating_mul(4).clamp(LEAST_ARENA_BYTES, SLOT_BYTES).next_multiple_of(PAGE_BYTES);
        let slot = {
            let mut used = USED_SLOTS.lock().unwrap_or_else(PoisonError::into_inner);
            let slot = used.trailing_ones();
            if slot < SLOTS {
                *used |= 1 << slot;
            }
            (slot < SLOTS).then_some(slot)
        };
        let hint = slot.map_or(0, |slot| FIRST_ADDRESS + u64::from(slot) * SLOT_BYTES);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a fresh anonymous mapping that replaces none.
        let base = unsafe {
            libc::mmap(hint as *mut libc::c_void, bytes as usize, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
        };
        if base == libc::MAP_FAILED {
            let error = std::io::Error::last_os_error();
            release_slot(slot);
            return Err(error);
        }
        Ok(Arena { base: base as u64, bytes, slot, places: Mutex::default() })
    }

    /// A place for `bytes`, zeroed, where a card's driver would put it: see [`ALIGNMENT`] and [`BLOCK_BYTES`]. Small ones are aligned no
    /// better, so that code that counts on more is found out.
    pub(super) fn take(&self, bytes: u64) -> Option<u64> {
        if bytes > SMALL_BYTES {
            return self.take_aligned(bytes, BLOCK_BYTES);
        }
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        // The colour spreads allocations over the host's cache sets.
        let colour = (places.count % 8 * 2 + 1) * ALIGNMENT;
        let region = bytes.checked_add(colour + GUARD_BYTES)?.checked_next_multiple_of(PAGE_BYTES)?;
        let (offset, region) = places.take(region, self.bytes)?;
        let address = self.base + offset + colour;
        places.count += 1;
        places.taken.insert(address, (offset, region));
        Some(address)
    }

    /// A place for `bytes` from a multiple of `alignment` on.
    pub(super) fn take_aligned(&self, bytes: u64, alignment: u64) -> Option<u64> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let alignment = alignment.max(PAGE_BYTES);
        let region = bytes.checked_add(alignment + GUARD_BYTES)?.checked_next_multiple_of(PAGE_BYTES)?;
        let (offset, region) = places.take(region, self.bytes)?;
        if bytes >= LARGE_BYTES {
            // SAFETY: whole pages of this arena. Advice alone: where the host has no large pages it changes nothing.
            unsafe {
                libc::madvise((self.base + offset) as *mut libc::c_void, region as usize, libc::MADV_HUGEPAGE);
            }
        }
        let address = (self.base + offset).next_multiple_of(alignment);
        places.taken.insert(address, (offset, region));
        Some(address)
    }

    /// Has the pages of a place, with what lies in its first `bytes`, lie in a file that others can show. Answers the file's number,
    /// its size, and where in it the place begins. Nobody may use the place meanwhile.
    pub(super) fn share(&self, address: u64, bytes: u64) -> std::io::Result<Option<(i32, u64, u64)>> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(&(offset, region)) = places.taken.get(&address) else { return Ok(None) };
        let first = self.base + offset;
        if let Some(backing) = places.shared.get(&address) {
            return Ok(Some((backing.number(), region, address - first)));
        }
        let backing = Backing::new(region)?;
        // SAFETY: inside the place, which nobody writes now.
        let values = unsafe { std::slice::from_raw_parts(address as *const u8, bytes as usize) };
        backing.fill(address - first, values)?;
        self.show(first, region, &backing)?;
        let number = backing.number();
        places.shared.insert(address, backing);
        Ok(Some((number, region, address - first)))
    }

    /// Shows the memory of a file in whole pages of the arena, whose values are lost.
    pub(super) fn show(&self, address: u64, bytes: u64, backing: &Backing) -> std::io::Result<()> {
        debug_assert!(self.contains(address) && self.contains(address + bytes));
        let flags = libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_NORESERVE;
        // SAFETY: pages of this arena, which belong to the place that the caller names.
        unsafe { map(address, bytes, flags, backing.number()) }
    }

    /// Ends what [`show`](Self::show) began: the pages are zero and nobody else's again.
    pub(super) fn hide(&self, address: u64, bytes: u64) -> std::io::Result<()> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
        // SAFETY: as above.
        unsafe { map(address, bytes, flags, -1) }
    }

    /// Gives the pages of a taken place back to the host: they are zero, and small, when they are touched again. `false`: others show them, or
    /// they are no whole pages.
    pub(super) fn empty(&self, range: Range) -> bool {
        let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if !range.start.is_multiple_of(PAGE_BYTES)
            || !places.taken.contains_key(&range.start)
            || places.shared.contains_key(&range.start)
        {
            return false;
        }
        let bytes = (range.end - range.start).next_multiple_of(PAGE_BYTES) as usize;
        let first = range.start as *mut libc::c_void;
        // SAFETY: whole pages of this arena that belong to the place alone.
        unsafe {
            // Hosts without large pages refuse the advice, which changes nothing there.
            libc::madvise(first, bytes, libc::MADV_NOHUGEPAGE);
            libc::madvise(first, bytes, libc::MADV_DONTNEED) == 0
        }
    }

    /// Returns whether an address lies in the reserved range.
    pub(super) fn contains(&self, address: u64) -> bool {
        (self.base..self.base + self.bytes).contains(&address)
    }

    /// Returns the pages of a place to the host and puts the place into quarantine.
    pub(super) fn give_back(&self, address: u64) {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((offset, bytes)) = places.taken.remove(&address) else { return };
        if places.shared.remove(&address).is_some() {
            // Pages that stay shown would be changed by others: then nobody gets the place.
            if self.hide(self.base + offset, bytes).is_ok() {
                places.freed.push_back((offset, bytes));
            }
            return;
        }
        // SAFETY: whole pages of this arena that belong to the freed place alone.
        unsafe {
            libc::madvise((self.base + offset) as *mut libc::c_void, bytes as usize, libc::MADV_DONTNEED);
        }
        places.freed.push_back((offset, bytes));
    }
}

/// Puts a mapping in the place of whole pages.
///
/// # Safety
/// The pages belong to the caller.
unsafe fn map(address: u64, bytes: u64, flags: i32, file: i32) -> std::io::Result<()> {
    // SAFETY: the pages belong to the caller, so nobody else's memory is replaced.
    let at = unsafe {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        libc::mmap(address as *mut libc::c_void, bytes as usize, protection, flags, file, 0)
    };
    if at == libc::MAP_FAILED { Err(std::io::Error::last_os_error()) } else { Ok(()) }
}

impl Places {
    /// A region of whole pages of an arena: fresh ones, while there are some.
    fn take(&mut self, region: u64, arena: u64) -> Option<(u64, u64)> {
        if arena - self.fresh < region {
            return self.reuse(region);
        }
        let offset = self.fresh;
        self.fresh += region;
        Some((offset, region))
    }

    /// The oldest freed region that is large enough, after joining those that touch where none is.
    fn reuse(&mut self, bytes: u64) -> Option<(u64, u64)> {
        for attempt in 0..2 {
            if let Some(index) = self.freed.iter().position(|&(_, size)| size >= bytes) {
                let (offset, size) = self.freed.remove(index)?;
                if size > bytes {
                    self.freed.push_front((offset + bytes, size - bytes));
                }
                return Some((offset, bytes));
            }
            if attempt == 0 {
                self.join();
            }
        }
        None
    }

    fn join(&mut self) {
        let mut regions: Vec<_> = self.freed.drain(..).collect();
        regions.sort_unstable();
        for (offset, bytes) in regions {
            match self.freed.back_mut() {
                Some(last) if last.0 + last.1 == offset => last.1 += bytes,
                _ => self.freed.push_back((offset, bytes)),
            }
        }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: the mapping that `reserve` made; whoever had addresses in it held the `Memory`.
        unsafe {
            libc::munmap(self.base as *mut libc::c_void, self.bytes as usize);
        }
        release_slot(self.slot);
    }
}

fn release_slot(slot: Option<u32>) {
    if let Some(slot) = slot {
        *USED_SLOTS.lock().unwrap_or_else(PoisonError::into_inner) &= !(1 << slot);
    }
}

//! The host's way to the device's memory: checked copies and fills.
use super::device::Memory;

/// A range of addresses that lies in no single live allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outside {
    pub address: u64,
    pub bytes: u64,
}

impl Memory {
    /// Returns whether `bytes` from `address` on lie in one live allocation; 0 bytes lie anywhere.
    ///
    /// # Errors
    /// The range, where they do not.
    pub fn check(&self, address: u64, bytes: u64) -> Result<(), Outside> {
        let inside = bytes == 0 || self.table().find(address).is_some_and(|found| found.covers(address, bytes));
        if inside { Ok(()) } else { Err(Outside { address, bytes }) }
    }

    /// Copies from the device.
    ///
    /// # Errors
    /// The range, where it lies in no live allocation; nothing is copied then.
    #[allow(unsafe_code)]
    pub fn read(&self, address: u64, into: &mut [u8]) -> Result<(), Outside> {
        let bytes = into.len() as u64;
        self.check(address, bytes)?;
        if self.copied_sparsely(into.as_ptr() as u64, (self, address), bytes) {
            return Ok(());
        }
        self.hold(address, bytes);
        self.hold_to_write(into.as_ptr() as u64, bytes);
        // SAFETY: inside a live allocation, which Rust's own objects never overlap: `into` is apart from it, unless it is
        // registered host memory, and `copy` allows that.
        unsafe { std::ptr::copy(address as *const u8, into.as_mut_ptr(), into.len()) };
        Ok(())
    }

    /// Copies to the device.
    ///
    /// # Errors
    /// The range, where it lies in no live allocation; nothing is copied then.
    #[allow(unsafe_code)]
    pub fn write(&self, address: u64, from: &[u8]) -> Result<(), Outside> {
        let bytes = from.len() as u64;
        self.check(address, bytes)?;
        self.initialised_bytes().wrote(address, bytes);
        if self.copied_sparsely(address, (self, from.as_ptr() as u64), bytes) {
            return Ok(());
        }
        self.hold(from.as_ptr() as u64, bytes);
        self.hold_to_write(address, bytes);
        // SAFETY: as in `read`.
        unsafe { std::ptr::copy(from.as_ptr(), address as *mut u8, from.len()) };
        Ok(())
    }

    /// Copies from memory of the same device, where the ranges may overlap, or of another.
    ///
    /// # Errors
    /// The range that lies in no live allocation; nothing is copied then.
    #[allow(unsafe_code)]
    pub fn copy(&self, to: u64, (memory, from): (&Memory, u64), bytes: u64) -> Result<(), Outside> {
        self.check(to, bytes)?;
        memory.check(from, bytes)?;
        if !self.copied_sparsely(to, (memory, from), bytes) {
            memory.hold(from, bytes);
            self.hold_to_write(to, bytes);
            // SAFETY: as in `read`.
            unsafe { std::ptr::copy(from as *const u8, to as *mut u8, bytes as usize) };
        }
        // One lock at a time: it may be the same memory, or another thread may copy the other way.
        let is_host = self.initialised_bytes().is_host(to);
        let mut source = memory.initialised_bytes();
        if is_host {
            source.read_by_host(from, bytes);
        }
        let gaps = source.gaps(from, bytes);
        drop(source);
        self.initialised_bytes().copied(to, bytes, gaps);
        Ok(())
    }

    /// Repeats a pattern of 1, 2 or 4 bytes (or any other length) over a range.
    ///
    /// # Errors
    /// The range, where it lies in no live allocation; nothing is written then.
    #[allow(unsafe_code)]
    pub fn fill(&self, address: u64, bytes: u64, pattern: &[u8]) -> Result<(), Outside> {
        self.check(address, bytes)?;
        self.initialised_bytes().wrote(address, bytes);
        if let [byte] = pattern
            && self.filled_sparsely(address, bytes, *byte)
        {
            return Ok(());
        }
        self.hold_to_write(address, bytes);
        if let [byte] = pattern {
            // SAFETY: as in `read`.
            unsafe { std::ptr::write_bytes(address as *mut u8, *byte, bytes as usize) };
            return Ok(());
        }
        for (index, at) in (address..address + bytes).step_by(pattern.len().max(1)).enumerate() {
            let rest = (bytes - (index * pattern.len()) as u64).min(pattern.len() as u64);
            // SAFETY: as in `read`; at most the rest of the range.
            unsafe { std::ptr::copy_nonoverlapping(pattern.as_ptr(), at as *mut u8, rest as usize) };
        }
        Ok(())
    }
}

//! Addresses apart from memory: ranges that are reserved, and show pages that have no address of their own.
use super::allocation::{Allocation, Kind, OutOfMemory};
use super::backing::Backing;
use super::device::Memory;

impl Memory {
    /// A range of addresses with nothing in it, from a multiple of `alignment` on; `None`: the address space is spent.
    pub fn reserve(&self, bytes: u64, alignment: u64) -> Option<u64> {
        self.arena.take_aligned(bytes, alignment)
    }

    /// Gives a range back in which nothing is shown any more.
    pub fn give_back(&self, address: u64) {
        self.arena.give_back(address);
    }

    /// Takes bytes of the device's memory that have no address yet.
    ///
    /// # Errors
    /// The device's memory is spent.
    pub fn take_bytes(&self, bytes: u64) -> Result<(), OutOfMemory> {
        let mut table = self.table();
        let free_bytes = self.total_bytes - table.used_bytes;
        refuse_if!(bytes > free_bytes, OutOfMemory { asked_bytes: bytes, free_bytes });
        table.used_bytes += bytes;
        Ok(())
    }

    /// Gives back what [`take_bytes`](Self::take_bytes) took.
    pub fn give_bytes(&self, bytes: u64) {
        let mut table = self.table();
        table.used_bytes = table.used_bytes.saturating_sub(bytes);
    }

    /// Shows pages in a part of a reserved range. Kernels may use it after [`open`](Self::open).
    pub fn show(&self, address: u64, bytes: u64, backing: &Backing) -> std::io::Result<()> {
        self.arena.show(address, bytes, backing)
    }

    /// Ends what [`show`](Self::show) began.
    pub fn hide(&self, address: u64, bytes: u64) -> std::io::Result<()> {
        self.arena.hide(address, bytes)
    }

    /// Lets kernels use a range of addresses in which pages are shown. Their bytes count as written: who else shows them may
    /// have written it.
    pub fn open(&self, address: u64, bytes: u64) {
        self.table().insert(Allocation { address, bytes, kind: Kind::Mapped, name: "".into(), serial: 0 });
        self.changed();
    }

    /// Ends what [`open`](Self::open) began.
    pub fn close(&self, address: u64) {
        let mut table = self.table();
        if table.live.get(&address).is_some_and(|found| found.kind == Kind::Mapped) {
            table.remove(address);
            drop(table);
            self.initialised_bytes().remove(address);
            self.changed();
        }
    }

    /// Has a live allocation lie in pages that another process may show as well. Answers the file's number, its size, and where in it
    /// the allocation begins; `None`: no allocation begins there.
    ///
    /// # Errors
    /// The host's, where it has no more files or no room.
    pub fn share(&self, address: u64) -> std::io::Result<Option<(i32, u64, u64)>> {
        match self.find(address) {
            Some(found) if found.address == address => {
                self.hold(address, found.bytes);
                self.remove_place(address);
                self.arena.share(address, found.bytes)
            }
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_addresses_show_the_same_pages() {
        const BYTES: u64 = 1 << 21;
        let memory = Memory::new(1 << 30).expect("address space");
        let range = memory.reserve(2 * BYTES, BYTES).expect("room");
        assert_eq!(range % BYTES, 0);
        let backing = Backing::new(BYTES).expect("a file");
        assert!(memory.write(range, &[1]).is_err());
        for part in [range, range + BYTES] {
            memory.show(part, BYTES, &backing).expect("shown");
        }
        memory.open(range, 2 * BYTES);
        memory.write(range + 5, &[7]).expect("open");
        let mut got = [0];
        memory.read(range + BYTES + 5, &mut got).expect("open");
        assert_eq!(got, [7]);
        memory.close(range);
        assert!(memory.read(range, &mut got).is_err());
        memory.hide(range, 2 * BYTES).expect("hidden");
        memory.give_back(range);
    }

    #[test]
    fn an_allocation_keeps_its_values_when_it_is_shared() {
        let memory = Memory::new(1 << 30).expect("address space");
        let a = memory.allocate(10_000, Kind::Device, "a").expect("room");
        memory.write(a + 9_999, &[9]).expect("inside");
        let (number, bytes, offset) = memory.share(a).expect("a file").expect("an allocation");
        assert_eq!(memory.share(a).expect("a file"), Some((number, bytes, offset)));
        let other = Backing::of_process(std::process::id(), number).expect("this process's");
        let range = memory.reserve(bytes, 1).expect("room");
        memory.show(range, bytes, &other).expect("shown");
        memory.open(range + offset, 10_000);
        let mut got = [0];
        memory.read(range + offset + 9_999, &mut got).expect("open");
        assert_eq!(got, [9]);
        memory.write(range + offset, &[3]).expect("open");
        memory.read(a, &mut got).expect("live");
        assert_eq!(got, [3]);
        memory.free(a).expect("live");
        memory.read(range + offset, &mut got).expect("open");
        assert_eq!(got, [3], "who shows it keeps it");
    }
}

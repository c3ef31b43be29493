//! Memory that the program still holds when it should have given it back.
use machine::memory::{Allocation, Kind, Memory};

/// Allocations of the host that were never freed, by address. Module variables and what the driver needs for itself are
/// not the program's to free.
pub fn leaks(memory: &Memory) -> Vec<Allocation> {
    let mut held = memory.live();
    held.retain(|allocation| {
        matches!(allocation.kind, Kind::Device | Kind::Managed | Kind::HostPinned | Kind::HostRegistered | Kind::Heap)
    });
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_freed_is_no_leak() {
        let memory = Memory::new(1 << 20).expect("address space");
        let kept = memory.allocate(100, Kind::Device, "kept").expect("room");
        let freed = memory.allocate(100, Kind::Device, "freed").expect("room");
        memory.allocate(100, Kind::Global, "module variable").expect("room");
        memory.free(freed).expect("it lives");
        assert_eq!(leaks(&memory).iter().map(|a| a.address).collect::<Vec<_>>(), [kept]);
    }
}

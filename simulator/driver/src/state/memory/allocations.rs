//! All live memory: allocated, registered, found by address, and given back.
//!
//! Bytes live in [`machine::memory`], one arena per device; page-locked host memory and memory of peers is made known to the
//! other devices' arenas, so that one address means the same everywhere.
use crate::interface::{Cause, Outcome};
use crate::objects::graphs::Transfer;
use crate::objects::memory::allocation::{Allocation, Location, MemoryKind, Owner, words};
use crate::state::Driver;
use machine::memory::{Described, Kind};

impl Driver {
    /// Takes device memory; `pool` is 0 outside of pools.
    pub fn allocate(
        &mut self,
        device: usize,
        context: usize,
        bytes: u64,
        kind: MemoryKind,
        pool: usize,
        flags: u32,
    ) -> Result<u64, Cause> {
        let memory_kind = match kind {
            MemoryKind::Device => Kind::Device,
            MemoryKind::Managed => Kind::Managed,
            MemoryKind::Global => Kind::Global,
            MemoryKind::Pinned => Kind::HostPinned,
            MemoryKind::Registered => return Err(Cause::Defect("registered memory is not allocated".into())),
        };
        let machine = &self.devices[device];
        let address = machine.memory.allocate(bytes, memory_kind, "").map_err(|refused| Cause::OutOfMemory {
            asked: bytes,
            free: refused.free_bytes,
            total: machine.memory.total_bytes(),
            card: machine.card.name,
        })?;
        self.remember(Allocation { flags, pool, ..Allocation::new(device, context, kind, address, bytes) });
        Ok(address)
    }

    /// Makes host memory of the program known.
    pub fn register(&mut self, device: usize, context: usize, address: u64, bytes: u64, flags: u32) -> Outcome {
        refuse_if!(!self.devices[device].memory.register_host(address, bytes, ""), Cause::AlreadyRegistered);
        let kind = MemoryKind::Registered;
        self.remember(Allocation { flags, ..Allocation::new(device, context, kind, address, bytes) });
        Ok(())
    }

    /// Makes a module's variable known to copies.
    pub fn remember_global(&mut self, device: usize, context: usize, address: u64, bytes: u64) {
        self.remember(Allocation::new(device, context, MemoryKind::Global, address, bytes));
    }

    /// Enters an allocation, and shows it to the devices that may use it.
    pub(crate) fn remember(&mut self, mut allocation: Allocation) {
        if allocation.pool != 0
            && let Ok(pool) = self.pools.get_mut(allocation.pool)
        {
            pool.used += allocation.bytes;
            pool.high = pool.high.max(pool.used);
        }
        self.allocations_made += 1;
        allocation.id = self.allocations_made;
        for device in 0..self.devices.len() {
            if device != allocation.device && self.is_visible_to(&allocation, device) {
                self.devices[device].memory.register_host(allocation.address, allocation.bytes, "");
            }
        }
        self.allocations.insert(allocation.address, allocation);
    }

    /// True if a device other than its own may use an allocation.
    fn is_visible_to(&self, allocation: &Allocation, device: usize) -> bool {
        let is_peer = || {
            self.contexts
                .iter()
                .any(|(_, context)| context.device == device && context.peers.contains(&allocation.device))
        };
        allocation.bytes > 0 && (allocation.kind.is_host() || allocation.kind == MemoryKind::Managed || is_peer())
    }

    /// Shows a peer's memory to a device, or hides it again.
    pub fn share(&mut self, from: usize, with: usize, show: bool) {
        for allocation in self.allocations.values().filter(|a| a.device == from && !a.kind.is_host() && a.bytes > 0) {
            if show {
                self.devices[with].memory.register_host(allocation.address, allocation.bytes, "");
            } else if allocation.kind != MemoryKind::Managed {
                let _ = self.devices[with].memory.unregister_host(allocation.address);
            }
        }
    }

    /// Gives an allocation back, or forgets a registered range.
    pub fn release(&mut self, address: u64) -> Outcome {
        if matches!(self.allocations.get(&address), Some(Allocation { owner: Owner::Graph { .. }, .. })) {
            return self.take_away(address);
        }
        if let Some(opened) = self.opened.remove(&address) {
            self.allocations.remove(&address);
            let memory = &self.devices[opened.device].memory;
            memory.close(address);
            let hidden = memory.hide(opened.place, opened.handle.file_bytes);
            hidden.map_err(|error| Cause::OfHost("a mapping", error.to_string()))?;
            memory.give_back(opened.place);
            return Ok(());
        }
        let Some(allocation) = self.allocations.remove(&address) else {
            return Err(Cause::Defect(format!("freed twice: {address:#x}")));
        };
        // A pool may go before its memory.
        if allocation.pool != 0
            && let Ok(pool) = self.pools.get_mut(allocation.pool)
        {
            pool.used = pool.used.saturating_sub(allocation.bytes);
        }
        for (device, machine) in self.devices.iter().enumerate() {
            if device != allocation.device {
                // Unknown there where it was never shown.
                let _ = machine.memory.unregister_host(address);
            }
        }
        let memory = &self.devices[allocation.device].memory;
        let freed = if allocation.kind == MemoryKind::Registered {
            memory.unregister_host(address)
        } else {
            memory.free(address)
        };
        freed.map(|_| ()).map_err(|error| Cause::Defect(format!("{error:?}")))
    }

    /// Ends one use of another process's memory that was opened several times. True if there are more.
    pub fn close_one_of_several(&mut self, address: u64) -> bool {
        let opened = self.opened.get_mut(&address).filter(|opened| opened.times > 1);
        opened.map(|opened| opened.times -= 1).is_some()
    }

    /// The allocation that an address lies in; one of 0 bytes holds its own address.
    pub fn allocation_at(&self, address: u64) -> Option<&Allocation> {
        let (_, allocation) = self.allocations.range(..=address).next_back()?;
        (address == allocation.address || address - allocation.address < allocation.bytes).then_some(allocation)
    }

    /// Where `bytes` from `address` on lie. Not in device memory means in the host's.
    pub fn location(&self, what: &'static str, address: u64, bytes: u64) -> Result<Location, Cause> {
        refuse_if!(address == 0 && bytes > 0, Cause::Null(what));
        match self.allocation_at(address) {
            Some(found) => {
                let offset = address - found.address;
                if bytes > found.bytes - offset.min(found.bytes) {
                    let described = format!("{} bytes of {}", found.bytes, words(found.kind));
                    return Err(Cause::PastEnd { what, offset, bytes, described });
                }
                Ok(Location::Known(found.clone()))
            }
            None if bytes > 0 && self.in_an_arena(address) => Err(self.no_allocation(what, address)),
            None => Ok(Location::Pageable),
        }
    }

    /// As [`Self::place`], for an address that must be one of device memory (or of host memory the device can use).
    pub fn device_location(&self, what: &'static str, address: u64, bytes: u64) -> Result<Option<Allocation>, Cause> {
        if bytes == 0 {
            return Ok(self.allocation_at(address).cloned());
        }
        match self.location(what, address, bytes)? {
            Location::Known(allocation) => Ok(Some(allocation)),
            Location::Pageable => Err(self.no_allocation(what, address)),
        }
    }

    fn in_an_arena(&self, address: u64) -> bool {
        self.devices.iter().any(|machine| machine.memory.contains(address))
    }

    pub fn no_allocation(&self, what: &'static str, address: u64) -> Cause {
        let told = self.devices.iter().map(|machine| machine.memory.describe(address));
        let described = told
            .filter_map(|described| match described {
                Described::Freed(a, offset) => Some(format!("byte {offset} of {} bytes that were freed", a.bytes)),
                Described::Near(a, past) if past >= 0 => {
                    Some(format!("{past} bytes past the end of {} bytes", a.bytes))
                }
                Described::Near(a, before) => Some(format!("{} bytes before {} bytes", -before, a.bytes)),
                _ => None,
            })
            .next()
            .unwrap_or_else(|| "it may be a pointer of the host".to_owned());
        Cause::NoAllocation { what, address, described }
    }

    /// The device that registered a range of host memory.
    pub fn registered(&self, address: u64) -> Result<usize, Cause> {
        match self.allocations.get(&address) {
            Some(found) if found.kind == MemoryKind::Registered => Ok(found.device),
            _ => Err(Cause::NotRegistered),
        }
    }

    /// The device of an allocation that may be freed.
    pub fn freeable(&self, what: &'static str, address: u64, host: bool) -> Result<usize, Cause> {
        match self.allocations.get(&address) {
            Some(Allocation { owner: Owner::Mapping, .. }) => {
                Err(Cause::NotAnAllocation(what, "it is mapped there: cuMemUnmap ends that".into()))
            }
            Some(Allocation { owner: Owner::Process, pool: 0, .. }) => {
                Err(Cause::NotAnAllocation(what, "it is another process's: cuIpcCloseMemHandle ends its use".into()))
            }
            Some(found)
                if (found.kind.is_host() && found.pool == 0) == host
                    && !found.being_freed
                    && !found.is_away()
                    && !matches!(found.kind, MemoryKind::Registered | MemoryKind::Global) =>
            {
                Ok(found.device)
            }
            Some(found) if found.being_freed || found.is_away() => {
                Err(Cause::NotAnAllocation(what, "it was freed before".into()))
            }
            Some(found) => Err(Cause::NotAnAllocation(what, format!("it lies in {}", words(found.kind)))),
            None => {
                let freed = self.devices.iter().any(|m| matches!(m.memory.describe(address), Described::Freed(_, 0)));
                let why = if freed { "it was freed before" } else { "nothing that the driver allocated begins there" };
                Err(Cause::NotAnAllocation(what, why.into()))
            }
        }
    }

    /// Where both sides of a copy lie; an error where they lie nowhere, too short, or elsewhere than the call says.
    pub fn sides(&self, transfer: &Transfer) -> Result<(Location, Location), Cause> {
        let side = |what, address, reach, device: Option<bool>| match device {
            Some(true) => match self.device_location(what, address, reach)? {
                Some(allocation) => Ok(Location::Known(allocation)),
                None => Ok(Location::Pageable),
            },
            _ => self.location(what, address, reach),
        };
        let to_reach = transfer.reach(transfer.to_pitch, transfer.to_slice);
        let from_reach = transfer.reach(transfer.from_pitch, transfer.from_slice);
        let to = side("destination", transfer.to, to_reach, transfer.sides.to_device)?;
        let from = side("source", transfer.from, from_reach, transfer.sides.from_device)?;
        Ok((to, from))
    }
}

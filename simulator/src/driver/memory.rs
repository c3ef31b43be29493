//! Memory that programs ask for: whose it is, where it lies, and the `cuMem*` functions that make and free it.
//!
//! Bytes live in [`crate::memory`], one arena per device; page-locked host memory and memory of peers is made known to the
//! other devices' arenas, so that one address means the same everywhere.
use super::cause::Cause;
use super::context;
use super::handles::Raw;
use super::lookup::out;
use super::queue::Work;
use super::state::{self, Driver};
use crate::memory::{Described, Kind};
use std::ffi::c_uint;

/// What the driver remembers of live memory, beyond what [`crate::memory`] knows.
#[derive(Clone, Debug)]
pub struct Allocation {
    pub address: u64,
    pub bytes: u64,
    pub home: Home,
    /// The device in whose arena it lies, or that registered it.
    pub device: usize,
    pub context: usize,
    pub id: u64,
    /// `CU_MEMHOSTALLOC_*`, `CU_MEMHOSTREGISTER_*`, or the attachment of managed memory.
    pub flags: u32,
    pub pool: usize,
    /// Set by [`Work::Free`] in a stream's future.
    pub being_freed: bool,
}

/// Whose memory it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    Device,
    /// A module's variable.
    Global,
    Managed,
    /// Page-locked by `cuMemHostAlloc`, or by `cuMemHostRegister`.
    Pinned,
    Registered,
}

impl Home {
    /// Whether the host owns it.
    pub fn is_host(self) -> bool {
        matches!(self, Home::Pinned | Home::Registered)
    }
}

/// Where an address of a copy lies.
#[derive(Clone, Debug)]
pub enum Place {
    Known(Allocation),
    /// Ordinary host memory.
    Pageable,
}

/// Time that calls take on the host, measured on an H200 where `performance.md` has it, else estimated.
pub(super) const ALLOCATE_NS: u64 = 2_000;
const ALLOCATE_ASYNC_NS: u64 = 400;

impl Driver {
    /// Takes device memory; `pool` is 0 outside of pools.
    pub fn allocate(
        &mut self,
        device: usize,
        context: usize,
        bytes: u64,
        home: Home,
        pool: usize,
        flags: u32,
    ) -> Result<u64, Cause> {
        let kind = match home {
            Home::Device => Kind::Device,
            Home::Managed => Kind::Managed,
            Home::Global => Kind::Global,
            Home::Pinned => Kind::HostPinned,
            Home::Registered => return Err(Cause::Defect("registered memory is not allocated".into())),
        };
        let machine = &self.machines[device];
        let address = machine.memory.allocate(bytes, kind, "").map_err(|refused| Cause::OutOfMemory {
            asked: bytes,
            free: refused.free_bytes,
            total: machine.memory.total_bytes(),
            card: machine.card.name,
        })?;
        self.remember(Allocation { address, bytes, home, device, context, id: 0, flags, pool, being_freed: false });
        Ok(address)
    }

    /// Makes host memory of the program known.
    pub fn register(
        &mut self,
        device: usize,
        context: usize,
        address: u64,
        bytes: u64,
        flags: u32,
    ) -> Result<(), Cause> {
        if !self.machines[device].memory.register_host(address, bytes, "") {
            return Err(Cause::AlreadyRegistered);
        }
        let home = Home::Registered;
        self.remember(Allocation { address, bytes, home, device, context, id: 0, flags, pool: 0, being_freed: false });
        Ok(())
    }

    /// Makes a module's variable known to copies.
    pub fn remember_global(&mut self, device: usize, context: usize, address: u64, bytes: u64) {
        let home = Home::Global;
        self.remember(Allocation {
            address,
            bytes,
            home,
            device,
            context,
            id: 0,
            flags: 0,
            pool: 0,
            being_freed: false,
        });
    }

    /// Enters an allocation, and shows it to the devices that may use it.
    fn remember(&mut self, mut allocation: Allocation) {
        self.allocations_made += 1;
        allocation.id = self.allocations_made;
        for device in 0..self.machines.len() {
            if device != allocation.device && self.shown_to(&allocation, device) {
                self.machines[device].memory.register_host(allocation.address, allocation.bytes, "");
            }
        }
        self.allocations.insert(allocation.address, allocation);
    }

    /// Whether a device other than its own may use an allocation.
    fn shown_to(&self, allocation: &Allocation, device: usize) -> bool {
        let is_peer = || {
            self.contexts
                .iter()
                .any(|(_, context)| context.device == device && context.peers.contains(&allocation.device))
        };
        allocation.bytes > 0 && (allocation.home.is_host() || allocation.home == Home::Managed || is_peer())
    }

    /// Shows a peer's memory to a device, or hides it again.
    pub fn share(&mut self, from: usize, with: usize, show: bool) {
        for allocation in self.allocations.values().filter(|a| a.device == from && !a.home.is_host() && a.bytes > 0) {
            if show {
                self.machines[with].memory.register_host(allocation.address, allocation.bytes, "");
            } else if allocation.home != Home::Managed {
                let _ = self.machines[with].memory.unregister_host(allocation.address);
            }
        }
    }

    /// Gives an allocation back, or forgets a registered range.
    pub fn release(&mut self, address: u64) -> Result<(), Cause> {
        let Some(allocation) = self.allocations.remove(&address) else {
            return Err(Cause::Defect(format!("freed twice: {address:#x}")));
        };
        for (device, machine) in self.machines.iter().enumerate() {
            if device != allocation.device {
                // Unknown there where it was never shown.
                let _ = machine.memory.unregister_host(address);
            }
        }
        let memory = &self.machines[allocation.device].memory;
        let freed =
            if allocation.home == Home::Registered { memory.unregister_host(address) } else { memory.free(address) };
        freed.map(|_| ()).map_err(|error| Cause::Defect(format!("{error:?}")))
    }

    /// The allocation that an address lies in; one of 0 bytes holds its own address.
    pub fn allocation_at(&self, address: u64) -> Option<&Allocation> {
        let (_, allocation) = self.allocations.range(..=address).next_back()?;
        (address == allocation.address || address - allocation.address < allocation.bytes).then_some(allocation)
    }

    /// Where `bytes` from `address` on lie. Not in device memory means in the host's.
    pub fn place(&self, what: &'static str, address: u64, bytes: u64) -> Result<Place, Cause> {
        if address == 0 && bytes > 0 {
            return Err(Cause::Null(what));
        }
        match self.allocation_at(address) {
            Some(found) => {
                let offset = address - found.address;
                if bytes > found.bytes - offset.min(found.bytes) {
                    let described = format!("{} bytes of {}", found.bytes, words(found.home));
                    return Err(Cause::PastEnd { what, offset, bytes, described });
                }
                Ok(Place::Known(found.clone()))
            }
            None if bytes > 0 && self.in_an_arena(address) => Err(self.no_allocation(what, address)),
            None => Ok(Place::Pageable),
        }
    }

    /// As [`Self::place`], for an address that must be one of device memory (or of host memory the device can use).
    pub fn device_place(&self, what: &'static str, address: u64, bytes: u64) -> Result<Option<Allocation>, Cause> {
        if bytes == 0 {
            return Ok(self.allocation_at(address).cloned());
        }
        match self.place(what, address, bytes)? {
            Place::Known(allocation) => Ok(Some(allocation)),
            Place::Pageable => Err(self.no_allocation(what, address)),
        }
    }

    fn in_an_arena(&self, address: u64) -> bool {
        self.machines.iter().any(|machine| machine.memory.contains(address))
    }

    pub(super) fn no_allocation(&self, what: &'static str, address: u64) -> Cause {
        let told = self.machines.iter().map(|machine| machine.memory.describe(address));
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

    /// The device of an allocation that may be freed.
    pub(super) fn freeable(&self, what: &'static str, address: u64, host: bool) -> Result<usize, Cause> {
        match self.allocations.get(&address) {
            Some(found)
                if found.home.is_host() == host
                    && !found.being_freed
                    && !matches!(found.home, Home::Registered | Home::Global) =>
            {
                Ok(found.device)
            }
            Some(found) if found.being_freed => Err(Cause::NotAnAllocation(what, "it was freed before".into())),
            Some(found) => Err(Cause::NotAnAllocation(what, format!("it lies in {}", words(found.home)))),
            None => {
                let freed = self.machines.iter().any(|m| matches!(m.memory.describe(address), Described::Freed(_, 0)));
                let why = if freed { "it was freed before" } else { "nothing that the driver allocated begins there" };
                Err(Cause::NotAnAllocation(what, why.into()))
            }
        }
    }

    /// A value written in stream order.
    pub fn write_now(&mut self, at: u64, value: u64, bytes: u8) -> Result<(), Cause> {
        let bytes = value.to_le_bytes().into_iter().take(usize::from(bytes)).collect::<Vec<u8>>();
        let place = self.device_place("address", at, bytes.len() as u64)?;
        let Some(allocation) = place else { return Ok(()) };
        self.machines[allocation.device]
            .memory
            .write(at, &bytes)
            .map_err(|_| Cause::Defect("an allocation without memory".into()))
    }
}

pub(super) fn words(home: Home) -> &'static str {
    match home {
        Home::Device => "device memory",
        Home::Global => "a module's variable",
        Home::Managed => "managed memory",
        Home::Pinned => "page-locked host memory",
        Home::Registered => "registered host memory",
    }
}

/// `cuMemAlloc`
pub unsafe fn alloc(pointer: *mut u64, bytes: usize) -> Result<(), Cause> {
    let mut driver = state::lock();
    let (device, _) = driver.current_machine()?;
    let context = driver.current()?;
    if bytes == 0 {
        return Err(Cause::OutOfRange("bytesize", 0, "1 and more".into()));
    }
    driver.refuse_in_capture("cuMemAlloc")?;
    state::spend_ns(ALLOCATE_NS);
    let address = driver.allocate(device, context, bytes as u64, Home::Device, 0, 0)?;
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("dptr", pointer, address) }
}

/// `cuMemAllocPitch`: rows padded to the alignment that coalesced access likes.
pub unsafe fn alloc_pitch(
    pointer: *mut u64,
    pitch: *mut usize,
    width: usize,
    height: usize,
    element: c_uint,
) -> Result<(), Cause> {
    if !matches!(element, 4 | 8 | 16) {
        return Err(Cause::NoSuchValue("ElementSizeBytes", element.into()));
    }
    let row = width.next_multiple_of(512);
    let bytes =
        row.checked_mul(height).ok_or(Cause::OutOfRange("Height", height as u64, "a product that fits".into()))?;
    // SAFETY: the caller's pointers, as the interface defines them.
    unsafe {
        alloc(pointer, bytes)?;
        out("pPitch", pitch, row)
    }
}

/// `cuMemFree`: waits for the device, as the real one does.
pub fn free(address: u64) -> Result<(), Cause> {
    let mut driver = state::lock();
    driver.current()?;
    if address == 0 {
        return Ok(());
    }
    driver.refuse_in_capture("cuMemFree")?;
    let device = driver.freeable("dptr", address, false)?;
    let mut driver = context::wait_for_device(driver, device)?;
    state::spend_ns(ALLOCATE_NS);
    driver.release(address)
}

/// `cuMemAllocAsync`: the address is known at once.
pub unsafe fn alloc_async(pointer: *mut u64, bytes: usize, stream: Raw) -> Result<(), Cause> {
    let mut driver = state::lock();
    let (device, _) = driver.current_machine()?;
    let pool = driver.machines[device].current_pool;
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { alloc_on(&mut driver, pointer, bytes, pool, stream) }
}

/// `cuMemAllocFromPoolAsync`
pub unsafe fn alloc_from_pool_async(pointer: *mut u64, bytes: usize, pool: Raw, stream: Raw) -> Result<(), Cause> {
    let mut driver = state::lock();
    driver.pools.get(pool as usize)?;
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { alloc_on(&mut driver, pointer, bytes, pool as usize, stream) }
}

unsafe fn alloc_on(
    driver: &mut Driver,
    pointer: *mut u64,
    bytes: usize,
    pool: usize,
    stream: Raw,
) -> Result<(), Cause> {
    let stream = driver.stream_of(stream)?;
    let device = driver.pools.get(pool)?.device;
    let context = driver.streams.get(stream)?.context;
    if !driver.machines[device].card.has_pools() {
        return Err(Cause::DeviceLacks(driver.machines[device].card.name, "memory pools"));
    }
    state::spend_ns(ALLOCATE_ASYNC_NS);
    let address = driver.allocate(device, context, bytes as u64, Home::Device, pool, 0)?;
    if driver.streams.get(stream)?.capture.is_some() {
        driver.capture_allocation(stream)?;
    }
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("dptr", pointer, address) }
}

/// `cuMemFreeAsync`: in stream order, so as late as anything else.
pub fn free_async(address: u64, stream: Raw) -> Result<(), Cause> {
    let mut driver = state::lock();
    let stream = driver.stream_of(stream)?;
    if address == 0 {
        return Err(Cause::Null("dptr"));
    }
    driver.freeable("dptr", address, false)?;
    state::spend_ns(ALLOCATE_ASYNC_NS);
    if driver.streams.get(stream)?.capture.is_some() {
        return driver.capture_work(stream, super::capture::Step::Free(address));
    }
    if let Some(allocation) = driver.allocations.get_mut(&address) {
        allocation.being_freed = true;
    }
    driver.submit(stream, Work::Free(address), &[]).map(|_| ())
}

/// `cuMemGetInfo`
pub unsafe fn get_info(free: *mut usize, total: *mut usize) -> Result<(), Cause> {
    let driver = state::lock();
    let (device, _) = driver.current_machine()?;
    let memory = &driver.machines[device].memory;
    // SAFETY: the caller's pointers, as the interface defines them.
    unsafe {
        out("free", free, memory.free_bytes() as usize)?;
        out("total", total, memory.total_bytes() as usize)
    }
}

/// `cuMemGetAddressRange`
pub unsafe fn get_address_range(base: *mut u64, bytes: *mut usize, address: u64) -> Result<(), Cause> {
    let driver = state::lock();
    driver.current()?;
    let found = driver.allocation_at(address).ok_or(Cause::NoSymbol {
        name: format!("{address:#x}"),
        known: format!("{} allocations", driver.allocations.len()),
    })?;
    if !base.is_null() {
        // SAFETY: not null; the caller's pointer.
        unsafe { out("pbase", base, found.address)? };
    }
    if !bytes.is_null() {
        // SAFETY: not null; the caller's pointer.
        unsafe { out("psize", bytes, found.bytes as usize)? };
    }
    Ok(())
}

//! Memory pools for several processes.
//!
//! A file descriptor stands for the pool: a small file that names the process and the pool there. Its memory goes over one
//! allocation at a time, as [`interprocess`] has it.
use super::interprocess;
use super::pool::FILE_DESCRIPTOR;
use crate::interface::{Cause, Outcome, out};
use crate::objects::memory::allocation::{Allocation, MemoryKind, words};
use crate::objects::memory::interprocess::{MemoryHandle, POOL_MEMORY_MARK};
use crate::objects::memory::pool::Pool;
use crate::state;
use cuda::layout::{IpcHandle, Raw};
use machine::memory::Backing;
use std::ffi::{c_int, c_uint, c_ulonglong};

/// The file of a pool: a mark, the process, the pool there, its device, and whether it is the host's memory.
const MARK: u64 = u64::from_le_bytes(*b"simpool1");
const WORDS: usize = 5;

fn refuse(kind: c_uint, flags: c_ulonglong) -> Outcome {
    refuse_if!(flags != 0, Cause::NoSuchValue("flags", flags as i64));
    refuse_if!(kind != FILE_DESCRIPTOR, Cause::NotModelled(Cause::OTHER_SHAREABLE_HANDLES));
    Ok(())
}

/// A file descriptor, which the caller closes.
pub unsafe fn cuMemPoolExportToShareableHandle(shared: Raw, pool: Raw, kind: c_uint, flags: c_ulonglong) -> Outcome {
    let mut driver = state::started()?;
    let found = driver.pools.get_mut(pool as usize)?;
    refuse(kind, flags)?;
    if found.handle_kinds & FILE_DESCRIPTOR == 0 || found.origin.is_some() {
        return Err(Cause::NoSuchValue("handleType", kind.into()));
    }
    let of_host = |error: std::io::Error| Cause::OfHost("a file descriptor", error.to_string());
    let file = match found.file.take() {
        Some(file) => file,
        None => {
            let process = std::process::id().into();
            let words: [u64; WORDS] =
                [MARK, process, pool as u64, found.device as u64, (found.kind == MemoryKind::Pinned).into()];
            let file = Backing::new(size_of_val(&words) as u64).map_err(of_host)?;
            file.fill(0, &words.map(u64::to_le_bytes).concat()).map_err(of_host)?;
            file
        }
    };
    let number = found.file.insert(file).duplicate().map_err(of_host)?;
    // SAFETY: the caller's pointer, of a file descriptor.
    unsafe { out("handle_out", shared.cast::<c_int>(), number) }
}

/// A pool that nothing can be allocated from here. The descriptor stays the caller's.
pub unsafe fn cuMemPoolImportFromShareableHandle(
    pool: *mut Raw,
    shared: Raw,
    kind: c_uint,
    flags: c_ulonglong,
) -> Outcome {
    let mut driver = state::started()?;
    refuse(kind, flags)?;
    let told = |error: std::io::Error| Cause::OfHost("a shareable handle", error.to_string());
    // The descriptor is passed in the pointer's place.
    let file = Backing::of_process(std::process::id(), shared as usize as c_int).map_err(told)?;
    let mut bytes = [0; WORDS * 8];
    let read = if file.bytes() == bytes.len() as u64 { file.read(0, &mut bytes) } else { Ok(()) };
    read.map_err(told)?;
    let word = |at: usize| {
        let mut word = [0; 8];
        word.copy_from_slice(&bytes[8 * at..8 * at + 8]);
        u64::from_le_bytes(word)
    };
    refuse_if!(word(0) != MARK, Cause::NoSuchArgument("shareable handle of a memory pool"));
    driver.device(word(3) as c_int)?;
    let kind = if word(4) == 1 { MemoryKind::Pinned } else { MemoryKind::Device };
    let (origin, handle_kinds) = (Some((word(1) as u32, word(2))), FILE_DESCRIPTOR);
    let made = driver.pools.insert(Pool { kind, origin, handle_kinds, ..Pool::new(word(3) as usize, false) });
    unsafe { out("pool_out", pool, made as Raw) }
}

pub unsafe fn cuMemPoolExportPointer(data: *mut IpcHandle, address: u64) -> Outcome {
    let driver = state::started()?;
    let found = driver.allocations.get(&address).ok_or_else(|| driver.no_allocation("ptr", address))?;
    let pool = found.pool;
    if !driver.pools.get(pool).is_ok_and(|pool| pool.handle_kinds & FILE_DESCRIPTOR != 0 && pool.origin.is_none()) {
        return Err(Cause::OtherMemory("memory of a pool that may be shared", words(found.kind)));
    }
    let answer = interprocess::share(driver, "ptr", address, POOL_MEMORY_MARK, pool as u64)?;
    unsafe { out("shareData_out", data.cast(), answer) }
}

/// Memory that this process frees as its own, and the other process as well.
pub unsafe fn cuMemPoolImportPointer(pointer: *mut u64, pool: Raw, data: *const IpcHandle) -> Outcome {
    let mut driver = state::lock();
    let context = driver.current()?;
    let data = MemoryHandle::from(*unsafe { data.as_ref() }.ok_or(Cause::Null("shareData"))?);
    let found = driver.pools.get(pool as usize)?;
    let own = (std::process::id(), pool as u64);
    if data.mark != POOL_MEMORY_MARK || found.origin.unwrap_or(own) != (data.process, data.pool) {
        return Err(Cause::NoSuchArgument("memory of this pool"));
    }
    let allocation = Allocation::new(found.device, context, found.kind, 0, data.bytes);
    let address = interprocess::show(&mut driver, data, Allocation { pool: pool as usize, ..allocation })?;
    unsafe { out("ptr_out", pointer, address) }
}

//! Copies: over the bus, and within a card's memory.

use crate::profile::Row;
use common::device::Device;
use common::host_memory::{HostBuffer, HostMemory};
use cudarc::driver::DriverError;

/// Copies over the bus, and within the card's memory.
pub fn buses(device: &Device, row: &mut Row) -> anyhow::Result<()> {
    const BYTES: usize = 64 << 20;
    let context = &device.context;
    let (one, other) = (context.new_stream()?, context.new_stream()?);
    let (mut there, mut back) = (one.alloc_zeros::<f32>(BYTES / 4)?, one.alloc_zeros::<f32>(BYTES / 4)?);
    let rounds = if device.facts.simulated { 1 } else { 7 };
    let best = |work: &mut dyn FnMut() -> anyhow::Result<f64>| -> anyhow::Result<f64> {
        work()?;
        (0..rounds).try_fold(f64::INFINITY, |best, _| Ok(best.min(work()?)))
    };
    let flags = Some(cudarc::driver::sys::CUevent_flags::CU_EVENT_DEFAULT);
    let timed = |copy: &mut dyn FnMut() -> Result<(), DriverError>| {
        best(&mut || {
            let start = one.record_event(flags)?;
            copy()?;
            Ok(f64::from(start.elapsed_ms(&one.record_event(flags)?)?) / 1e3)
        })
    };
    let pinned = HostBuffer::<f32>::new(context, BYTES / 4, HostMemory::Pinned)?;
    let mut taken = HostBuffer::<f32>::new(context, BYTES / 4, HostMemory::Pinned)?;
    let seconds = timed(&mut || one.memcpy_htod(&pinned, &mut there))?;
    row.measured("pinned_bytes_per_s", BYTES as f64 / seconds);
    let seconds = best(&mut || {
        context.synchronize()?;
        let start = one.record_event(flags)?;
        other.wait(&start)?;
        one.memcpy_htod(&pinned, &mut there)?;
        other.memcpy_dtoh(&back, &mut taken)?;
        one.wait(&other.record_event(flags)?)?;
        Ok(f64::from(start.elapsed_ms(&one.record_event(flags)?)?) / 1e3)
    })?;
    row.measured("pinned_both_ways_bytes_per_s", 2.0 * BYTES as f64 / seconds);
    // From pageable memory the driver copies pieces of its own, fast where the host's caches have them: this size is usual.
    const PAGEABLE: usize = 16 << 20;
    let pageable = vec![1f32; PAGEABLE / 4];
    let mut taken = vec![1f32; PAGEABLE / 4];
    let seconds = timed(&mut || one.memcpy_htod(&pageable, &mut there.slice_mut(..PAGEABLE / 4)))?;
    row.measured("pageable_to_device_bytes_per_s", PAGEABLE as f64 / seconds);
    let seconds = timed(&mut || one.memcpy_dtoh(&there.slice(..PAGEABLE / 4), &mut taken))?;
    row.measured("pageable_from_device_bytes_per_s", PAGEABLE as f64 / seconds);
    drop((there, back));
    // Two sizes: the difference is without the copy's start.
    let (_, total) = context.mem_get_info()?;
    let bytes = (total / 8).min(512 << 20);
    let (from, mut to) = (one.alloc_zeros::<u8>(bytes)?, one.alloc_zeros::<u8>(bytes)?);
    back = one.alloc_zeros::<f32>(1)?;
    one.memset_zeros(&mut back)?;
    let mut copy = |bytes: usize| timed(&mut || one.memcpy_dtod(&from.slice(..bytes), &mut to.slice_mut(..bytes)));
    let (half, whole) = (copy(bytes / 2)?, copy(bytes)?);
    row.measured("memory_bytes_per_s", bytes as f64 / (whole - half));
    Ok(())
}

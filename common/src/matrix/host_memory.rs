//! Where a matrix lives on the host: one buffer type for five kinds of memory.
//!
//! A copy between device and *pageable* memory passes through a buffer of the driver and blocks the host; *page-locked* memory is
//! read and written by the copy engine itself, at the speed of the bus and while the host goes on. The kinds of page-locked memory
//! differ in what else they can do, see [`HostMemory`].

use crate::element::Element;
use cudarc::driver::{
    CudaContext, CudaEvent, CudaStream, DriverError, HostSlice, PinnedHostSlice, SyncOnDrop,
    result::DriverError as ResultError, sys,
};
use serde::Serialize;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A policy of host allocation, as `--host-memory` spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum HostMemory {
    /// The allocator's own (`malloc`): copies go through the driver's staging buffer.
    Pageable,
    /// Page-locked (`cudaMallocHost`): copied at bus speed, asynchronously.
    Pinned,
    /// Page-locked and write-combined: fast for the host to write in order and for the device to read, terribly slow for the host to read.
    WriteCombined,
    /// Page-locked and mapped into the device's addresses (zero-copy): kernels reach it over the bus.
    Mapped,
    /// Allocated as pageable, page-locked afterwards (`cudaHostRegister`).
    Registered,
}

impl HostMemory {
    /// Those whose pages are locked.
    pub const LOCKED: [HostMemory; 4] =
        [HostMemory::Pinned, HostMemory::WriteCombined, HostMemory::Mapped, HostMemory::Registered];

    /// The name on the command line and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            HostMemory::Pageable => "pageable",
            HostMemory::Pinned => "pinned",
            HostMemory::WriteCombined => "write_combined",
            HostMemory::Mapped => "mapped",
            HostMemory::Registered => "registered",
        }
    }
}

impl fmt::Display for HostMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A fixed number of elements in host memory of some kind; freed, and unregistered, when dropped.
#[derive(Debug)]
pub struct HostBuffer<T: Element> {
    memory: HostMemory,
    storage: Storage<T>,
}

#[derive(Debug)]
enum Storage<T: Element> {
    Pageable(Vec<T>),
    PageLocked(PinnedHostSlice<T>),
    Registered(Registration<T>),
}

impl<T: Element> HostBuffer<T> {
    /// `len` elements, each [`POISON`](numbers::Number::POISON). Errors: the driver's, when it cannot lock that much memory.
    pub fn new(context: &Arc<CudaContext>, len: usize, memory: HostMemory) -> Result<Self, DriverError> {
        let mut buffer = Self::untouched(context, len, memory)?;
        T::poison_host(buffer.as_mut_slice()?);
        Ok(buffer)
    }

    /// `len` elements, each 0, of which the host has no page before one is touched. Errors: as of [`HostBuffer::new`].
    #[allow(unsafe_code)]
    pub(crate) fn untouched(context: &Arc<CudaContext>, len: usize, memory: HostMemory) -> Result<Self, DriverError> {
        let storage = match memory {
            HostMemory::Pageable => Storage::Pageable(vec![T::default(); len]),
            HostMemory::Registered => Storage::Registered(Registration::new(context, len)?),
            HostMemory::Pinned | HostMemory::WriteCombined | HostMemory::Mapped => {
                // Portable: every device of the process sees the pages as locked, as a batch over several devices needs.
                let flags = sys::CU_MEMHOSTALLOC_PORTABLE
                    | match memory {
                        HostMemory::WriteCombined => sys::CU_MEMHOSTALLOC_WRITECOMBINED,
                        HostMemory::Mapped => sys::CU_MEMHOSTALLOC_DEVICEMAP,
                        _ => 0,
                    };
                // SAFETY: the memory comes unset, and any bits are an element.
                Storage::PageLocked(unsafe { context.alloc_pinned_with_flags::<T>(len, flags) }?)
            }
        };
        Ok(HostBuffer { memory, storage })
    }

    /// The kind of memory this is.
    pub fn memory(&self) -> HostMemory {
        self.memory
    }

    /// The elements. Synchronise the stream of the last copy first: nothing here waits for it in a program of one stream.
    pub fn as_slice(&self) -> Result<&[T], DriverError> {
        match &self.storage {
            Storage::Pageable(elements) => Ok(elements),
            Storage::PageLocked(slice) => slice.as_slice(),
            Storage::Registered(registration) => registration.as_slice(),
        }
    }

    /// The elements, to be written; see [`HostBuffer::as_slice`].
    pub fn as_mut_slice(&mut self) -> Result<&mut [T], DriverError> {
        match &mut self.storage {
            Storage::Pageable(elements) => Ok(elements),
            Storage::PageLocked(slice) => slice.as_mut_slice(),
            Storage::Registered(registration) => registration.as_mut_slice(),
        }
    }

    /// The address of the first element on the host.
    pub(crate) fn address(&self) -> Result<u64, DriverError> {
        Ok(match &self.storage {
            Storage::Pageable(elements) => elements.as_ptr(),
            Storage::PageLocked(slice) => slice.as_ptr()?,
            Storage::Registered(registration) => registration.elements().as_ptr(),
        } as u64)
    }

    /// The address under which kernels reach this buffer; for [`HostMemory::Mapped`] only, else the driver's "invalid value".
    #[allow(unsafe_code)]
    pub fn device_address(&self) -> Result<sys::CUdeviceptr, ResultError> {
        let Storage::PageLocked(slice) = &self.storage else {
            return Err(ResultError(sys::CUresult::CUDA_ERROR_INVALID_VALUE));
        };
        let host = slice.as_ptr()?;
        let mut address = 0;
        // SAFETY: `host` is the start of a live page-locked allocation; the driver refuses it when it is not mapped.
        unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut address, host.cast_mut().cast(), 0) }.result()?;
        Ok(address)
    }
}

impl<T: Element> HostSlice<T> for HostBuffer<T> {
    fn len(&self) -> usize {
        match &self.storage {
            Storage::Pageable(elements) => elements.len(),
            Storage::PageLocked(slice) => slice.len(),
            Storage::Registered(registration) => registration.range.len(),
        }
    }

    #[allow(unsafe_code)]
    unsafe fn stream_synced_slice<'a>(&'a self, stream: &'a CudaStream) -> (&'a [T], SyncOnDrop<'a>) {
        // SAFETY: the slice is used on `stream` only, which this function's `# Safety` asks for as well.
        unsafe {
            match &self.storage {
                Storage::Pageable(elements) => elements.stream_synced_slice(stream),
                Storage::PageLocked(slice) => slice.stream_synced_slice(stream),
                Storage::Registered(registration) => {
                    let context = stream.context();
                    context.record_err(stream.wait(&registration.event));
                    let guard = SyncOnDrop::Record(Some((&registration.event, stream)));
                    (registration.elements(), guard)
                }
            }
        }
    }

    #[allow(unsafe_code)]
    unsafe fn stream_synced_mut_slice<'a>(&'a mut self, stream: &'a CudaStream) -> (&'a mut [T], SyncOnDrop<'a>) {
        // SAFETY: the slice is used on `stream` only, which this function's `# Safety` asks for as well.
        unsafe {
            match &mut self.storage {
                Storage::Pageable(elements) => elements.stream_synced_mut_slice(stream),
                Storage::PageLocked(slice) => slice.stream_synced_mut_slice(stream),
                Storage::Registered(registration) => {
                    let context = stream.context();
                    context.record_err(stream.wait(&registration.event));
                    let guard = SyncOnDrop::Record(Some((&registration.event, stream)));
                    (&mut registration.padded[registration.range.clone()], guard)
                }
            }
        }
    }
}

/// Ordinary memory whose pages are locked for as long as this lives.
///
/// The driver locks whole pages, and refuses one that is locked already: buffers that shared a page could not both be registered. So each
/// has its pages for itself, as memory has that programs mean to register.
#[derive(Debug)]
struct Registration<T: Element> {
    /// The pages, and room before them to begin at one's start.
    padded: Vec<T>,
    /// Where the elements are in there.
    range: Range<usize>,
    /// Recorded after the last copy, so that the host waits for it before touching the elements.
    event: CudaEvent,
}

/// The largest ordinary page of the hosts that CUDA runs on, in bytes; x86-64 has 4 KiB.
const PAGE: usize = 64 << 10;

impl<T: Element> Registration<T> {
    #[allow(unsafe_code)]
    fn new(context: &Arc<CudaContext>, len: usize) -> Result<Self, DriverError> {
        let event = context.new_event(Some(sys::CUevent_flags::CU_EVENT_BLOCKING_SYNC))?;
        let per_page = PAGE / size_of::<T>();
        let whole = len.max(1).next_multiple_of(per_page);
        let mut padded = vec![T::default(); whole + per_page];
        let start = padded.as_ptr().align_offset(PAGE);
        let pages = &mut padded[start..start + whole];
        let bytes = std::mem::size_of_val(pages);
        // SAFETY: the range is the vector's own; it is neither moved nor resized before `drop` takes the lock off again.
        unsafe { sys::cuMemHostRegister_v2(pages.as_mut_ptr().cast(), bytes, sys::CU_MEMHOSTREGISTER_PORTABLE) }
            .result()?;
        Ok(Registration { padded, range: start..start + len, event })
    }

    /// Without waiting for anything.
    fn elements(&self) -> &[T] {
        &self.padded[self.range.clone()]
    }

    /// Likewise.
    fn elements_mut(&mut self) -> &mut [T] {
        &mut self.padded[self.range.clone()]
    }

    fn as_slice(&self) -> Result<&[T], DriverError> {
        self.event.synchronize()?;
        Ok(self.elements())
    }

    fn as_mut_slice(&mut self) -> Result<&mut [T], DriverError> {
        self.event.synchronize()?;
        Ok(self.elements_mut())
    }
}

impl<T: Element> Drop for Registration<T> {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        let context = self.event.context().clone();
        // Copies in flight would lose their pages: wait for all of them, not only for those that recorded the event.
        context.record_err(context.synchronize());
        // SAFETY: registered in `new` under the same address.
        let result = unsafe { sys::cuMemHostUnregister(self.elements_mut().as_mut_ptr().cast()) };
        context.record_err(result.result());
    }
}

//! A dense row-major matrix on the host, filled with seeded random numbers, and its device side.

use crate::device::Device;
use crate::element::Element;
use crate::host_memory::{HostBuffer, HostMemory};
use crate::lazy_memory::{Contents, Elements, LazyMemory};
use crate::recorder::{Work, traced};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtrMut, DriverError, HostSlice, result};
use numbers::untouched;
use std::sync::{Arc, OnceLock};

/// `rows × columns` elements, row-major: element (i, j) is at `i · columns + j`.
#[derive(Debug)]
pub struct Matrix<T: Element> {
    rows: usize,
    columns: usize,
    // Before the memory, because it ends before.
    place: Option<LazyMemory>,
    host: HostBuffer<T>,
    /// All elements of a place, once they have been asked for.
    whole: OnceLock<Vec<T>>,
}

impl<T: Element> Matrix<T> {
    /// Every element is NaN: for results, where an element that nobody wrote must not pass for one.
    pub fn poisoned(
        context: &Arc<CudaContext>,
        rows: usize,
        columns: usize,
        memory: HostMemory,
    ) -> Result<Self, DriverError> {
        let host = HostBuffer::new(context, rows * columns, memory)?;
        Ok(Matrix { rows, columns, place: None, host, whole: OnceLock::new() })
    }

    /// As [`Matrix::poisoned`]; a large one is held in part where the device runs some blocks for all.
    pub fn result(device: &Device, rows: usize, columns: usize, memory: HostMemory) -> Result<Self, DriverError> {
        match Self::placed(device, [rows, columns], memory, Contents::Poison)? {
            Some(matrix) => Ok(matrix),
            None => Self::poisoned(&device.context, rows, columns, memory),
        }
    }

    /// Independent uniform elements in [−1, 1), a function of `seed`, the shape and the element type only. Held in part as
    /// [`Matrix::result`] is.
    pub fn random(
        device: &Device,
        rows: usize,
        columns: usize,
        memory: HostMemory,
        seed: u64,
    ) -> Result<Self, DriverError> {
        if let Some(matrix) = Self::placed(device, [rows, columns], memory, Contents::Random(seed))? {
            return Ok(matrix);
        }
        let mut matrix = Self::poisoned(&device.context, rows, columns, memory)?;
        T::fill_random(matrix.host.as_mut_slice()?, seed);
        Ok(matrix)
    }

    #[allow(unsafe_code)]
    fn placed(
        device: &Device,
        [rows, columns]: [usize; 2],
        memory: HostMemory,
        contents: Contents,
    ) -> Result<Option<Self>, DriverError> {
        let len = rows * columns;
        if !LazyMemory::suits(device, len * T::DTYPE.bytes()) {
            return Ok(None);
        }
        let host = HostBuffer::untouched(&device.context, len, memory)?;
        // SAFETY: the matrix drops the place before the memory, and touches the memory by copies alone.
        let place = unsafe { LazyMemory::new::<T>(host.address()?, len, contents) };
        Ok(place.map(|place| Matrix { rows, columns, place: Some(place), host, whole: OnceLock::new() }))
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Size of the elements in bytes.
    pub fn bytes(&self) -> usize {
        self.rows * self.columns * T::DTYPE.bytes()
    }

    /// All elements, row after row. See [`HostBuffer::as_slice`] for when to call it.
    pub fn elements(&self) -> Result<&[T], DriverError> {
        if self.place.is_none() {
            return self.host.as_slice();
        }
        let view = self.view()?;
        Ok(self.whole.get_or_init(|| view.part(&(0..view.count())).into_owned()))
    }

    /// All elements, to be written; of a matrix that is held in part, for this side alone.
    pub fn elements_mut(&mut self) -> Result<&mut [T], DriverError> {
        if self.place.is_none() {
            return self.host.as_mut_slice();
        }
        self.elements()?;
        Ok(self.whole.get_mut().expect("just made"))
    }

    /// The elements as they are held.
    pub fn view(&self) -> Result<Elements<'_, T>, DriverError> {
        Ok(match &self.place {
            Some(place) => Elements::Placed(place, self.rows * self.columns),
            None => Elements::All(self.host.as_slice()?),
        })
    }

    /// No element is a number.
    pub fn poison(&mut self) -> Result<(), DriverError> {
        self.whole.take();
        if self.place.is_none() {
            T::poison_host(self.host.as_mut_slice()?);
        }
        Ok(())
    }

    /// The host side, as copies and mapped kernels want it.
    pub fn host(&self) -> &HostBuffer<T> {
        &self.host
    }
}

/// Device memory for `len` elements that holds whatever was there before: [`poison`] or copy into it before reading.
#[allow(unsafe_code)]
pub fn allocate_device<T: Element>(stream: &Arc<CudaStream>, len: usize) -> Result<CudaSlice<T>, DriverError> {
    // SAFETY: every bit pattern is a value of both element types, so unset memory is no worse than arbitrary numbers.
    let call = || unsafe { stream.alloc::<T>(len) };
    traced(stream, "cuMemAllocAsync", None, call)
}

/// Overwrites device memory with NaN, so that an element which the next launch does not write cannot pass a check.
#[allow(unsafe_code)]
pub fn poison<T: Element, Slice: DevicePtrMut<T>>(
    stream: &Arc<CudaStream>,
    slice: &mut Slice,
) -> Result<(), DriverError> {
    let bytes = slice.num_bytes();
    stream.context().bind_to_thread()?;
    let (address, _record) = slice.device_ptr_mut(stream);
    let byte = untouched::poison();
    // SAFETY: `bytes` is the length of the slice, which is borrowed until the call is queued on its stream.
    let call = || unsafe { result::memset_d8_async(address, byte, bytes, stream.cu_stream()) };
    traced(stream, "cuMemsetD8Async", Some(Work::transfer("memset", bytes)), call)
}

impl<T: Element> Matrix<T> {
    /// Copies the host side to device memory of at least the same length, on `stream`.
    pub fn copy_in(&self, stream: &Arc<CudaStream>, device: &mut CudaSlice<T>) -> Result<(), DriverError> {
        let work = Work::transfer("memcpy HtoD", self.bytes());
        traced(stream, "cuMemcpyHtoDAsync_v2", Some(work), || stream.memcpy_htod(&self.host, device))
    }

    /// Copies device memory into the host side, on `stream`; synchronise it before reading [`Matrix::elements`].
    pub fn copy_out(&mut self, stream: &Arc<CudaStream>, device: &CudaSlice<T>) -> Result<(), DriverError> {
        debug_assert_eq!(device.len(), self.host.len());
        self.whole.take();
        let work = Work::transfer("memcpy DtoH", self.bytes());
        traced(stream, "cuMemcpyDtoHAsync_v2", Some(work), || stream.memcpy_dtoh(device, &mut self.host))
    }
}

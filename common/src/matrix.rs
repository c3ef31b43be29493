//! A dense row-major matrix on the host, filled with seeded random numbers, and its device side.

use crate::element::Element;
use crate::host_memory::{HostBuffer, HostMemory};
use crate::recorder::{Work, traced};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtrMut, DriverError, HostSlice, result};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// `rows × columns` elements, row-major: element (i, j) is at `i · columns + j`.
#[derive(Debug)]
pub struct Matrix<T: Element> {
    rows: usize,
    columns: usize,
    host: HostBuffer<T>,
}

impl<T: Element> Matrix<T> {
    /// Every element is NaN: for results, where an element that nobody wrote must not pass for one.
    pub fn poisoned(
        context: &Arc<CudaContext>,
        rows: usize,
        columns: usize,
        memory: HostMemory,
    ) -> Result<Self, DriverError> {
        Ok(Matrix { rows, columns, host: HostBuffer::new(context, rows * columns, memory)? })
    }

    /// Independent uniform elements in [−1, 1), a function of `seed`, the shape and the element type only.
    pub fn random(
        context: &Arc<CudaContext>,
        rows: usize,
        columns: usize,
        memory: HostMemory,
        seed: u64,
    ) -> Result<Self, DriverError> {
        let mut matrix = Self::poisoned(context, rows, columns, memory)?;
        fill_random(matrix.host.as_mut_slice()?, seed);
        Ok(matrix)
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
        self.host.as_slice()
    }

    /// All elements, to be written.
    pub fn elements_mut(&mut self) -> Result<&mut [T], DriverError> {
        self.host.as_mut_slice()
    }

    /// The host side, as copies and mapped kernels want it.
    pub fn host(&self) -> &HostBuffer<T> {
        &self.host
    }
}

/// Fills with uniform elements in [−1, 1); the same for the same seed and length on every machine and any number of cores.
pub fn fill_random<T: Element>(elements: &mut [T], seed: u64) {
    // One generator per chunk, so that chunks can be drawn in parallel; the chunk length is part of what the seed means.
    const CHUNK: usize = 1 << 14;
    elements.par_chunks_mut(CHUNK).enumerate().for_each(|(index, chunk)| {
        let mut generator = StdRng::seed_from_u64(distinct_seed(seed, index as u64));
        for element in chunk {
            *element = T::uniform(generator.next_u64());
        }
    });
}

/// A seed for the `index`-th item that depends on `seed`: distinct for distinct pairs (SplitMix64's finaliser, Steele et al. 2014).
pub fn distinct_seed(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Device memory for `len` elements that holds whatever was there before: [`poison`] or copy into it before reading.
#[allow(unsafe_code)]
pub fn allocate_device<T: Element>(stream: &Arc<CudaStream>, len: usize) -> Result<CudaSlice<T>, DriverError> {
    // SAFETY: every bit pattern is a value of both element types, so unset memory is no worse than arbitrary numbers.
    let call = || unsafe { stream.alloc::<T>(len) };
    traced(stream, "cuMemAllocAsync", None, call)
}

/// The byte that [`poison`] writes. All bits set is a NaN in every IEEE 754 type.
static POISON: AtomicU8 = AtomicU8::new(0xff);

/// From now on [`poison`] writes this byte: ordinary numbers instead of NaN, for a kernel that looks at what it finds in its output.
pub fn poison_with(byte: u8) {
    POISON.store(byte, Ordering::Relaxed);
}

/// Returns whether an element of a result holds what was there before the launch: the poison of the device's memory, or of the host's.
/// No card computes either of these NaNs: its own has other bits.
pub fn is_untouched<T: Element>(element: T) -> bool {
    let byte = u64::from(POISON.load(Ordering::Relaxed));
    let poison = (byte * 0x0101_0101_0101_0101) >> (64 - 8 * T::DTYPE.bytes());
    element.bits() == poison || element.bits() == T::POISON.bits()
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
    let byte = POISON.load(Ordering::Relaxed);
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
        let work = Work::transfer("memcpy DtoH", self.bytes());
        traced(stream, "cuMemcpyDtoHAsync_v2", Some(work), || stream.memcpy_dtoh(device, &mut self.host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_elements_and_another_seed_others() {
        let mut first = vec![0f32; 40_000];
        let mut again = first.clone();
        let mut other = first.clone();
        fill_random(&mut first, 1);
        fill_random(&mut again, 1);
        fill_random(&mut other, 2);
        assert_eq!(first, again);
        assert_ne!(first, other);
        assert_ne!(first[..100], first[1 << 14..][..100], "chunks repeat");
    }

    #[test]
    fn elements_are_spread_over_the_whole_range() {
        let mut elements = vec![0f64; 100_000];
        fill_random(&mut elements, 7);
        let mean = elements.iter().sum::<f64>() / elements.len() as f64;
        let square = elements.iter().map(|x| x * x).sum::<f64>() / elements.len() as f64;
        assert!(elements.iter().all(|x| (-1.0..1.0).contains(x)));
        // Standard errors are 0.0018 and 0.00094.
        assert!(mean.abs() < 0.01, "{mean}");
        assert!((square - 1.0 / 3.0).abs() < 0.006, "{square}");
    }
}

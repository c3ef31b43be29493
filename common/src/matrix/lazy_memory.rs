//! Host memory that is given by a function instead of by its bytes: what a run of some blocks holds of a large matrix.
//!
//! The simulator copies the function to and from its card, and makes the pages that kernels look at. The host reads through it as well.

use crate::device::{Device, simulator};
use crate::element::Element;
use crate::simulator::{Fill, Simulator};
use std::borrow::Cow;
use std::ops::Range;

/// Smaller matrices are held whole: that is quicker, and takes little.
const LEAST_BYTES: usize = 32 << 20;

/// The values of memory that nobody has written.
#[derive(Clone, Copy, Debug)]
pub enum Contents {
    /// Those of [`fill_random`](numbers::Loops::fill_random) by this seed.
    Random(u64),
    /// [`POISON`](numbers::Number::POISON).
    Poison,
}

/// A range of the host's memory that is given by a function for as long as this lives.
#[derive(Debug)]
pub struct LazyMemory {
    address: u64,
    bytes: u64,
    simulator: &'static Simulator,
}

impl LazyMemory {
    /// True where a matrix of so many bytes is better not held: of a launch on this device some blocks run for all.
    pub fn suits(device: &Device, bytes: usize) -> bool {
        device.samples() && simulator().is_some() && bytes >= LEAST_BYTES
    }

    /// Elements that nobody has touched; `None` where the device is not simulated. The memory must outlive the place.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn new<T: Element>(address: u64, len: usize, contents: Contents) -> Option<LazyMemory> {
        let (fill, seed): (Fill, u64) = match contents {
            Contents::Random(seed) => (random::<T>, seed),
            Contents::Poison => (poison::<T>, 0),
        };
        let place = LazyMemory { address, bytes: (len * size_of::<T>()) as u64, simulator: simulator()? };
        // SAFETY: the memory outlives this value, by this function's `# Safety`; the functions write what they are given a place for, and may be called from any thread.
        unsafe { place.simulator.place(place.address, place.bytes, Some(fill), seed) }.then_some(place)
    }

    /// Elements of the range, which begins with element 0. Synchronise the stream of the last copy before.
    #[allow(unsafe_code)]
    fn read<T: Element>(&self, range: &Range<usize>) -> Vec<T> {
        let mut elements = vec![T::POISON; range.len()];
        let bytes = size_of_val(elements.as_slice()) as u64;
        let address = self.address + (range.start * size_of::<T>()) as u64;
        // SAFETY: there is room for so many bytes, and any bits are an element.
        let known = unsafe { self.simulator.read(address, bytes, elements.as_mut_ptr().cast()) };
        assert!(known || range.is_empty(), "elements {range:?} are outside of their matrix");
        elements
    }
}

impl Drop for LazyMemory {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: without a function nothing is asked of the memory.
        unsafe { self.simulator.place(self.address, self.bytes, None, 0) };
    }
}

#[allow(unsafe_code)]
unsafe extern "C" fn random<T: Element>(seed: u64, first: u64, into: *mut u8, bytes: u64) {
    // SAFETY: pages and parts of a place begin with an element, and any bits are one.
    let elements = unsafe { std::slice::from_raw_parts_mut(into.cast::<T>(), bytes as usize / size_of::<T>()) };
    T::fill_random_part(elements, seed, first as usize / size_of::<T>());
}

#[allow(unsafe_code)]
unsafe extern "C" fn poison<T: Element>(_: u64, _: u64, into: *mut u8, bytes: u64) {
    // SAFETY: as above.
    unsafe { std::slice::from_raw_parts_mut(into.cast::<T>(), bytes as usize / size_of::<T>()) }.fill(T::POISON);
}

/// The elements of a matrix on the host, wherever they are.
#[derive(Clone, Copy, Debug)]
pub enum Elements<'a, T> {
    /// In memory.
    All(&'a [T]),
    /// In a place, so many.
    Placed(&'a LazyMemory, usize),
}

impl<'a, T: Element> Elements<'a, T> {
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Elements::All(elements) => elements.len(),
            Elements::Placed(_, len) => *len,
        }
    }

    /// Some of them.
    pub fn part(&self, range: &Range<usize>) -> Cow<'a, [T]> {
        match self {
            Elements::All(elements) => Cow::Borrowed(&elements[range.clone()]),
            Elements::Placed(place, _) => Cow::Owned(place.read(range)),
        }
    }

    /// Some of them, one part after the other.
    pub fn parts(&self, ranges: impl Iterator<Item = Range<usize>>) -> Vec<T> {
        let mut all = Vec::new();
        ranges.for_each(|range| all.extend_from_slice(&self.part(&range)));
        all
    }

    /// One of them.
    pub fn at(&self, index: usize) -> T {
        self.part(&(index..index + 1))[0]
    }

    /// The rows of a matrix, as many of them at a time as take little memory: the number of the first, and their elements.
    pub fn bands(&self, columns: usize) -> impl Iterator<Item = (usize, Cow<'a, [T]>)> + use<'a, T> {
        const TOGETHER: usize = 1 << 23;
        let (elements, rows) = (*self, self.count() / columns.max(1));
        let step = match self {
            Elements::All(_) => rows.max(1),
            Elements::Placed(..) => (TOGETHER / columns.max(1)).max(1),
        };
        (0..rows).step_by(step).map(move |row| (row, elements.part(&(row * columns..(row + step).min(rows) * columns))))
    }
}

//! Elements that nobody has written, told by the bits that outputs hold before a launch.

use crate::number::Number;
use std::sync::atomic::{AtomicU8, Ordering};

/// The byte that outputs on a device hold before a launch. All bits set is a NaN in every IEEE 754 type.
static POISON: AtomicU8 = AtomicU8::new(0xff);

/// From now on outputs hold this byte before a launch: ordinary numbers instead of NaN, for a kernel that looks at what it finds in its output.
pub fn poison_with(byte: u8) {
    POISON.store(byte, Ordering::Relaxed);
}

/// The byte that outputs on a device hold before a launch.
pub fn poison() -> u8 {
    POISON.load(Ordering::Relaxed)
}

/// Returns whether an element of a result holds what was there before the launch: the poison of the device's memory, or of the host's.
/// No card computes either of these NaNs: its own has other bits.
pub fn is_untouched<T: Number>(element: T) -> bool {
    let byte = u64::from(poison());
    let poison = (byte * 0x0101_0101_0101_0101) >> (64 - 8 * T::DTYPE.bytes());
    element.bits() == poison || element.bits() == T::POISON.bits()
}

pub(crate) fn write<T: Number>(elements: &mut [T]) {
    // On this thread: lines that other cores have in their caches make the copies slower that are measured afterwards.
    elements.fill(T::POISON);
}

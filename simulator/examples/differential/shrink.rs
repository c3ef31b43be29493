//! The smallest kernel that still shows a difference: items are left out, many at a time, then one by one.
use crate::kernel::Kernel;

/// `shows` runs a kernel, and says whether the difference is still there.
pub fn shrink(kernel: &Kernel, mut shows: impl FnMut(&Kernel) -> bool) -> Kernel {
    let mut smallest = kernel.clone();
    let mut length = smallest.size().div_ceil(2).max(1);
    loop {
        let mut from = 0;
        let mut shrunk = false;
        while from < smallest.size() {
            let candidate = smallest.without(from, length);
            if shows(&candidate) {
                smallest = candidate;
                shrunk = true;
            } else {
                from += length;
            }
        }
        match length {
            1 if !shrunk => return smallest,
            1 => {}
            _ => length = length.div_ceil(2),
        }
    }
}

//! Where programs look for a card before they ask its driver: the nodes of its devices. `stat` and `access` of these find a device, so that a
//! program (JAX) goes on to the driver instead of to its CPU. To open one fails as before, because there is nothing behind it.
//!
//! A call runs in the program's threads, with another C library than the auditor's: nothing here allocates or asks for `errno`.
use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The nodes, and a device that is there on every machine.
const NODES: [&CStr; 2] = [c"/dev/nvidia0", c"/dev/nvidiactl"];
const THERE: &CStr = c"/dev/null";

/// Up to five arguments of a function of the C library, none of which is a floating-point number.
type Call = unsafe extern "C" fn(usize, usize, usize, usize, usize) -> usize;

macro_rules! replaced {
    ($($name:literal $path:literal $index:literal;)*) => {
        /// The names of the functions; at which argument each has its path; ours in its place.
        const FUNCTIONS: &[(&CStr, Call)] = &[$(($name, {
            unsafe extern "C" fn replaced(a: usize, b: usize, c: usize, d: usize, e: usize) -> usize {
                let mut arguments = [a, b, c, d, e];
                // SAFETY: the argument that the C library takes for a path.
                arguments[$path] = unsafe { found(arguments[$path]) };
                let [a, b, c, d, e] = arguments;
                // SAFETY: the function of this name, which takes these arguments or fewer of them, in the same registers.
                unsafe { std::mem::transmute::<usize, Call>(OWN[$index].load(Ordering::Relaxed))(a, b, c, d, e) }
            }
            replaced
        })),*];
        /// The C library's functions.
        static OWN: [AtomicUsize; FUNCTIONS.len()] = [const { AtomicUsize::new(0) }; FUNCTIONS.len()];
    };
}

// The path is the first argument, or the second. Programs that were linked before glibc 2.33 call those with `x` in their names.
replaced! {
    c"stat" 0 0;
    c"stat64" 0 1;
    c"access" 0 2;
    c"__xstat" 1 3;
    c"__xstat64" 1 4;
    c"fstatat" 1 5;
    c"fstatat64" 1 6;
    c"faccessat" 1 7;
    c"statx" 1 8;
}

/// The path that is looked at in place of another one.
///
/// # Safety
/// The path is null or a text that ends in NUL.
unsafe fn found(path: usize) -> usize {
    let path = path as *const c_char;
    // SAFETY: the pointer is as this function's caller has to give it.
    let is_node = !path.is_null() && NODES.contains(&unsafe { CStr::from_ptr(path) });
    (if is_node { THERE.as_ptr() } else { path }) as usize
}

/// The address that a symbol of the C library is bound to.
///
/// # Safety
/// The address is that of the function of this name.
pub unsafe fn bound(name: &CStr, address: usize) -> usize {
    match FUNCTIONS.iter().position(|(replaced, _)| *replaced == name) {
        Some(index) => {
            OWN[index].store(address, Ordering::Relaxed);
            FUNCTIONS[index].1 as usize
        }
        None => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_a_card_are_found_and_others_are_as_they_are() {
        let paths = [c"/dev/nvidia0", c"/dev/nvidiactl", c"/dev/nvidia00", c"/nowhere"];
        // SAFETY: the C library's own function, and texts that end in NUL.
        let ours = unsafe { bound(c"access", libc::access as *const () as usize) };
        // SAFETY: the function in its place, which takes five arguments.
        let ours: Call = unsafe { std::mem::transmute::<usize, Call>(ours) };
        let found = paths.map(|path| {
            // SAFETY: a text that ends in NUL, and a mode.
            unsafe { ours(path.as_ptr() as usize, libc::F_OK as usize, 0, 0, 0) as i32 }
        });
        assert_eq!(found, [0, 0, -1, -1]);
        // SAFETY: no function of this list.
        assert_eq!(unsafe { bound(c"open", 64) }, 64);
    }
}

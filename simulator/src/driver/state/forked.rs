//! Children of `fork`: where the parent had started the driver, it answers nothing in the child, as NVIDIA's does. The child has
//! a copy of the parent's state, but none of the threads that work on it.
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static IN_CHILD: AtomicBool = AtomicBool::new(false);

/// Functions that need no started driver answer in the child too.
const ANSWERED: &[&str] =
    &["cuDriverGetVersion", "cuGetErrorName", "cuGetErrorString", "cuGetProcAddress", "cuGetProcAddress_v2"];

/// From now on children of this process are told apart. A driver that starts only in the child works there.
pub fn watch() {
    static WATCHED: Once = Once::new();
    // SAFETY: the function only stores a flag. Where it cannot be registered, a child goes on with its copy of the state.
    WATCHED.call_once(|| unsafe {
        libc::pthread_atfork(None, None, Some(mark));
    });
}

extern "C" fn mark() {
    IN_CHILD.store(true, Ordering::Relaxed);
}

/// Whether the function `name` is not answered here.
pub fn refuses(name: &str) -> bool {
    IN_CHILD.load(Ordering::Relaxed) && !ANSWERED.contains(&name)
}

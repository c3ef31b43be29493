//! Children of `fork`: where the parent had started the driver, it answers nothing in the child, as NVIDIA's does. The child has
//! a copy of the parent's state, but none of the threads that work on it: a lock that one of them held is never let go, so the
//! child takes none.
use std::ffi::c_int;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

static IN_CHILD: AtomicBool = AtomicBool::new(false);
static INTERFACE: OnceLock<c_int> = OnceLock::new();

/// Functions that need no started driver answer in the child too.
const ANSWERED: &[&str] =
    &["cuDriverGetVersion", "cuGetErrorName", "cuGetErrorString", "cuGetProcAddress", "cuGetProcAddress_v2"];

/// From now on children of this process are told apart, and know the version of the interface that it answers. A driver that starts only in
/// the child works there.
pub fn watch(interface: c_int) {
    INTERFACE.get_or_init(|| {
        // SAFETY: the function only stores a flag. Where it cannot be registered, a child goes on with its copy of the state.
        unsafe { libc::pthread_atfork(None, None, Some(mark)) };
        interface
    });
}

/// The version of the interface of the driver that this process or the one that it was forked from has started.
pub fn interface() -> Option<c_int> {
    INTERFACE.get().copied()
}

extern "C" fn mark() {
    IN_CHILD.store(true, Ordering::Relaxed);
}

/// True if the function `name` is not answered here.
pub fn refuses(name: &str) -> bool {
    IN_CHILD.load(Ordering::Relaxed) && !ANSWERED.contains(&name)
}

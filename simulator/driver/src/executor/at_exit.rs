//! The end of the process: kernels that nothing waited for are run, so that they are in the journal.
use super::finish::poll;
use crate::state;
use crate::state::logs::journal;

/// Has pending kernels run when the process ends, where a journal is kept.
pub fn at_exit() {
    // SAFETY: the function neither takes nor gives anything and keeps its panics to itself. Where it cannot be registered,
    // pending work stays undone, as without a journal.
    unsafe { libc::atexit(finish_pending) };
}

/// Runs the kernels that are pending, unless somebody else is at it: the process must end whatever state its threads are
/// in. Host functions are left alone, they would meet a program that is half gone.
extern "C" fn finish_pending() {
    let _ = std::panic::catch_unwind(|| {
        if journal::is_owner()
            && let Some(driver) = state::try_lock()
        {
            let pending = driver.pending_launches();
            let _ = poll(driver, &pending);
        }
    });
}

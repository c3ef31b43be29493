//! Which context is current on a thread.
use std::cell::Cell;

thread_local! {
    /// Contexts pushed on this thread, the current one last. A plain cell beside it keeps `cuCtxGetCurrent` cheap.
    static STACK: std::cell::RefCell<Vec<usize>> = const { std::cell::RefCell::new(Vec::new()) };
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// The current context's handle, 0 where there is none.
pub fn current_handle() -> usize {
    CURRENT.get()
}

/// Replaces the top of the thread's stack of contexts; 0 takes it away.
pub fn set_current(handle: usize) {
    STACK.with_borrow_mut(|stack| {
        stack.pop();
        if handle != 0 {
            stack.push(handle);
        }
        CURRENT.set(stack.last().copied().unwrap_or(0));
    });
}

/// Makes a context current on top of the others.
pub fn push_current(handle: usize) {
    STACK.with_borrow_mut(|stack| stack.push(handle));
    CURRENT.set(handle);
}

/// Takes the current context off.
pub fn pop_current() -> Option<usize> {
    STACK.with_borrow_mut(|stack| {
        let popped = stack.pop();
        CURRENT.set(stack.last().copied().unwrap_or(0));
        popped
    })
}

//! Which context is current on a thread.
use std::cell::{Cell, RefCell};

thread_local! {
    /// Contexts pushed on this thread, the current one last.
    static STACK: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
    /// The last of them. A plain cell keeps `cuCtxGetCurrent` cheap, and lives on where a library calls the driver while the process
    /// ends, when the stack is gone already: GCC's OpenMP destroys its context there.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// Changes the stack of the thread; at the end of the process one of the current context alone, which nothing keeps.
fn with_stack<T>(change: impl FnOnce(&mut Vec<usize>) -> T) -> T {
    let change = |stack: &mut Vec<usize>| {
        let answer = change(stack);
        CURRENT.set(stack.last().copied().unwrap_or(0));
        answer
    };
    let mut change = Some(change);
    let kept = STACK.try_with(|stack| change.take().map(|change| change(&mut stack.borrow_mut())));
    kept.ok().flatten().unwrap_or_else(|| {
        let mut alone = Vec::from_iter(Some(CURRENT.get()).filter(|&handle| handle != 0));
        change.take().expect("nothing has changed the stack")(&mut alone)
    })
}

/// The current context's handle, 0 where there is none.
pub fn current_handle() -> usize {
    CURRENT.get()
}

/// Replaces the top of the thread's stack of contexts; 0 takes it away.
pub fn set_current(handle: usize) {
    with_stack(|stack| {
        stack.pop();
        if handle != 0 {
            stack.push(handle);
        }
    });
}

/// Makes a context current on top of the others.
pub fn push_current(handle: usize) {
    with_stack(|stack| stack.push(handle));
}

/// Takes the current context off.
pub fn pop_current() -> Option<usize> {
    with_stack(Vec::pop)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets, pushes and pops contexts when the thread's other values are gone.
    struct Late;
    thread_local! {
        static LATE: Late = const { Late };
    }
    impl Drop for Late {
        fn drop(&mut self) {
            // The stack was used later than this value, so it goes first.
            assert!(STACK.try_with(|_| ()).is_err());
            assert_eq!((current_handle(), pop_current(), current_handle()), (7, Some(7), 0));
            push_current(8);
            set_current(9);
            assert_eq!(current_handle(), 9);
        }
    }

    #[test]
    fn a_library_may_change_the_context_while_its_thread_ends() {
        let thread = std::thread::spawn(|| {
            LATE.with(|_| ());
            push_current(7);
        });
        assert!(thread.join().is_ok());
    }
}

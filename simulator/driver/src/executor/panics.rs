//! Panics in the executor: caught where an operation runs, told with their place, and the end of its context.
use crate::interface::Cause;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, Once, PoisonError};

/// Where the last panic of any thread was: a kernel's own threads panic beside the one that waits for them.
static PLACE: Mutex<String> = Mutex::new(String::new());

/// Runs a body that does `what`; a panic in it is a cause.
pub fn caught<T>(what: impl FnOnce() -> String, body: impl FnOnce() -> Result<T, Cause>) -> Result<T, Cause> {
    remember_places();
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without words");
        let at = std::mem::take(&mut *PLACE.lock().unwrap_or_else(PoisonError::into_inner));
        Err(Cause::Panicked { what: what(), at, words: words.to_owned() })
    })
}

fn remember_places() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let place = panic.location().map(ToString::to_string).unwrap_or_default();
            *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = place;
            others(panic);
        }));
    });
}

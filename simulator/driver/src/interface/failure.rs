//! The last failure of each thread: `cuGetErrorString` answers its whole text, `labs_sim_take("failure")` its family too.
use cuda::CUresult;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_char};
use std::sync::{Mutex, TryLockError};
use watch::diagnostics::Family;

thread_local! {
    /// The last failure of this thread.
    static LAST: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

/// A call that failed.
#[derive(Clone, Copy)]
pub struct Failure {
    pub code: CUresult,
    pub family: Family,
    /// The whole text.
    pub text: &'static CStr,
}

/// The last failure of this thread.
pub fn last() -> Option<Failure> {
    LAST.with_borrow(|last| *last)
}

/// Notes a failure of this thread, and answers its text as it is kept.
pub fn remember(code: CUresult, family: Family, text: String) -> &'static CStr {
    let text = intern(text);
    LAST.with_borrow_mut(|last| *last = Some(Failure { code, family, text }));
    text
}

/// The diagnosis of this thread's last failure, where that failure had this code. Under `sim`, which has the whole on standard error, it is as
/// many lines as fit into 1024 bytes with some words before them: Triton copies it into a buffer of that size, and looks at no length.
pub fn last_text(code: u32) -> Option<*const c_char> {
    let text = last().filter(|failure| failure.code as u32 == code)?.text;
    let Some(start) = text.to_bytes().get(..960).filter(|_| std::env::var_os("LABS_SIM_REFUSALS").is_some()) else {
        return Some(text.as_ptr());
    };
    let end = start.iter().rposition(|byte| *byte == b'\n').unwrap_or(start.len());
    Some(intern(String::from_utf8_lossy(&start[..end]).into_owned()).as_ptr())
}

/// Callers keep the pointers that `cuGetErrorString` answers for as long as they like: each text is kept for good, and once, but where another
/// thread is at the texts: in a child made by `fork` it would be so for ever.
fn intern(text: String) -> &'static CStr {
    static TEXTS: Mutex<BTreeSet<&'static CStr>> = Mutex::new(BTreeSet::new());
    let text = CString::new(text.replace('\0', "?")).unwrap_or_default();
    let mut texts = match TEXTS.try_lock() {
        Ok(texts) => texts,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => return Box::leak(text.into_boxed_c_str()),
    };
    if let Some(known) = texts.get(text.as_c_str()) {
        return known;
    }
    let kept: &'static CStr = Box::leak(text.into_boxed_c_str());
    texts.insert(kept);
    kept
}

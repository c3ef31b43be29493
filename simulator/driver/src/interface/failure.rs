//! The last failure of each thread: `cuGetErrorString` answers its whole text.
use cuda::CUresult;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_char};
use std::sync::{Mutex, TryLockError};

thread_local! {
    /// The last failure of this thread: its code and its whole text.
    static LAST: RefCell<Option<(CUresult, &'static CStr)>> = const { RefCell::new(None) };
}

/// Notes a failure of this thread, and answers its text as it is kept.
pub fn remember(code: CUresult, text: String) -> &'static CStr {
    let text = intern(text);
    LAST.with_borrow_mut(|last| *last = Some((code, text)));
    text
}

/// The diagnosis of this thread's last failure, where that failure had this code.
pub fn last_text(code: u32) -> Option<*const c_char> {
    LAST.with_borrow(|last| last.filter(|&(of, _)| of as u32 == code).map(|(_, text)| text.as_ptr()))
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

//! What every exported function goes through: panics stay inside, and the thread remembers why its last call failed.
use super::cause::Cause;
use super::result::CUresult;
use super::state;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

thread_local! {
    /// The last failure of this thread: its code and its whole text.
    static LAST: RefCell<Option<(CUresult, &'static CStr)>> = const { RefCell::new(None) };
}

/// Runs the implementation of the exported function `name`.
pub fn call(name: &'static str, body: &mut dyn FnMut() -> Result<(), Cause>) -> CUresult {
    let before = state::host_ns();
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let words = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()))
            .unwrap_or_else(|| "a panic without words".to_owned());
        Err(Cause::Defect(words))
    });
    let after = state::host_ns();
    if after > before {
        super::records::api(name, before, after);
    }
    match outcome {
        Ok(()) => CUresult::CUDA_SUCCESS,
        // Polling is no failure, and must not displace the text of one.
        Err(Cause::NotReady) => CUresult::CUDA_ERROR_NOT_READY,
        Err(cause) => {
            let code = cause.code();
            let text = intern(cause.text(name));
            if logging() {
                eprintln!("[simulator] {name}: {}: {}", code as u32, text.to_string_lossy());
            }
            LAST.with_borrow_mut(|last| *last = Some((code, text)));
            code
        }
    }
}

/// The diagnosis of this thread's last failure, where that failure had this code.
pub fn last_text(code: u32) -> Option<*const c_char> {
    LAST.with_borrow(|last| last.filter(|&(of, _)| of as u32 == code).map(|(_, text)| text.as_ptr()))
}

/// Whether `LABS_SIM_LOG` asks for failures and unknown functions on standard error.
pub fn logging() -> bool {
    static ON: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *ON.get_or_init(|| std::env::var_os("LABS_SIM_LOG").is_some_and(|v| !v.is_empty() && v != "0"))
}

/// Callers keep the pointers that `cuGetErrorString` answers for as long as they like: each text is kept once, for good.
fn intern(text: String) -> &'static CStr {
    static TEXTS: Mutex<BTreeSet<&'static CStr>> = Mutex::new(BTreeSet::new());
    let text = CString::new(text.replace('\0', "?")).unwrap_or_default();
    let mut texts = TEXTS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(known) = texts.get(text.as_c_str()) {
        return known;
    }
    let kept: &'static CStr = Box::leak(text.into_boxed_c_str());
    texts.insert(kept);
    kept
}

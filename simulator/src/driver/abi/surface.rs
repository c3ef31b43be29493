//! What every exported function goes through: panics stay inside, and the thread remembers why its last call failed.
use crate::driver::interface::cause::Cause;
use crate::driver::interface::failure;
use crate::driver::interface::result::CUresult;
use crate::driver::state::clock;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the implementation of the exported function `name`.
pub fn call(name: &'static str, body: &mut dyn FnMut() -> Result<(), Cause>) -> CUresult {
    let before = clock::host_ns();
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let words = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()))
            .unwrap_or_else(|| "a panic without words".to_owned());
        Err(Cause::Defect(words))
    });
    let after = clock::host_ns();
    if after > before {
        crate::driver::state::records::api(name, before, after);
    }
    match outcome {
        Ok(()) => CUresult::CUDA_SUCCESS,
        // Polling is no failure, and must not displace the text of one.
        Err(Cause::NotReady) => CUresult::CUDA_ERROR_NOT_READY,
        Err(cause) => {
            let code = cause.code();
            let text = failure::remember(code, cause.text(name));
            if logging() {
                eprintln!("[simulator] {name}: {}: {}", code as u32, text.to_string_lossy());
            }
            code
        }
    }
}

/// Whether `LABS_SIM_LOG` asks for failures and unknown functions on standard error.
pub fn logging() -> bool {
    static ON: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *ON.get_or_init(|| std::env::var_os("LABS_SIM_LOG").is_some_and(|v| !v.is_empty() && v != "0"))
}

//! The surface of every exported function: panics stay inside, and the thread remembers why its last call failed.
use crate::interface::{Cause, Outcome, failure};
use crate::state::logs::{calls, refusals};
use crate::state::{self, forked, host_time};
use cuda::CUresult;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

/// Runs the implementation of the exported function `name`.
pub fn call(name: &'static str, body: &mut dyn FnMut() -> Outcome) -> CUresult {
    if forked::refuses(name) {
        let code = Cause::Forked.code();
        failure::remember(code, Cause::Forked.family(), Cause::Forked.text(name));
        return code;
    }
    let before = host_time::host_ns();
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let words = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()))
            .unwrap_or_else(|| "a panic without words".to_owned());
        Err(Cause::Defect(words))
    });
    let after = host_time::host_ns();
    if after > before {
        crate::state::logs::records::api(name, before, after);
    }
    match outcome {
        Ok(()) => CUresult::CUDA_SUCCESS,
        // Polling is no failure, and must not displace the text of one.
        Err(Cause::NotReady) => CUresult::CUDA_ERROR_NOT_READY,
        Err(cause) => {
            let code = cause.code();
            let image = refusals::take_image();
            let file = image.as_ref().and_then(|image| image.file.as_deref()).filter(|_| cause.is_of_other_cards());
            let place = file.map_or_else(String::new, |file| format!("; the image lies in {file}"));
            let text = failure::remember(code, cause.family(), cause.text(name) + &place).to_string_lossy();
            refusals::note(name, &cause, &text, image);
            calls::tell(&text);
            if logging() {
                eprintln!("[simulator] {name}: {}: {text}", code as u32);
            } else if cause.is_refusal() {
                tell_once(&text);
            }
            code
        }
    }
}

/// Says what was refused on standard error, each text once: clients mask the results of calls, and a refusal is no fault of
/// theirs. A program that takes the simulator's records asks for the texts itself.
#[cold]
fn tell_once(text: &str) {
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if state::lock().settings.is_bridged {
        return;
    }
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if told.len() < MOST_TOLD && told.insert(text.to_owned()) {
        eprintln!("[simulator] {text}");
    }
}

/// Refusals beyond this many are not told: a program that goes on after so many tries things out.
const MOST_TOLD: usize = 64;

/// True if `LABS_SIM_LOG` asks for failures and unknown functions on standard error.
pub fn logging() -> bool {
    static ON: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *ON.get_or_init(|| std::env::var_os("LABS_SIM_LOG").is_some_and(|v| !v.is_empty() && v != "0"))
}

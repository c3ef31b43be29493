//! Refusals in this process. A run in which work was refused must not end as if all had been done, and clients mask the
//! results of calls: so the process says at its end what it was, and `sim`, which reads the same from a folder, ends with an
//! exit code of its own.
//!
//! The folder is named by `LABS_SIM_REFUSALS`. One file per process, named by its id; one JSON object per line: `refused` with a
//! number, `handled` with the number of a refusal that the program found another way around, `kernel` with the instructions of a
//! kernel, when it is launched for the first time, `again` with the words of one that is refused again, `fault` with the words of a kernel or a launch that failed, which a program that checks
//! nothing does not see, or `relaunched` with the words of a failed launch whose kernel was launched otherwise since.
use super::certificate::OfKernel;
use crate::interface::Cause;
use crate::objects::images::facts::ImageFacts;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::c_int;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

/// How a process ends with `LABS_SIM_STRICT=1` where work was refused, and `sim` where the command ended with 0.
pub const EXIT_CODE: c_int = 3;
/// The same where a kernel or a launch failed; pytest has codes of its own up to 5.
pub const FAULT_EXIT_CODE: c_int = 6;

/// A refusal that was not told before.
struct Refusal {
    what: String,
    why: String,
    /// True if results depend on it.
    is_work: bool,
    repeated: usize,
    /// Kernels that the program has not got since; of an image whose kernels are not known, and of other calls, none.
    missing: BTreeSet<String>,
    is_handled: bool,
}

static REFUSALS: Mutex<Vec<Refusal>> = Mutex::new(Vec::new());
/// True if an image was refused, so that later ones are looked at.
static IMAGES: AtomicBool = AtomicBool::new(false);

/// Words of what failed, and of a launch that was not done its kernel.
static FAULTS: Mutex<Vec<(String, Option<String>)>> = Mutex::new(Vec::new());

/// Refusals beyond this many are not kept: a program that goes on after so many tries things out.
const MOST: usize = 64;
const MOST_REPEATED: usize = 1000;

thread_local! {
    /// The image that the running call of this thread could not take.
    static IMAGE: RefCell<Option<ImageFacts>> = const { RefCell::new(None) };
}

/// The running call is about to fail, by this image.
pub fn of_image(facts: ImageFacts) {
    // A program may call the driver from the destructors of its thread, when this value is gone.
    let _ = IMAGE.try_with(|image| image.replace(Some(facts)));
}

/// The image by which the running call fails, which is forgotten then.
pub fn take_image() -> Option<ImageFacts> {
    IMAGE.try_with(RefCell::take).ok().flatten()
}

/// Functions that ask or advise by their names: a program that is refused one computes the same. All others do work. No graphics are there beside
/// a simulated card, nor beside most real ones.
const HARMLESS: &str = "Get Query Coredump Logs Notification Prefetch Discard DevSmResourceSplit StreamSetAttribute StreamCopyAttributes \
    ProfilerInitialize cudaGraphics cudaGL cudaEGL cudaVDPAU";
/// Functions that a program cannot do without, although their names say that they ask.
const NEEDED: &str =
    "cuGetExportTable ModuleGetTexRef ModuleGetSurfRef LibraryGetUnifiedFunction ExternalMemoryGetMapped TexRefGet";

/// True if results depend on a call that was refused.
fn does_work(call: &str) -> bool {
    let has = |parts: &str| parts.split(' ').any(|part| call.contains(part));
    has(NEEDED) || !has(HARMLESS)
}

/// Notes a call that failed, if the simulator refused it, or ended it by a limit of its own.
pub fn note(call: &str, cause: &Cause, why: &str, image: Option<ImageFacts>) {
    if !cause.is_refusal() && !cause.is_limit_of_a_kernel() {
        return;
    }
    let image = image.unwrap_or_default();
    let is_work = match cause {
        Cause::NotModelled(what) => does_work(call) && *what != Cause::OTHER_SHAREABLE_HANDLES,
        // A card's linker refuses these as well.
        Cause::NotLinked(_) => false,
        Cause::Undefined { machine_code, .. } => !machine_code.is_empty(),
        // A text that is no PTX at all is refused by everyone.
        Cause::BadPtx { .. } => image.is_ptx,
        _ => true,
    };
    add(&cause.to_string(), why, is_work, image.kernels);
}

/// A stream's work failed, whoever asks for that.
pub fn note_failed(cause: &Cause) {
    let why = cause.text("a stream's work");
    if cause.is_refusal() || cause.is_limit_of_a_kernel() {
        note("", cause, &why, None);
    } else {
        add_fault(why, None);
    }
}

/// A launch of a kernel was checked. An impossible one, which nothing reports to a program that does not ask, is no fault once the kernel is launched
/// otherwise: programs look for the shape that suits a card.
pub fn note_launch(kernel: &str, failed: Option<&Cause>) {
    if let Some(cause) = failed.filter(|cause| cause.is_impossible_launch()) {
        add_fault(format!("{} (kernel `{kernel}`)", cause.text("a launch")), Some(kernel.to_owned()));
    } else if failed.is_none() {
        let mut faults = FAULTS.lock().unwrap_or_else(PoisonError::into_inner);
        let relaunched = faults.extract_if(.., |(_, failed)| failed.as_deref() == Some(kernel));
        relaunched.for_each(|(why, _)| write(&json!({ "relaunched": why })));
    }
}

/// An image's PTX for a newer card runs in place of its machine code.
pub fn note_newer(target: u32) {
    write(&json!({ "newer": target }));
}

fn add_fault(why: String, kernel: Option<String>) {
    let mut faults = FAULTS.lock().unwrap_or_else(PoisonError::into_inner);
    if faults.len() < MOST && faults.iter().all(|(known, _)| *known != why) {
        watch_the_end();
        write(&json!({ "fault": { "why": why, "is_launch": kernel.is_some() } }));
        faults.push((why, kernel));
    }
}

/// As [`note`], for a function of another library over the driver, such as the runtime.
pub fn note_function(name: &str) {
    add(name, &format!("{name} has no implementation in this project's library"), does_work(name), Vec::new());
}

/// `what` is the same for every call that fails by it, `why` has the call's name.
fn add(what: &str, why: &str, is_work: bool, kernels: Vec<String>) {
    let mut refusals = lock();
    if let Some(known) = refusals.iter_mut().find(|known| known.what == what && !known.is_handled) {
        // A test that asks for the same as the one before has failed too.
        if known.is_work && known.repeated < MOST_REPEATED {
            known.repeated += 1;
            write(&json!({ "again": known.why }));
        }
        return;
    }
    if refusals.len() >= MOST {
        return;
    }
    if is_work {
        watch_the_end();
        IMAGES.fetch_or(!kernels.is_empty(), Ordering::Relaxed);
    }
    write(&json!({ "refused": { "number": refusals.len(), "why": why, "is_work": is_work } }));
    refusals.push(Refusal {
        what: what.to_owned(),
        why: why.to_owned(),
        is_work,
        repeated: 0,
        missing: kernels.into_iter().collect(),
        is_handled: false,
    });
}

/// The program starts the driver: from now on its file is there, though it may stay empty, so that `sim` can tell a program that asked for no card.
pub fn note_start() {
    append("");
}

/// A kernel is launched for the first time.
pub fn note_kernel(of: &OfKernel) {
    write(&json!({ "kernel": of }));
}

/// Refused work, and what was asked for in vain, so far.
pub fn so_far() -> (Vec<String>, Vec<String>) {
    sorted(&lock())
}

/// Work that was refused, and that the program did not get otherwise, and the other refusals.
fn sorted(refusals: &[Refusal]) -> (Vec<String>, Vec<String>) {
    let is_open = |refusal: &&Refusal| refusal.is_work && !refusal.is_handled;
    let (open, others): (Vec<&Refusal>, Vec<&Refusal>) = refusals.iter().partition(is_open);
    let texts = |list: Vec<&Refusal>| list.iter().map(|refusal| refusal.why.clone()).collect();
    (texts(open), texts(others))
}

/// True if some image was refused: [`provided`] wants to know then of every module.
pub fn misses_kernels() -> bool {
    IMAGES.load(Ordering::Relaxed)
}

/// A module was loaded. An image that was refused before is handled once the program has all of its kernels by other ways.
pub fn provided<'k>(kernels: impl Iterator<Item = &'k str>) {
    let mut refusals = lock();
    let kernels: Vec<&str> = kernels.collect();
    for (number, refusal) in refusals.iter_mut().enumerate().filter(|(_, refusal)| !refusal.missing.is_empty()) {
        refusal.missing.retain(|kernel| !kernels.contains(&kernel.as_str()));
        if refusal.missing.is_empty() {
            refusal.is_handled = true;
            write(&json!({ "handled": number }));
        }
    }
}

fn lock() -> std::sync::MutexGuard<'static, Vec<Refusal>> {
    REFUSALS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn folder() -> Option<PathBuf> {
    std::env::var_os("LABS_SIM_REFUSALS").filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// True if `sim` runs this process, and tells at its end what there is to tell.
pub fn is_under_sim() -> bool {
    folder().is_some()
}

fn write(entry: &Value) {
    append(&format!("{entry}\n"));
}

/// Opened each time, as the journal.
fn append(line: &str) {
    let Some(folder) = folder() else { return };
    let path = folder.join(std::process::id().to_string());
    let file = OpenOptions::new().create(true).append(true).open(&path);
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
    // A process that lives on after its `sim` has nobody to tell.
    if let Err(error) = written
        && error.kind() != ErrorKind::NotFound
    {
        eprintln!("[simulator] LABS_SIM_REFUSALS: {}: {error}", path.display());
    }
}

/// Has the end of the process tell of refused work, unless `sim` does so.
fn watch_the_end() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if !is_under_sim() {
            // SAFETY: the function neither takes nor gives anything and keeps its panics to itself.
            unsafe { libc::atexit(tell_at_the_end) };
        }
    });
}

extern "C" fn tell_at_the_end() {
    let code = std::panic::catch_unwind(|| {
        let open = REFUSALS.try_lock().map_or_else(|_| Vec::new(), |all| sorted(&all).0);
        let faults: Vec<String> =
            FAULTS.try_lock().map_or_else(|_| Vec::new(), |all| all.iter().map(|(why, _)| why.clone()).collect());
        if open.is_empty() && faults.is_empty()
            || crate::state::try_lock().is_some_and(|driver| driver.settings.is_bridged)
        {
            return None;
        }
        let told = [(&open, summary as fn(&[String]) -> String), (&faults, faults_in_words)];
        told.iter().filter(|(all, _)| !all.is_empty()).for_each(|(all, words)| eprintln!("[simulator] {}", words(all)));
        let is_strict = std::env::var_os("LABS_SIM_STRICT").is_some_and(|value| !value.is_empty() && value != "0");
        is_strict.then_some(if faults.is_empty() { EXIT_CODE } else { FAULT_EXIT_CODE })
    });
    if let Ok(Some(code)) = code {
        // SAFETY: the C library goes on with the functions that are still to be called, and ends the process with this code.
        unsafe { libc::exit(code) };
    }
}

/// The words of a run at its end, if work was refused in it.
pub fn summary(refused: &[String]) -> String {
    format!(
        "{} refused in this run, so what it computed may be wrong:{}",
        number(refused, "thing was", "things were"),
        listed(refused)
    )
}

fn number<T>(all: &[T], one: &str, several: &str) -> String {
    format!("{} {}", all.len(), if all.len() == 1 { one } else { several })
}

/// The words of a run at its end, if images had PTX for newer cards alone, by its targets.
pub fn newer_in_words(targets: &[u32]) -> String {
    let all: BTreeSet<String> = targets.iter().map(|target| format!("sm_{target}")).collect();
    let (images, all) = (number(targets, "image", "images"), all.into_iter().collect::<Vec<_>>().join(", "));
    format!("of {images} the PTX for {all} was run, which is newer than the card: a card would run its machine code")
}

/// The words of a run at its end, if kernels or launches failed in it.
pub fn faults_in_words(faults: &[String]) -> String {
    format!(
        "{} failed in this run, so what it computed may be wrong:{}\n   next: check the error after each launch and each wait; \
         sim --allow-faults where a program provokes it",
        number(faults, "kernel or launch", "kernels or launches"),
        listed(faults)
    )
}

/// The first line of each, the rest counted.
fn listed(refused: &[String]) -> String {
    const MOST_LISTED: usize = 8;
    let first = |why: &String| format!("\n   - {}", why.lines().next().unwrap_or_default());
    let mut text: String = refused.iter().take(MOST_LISTED).map(first).collect();
    if refused.len() > MOST_LISTED {
        text += &format!("\n   … and {} more", refused.len() - MOST_LISTED);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails a call when the thread's other values are gone.
    struct Late;
    thread_local! {
        static LATE: Late = const { Late };
    }
    impl Drop for Late {
        fn drop(&mut self) {
            // The image was used later than this value, so it goes first.
            assert!(IMAGE.try_with(|_| ()).is_err());
            of_image(ImageFacts::default());
            assert!(take_image().is_none());
        }
    }

    #[test]
    fn a_call_may_fail_while_its_thread_ends() {
        let thread = std::thread::spawn(|| {
            LATE.with(|_| ());
            of_image(ImageFacts::default());
        });
        assert!(thread.join().is_ok());
    }

    #[test]
    fn questions_and_hints_are_told_from_work() {
        for call in
            ["cuDeviceGetLuid", "cuCoredumpSetAttribute", "cuMemPrefetchBatchAsync", "cudaGraphicsGLRegisterBuffer"]
        {
            assert!(!does_work(call), "{call}");
        }
        for call in [
            "cuMemcpyBatchAsync",
            "cuModuleGetTexRef",
            "cuImportExternalMemory",
            "cuGetExportTable",
            "cudaMemcpy3DPeer",
        ] {
            assert!(does_work(call), "{call}");
        }
    }
}

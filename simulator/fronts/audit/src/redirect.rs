//! Puts the project's runtime library in the place of one that is linked in: each of its functions begins with a jump from then on.
//!
//! A function's jump leads to a step of a page of ours, and the step to the function of the same name in the project's library. That one
//! is opened by the first call, not here: the loader is at work here, and its lists are not whole. Calls come from the
//! program's threads at any time, and the allocator of the auditor's own C library believes that there is one thread (the loader's lock makes it so elsewhere). So
//! nothing that a call runs here allocates.
//!
//! Each copy of NVIDIA's library has a state of its own: the last error of one is none of another's, and CUB refuses to work where it
//! finds one. So each object gets a copy of the project's library too, but for the first, which gets the library itself.
use crate::linked_in::{Entry, LinkedIn};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The project's library, or a copy of it, opened by the first call that needs it.
struct Library {
    path: CString,
    /// A file without a name, into which the library is copied before it is opened, and its path.
    copy: Option<(Nameless, CString)>,
    handle: AtomicUsize,
}

impl Library {
    fn new(path: CString) -> Library {
        static IS_TAKEN: AtomicBool = AtomicBool::new(false);
        let copy = || {
            // Without such files the copies share a state, as they do where they are linked shared.
            let file = Nameless::new()?;
            let path = CString::new(format!("/proc/self/fd/{}", file.number)).ok()?;
            Some((file, path))
        };
        let copy = IS_TAKEN.swap(true, Ordering::Relaxed).then(copy).flatten();
        Library { path, copy, handle: AtomicUsize::new(0) }
    }

    /// The open library; null where it cannot be opened. Several threads may be here at once: what they write is the same, and the loader
    /// opens one file once.
    fn open(&self) -> *mut c_void {
        let known = self.handle.load(Ordering::Acquire);
        if known != 0 {
            return known as *mut c_void;
        }
        let open = |path: &CStr| {
            // The program's own list of libraries.
            // SAFETY: a text that ends in NUL. What the library does when it is opened is the project's own.
            unsafe { libc::dlmopen(libc::LM_ID_BASE, path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) }
        };
        let of_its_own = self
            .copy
            .as_ref()
            .filter(|(file, _)| file.is_ours() && self.write(file.number))
            .map(|(_, path)| open(path));
        let handle = of_its_own.filter(|handle| !handle.is_null()).unwrap_or_else(|| open(&self.path));
        self.handle.store(handle as usize, Ordering::Release);
        handle
    }

    /// Copies the library into a file; whether it is there.
    fn write(&self, to: c_int) -> bool {
        let mut part = [0u8; 1 << 15];
        // SAFETY: a path that ends in NUL, and a buffer of that length.
        unsafe {
            let from = libc::open(self.path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
            let mut at = 0;
            let is_there = from >= 0
                && loop {
                    match libc::pread(from, part.as_mut_ptr().cast(), part.len(), at) {
                        0 => break at > 0,
                        read if read < 0 || libc::pwrite(to, part.as_ptr().cast(), read as usize, at) != read => {
                            break false;
                        }
                        read => at += read as libc::off_t,
                    }
                };
            libc::close(from);
            is_there
        }
    }
}

/// A file in memory. A program may close it without knowing of it, and open one of its own by the same number.
struct Nameless {
    number: c_int,
    identity: (libc::dev_t, libc::ino_t),
}

impl Nameless {
    fn new() -> Option<Nameless> {
        // SAFETY: a text that ends in NUL.
        let number = unsafe { libc::memfd_create(c"libcudart".as_ptr(), libc::MFD_CLOEXEC) };
        Some(Nameless { number, identity: identity(number)? })
    }

    fn is_ours(&self) -> bool {
        identity(self.number) == Some(self.identity)
    }
}

/// By which the system knows an open file.
fn identity(file: c_int) -> Option<(libc::dev_t, libc::ino_t)> {
    // SAFETY: all fields may be zero, and the system fills them.
    unsafe {
        let mut about: libc::stat = std::mem::zeroed();
        (libc::fstat(file, &mut about) == 0).then_some((about.st_dev, about.st_ino))
    }
}

/// The row of one function: the fields that a step reads, and those that the first call needs.
#[repr(C)]
struct Row {
    /// Where the step leads.
    target: AtomicUsize,
    library: &'static Library,
    /// Lies behind the rows.
    name: *const c_char,
    /// The part of the step that answers for a name that the project's library lacks.
    lacking: usize,
}

/// The jump at the beginning of a function: `mov rax, ADDRESS; jmp rax`. No function of the interface takes a varying number of
/// arguments, so `rax` carries nothing.
const JUMP: u64 = 12;
/// Bytes of a step.
const STEP: usize = 32;

/// Redirects all functions of a library that is linked in, in a file that lies at `base`, to those of the project's library at
/// `path`. `original` tells the file's bytes at an address.
///
/// # Errors
/// Nothing was changed, for this reason.
///
/// # Safety
/// The loader has mapped the file there, and none of its code has run.
pub unsafe fn redirect<'a>(
    found: &LinkedIn,
    (file, base): (&Path, usize),
    path: CString,
    original: impl Fn(u64) -> Option<&'a [u8]>,
) -> Result<(), String> {
    for entry in &found.entries {
        if entry.room < JUMP {
            return Err(format!("{} has {} bytes, fewer than a jump", entry.name, entry.room));
        }
        let code = original(entry.address).and_then(|bytes| bytes.get(..JUMP as usize));
        // SAFETY: the file has code there, which the loader has mapped.
        let is_there = unsafe { std::slice::from_raw_parts(address(base, entry) as *const u8, JUMP as usize) };
        if code != Some(is_there) {
            return Err(format!("{} is not in memory as it is in the file", entry.name));
        }
    }
    let steps = steps_of(file, &found.entries, path)?;
    let (Some(first), Some(last)) = (
        found.entries.iter().min_by_key(|entry| entry.address),
        found.entries.iter().max_by_key(|entry| entry.address),
    ) else {
        return Ok(());
    };
    let page = page();
    let begin = address(base, first) / page * page;
    let length = (address(base, last) + JUMP as usize).next_multiple_of(page) - begin;
    let protect = |flags| {
        // SAFETY: pages of the object's code, which nobody runs yet. Where one of them holds what other threads run, which only
        // a page at either end could, they still may run it.
        let answer = unsafe { libc::mprotect(begin as *mut c_void, length, flags) };
        if answer == 0 {
            Ok(())
        } else {
            Err(format!("its code is not to be written: {}", std::io::Error::last_os_error()))
        }
    };
    protect(libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC)?;
    for (i, entry) in found.entries.iter().enumerate() {
        let mut jump = [0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0];
        jump[2..10].copy_from_slice(&(steps + i * STEP).to_le_bytes());
        // SAFETY: the function's own bytes, which are written and which no thread runs.
        unsafe { std::ptr::copy_nonoverlapping(jump.as_ptr(), address(base, entry) as *mut u8, jump.len()) };
    }
    protect(libc::PROT_READ | libc::PROT_EXEC)
}

fn address(base: usize, entry: &Entry) -> usize {
    base.wrapping_add(entry.address as usize)
}

fn page() -> usize {
    // SAFETY: it has no conditions.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// The steps for a file's functions. A file that is opened again, as plugins are, has those that it had, and the same library.
fn steps_of(file: &Path, entries: &[Entry], path: CString) -> Result<usize, String> {
    type Steps = (Vec<Entry>, CString, usize);
    static MADE: Mutex<BTreeMap<PathBuf, Steps>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    match made.get(file) {
        Some((known, library, steps)) if known == entries && *library == path => Ok(*steps),
        _ => {
            let library = Box::leak(Box::new(Library::new(path.clone())));
            let steps = steps(entries, library)?;
            made.insert(file.to_owned(), (entries.to_vec(), path, steps));
            Ok(steps)
        }
    }
}

/// Makes a step for each function: pages of code, then pages of rows and names. They stay as long as the process, since nobody knows
/// who still calls them.
fn steps(entries: &[Entry], library: &'static Library) -> Result<usize, String> {
    let page = page();
    let code_length = (entries.len() * STEP).next_multiple_of(page);
    let names = code_length + (entries.len() + 1) * size_of::<Row>();
    let length = names + entries.iter().map(|entry| entry.name.len() + 1).sum::<usize>();
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: new pages, wherever there is room.
    let made = unsafe { libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    if made == libc::MAP_FAILED {
        return Err(format!("no memory: {}", std::io::Error::last_os_error()));
    }
    let base = made as usize;
    let row = |i: usize| code_length + i * size_of::<Row>();
    // Behind the rows of functions: where all steps go the first time.
    let first_call = row(entries.len());
    let mut name_at = names;
    for (i, entry) in entries.iter().enumerate() {
        let mut code = Vec::with_capacity(STEP);
        let begin = i * STEP;
        // `jmp [target]`; the first call: `lea r11, [row]`, `jmp [first_call]`
        let parts: [(&[u8], usize); 3] =
            [(&[0xff, 0x25], row(i)), (&[0x4c, 0x8d, 0x1d], row(i)), (&[0xff, 0x25], first_call)];
        for (instruction, of) in parts {
            code.extend(instruction);
            // The distance counts from the end of the instruction.
            code.extend(((of as isize - (begin + code.len() + 4) as isize) as i32).to_le_bytes());
        }
        // `mov eax, cudaErrorNotSupported`, `ret`
        let lacking = code.len();
        code.extend([0xb8, 0x21, 0x03, 0, 0, 0xc3]);
        let filled = Row {
            // The part behind the first jump.
            target: AtomicUsize::new(base + begin + 6),
            library,
            name: (base + name_at) as *const c_char,
            lacking: base + begin + lacking,
        };
        // SAFETY: inside the new pages; a name's NUL is there already.
        unsafe {
            std::ptr::copy_nonoverlapping(code.as_ptr(), (base + begin) as *mut u8, code.len());
            ((base + row(i)) as *mut Row).write(filled);
            std::ptr::copy_nonoverlapping(entry.name.as_ptr(), (base + name_at) as *mut u8, entry.name.len());
        }
        name_at += entry.name.len() + 1;
    }
    // SAFETY: as above; then the code may run, and no longer be written.
    let answer = unsafe {
        ((base + first_call) as *mut usize).write(first_call_of as *const () as usize);
        libc::mprotect(made, code_length, libc::PROT_READ | libc::PROT_EXEC)
    };
    if answer == 0 { Ok(base) } else { Err(format!("no pages for code: {}", std::io::Error::last_os_error())) }
}

unsafe extern "C" {
    /// A function's first call: asks [`resolve`] where it leads, with the row in `r11`, and goes there with the arguments that came.
    #[link_name = "front_audit_first_call"]
    fn first_call_of();
}

// Arguments come in six registers and eight of vectors, and on the stack, which is left as it is.
std::arch::global_asm!(include_str!("first_call.s"), resolve = sym resolve);

/// The address that a function leads to from now on.
extern "C" fn resolve(row: &Row) -> usize {
    let handle = row.library.open();
    let mut found = 0;
    if !handle.is_null() {
        // SAFETY: an open library, and a text that ends in NUL.
        found = unsafe { libc::dlsym(handle, row.name) } as usize;
    }
    if found == 0 {
        say_lacking(row, !handle.is_null());
    }
    let target = if found == 0 { row.lacking } else { found };
    row.target.store(target, Ordering::Release);
    target
}

/// Says that a function has nothing to lead to, by calls of the system alone.
fn say_lacking(row: &Row, is_open: bool) {
    let why: &[u8] =
        if is_open { b" is a function that it lacks" } else { b" cannot be called, since it cannot be opened" };
    // SAFETY: the row's texts, which end in NUL.
    let (path, name) = unsafe { (row.library.path.to_bytes(), CStr::from_ptr(row.name).to_bytes()) };
    for part in [b"[sim] of ", path, b": ", name, why, b"; it answers cudaErrorNotSupported\n"] {
        // SAFETY: bytes of that length.
        unsafe { libc::write(libc::STDERR_FILENO, part.as_ptr().cast(), part.len()) };
    }
}

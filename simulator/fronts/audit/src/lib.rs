//! An auditor of the loader (`LD_AUDIT`, rtld-audit(7)): wherever the loader would open NVRTC, nvJitLink or libNVVM, it
//! opens the simulator's front, which lies beside this library;
//! and where a front asks for the library behind it, that library. Wherever it would open NVIDIA's runtime library, which does not
//! start on the simulated driver, or a mathematical library, which holds machine code alone, it opens the project's own: a path and a library's own list of folders (`DT_RPATH`) come before
//! the folder that `sim` puts in front. Where that library is linked into what the loader opens, its functions are replaced one by one
//! before any of them runs (`linked_in` finds them, `redirect` replaces them; machine code of x86-64 alone).
//!
//! Auditors live in a namespace of their own, with a C library of their own: nothing here is shared with the program.
#![allow(unsafe_code, reason = "the loader's C interface")]
mod device_files;
pub mod elf;
pub mod linked_in;
#[cfg(target_arch = "x86_64")]
mod object;
#[cfg(target_arch = "x86_64")]
mod redirect;

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, OsStr, c_char, c_long, c_uint, c_void};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The names of NVIDIA's libraries, the beginning of their files' names, and the fronts in place of them.
const FRONTS: [(&str, &str); 5] = [
    ("libnvrtc.so.12", "libnvrtc12.so"),
    ("libnvrtc.so.13", "libnvrtc13.so"),
    ("libnvJitLink.so.12", "libnvjitlink12.so"),
    ("libnvJitLink.so.13", "libnvjitlink13.so"),
    ("libnvvm.so.4", "libnvvm4.so"),
];

/// The runtime and mathematical libraries that the project has, as it and NVIDIA call them. They lie beside this library under these
/// names, and nothing is behind them.
const RUNTIMES: [&str; 9] = include!("runtimes.txt");

/// Before the name of the library behind a front, in what the front asks for (`fronts::behind`).
const MARK: &str = "behind-";

/// For each name in [`FRONTS`] and [`RUNTIMES`] the library that was found last, which is the one behind the front.
static BEHIND: Mutex<BTreeMap<&'static str, CString>> = Mutex::new(BTreeMap::new());

/// The version of the interface: the loader's own, of which this needs the oldest part.
#[unsafe(no_mangle)]
pub extern "C" fn la_version(version: c_uint) -> c_uint {
    version
}

/// The loader looks for a library: first by the name that it was asked for, then at each place where it may lie.
///
/// # Safety
/// `name` is a text that ends in NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn la_objsearch(name: *const c_char, _cookie: *mut usize, _flag: c_uint) -> *mut c_char {
    // SAFETY: the loader's text.
    let asked = unsafe { CStr::from_ptr(name) };
    match opened(asked) {
        // The loader keeps the text as long as the library, and nobody frees it: a few in a process.
        Some(other) => other.into_raw(),
        None => name.cast_mut(),
    }
}

/// The beginning of `struct link_map`: where the loader put an object, and its path.
#[repr(C)]
pub struct LinkMap {
    base: usize,
    path: *const c_char,
}

/// The loader has mapped an object, of whose code nothing has run.
///
/// # Safety
/// The loader's object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn la_objopen(map: *const LinkMap, namespace: c_long, _cookie: *mut usize) -> c_uint {
    // SAFETY: the loader's object, and its text.
    let (base, path) = unsafe { ((*map).base, CStr::from_ptr((*map).path)) };
    // The program itself has no path here.
    let path =
        if path.is_empty() { Path::new("/proc/self/exe") } else { Path::new(OsStr::from_bytes(path.to_bytes())) };
    #[cfg(target_arch = "x86_64")]
    if namespace == libc::LM_ID_BASE && !is_replaced(path) {
        // SAFETY: the loader's promise.
        unsafe { object::opened(path, base) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (base, path);
    // This auditor follows calls between libraries only where they go to the C library.
    let is_c_library = path.file_name() == Some(OsStr::new("libc.so.6"));
    match namespace {
        libc::LM_ID_BASE if is_c_library => BOUND_TO,
        libc::LM_ID_BASE => BOUND_FROM,
        _ => 0,
    }
}

/// `LA_FLG_BINDTO` and `LA_FLG_BINDFROM`: the loader tells of symbols of the one object that it binds for the other.
const BOUND_TO: c_uint = 1;
const BOUND_FROM: c_uint = 2;

/// `Elf64_Sym`, whose value is the symbol's address here.
#[repr(C)]
pub struct Symbol {
    name: u32,
    about: [u8; 4],
    value: usize,
    size: usize,
}

/// The loader binds a symbol, and asks for its address.
///
/// # Safety
/// The loader's symbol, and its name that ends in NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn la_symbind64(
    symbol: *const Symbol,
    _index: c_uint,
    _from: *mut usize,
    _to: *mut usize,
    _flags: *mut c_uint,
    name: *const c_char,
) -> usize {
    // SAFETY: the loader's symbol, and its text.
    unsafe { device_files::bound(CStr::from_ptr(name), (*symbol).value) }
}

/// Returns whether another file was opened in place of the one at this path. The loader keeps the path, so what the file there holds tells nothing
/// of the object: NVIDIA's mathematical libraries have the runtime library linked in.
fn is_replaced(path: &Path) -> bool {
    let file = path.file_name().and_then(OsStr::to_str).filter(|file| file.starts_with("libcu"));
    file.is_some_and(|file| runtime(path, file).is_some())
}

/// The file that is opened in place of the library, if there is one.
fn opened(asked: &CStr) -> Option<CString> {
    let path = Path::new(OsStr::from_bytes(asked.to_bytes()));
    let file = path.file_name()?.to_str()?;
    // Nearly everything the loader looks for ends here.
    if !["libnv", "libcudart", "libcublas", "libcurand", "libcufft", MARK].iter().any(|begin| file.starts_with(begin)) {
        return None;
    }
    let mut behind = BEHIND.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(name) = file.strip_prefix(MARK) {
        return behind.get(name).cloned();
    }
    // A name without a folder is what the loader will look for, and need not be anywhere.
    let is_place = asked.to_bytes().contains(&b'/');
    if !is_place && file.starts_with("libnvrtc.so") {
        note("nvrtc-asked");
    }
    let of = || front(path, file).or_else(|| runtime(path, file));
    let (name, front) = is_place.then(of).flatten()?;
    let front = own_folder()?.join(front);
    // The folder that `sim` puts in front has the runtime libraries' own names.
    if front.canonicalize().ok()? == path.canonicalize().ok()? {
        return None;
    }
    let front = CString::new(front.into_os_string().into_vec()).ok()?;
    let known = behind.insert(name, asked.to_owned());
    if name.starts_with("libnvrtc.so") {
        note("nvrtc-found");
    }
    if RUNTIMES.contains(&name) && known.as_deref() != Some(asked) {
        fronts::say(&|| format!("{}: this project's {name} in place of NVIDIA's library", path.display()));
    }
    Some(front)
}

/// Leaves word for `sim`, which at the end says if NVRTC was asked for by its name and nowhere found.
fn note(word: &str) {
    if let Some(folder) = std::env::var_os("LABS_SIM_REFUSALS") {
        // Where the folder is gone, so is its reader.
        let _ = std::fs::write(Path::new(&folder).join(word), "");
    }
}

/// The front of a library that is there. `libnvrtc.so` is a link, whose target's name tells the version.
fn front(path: &Path, file: &str) -> Option<(&'static str, &'static str)> {
    let of = |file: &str| FRONTS.into_iter().find(|(name, _)| file.strip_prefix(name).is_some_and(is_end));
    let real = path.canonicalize().ok()?;
    let real = real.file_name()?.to_str()?;
    // libNVVM's file in a Python wheel has no version; there is one.
    of(file).or_else(|| of(real)).or_else(|| (real == "libnvvm.so").then(|| FRONTS[4]))
}

/// The project's library in place of NVIDIA's that is there: `libcudart.so.12`, `libcudart.so.12.9.79`, `libcudart.so` where it
/// is a link to one of them, and `libcudart-9335f6a2.so.12`, as tools that gather libraries into a Python wheel name their copies.
fn runtime(path: &Path, file: &str) -> Option<(&'static str, &'static str)> {
    let of = |file: &str| {
        let (stem, version) = file.split_once(".so.")?;
        let is_copy = |hash: &str| !hash.is_empty() && hash.bytes().all(|digit| digit.is_ascii_hexdigit());
        RUNTIMES.into_iter().find(|name| {
            let rest = name.split_once(".so.").and_then(|(own_stem, own_version)| {
                let hash = stem.strip_prefix(own_stem)?;
                (hash.is_empty() || hash.strip_prefix('-').is_some_and(is_copy)).then_some(())?;
                version.strip_prefix(own_version)
            });
            rest.is_some_and(is_end)
        })
    };
    let real = path.canonicalize().ok()?;
    let name = of(file).or_else(|| of(real.file_name()?.to_str()?))?;
    Some((name, name))
}

/// `libnvrtc.so.12.9.86` has more behind the name, `libnvrtc.so.120` is another name.
fn is_end(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('.')
}

/// The folder of this library, as the loader was told of it.
fn own_folder() -> Option<PathBuf> {
    let mut about = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: an address in this library, and room for the answer.
    let found = unsafe { libc::dladdr(own_folder as *const c_void, &mut about) };
    if found == 0 || about.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's text, which lives as long as this library.
    let path = unsafe { CStr::from_ptr(about.dli_fname) };
    Path::new(OsStr::from_bytes(path.to_bytes())).parent().map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_of_libraries() {
        let folder = std::env::temp_dir().join(format!("front-audit-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let front = |file: &str| {
            let path = folder.join(file);
            std::fs::write(&path, "").expect("a file");
            super::front(&path, file).map(|(name, _)| name)
        };
        assert_eq!(front("libnvrtc.so.12"), Some("libnvrtc.so.12"));
        assert_eq!(front("libnvrtc.so.13.0.88"), Some("libnvrtc.so.13"));
        assert_eq!(front("libnvvm.so"), Some("libnvvm.so.4"));
        assert_eq!(front("libnvrtc-builtins.so.12.9"), None);
        assert_eq!(front("libnvrtc.so.120"), None);
        assert_eq!(front("libnvrtc.so"), None, "of which version?");
        std::fs::remove_file(folder.join("libnvrtc.so")).expect("it was there");
        std::os::unix::fs::symlink("libnvrtc.so.12", folder.join("libnvrtc.so")).expect("a link");
        assert_eq!(
            super::front(&folder.join("libnvrtc.so"), "libnvrtc.so").map(|found| found.0),
            Some("libnvrtc.so.12")
        );
        assert_eq!(super::front(&folder.join("libnvJitLink.so.12"), "libnvJitLink.so.12"), None, "it is not there");
        std::fs::remove_dir_all(&folder).expect("the folder goes");
    }

    #[test]
    fn names_of_runtime_libraries() {
        let folder = std::env::temp_dir().join(format!("front-audit-runtimes-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let runtime = |file: &str| {
            let path = folder.join(file);
            std::fs::write(&path, "").expect("a file");
            super::runtime(&path, file).map(|(name, _)| name)
        };
        assert_eq!(runtime("libcudart.so.12"), Some("libcudart.so.12"));
        assert_eq!(runtime("libcudart.so.13.0.96"), Some("libcudart.so.13"));
        assert_eq!(runtime("libcudart-9335f6a2.so.12"), Some("libcudart.so.12"));
        assert_eq!(runtime("libcublas.so.12.9.1.4"), Some("libcublas.so.12"));
        assert_eq!(runtime("libcublasLt.so.13"), Some("libcublasLt.so.13"));
        assert!(super::is_replaced(&folder.join("libcublas.so.12.9.1.4")));
        assert_eq!(runtime("libcudart-static.so.12"), None);
        assert_eq!(runtime("libcudart.so.11.0"), None);
        assert_eq!(runtime("libcudart.so.120"), None);
        assert_eq!(runtime("libcudart.so"), None, "of which version?");
        std::fs::remove_file(folder.join("libcudart.so")).expect("it was there");
        std::os::unix::fs::symlink("libcudart.so.13.0.96", folder.join("libcudart.so")).expect("a link");
        let link = super::runtime(&folder.join("libcudart.so"), "libcudart.so");
        assert_eq!(link.map(|found| found.0), Some("libcudart.so.13"));
        let absent = folder.join("libcudart.so.12.9");
        assert_eq!(super::runtime(&absent, "libcudart.so.12.9"), None, "it is not there");
        std::fs::remove_dir_all(&folder).expect("the folder goes");
    }
}

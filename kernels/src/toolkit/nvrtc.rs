//! NVIDIA's run-time compiler, loaded when it is first needed: source in, PTX or CUBIN and a log out. It needs no GPU.
//!
//! cudarc has bindings too, but they ask the loader by name only, and so find none of the libraries that come as Python
//! wheels or lie in the project's folder.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;

use libloading::Library;

use super::discovery::{self, Candidate};

/// A loaded NVRTC.
pub(crate) struct Nvrtc {
    functions: Functions,
    /// The library's file, or the name that the loader knew.
    pub(crate) library: PathBuf,
    /// Major and minor: (12, 9).
    pub(crate) version: (i32, i32),
    /// The architectures it compiles for, ascending: 50, 52, …
    pub(crate) architectures: Vec<u32>,
    /// Folders of CUDA's headers.
    includes: Vec<PathBuf>,
}

/// The result of a compilation beside its log.
pub(crate) enum Output {
    Ptx,
    Cubin,
}

/// The library of this process, `None` where there is none. A library that is there but cannot be used is an error only
/// when `LABS_NVRTC` names it; else the next place is tried.
pub(crate) fn library() -> Result<Option<&'static Nvrtc>, String> {
    static LIBRARY: OnceLock<Result<Option<Nvrtc>, String>> = OnceLock::new();
    let named = std::env::var_os("LABS_NVRTC").is_some_and(|setting| !setting.is_empty());
    let loaded = LIBRARY.get_or_init(|| {
        for place in discovery::places() {
            match Nvrtc::load(place) {
                Ok(nvrtc) => return Ok(Some(nvrtc)),
                Err(reason) if named => return Err(reason),
                Err(_) => {}
            }
        }
        Ok(None)
    });
    loaded.as_ref().map(Option::as_ref).map_err(Clone::clone)
}

type Handle = *mut c_void;

/// The C interface, a row for each function; all return 0 for success. Signatures from `nvrtc.h` of CUDA 12.9.
macro_rules! functions {
    ($($field:ident = $name:literal($($argument:ty),+) -> $answer:ty;)+) => {
        struct Functions {
            $($field: unsafe extern "C" fn($($argument),+) -> $answer,)+
        }

        impl Functions {
            /// # Safety
            /// `library` is an NVRTC of CUDA 11.2 or later.
            unsafe fn of(library: &Library) -> Result<Self, libloading::Error> {
                // SAFETY: the library is NVRTC, whose functions have these names; each field's type is its function's signature.
                unsafe { Ok(Self { $($field: *library.get($name)?,)+ }) }
            }
        }
    };
}

type Text = *const c_char;

functions! {
    create = b"nvrtcCreateProgram\0"(*mut Handle, Text, Text, c_int, *const Text, *const Text) -> c_int;
    compile = b"nvrtcCompileProgram\0"(Handle, c_int, *const Text) -> c_int;
    destroy = b"nvrtcDestroyProgram\0"(*mut Handle) -> c_int;
    log_size = b"nvrtcGetProgramLogSize\0"(Handle, *mut usize) -> c_int;
    log = b"nvrtcGetProgramLog\0"(Handle, *mut c_char) -> c_int;
    ptx_size = b"nvrtcGetPTXSize\0"(Handle, *mut usize) -> c_int;
    ptx = b"nvrtcGetPTX\0"(Handle, *mut c_char) -> c_int;
    cubin_size = b"nvrtcGetCUBINSize\0"(Handle, *mut usize) -> c_int;
    cubin = b"nvrtcGetCUBIN\0"(Handle, *mut c_char) -> c_int;
    error = b"nvrtcGetErrorString\0"(c_int) -> Text;
}

impl Nvrtc {
    fn load(place: Candidate) -> Result<Self, String> {
        let (path, mut includes) = match place {
            Candidate::File { library, includes } => (library, includes),
            Candidate::Loader(name) => (PathBuf::from(name), Vec::new()),
        };
        // The library opens its builtins by name: unless they are in the process already, it finds only those that lie
        // on the loader's path.
        if let Some(builtins) = discovery::builtins(&path) {
            // SAFETY: NVIDIA's library of data; its initialisers do nothing but register it.
            let opened = unsafe { Library::new(&builtins) };
            std::mem::forget(opened.map_err(|error| in_full(&builtins, &error))?);
        }
        // SAFETY: NVRTC's initialisers have no demands on the process.
        let library = unsafe { Library::new(&path) }.map_err(|error| in_full(&path, &error))?;
        // SAFETY: the signatures are those of nvrtc.h, unchanged since CUDA 11.2.
        let functions = unsafe { Functions::of(&library) }.map_err(|error| in_full(&path, &error))?;
        // SAFETY: as above.
        let (version, architectures) = unsafe { identify(&library) }.map_err(|error| in_full(&path, &error))?;
        // The library stays for the life of the process: the function pointers point into it.
        std::mem::forget(library);
        if includes.is_empty() {
            includes = discovery::headers();
        }
        Ok(Self { functions, library: path, version, architectures, includes })
    }

    /// `12.9`.
    pub(crate) fn version(&self) -> String {
        format!("{}.{}", self.version.0, self.version.1)
    }

    /// Compiles `text`, known to the compiler's messages as `name`, with `options` and the headers' folders. Returns the
    /// code and the log; or, on failure, the log.
    pub(crate) fn compile(
        &self,
        text: &str,
        name: &str,
        options: &[String],
        output: Output,
    ) -> Result<(Vec<u8>, String), String> {
        let no_nul = |text: &str| CString::new(text).map_err(|_| format!("{name}: error: a NUL byte in the source"));
        let (text, name) = (no_nul(text)?, no_nul(name)?);
        let includes = self.includes.iter().map(|folder| format!("--include-path={}", folder.display()));
        let options: Vec<CString> =
            options.iter().cloned().chain(includes).map(|option| no_nul(&option)).collect::<Result<_, _>>()?;
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();

        let f = &self.functions;
        let mut handle = ptr::null_mut();
        // SAFETY: both texts end in NUL and outlive the call, which copies them; there are no named headers.
        let status = unsafe { (f.create)(&mut handle, text.as_ptr(), name.as_ptr(), 0, ptr::null(), ptr::null()) };
        if status != 0 {
            return Err(self.error(status));
        }
        let program = Program { handle, functions: f };
        // SAFETY: the program was created above, the options end in NUL and outlive the call.
        let status = unsafe { (f.compile)(program.handle, options.len() as c_int, options.as_ptr()) };
        let log = program.text(f.log_size, f.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        // Said of every compilation below sm_75, which is where embedded PTX always is: no news to anyone.
        let log: String = log.split_inclusive('\n').filter(|line| !line.contains("Architectures prior to")).collect();
        if status != 0 {
            return Err(if log.trim().is_empty() { self.error(status) } else { log });
        }
        let code = match output {
            Output::Ptx => program.text(f.ptx_size, f.ptx),
            Output::Cubin => program.bytes(f.cubin_size, f.cubin),
        };
        code.map(|code| (code, log)).map_err(|status| self.error(status))
    }

    fn error(&self, status: c_int) -> String {
        // SAFETY: answers a static string for any status.
        let text = unsafe { CStr::from_ptr((self.functions.error)(status)) };
        format!("{} from {}", text.to_string_lossy(), self.library.display())
    }
}

/// A program in the compiler, destroyed when dropped.
struct Program<'a> {
    handle: Handle,
    functions: &'a Functions,
}

type Size = unsafe extern "C" fn(Handle, *mut usize) -> c_int;
type Get = unsafe extern "C" fn(Handle, *mut c_char) -> c_int;

impl Program<'_> {
    fn bytes(&self, size: Size, get: Get) -> Result<Vec<u8>, c_int> {
        let mut length = 0;
        // SAFETY: the program is alive; the size function writes the length that the other one fills.
        let status = unsafe { size(self.handle, &mut length) };
        if status != 0 {
            return Err(status);
        }
        let mut bytes = vec![0u8; length];
        // SAFETY: as above; the buffer has the length asked for.
        match unsafe { get(self.handle, bytes.as_mut_ptr().cast()) } {
            0 => Ok(bytes),
            status => Err(status),
        }
    }

    /// Like `bytes`, without the NUL at the end.
    fn text(&self, size: Size, get: Get) -> Result<Vec<u8>, c_int> {
        let mut bytes = self.bytes(size, get)?;
        while bytes.last() == Some(&0) {
            bytes.pop();
        }
        Ok(bytes)
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle was made by `create` and is destroyed once.
        unsafe { (self.functions.destroy)(&mut self.handle) };
    }
}

/// The loader's own words are the error's source.
fn in_full(path: &Path, error: &libloading::Error) -> String {
    let cause = std::error::Error::source(error).map(|cause| format!(" ({cause})"));
    format!("{}: {error}{}", path.display(), cause.unwrap_or_default())
}

/// Version and architectures.
///
/// # Safety
/// `library` is an NVRTC of CUDA 11.2 or later.
unsafe fn identify(library: &Library) -> Result<((i32, i32), Vec<u32>), libloading::Error> {
    let (mut major, mut minor, mut count) = (0, 0, 0);
    // SAFETY: signatures from nvrtc.h; the array has the length that the library asked for.
    let architectures = unsafe {
        let version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int = *library.get(b"nvrtcVersion\0")?;
        let number: unsafe extern "C" fn(*mut c_int) -> c_int = *library.get(b"nvrtcGetNumSupportedArchs\0")?;
        let list: unsafe extern "C" fn(*mut c_int) -> c_int = *library.get(b"nvrtcGetSupportedArchs\0")?;
        version(&mut major, &mut minor);
        number(&mut count);
        let mut architectures: Vec<c_int> = vec![0; usize::try_from(count).unwrap_or(0)];
        list(architectures.as_mut_ptr());
        architectures
    };
    let mut architectures: Vec<u32> = architectures.into_iter().filter_map(|number| number.try_into().ok()).collect();
    architectures.sort_unstable();
    Ok(((major, minor), architectures))
}

//! An object that the loader has opened: replaces a runtime library of NVIDIA's that is linked into it.
use crate::elf::Elf;
use crate::linked_in::{self, LinkedIn, Unknown, written};
use crate::{own_folder, redirect};
use std::collections::BTreeSet;
use std::ffi::{CString, c_void};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The loader has put a file at `base`.
///
/// # Safety
/// As that of `redirect`.
pub unsafe fn opened(path: &Path, base: usize) {
    // SAFETY: the pointer is as this function's caller has to give it.
    if let Err(why) = unsafe { replace(path, base) } {
        // Where it is used the driver says so in any case; NVIDIA's mathematical libraries are often there and not used.
        fronts::say(&|| {
            format!(
                "{}: NVIDIA's runtime library is linked into it, and cannot be replaced: {why}. Calls of the runtime in it (`cuda…`) fail\n  \
                 next: link it shared, by `nvcc -cudart shared` or by building under `sim`",
                path.canonicalize().as_deref().unwrap_or(path).display()
            )
        });
    }
}

/// Replaces the functions of a runtime library that is linked into a file, which the loader has put at `base`.
///
/// # Safety
/// As that of `redirect`.
unsafe fn replace(path: &Path, base: usize) -> Result<(), String> {
    // An object that is no file holds nothing of NVIDIA's: the system's own object has a name and no path.
    let Some(file) = Mapped::open(path) else { return Ok(()) };
    let Some(elf) = Elf::parse(file.bytes()) else { return Ok(()) };
    // Programs of CUDA 11.8 have theirs in the library of CUDA 12, where what differs has names of its own.
    let major = |version: u32| if version == CUDA_11_8 { 12 } else { version / 1000 };
    let own = |version: u32| own_folder().map(|folder| folder.join(format!("libcudart.so.{}", major(version))));
    let known = |version| own(version).map(|path| functions_of(&path)).unwrap_or_default();
    let mut found = match linked_in::find(&elf, known) {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(()),
        Err(Unknown(why)) => return Err(why),
    };
    let version = written(found.version);
    let library = own(found.version).filter(|path| path.exists());
    let library =
        library.ok_or_else(|| format!("it is that of CUDA {version}, and the project has those of 11.8, 12 and 13"))?;
    if found.version == CUDA_11_8 {
        lead_to_cuda_11(&mut found, &known(CUDA_11_8));
    }
    let text = CString::new(library.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    // SAFETY: the pointer is as this function's caller has to give it.
    unsafe { redirect::redirect(&found, (path, base), text, |address| elf.at(address)) }?;
    fronts::say(&|| {
        let name = library.file_name().unwrap_or_default().display();
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let count = found.entries.len();
        format!(
            "{}: {count} functions of NVIDIA's runtime library {version}, which is linked into it, are those of this project's {name}",
            path.display()
        )
    });
    Ok(())
}

/// CUDA 11.8.
const CUDA_11_8: u32 = 11080;

/// Names the functions that CUDA 11.8 has otherwise than CUDA 12 as the library calls them (`cudart/12/src/cuda_11.rs`).
fn lead_to_cuda_11(found: &mut LinkedIn, exported: &BTreeSet<String>) {
    for entry in &mut found.entries {
        let of_cuda_11 = format!("{}_v11", entry.name);
        if exported.contains(&of_cuda_11) {
            entry.name = of_cuda_11;
        }
    }
}

/// The names of the functions that a library exports.
fn functions_of(library: &Path) -> BTreeSet<String> {
    let Some(file) = Mapped::open(library) else { return BTreeSet::new() };
    let Some(elf) = Elf::parse(file.bytes()) else { return BTreeSet::new() };
    let exported = elf.symbols(true).filter(|symbol| symbol.is_function && symbol.is_defined);
    exported.map(|symbol| symbol.name.to_owned()).collect()
}

/// A file's bytes, of which only those that are looked at are read.
struct Mapped {
    at: *mut c_void,
    length: usize,
}

impl Mapped {
    fn open(path: &Path) -> Option<Mapped> {
        let file = std::fs::File::open(path).ok()?;
        let about = file.metadata().ok().filter(|about| about.is_file() && about.len() > 0)?;
        let length = usize::try_from(about.len()).ok()?;
        // SAFETY: new pages, wherever there is room.
        let at = unsafe {
            libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ, libc::MAP_PRIVATE, file.as_raw_fd(), 0)
        };
        (at != libc::MAP_FAILED).then_some(Mapped { at, length })
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: pages of that length, which live as long as this. The loader maps the same file, so nobody may cut it off or
        // write it while this process runs.
        unsafe { std::slice::from_raw_parts(self.at.cast(), self.length) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: the pages that `open` made.
        unsafe { libc::munmap(self.at, self.length) };
    }
}

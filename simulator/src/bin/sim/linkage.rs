//! Programs that no loader starts: nothing can be put in front of what they hold.
use std::ffi::OsStr;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The segment that names a program's loader.
const INTERPRETER: u32 = 3;

/// Says so where a program is linked statically, with NVIDIA's runtime library in it.
pub fn warn(program: &OsStr) {
    let found = place(program).filter(|path| has_no_loader(path) == Some(true));
    // Few programs have no loader, so that few are read.
    let holds = |path: &PathBuf| {
        let bytes = std::fs::read(path).unwrap_or_default();
        ["libcuda.so.1", "cudaRuntimeGetVersion"]
            .iter()
            .all(|text| memchr::memmem::find(&bytes, text.as_bytes()).is_some())
    };
    if let Some(path) = found.filter(holds) {
        eprintln!(
            "[sim] {}: it is linked statically, with NVIDIA's runtime library in it, so that no loader can put this project's in its place: calls of \
             the runtime (`cuda…`) fail\n  next: link it without `-static`",
            path.display()
        );
    }
}

/// The file that a command starts.
fn place(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 || path.is_absolute() {
        return Some(path.to_owned());
    }
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(path)).find(|path| path.is_file())
}

/// True if a file is a program for 64 bits that names no loader.
fn has_no_loader(path: &Path) -> Option<bool> {
    let file = std::fs::File::open(path).ok()?;
    let mut header = [0; 64];
    file.read_exact_at(&mut header, 0).ok()?;
    if &header[..6] != b"\x7fELF\x02\x01" {
        return None;
    }
    let half = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let mut table = vec![0; usize::from(half(54)) * usize::from(half(56))];
    file.read_exact_at(&mut table, u64::from_le_bytes(header[32..40].try_into().ok()?)).ok()?;
    let mut kinds =
        table.chunks_exact(half(54).max(4).into()).map(|row| u32::from_le_bytes([row[0], row[1], row[2], row[3]]));
    Some(!kinds.any(|kind| kind == INTERPRETER))
}

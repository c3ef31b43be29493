//! Lines without asking: where `sim` tells of lines, compilers add line information, and a source that lies in no file is kept in one.
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

/// The folder where sources are kept; none where nobody wants lines.
pub fn folder() -> Option<PathBuf> {
    std::env::var_os("LABS_SIM_SOURCES").filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// PTX whose list of files has, in place of a program's name, a file that holds its source. A name that is a lasting file's stays.
pub fn with_kept_source(ptx: String, name: &str, source: &[u8], folder: &Path) -> String {
    let named = |line: &str| Some(line.trim_start().strip_prefix(".file")?.split('"').nth(1)?.to_owned());
    let is_program = |file: &String| Path::new(file).ends_with(name);
    let Some(file) = ptx.lines().filter_map(named).find(is_program) else { return ptx };
    // CuPy writes a file for the time of the compilation.
    let is_lasting = !Path::new(&file).starts_with(std::env::temp_dir());
    if is_lasting && std::fs::read(&file).is_ok_and(|text| text == source) {
        return ptx;
    }
    match keep(&file, source, folder) {
        Ok(kept) => ptx.replace(&format!("\"{file}\""), &format!("\"{}\"", kept.display())),
        Err(_) => ptx,
    }
}

/// Writes a source; under another name first, because others may be about to read it.
fn keep(file: &str, source: &[u8], folder: &Path) -> std::io::Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    (file, source).hash(&mut hasher);
    let own = folder.join(format!("{:016x}", hasher.finish()));
    let kept = own.join(Path::new(file).file_name().unwrap_or_default());
    if !kept.exists() {
        std::fs::create_dir_all(&own)?;
        let fresh = own.join(std::process::id().to_string());
        std::fs::write(&fresh, source)?;
        std::fs::rename(fresh, &kept)?;
    }
    Ok(kept)
}

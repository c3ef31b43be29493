//! A checkout of pristine texts, for tests of the labs' programs: an edit of a rung's file concerns that rung's own tests alone, and a right but
//! slower kernel fails no test of times.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A checkout beside this program with nothing but the pristine texts, written once; `None` in a workspace that keeps none.
pub fn pristine_checkout() -> Option<&'static Path> {
    static FOLDER: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
        let folder = std::env::current_exe().ok()?.with_file_name("pristine");
        let write = |path: &str, text: &str| -> std::io::Result<()> {
            let path = folder.join(path);
            if std::fs::read(&path).is_ok_and(|there| there == text.as_bytes()) {
                return Ok(());
            }
            std::fs::create_dir_all(path.parent().unwrap_or(&folder))?;
            // Under a name of its own first: other test programs may read at the same time.
            let unfinished = path.with_extension(std::process::id().to_string());
            std::fs::write(&unfinished, text)?;
            std::fs::rename(&unfinished, &path)
        };
        let mut sources = kernels::pristine_sources().peekable();
        sources.peek()?;
        sources.try_for_each(|source| write(source.path, &source.text)).ok()?;
        write("kernels/Cargo.toml", "").ok()?;
        Some(folder)
    });
    FOLDER.as_deref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkout_has_the_pristine_text_of_every_rung() {
        let folder = pristine_checkout().expect("this workspace keeps them");
        assert!(folder.join("kernels/Cargo.toml").is_file() && folder.join("kernels/gemm").is_dir());
        for source in kernels::pristine_sources() {
            assert_eq!(std::fs::read_to_string(folder.join(source.path)).unwrap(), source.text, "{}", source.path);
        }
    }
}

//! Compiled code of edited kernels, kept between runs in the build's own folder, by content: of a text that was compiled before, by this
//! version of the compiler and for this device, the code is read. `cargo clean` empties it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs, process};

use crate::image::{Image, Origin, Target};
use crate::source::Source;
use crate::stored;

/// Where the code of one text for one device is kept.
pub(crate) struct Entry(PathBuf);

impl Entry {
    /// The cached image of `source` by the compiler of `version` for `target`; `None` for a program that does not lie in a build's folder.
    pub(crate) fn of(source: &Source, version: &str, target: Target) -> Option<Self> {
        // Cargo marks its target directory with this file.
        let program = env::current_exe().ok()?;
        let build = program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file())?;
        Some(Self::below(&build.join("kernels"), source, version, target))
    }

    fn below(folder: &Path, source: &Source, version: &str, target: Target) -> Self {
        let kind = match target {
            Target::Cubin { .. } => "cubin",
            Target::Ptx { .. } => "ptx",
            Target::ExactPtx { .. } => "exact.ptx",
        };
        let (key, device) = (stored::key(source), target.device());
        Entry(folder.join(format!("{}-{key:016x}-nvrtc{version}-sm_{device}.{kind}", source.name)))
    }

    /// The code, if it is there: the architecture in a line, then what the device loads.
    pub(crate) fn read(&self, version: &str) -> Option<Image> {
        let file = fs::read(&self.0).ok()?;
        let end = file.iter().position(|byte| *byte == b'\n')?;
        let architecture = String::from_utf8(file[..end].to_vec()).ok()?;
        let origin = Origin::Compiled { version: version.to_owned(), architecture };
        Some(Image { bytes: Arc::from(&file[end + 1..]), origin, log: "".into() })
    }

    /// Keeps the code, unless the compiler had something to say, which a later run must hear as well. Where it cannot be written, a
    /// later run compiles once more.
    pub(crate) fn write(&self, image: &Image) {
        let Origin::Compiled { architecture, .. } = &image.origin else { return };
        let Some(folder) = self.0.parent().filter(|_| image.log.is_empty()) else { return };
        // Under a name of its own first: another process may read at the same time.
        let unfinished = self.0.with_extension(format!("{}.unfinished", process::id()));
        let file = [architecture.as_bytes(), b"\n", &image.bytes].concat();
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&unfinished, file));
        if written.and_then(|()| fs::rename(&unfinished, &self.0)).is_err() {
            drop(fs::remove_file(unfinished));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pristine;

    const TARGET: Target = Target::Ptx { major: 8, minor: 9 };

    fn image(log: &str) -> Image {
        let origin = Origin::Compiled { version: "12.9".into(), architecture: "compute_50".into() };
        Image { bytes: Arc::from(&b"ret;\n"[..]), origin, log: log.into() }
    }

    #[test]
    fn what_is_kept_serves_the_same_text_compiler_and_device() {
        let folder = tempfile::tempdir().unwrap();
        let naive = pristine("gemm", "naive").unwrap();
        let entry = |source: &Source, version, target| Entry::below(folder.path(), source, version, target);
        entry(&naive, "12.9", TARGET).write(&image(""));
        let kept = entry(&naive, "12.9", TARGET).read("12.9").expect("kept");
        assert_eq!((kept.bytes(), kept.origin()), (image("").bytes(), image("").origin()));
        let mut changed = naive.clone();
        changed.text.to_mut().push('\n');
        assert!(entry(&changed, "12.9", TARGET).read("12.9").is_none());
        assert!(entry(&naive, "13.0", TARGET).read("13.0").is_none());
        assert!(entry(&naive, "12.9", Target::Ptx { major: 7, minor: 5 }).read("12.9").is_none());
        assert!(entry(&naive, "12.9", Target::ExactPtx { major: 8, minor: 9 }).read("12.9").is_none());
        assert!(entry(&naive, "12.9", Target::Cubin { major: 8, minor: 9 }).read("12.9").is_none());
    }

    #[test]
    fn code_with_warnings_is_compiled_again_so_that_they_are_told_again() {
        let folder = tempfile::tempdir().unwrap();
        let entry = Entry::below(folder.path(), &pristine("gemm", "naive").unwrap(), "12.9", TARGET);
        entry.write(&image("warning: unused"));
        assert!(entry.read("12.9").is_none());
    }
}

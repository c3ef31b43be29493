//! Files that are written whole or not at all: beside their place first, and moved there once they are complete.

use crate::error::LabError;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a text to a file. Where that fails, what was there before stays as it is. Errors: as [`LabError`] of this machine, which names the file.
pub fn write(path: &Path, text: &str) -> Result<(), LabError> {
    write_with(path, |file| file.write_all(text.as_bytes())).map_err(|error| {
        let next = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "make room there, or name a file on another disk"
            }
            _ => "name a file in a folder of yours",
        };
        LabError::machine(format!("{} cannot be written: {error}", path.display()), next)
    })
}

fn write_with(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    // A link stays one, and what it points to is written.
    let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&place).is_ok_and(|known| !known.is_file()) {
        // A device or a pipe: there is nothing to move.
        return fill(&mut File::options().write(true).open(place)?);
    }
    let partial = beside(&place);
    let written = File::create(&partial).and_then(|mut file| {
        fill(&mut file)?;
        if let Ok(known) = fs::metadata(&place) {
            file.set_permissions(known.permissions())?;
        }
        fs::rename(&partial, &place)
    });
    if written.is_err() {
        // It may not even be there.
        let _ = fs::remove_file(&partial);
    }
    written
}

/// Where a file is written first: in the same folder, so that it can be moved, under a name of this process's.
fn beside(place: &Path) -> PathBuf {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    place.with_file_name(format!(".{name}.{}.partial", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_written_whole_stays_as_it_was() {
        let folder = std::env::temp_dir().join(format!("whole-file-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("report.csv");
        write(&path, "before").unwrap();
        let full = |file: &mut File| {
            file.write_all(b"half of the rep")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        };
        assert!(write_with(&path, full).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left beside it");
        write(&path, "after").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "after");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_full_disk_is_this_machines() {
        let error = write(Path::new("/dev/full"), "text").unwrap_err().to_string();
        assert!(error.starts_with("this machine: /dev/full cannot be written"), "{error}");
        assert!(error.contains("next: make room there"), "{error}");
        assert!(Path::new("/dev/full").exists());
    }
}

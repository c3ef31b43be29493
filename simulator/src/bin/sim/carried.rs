//! The libraries that a released `sim` carries at its end (`simulator/release.py` appends them), so that one file is all there is to install.
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The end of a program that carries files.
const MARK: &[u8; 8] = b"SIMFILES";

/// The names and lengths of the files, and a name of all their content.
struct Contents {
    digest: String,
    files: Vec<(String, u64)>,
    /// Where the first file begins in the program.
    begin: u64,
}

/// Unpacks what the program carries into a folder of its own in `cache`, unless it is there; `None` where it carries nothing.
///
/// # Errors
/// A folder that cannot be written.
pub fn unpacked(program: &Path, cache: &Path) -> std::io::Result<Option<PathBuf>> {
    let mut program = std::fs::File::open(program)?;
    let Some(contents) = contents(&mut program)? else { return Ok(None) };
    let folder = cache.join(&contents.digest);
    if folder.exists() {
        return Ok(Some(folder));
    }
    // Under another name first: others may start at the same time, and find all files or none.
    let fresh = cache.join(format!("{}.{}", contents.digest, std::process::id()));
    std::fs::create_dir_all(&fresh)?;
    program.seek(SeekFrom::Start(contents.begin))?;
    for (name, length) in &contents.files {
        let mut data = vec![0; *length as usize];
        program.read_exact(&mut data)?;
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o755).open(fresh.join(name))?.write_all(&data)?;
    }
    if let Err(error) = std::fs::rename(&fresh, &folder) {
        std::fs::remove_dir_all(&fresh)?;
        if !folder.exists() {
            return Err(error);
        }
    }
    Ok(Some(folder))
}

fn contents(program: &mut std::fs::File) -> std::io::Result<Option<Contents>> {
    let end = program.seek(SeekFrom::End(0))?;
    let mut tail = [0; 16];
    if end < 16 {
        return Ok(None);
    }
    program.seek(SeekFrom::Start(end - 16))?;
    program.read_exact(&mut tail)?;
    let (length, mark) = tail.split_at(8);
    if mark != MARK {
        return Ok(None);
    }
    let length = u64::from_le_bytes(length.try_into().unwrap_or_default());
    let damaged = || std::io::Error::other("what this program carries is damaged; install it again");
    let list = (end - 16).checked_sub(length).ok_or_else(damaged)?;
    let mut text = vec![0; length as usize];
    program.seek(SeekFrom::Start(list))?;
    program.read_exact(&mut text)?;
    let text = String::from_utf8(text).map_err(|_| damaged())?;
    let (digest, lines) = text.split_once('\n').ok_or_else(damaged)?;
    let file = |line: &str| line.split_once(' ').and_then(|(name, bytes)| Some((name.to_owned(), bytes.parse().ok()?)));
    let files: Vec<(String, u64)> = lines.lines().map(file).collect::<Option<_>>().ok_or_else(damaged)?;
    let begin = files.iter().try_fold(list, |at, (_, bytes)| at.checked_sub(*bytes)).ok_or_else(damaged)?;
    Ok(Some(Contents { digest: digest.to_owned(), files, begin }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_back_as_they_were() {
        let cache = std::env::temp_dir().join(format!("sim-carried-{}", std::process::id()));
        std::fs::create_dir_all(&cache).expect("a folder");
        let program = cache.join("program");
        let lines = "0123456789abcdef\na.so 3\nb.so 2\n";
        let mut bytes = b"the programABCde".to_vec();
        bytes.extend(lines.as_bytes());
        bytes.extend((lines.len() as u64).to_le_bytes());
        std::fs::write(&program, [&bytes[..], MARK].concat()).expect("a file");
        for _ in 0..2 {
            let folder = unpacked(&program, &cache).expect("a place").expect("files");
            assert_eq!(folder, cache.join("0123456789abcdef"));
            assert_eq!(std::fs::read(folder.join("a.so")).expect("a file"), b"ABC");
            assert_eq!(std::fs::read(folder.join("b.so")).expect("a file"), b"de");
        }
        std::fs::write(&program, &bytes).expect("a file");
        assert!(unpacked(&program, &cache).expect("readable").is_none(), "no mark");
        std::fs::write(&program, [&[0xff; 8][..], MARK].concat()).expect("a file");
        assert!(unpacked(&program, &cache).is_err(), "longer than the program");
        std::fs::remove_dir_all(&cache).expect("the folder goes");
    }
}

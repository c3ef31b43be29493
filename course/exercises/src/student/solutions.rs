//! The model solutions, where the instructor lets the hand-out bring them (`solutions = true` in the course's table). They are packed, so that
//! nobody reads one by chance: `just solution` shows one after full points. That is no lock: whoever wants to can unpack them.

use anyhow::Context;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use std::io::{Read, Write};
use std::path::Path;

/// Where they lie in a hand-out.
pub const FILE: &str = "course/exercises/solutions.z";
/// Begins each text in a pack, before its path and the end of a line; no source has it.
const BEGIN: char = '\u{1e}';

/// Texts by their paths, as they lie in one file of a hand-out.
///
/// # Errors
/// None that is known: it is written to memory.
pub fn pack<'a>(texts: impl IntoIterator<Item = (&'a str, String)>) -> anyhow::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    for (path, text) in texts {
        write!(encoder, "{BEGIN}{path}\n{text}")?;
    }
    Ok(encoder.finish()?)
}

/// The text of a path in a packed file; none where there is no such file, or no such path in it.
///
/// # Errors
/// A damaged file.
pub fn packed(file: &Path, path: &str) -> anyhow::Result<Option<String>> {
    let Ok(bytes) = std::fs::read(file) else { return Ok(None) };
    let text = unpack(&bytes).and_then(|bytes| String::from_utf8(bytes).ok());
    let text = text.with_context(|| format!("{0} is damaged; next: git checkout {0}", file.display()))?;
    Ok(text.split(BEGIN).find_map(|part| part.strip_prefix(path)?.strip_prefix('\n')).map(str::to_owned))
}

/// The bytes of a packed file; none of another one.
pub fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    ZlibDecoder::new(packed).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

//! The model solutions, where the instructor lets the hand-out bring them (`solutions = true` in the course's table). They are packed, so that
//! nobody reads one by chance: `just solution` shows one after full points. That is no lock: whoever wants to can unpack them.

use crate::table::{Course, Exercise};
use anyhow::{Context, ensure};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use std::io::{Read, Write};

/// Where they lie in a hand-out.
pub const FOLDER: &str = "course/exercises/solutions";

/// The file of an exercise's solution in a hand-out.
pub fn place(exercise: &Exercise) -> String {
    format!("{FOLDER}/{}.z", exercise.file)
}

/// A text as it lies there.
///
/// # Errors
/// None that is known: it is written to memory.
pub fn pack(text: &str) -> anyhow::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes())?;
    Ok(encoder.finish()?)
}

/// The bytes of a packed file; none of another one.
pub fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    ZlibDecoder::new(packed).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The model solution of an exercise.
///
/// # Errors
/// A hand-out without solutions; a damaged file.
pub fn of(course: &Course, exercise: &Exercise) -> anyhow::Result<String> {
    ensure!(course.solutions, "this course does not hand its solutions out");
    let place = place(exercise);
    let packed = std::fs::read(course.root.join(&place)).with_context(|| place.clone())?;
    let bytes = unpack(&packed).with_context(|| format!("{place} is damaged; next: git checkout {place}"))?;
    String::from_utf8(bytes).with_context(|| place)
}

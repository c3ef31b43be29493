//! Text under two lines that stay readable, with all that follows them deflated.

use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib;

/// The strongest level that miniz_oxide documents; the files are written once and read many times.
const LEVEL: u8 = 10;

/// A stored text without its two lines.
pub(crate) fn body(text: &str) -> Option<&str> {
    text.get(header_length(text.as_bytes())?..)
}

/// A text under its two lines with all that follows them deflated.
pub(crate) fn deflate(text: &str) -> Vec<u8> {
    let (header, body) = text.split_at(header_length(text.as_bytes()).unwrap_or(0));
    let mut file = [header.as_bytes(), &compress_to_vec_zlib(body.as_bytes(), LEVEL)].concat();
    // Git takes a file with a zero byte for a binary one, and prints any other. What follows the deflated text is not read.
    if !file.contains(&0) {
        file.push(0);
    }
    file
}

/// The text of a packed file, with its two lines; `None` for a file that is damaged.
pub fn inflate(file: &[u8]) -> Option<String> {
    let (header, body) = file.split_at(header_length(file)?);
    String::from_utf8([header, &decompress_to_vec_zlib(body).ok()?].concat()).ok()
}

/// Bytes of the first two lines.
fn header_length(file: &[u8]) -> Option<usize> {
    file.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).map(|(index, _)| index + 1)
}

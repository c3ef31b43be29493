//! The form in which generated text is stored: two lines that say what it was made from, then the text itself. Each file is
//! found by the key in its second line: it can be missing, but never be another text's. PTX is deflated behind those lines,
//! because it is twenty times as long as its source and no one reads it in the tree (`kernels -- show` prints it).

use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib;

use crate::compiler;
use crate::source::Source;

const KEY: &str = "// key ";

/// The strongest level that miniz_oxide documents; the files are written once and read many times.
const LEVEL: u8 = 10;

/// FNV-1a over all that decides what the PTX of a source is: its path, the options, its text.
pub(crate) fn key(source: &Source) -> u64 {
    let options = compiler::options(&compiler::ptx_architecture(source).compute()).join(" ");
    let parts = [source.path, &options, &source.text];
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// `body`, made from `source` by `maker`, under its two lines.
pub(crate) fn with_header(source: &Source, maker: &str, body: &str) -> String {
    let options = compiler::options(&compiler::ptx_architecture(source).compute()).join(" ");
    format!(
        "// {}, made by {maker}; do not edit\n{KEY}{:016x} of the path, the options {options} and the text\n{}\n",
        source.path,
        key(source),
        body.trim_end(),
    )
}

/// A stored text without its two lines.
pub(crate) fn body(text: &str) -> Option<&str> {
    text.get(header_length(text.as_bytes())?..)
}

/// The key of a stored file, deflated or not.
pub(crate) fn key_of(file: &[u8]) -> Option<u64> {
    let line = file.split(|byte| *byte == b'\n').nth(1)?;
    let digits = std::str::from_utf8(line).ok()?.strip_prefix(KEY)?.split_whitespace().next()?;
    u64::from_str_radix(digits, 16).ok()
}

/// A text under its two lines with all that follows them deflated.
pub(crate) fn deflate(text: &str) -> Vec<u8> {
    let (header, body) = text.split_at(header_length(text.as_bytes()).unwrap_or(0));
    [header.as_bytes(), &compress_to_vec_zlib(body.as_bytes(), LEVEL)].concat()
}

/// The text that [`deflate`] was given; `None` for a file that is damaged.
pub(crate) fn inflate(file: &[u8]) -> Option<String> {
    let (header, body) = file.split_at(header_length(file)?);
    String::from_utf8([header, &decompress_to_vec_zlib(body).ok()?].concat()).ok()
}

/// Bytes of the first two lines.
fn header_length(file: &[u8]) -> Option<usize> {
    file.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).map(|(index, _)| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pristine;

    #[test]
    fn the_key_follows_from_every_part() {
        let naive = pristine("gemm", "naive").unwrap();
        let mut other = naive.clone();
        other.text.to_mut().push(' ');
        assert_ne!(key(&naive), key(&other));
        assert_ne!(key(&naive), key(&Source { path: "kernels/gemm/9_naive.cu", ..naive.clone() }));
    }

    #[test]
    fn what_was_deflated_is_inflated_and_keeps_its_key_readable() {
        let naive = pristine("gemm", "naive").unwrap();
        let text = with_header(&naive, "a test", &".version 8.8\nadd.s32 %r1, %r2, %r3;\n".repeat(100));
        let file = deflate(&text);
        assert!(file.len() < text.len() / 4, "{} of {} bytes", file.len(), text.len());
        assert_eq!(key_of(&file), Some(key(&naive)));
        assert_eq!(key_of(text.as_bytes()), Some(key(&naive)));
        assert_eq!(inflate(&file).as_deref(), Some(text.as_str()));
    }

    #[test]
    fn a_damaged_file_is_nothing() {
        let naive = pristine("gemm", "naive").unwrap();
        let mut file = deflate(&with_header(&naive, "a test", "ret;"));
        file.truncate(file.len() - 3);
        assert_eq!(inflate(&file), None);
        assert_eq!(inflate(b"one line\n"), None);
    }
}

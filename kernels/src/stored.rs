//! The form in which generated text is stored: two lines that say what it was made from, then the text itself. Each file is
//! found by the key in its second line: it can be missing, but never be another text's. PTX is deflated after those lines,
//! because it is twenty times as long as its source and no one reads it in the tree (`kernels -- show` prints it).

use crate::compiler;
use crate::source::Source;

const KEY: &str = "// key ";

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

/// The key of a stored file, deflated or not.
pub(crate) fn key_of(file: &[u8]) -> Option<u64> {
    let line = file.split(|byte| *byte == b'\n').nth(1)?;
    let digits = std::str::from_utf8(line).ok()?.strip_prefix(KEY)?.split_whitespace().next()?;
    u64::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deflated::{deflate, inflate};
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

//! The form in which generated text is stored: two lines that say what it was made from, then the text itself. Each file is
//! found by the key in its second line: it can be missing, but never be another text's. PTX is deflated after those lines,
//! because it is twenty times as long as its source and no one reads it in the tree (`kernels -- show` prints it).

use crate::compiler;
use crate::source::Source;

const MADE_BY: &str = ", made by ";
const END: &str = "; do not edit";
const KEY: &str = "// key ";
const OPTIONS: &str = " of the path, the options ";
const TEXT: &str = " and the text";

/// The key of a source that is compiled as a rung is.
pub(crate) fn key(source: &Source) -> u64 {
    key_with(source, &compiler::ptx_options(source))
}

/// FNV-1a over all that decides what the PTX of a source is: its path, the options, its text.
pub(crate) fn key_with(source: &Source, options: &[String]) -> u64 {
    let options = options.join(" ");
    let parts = [source.path, &options, &source.text];
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// `body`, made from `source` by `maker` as a rung's PTX is, under its two lines.
pub(crate) fn with_header(source: &Source, maker: &str, body: &str) -> String {
    with_header_and(source, &compiler::ptx_options(source), maker, body)
}

/// `body`, made from `source` with these options by `maker`, under its two lines.
pub(crate) fn with_header_and(source: &Source, options: &[String], maker: &str, body: &str) -> String {
    format!(
        "// {}{MADE_BY}{maker}{END}\n{KEY}{:016x}{OPTIONS}{}{TEXT}\n{}\n",
        source.path,
        key_with(source, options),
        options.join(" "),
        body.trim_end(),
    )
}

/// The two lines at the head of a stored file, which say how it was made.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Header<'f> {
    /// The source's path from the workspace's root.
    pub path: &'f str,
    /// `just ptx` with NVRTC 12.9.
    pub maker: &'f str,
    /// The compiler's options.
    pub options: Vec<String>,
}

/// The header of a stored file, deflated or not.
pub(crate) fn header(file: &[u8]) -> Option<Header<'_>> {
    let mut lines = file.split(|byte| *byte == b'\n').map(std::str::from_utf8);
    let (path, maker) = lines.next()?.ok()?.strip_prefix("// ")?.strip_suffix(END)?.split_once(MADE_BY)?;
    let (_, options) = lines.next()?.ok()?.strip_suffix(TEXT)?.split_once(OPTIONS)?;
    Some(Header { path, maker, options: options.split(' ').map(str::to_owned).collect() })
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
    fn a_packed_file_has_a_zero_byte_and_its_text_is_whole() {
        let naive = pristine("gemm", "naive").unwrap();
        for registers in 0..60 {
            let text = with_header(&naive, "a test", &format!(".reg .b32 %r<{registers}>;\n"));
            let file = deflate(&text);
            assert!(file.contains(&0), "{registers}");
            assert_eq!(inflate(&file), Some(text));
        }
    }

    #[test]
    fn a_header_says_how_its_file_was_made() {
        let naive = pristine("gemm", "naive").unwrap();
        let options = ["--gpu-architecture=compute_90a".to_owned(), "-DPF=2".to_owned()];
        let text = with_header_and(&naive, &options, "a test", "ret;");
        let file = deflate(&text);
        let header = header(&file).expect("two lines");
        assert_eq!((header.path, header.maker, &*header.options), (naive.path, "a test", &options[..]));
        assert_eq!(key_of(&file), Some(key_with(&naive, &options)));
        assert_ne!(key_of(&file), Some(key(&naive)));
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

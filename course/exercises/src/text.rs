//! A file's bytes as the text that compilers take: UTF-8 without a mark, with the line ends of Unix. Editors save other forms as well: these are
//! converted, and the intake's report says so. The student's commands and the grader read files the same way.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use sha2::{Digest, Sha256};

/// Bytes of a file that is handed in, at most: the largest that an exercise needs, a hundred times over.
pub const MOST: u64 = 1 << 20;

/// A text, and how it was got.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// As compilers take it.
    pub text: String,
    /// From which encoding it was converted.
    pub encoding: Option<String>,
    /// True if its line ends were those of Windows, or of an old Macintosh.
    pub line_ends: bool,
}

/// The text, and what was done to get it.
///
/// # Errors
/// A file that is longer than `most` bytes, or that is no text.
pub fn of(bytes: Vec<u8>, most: u64) -> Result<Text, String> {
    let (text, encoding) = decoded(bytes, most)?;
    // An old Macintosh's line end alone would make the file one line, and a comment in it would take all that follows.
    let line_ends = text.contains('\r');
    let text = if line_ends { text.replace("\r\n", "\n").replace('\r', "\n") } else { text };
    Ok(Text { text, encoding, line_ends })
}

/// SHA-256, as records, receipts and pages write it.
pub fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn decoded(bytes: Vec<u8>, most: u64) -> Result<(String, Option<String>), String> {
    if bytes.len() as u64 > most {
        return Err(format!("not taken: it is longer than {} KiB", most >> 10));
    }
    let text = match Encoding::for_bom(&bytes) {
        Some((encoding, mark)) => {
            let text = encoding.decode_without_bom_handling_and_without_replacement(&bytes[mark..]);
            let text =
                text.ok_or(format!("not taken: it is no text of {}, which its first bytes say", encoding.name()));
            (text?.into_owned(), Some(converted(encoding)))
        }
        None => match String::from_utf8(bytes) {
            Ok(text) => (text, None),
            Err(error) => windows(error.as_bytes(), error.utf8_error().valid_up_to())?,
        },
    };
    // Compilers take a text up to its first zero.
    if text.0.contains('\0') {
        return Err("not taken: it is no text, it has bytes of value 0".to_owned());
    }
    Ok(text)
}

fn converted(encoding: &'static Encoding) -> String {
    if encoding == UTF_8 {
        return "a byte order mark was taken off".to_owned();
    }
    debug_assert!(encoding == UTF_16LE || encoding == UTF_16BE, "those with a mark");
    format!("converted from {} to UTF-8", encoding.name())
}

/// A text in the one encoding of one byte a letter that editors still save; Latin-1 is a part of it.
fn windows(bytes: &[u8], first: usize) -> Result<(String, Option<String>), String> {
    let line = 1 + bytes[..first].iter().filter(|&&byte| byte == b'\n').count();
    let text = WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned();
    let printed = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\u{c}');
    if !text.chars().all(printed) {
        return Err(format!("not taken: it is no text, line {line} has bytes of no letters"));
    }
    Ok((text, Some(format!("converted from Windows-1252 (Latin-1) to UTF-8; the first such letter is in line {line}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<(String, Option<String>), String> {
        of(bytes.to_vec(), 100).map(|text| (text.text, text.encoding))
    }

    #[test]
    fn line_ends_become_those_of_unix() {
        for (bytes, line_ends) in [("größe\r\n//\r\n", true), ("größe\r//\r", true), ("größe\n//\n", false)] {
            let text = of(bytes.as_bytes().to_vec(), 100).unwrap();
            assert_eq!((text.text.as_str(), text.line_ends, text.encoding), ("größe\n//\n", line_ends, None));
        }
    }

    #[test]
    fn texts_of_other_encodings_become_utf_8_and_it_is_said() {
        let little: Vec<u8> = "\u{feff}größe".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "\u{feff}größe".encode_utf16().flat_map(u16::to_be_bytes).collect();
        for (bytes, said) in [
            (&b"\xef\xbb\xbfgr\xc3\xb6\xc3\x9fe"[..], "mark was taken off"),
            (&little, "from UTF-16LE"),
            (&big, "from UTF-16BE"),
            (b"gr\xf6\xdfe", "in line 1"),
        ] {
            let (text, note) = read(bytes).unwrap();
            assert_eq!(text, "größe");
            assert!(note.as_ref().unwrap().contains(said), "{said}: {note:?}");
        }
        let (quoted, note) = read(b"first\n\x93quoted\x94").unwrap();
        assert!(quoted == "first\n“quoted”" && note.unwrap().contains("line 2"), "{quoted}");
    }

    #[test]
    fn what_is_no_text_is_said_to_be_none() {
        for (bytes, said) in [
            (&b"\xff\x01\x02"[..], "no text"),
            (b"a\0b", "value 0"),
            (b"\xff\xfea\0\x00\xd8", "UTF-16LE"),
            (b"\xff\xfe\0\0a\0\0\0", "value 0"),
            (&[b' '; 101], "longer than 0 KiB"),
        ] {
            let why = read(bytes).unwrap_err();
            assert!(why.contains(said), "{said}: {why}");
        }
    }
}

//! Text of a student in documents: HTML, XML, CSV. The characters that no document shows are those of [`exercises::escape`].

pub use exercises::escape::{line, printable};
use exercises::lines::capped;

/// Text as XML and HTML want it.
pub fn markup(text: &str) -> String {
    let printable = printable(text);
    printable
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

/// As [`markup`], in at most about so many bytes of the document.
pub fn markup_within(text: &str, bytes: usize) -> String {
    let mut room = bytes;
    loop {
        let markup = markup(&capped(text, room));
        // Even a text of no bytes says how many were left out.
        if markup.len() <= bytes || room < 64 {
            return markup;
        }
        room = (room * bytes / markup.len()).min(room - 1);
    }
}

/// A cell of a table that no spreadsheet takes for a formula, whatever it trims first.
pub fn cell(text: &str) -> String {
    let text = line(text);
    let begin = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\'' || c == '"').chars().next();
    let formula = begin.is_some_and(|c| "=+-@|%＝＋－＠｜％−".contains(c));
    if formula { format!("'{text}") } else { text }
}

/// A machine's reason as a student may read it: of paths from the root only their last parts, because the rest says how the grader's machine is
/// laid out.
pub fn without_paths(text: &str) -> String {
    let ends = |c: char| c.is_whitespace() || "'\"`(),;:=<>".contains(c);
    let short = |word: &str| match word.strip_prefix('/').and_then(|rest| rest.trim_end_matches('/').rsplit_once('/')) {
        Some((_, last)) => format!("…/{last}"),
        None => word.to_owned(),
    };
    text.split_inclusive(ends)
        .map(|piece| {
            let word = piece.trim_end_matches(ends);
            format!("{}{}", short(word), &piece[word.len()..])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machines_paths_are_shortened() {
        for (text, shortened) in [
            ("opening /srv/class/anna/a.cu: gone", "opening …/a.cu: gone"),
            ("'/usr/lib/libcuda.so' (/a/b)", "'…/libcuda.so' (…/b)"),
            ("gemm/naive is 1/2 of it // x", "gemm/naive is 1/2 of it // x"),
            ("/tmp/", "/tmp/"),
        ] {
            assert_eq!(without_paths(text), shortened);
        }
    }

    #[test]
    fn markup_stays_text() {
        assert_eq!(markup("a < b && \"c\"\u{1b}[0m'"), "a &lt; b &amp;&amp; &quot;c&quot;\\u{1b}[0m&#39;");
    }

    #[test]
    fn a_text_that_grows_by_its_escapes_is_cut_even_so() {
        for text in ["\"".repeat(100_000), "\u{202e}".repeat(50_000), "é".repeat(50_000)] {
            let markup = markup_within(&text, 4000);
            assert!(markup.len() <= 4000 && markup.len() > 2000 && markup.contains("left out"), "{}", markup.len());
        }
        assert_eq!(markup_within("<a>", 4000), "&lt;a&gt;");
    }

    #[test]
    fn no_cell_is_a_formula() {
        for text in ["=1+1", "\t=1", "  +1", "\n@SUM(A1)", "\"=1", "\u{a0}-1", "＝1", "\u{3000}＋1", "'=1", "|cmd"] {
            assert!(cell(text).starts_with('\''), "{text:?}: {}", cell(text));
        }
        assert_eq!(cell("\r=1"), "\\u{d}=1", "what is spelt is no formula");
        assert_eq!(cell("anna"), "anna");
    }
}

//! Text of a student as it may be shown: nothing in it moves a cursor, colours a line, turns the reading direction or is invisible.

use std::fmt::Write;

/// Text for a terminal, and for whatever else shows lines: characters that are no letters become `\u{…}`, except ends of lines and tabs.
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        // The ends of lines of Windows.
        if c == '\r' && rest.peek() == Some(&'\n') {
            continue;
        }
        if hidden(c) {
            write!(out, "\\u{{{:x}}}", u32::from(c)).expect("a text takes all");
        } else {
            out.push(c);
        }
    }
    out
}

/// As [`printable`], in one line.
pub fn line(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

/// Controls (ESC and those of 8 bits among them), ends of lines that are none in a file, directions of writing, marks without width, and what
/// is no character, which XML has no place for.
fn hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}' => true,
        '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control() || u32::from(c) & 0xfffe == 0xfffe || ('\u{fdd0}'..='\u{fdef}').contains(&c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_spelt() {
        assert_eq!(printable("a\x1b[2J\u{9b}31m\u{7}\r"), "a\\u{1b}[2J\\u{9b}31m\\u{7}\\u{d}");
        assert_eq!(printable("\u{202e}cba\u{2066}\u{2069}\u{200f}"), "\\u{202e}cba\\u{2066}\\u{2069}\\u{200f}");
        assert_eq!(printable("\u{fffe}\u{ffff}\u{1ffff}\u{feff}"), "\\u{fffe}\\u{ffff}\\u{1ffff}\\u{feff}");
        assert_eq!(line("a\r\nb\tc"), "a b c");
    }

    #[test]
    fn letters_of_any_script_stay() {
        let text = "größe\tμs → ∞ 漢字 עברית 👩\u{200d}🔬\nnext";
        assert_eq!(printable(text), text);
    }
}

//! A place in the text, and the scanning of blanks, words and marks.

/// Where and why a text is not PTX.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ParseError {
    /// 1-based.
    pub line: u32,
    /// 1-based, in bytes.
    pub column: u32,
    pub message: String,
}

/// Result of every parsing function.
pub type Parsed<T> = Result<T, ParseError>;

/// A place in the text.
pub struct Cursor<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    line: u32,
    line_start: usize,
}

/// A place that was passed.
#[derive(Clone, Copy)]
pub struct Mark {
    at: usize,
    line: u32,
    line_start: usize,
}

/// Bits of [`CLASS`].
const NAME: u8 = 1;
const START: u8 = 2;
const DIGIT: u8 = 4;
const DOT: u8 = 8;

/// The classes of text that each byte can be part of.
const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        class[byte] = if b.is_ascii_alphabetic() || matches!(b, b'_' | b'$' | b'%') {
            NAME | START
        } else if b.is_ascii_digit() {
            NAME | DIGIT
        } else if matches!(b, b'.') {
            DOT
        } else {
            0
        };
        byte += 1;
    }
    class
};

impl<'t> Cursor<'t> {
    /// At the start of a text, which ends before its first NUL.
    pub fn new(text: &'t str) -> Self {
        let end = text.bytes().position(|b| b == 0).unwrap_or(text.len());
        let text = &text[..end];
        let mut cursor = Cursor { text, bytes: text.as_bytes(), at: 0, line: 1, line_start: 0 };
        cursor.blanks();
        cursor
    }

    /// The current line, 1-based.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// An error at this place.
    pub fn error(&self, message: impl Into<String>) -> ParseError {
        let column = (self.at - self.line_start) as u32 + 1;
        ParseError { line: self.line, column, message: message.into() }
    }

    /// This place, to complain about later.
    #[inline(always)]
    pub fn mark(&self) -> Mark {
        Mark { at: self.at, line: self.line, line_start: self.line_start }
    }

    /// The text from an earlier place to this one.
    pub fn since(&self, mark: Mark) -> &'t str {
        &self.text[mark.at..self.at]
    }

    /// An error at an earlier place that says what should stand there, and what stands there.
    #[cold]
    pub fn expected_at(&self, mark: Mark, what: &str) -> ParseError {
        let Mark { at, line, line_start } = mark;
        Cursor { text: self.text, bytes: self.bytes, at, line, line_start }.expected(what)
    }

    /// An error at an earlier place.
    #[cold]
    pub fn error_at(&self, mark: Mark, message: impl Into<String>) -> ParseError {
        let column = (mark.at - mark.line_start) as u32 + 1;
        ParseError { line: mark.line, column, message: message.into() }
    }

    /// An error that says what should stand here, and what stands here.
    pub fn expected(&self, what: &str) -> ParseError {
        let rest = &self.text[self.at..];
        let found: String = rest.chars().take_while(|c| !c.is_whitespace() && *c != ';').take(24).collect();
        match found.is_empty() {
            true if rest.is_empty() => self.error(format!("expected {what}, but the text ends")),
            true => self.error(format!("expected {what}, found `{}`", rest.chars().next().unwrap_or(';'))),
            false => self.error(format!("expected {what}, found `{found}`")),
        }
    }

    /// The byte here, 0 at the end.
    #[inline(always)]
    pub fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    /// The byte some bytes ahead, 0 past the end.
    #[inline(always)]
    pub fn ahead(&self, by: usize) -> u8 {
        self.bytes.get(self.at + by).copied().unwrap_or(0)
    }

    /// Returns whether the text ends here.
    pub fn at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Returns whether a name, keyword or special register begins here.
    #[inline(always)]
    pub fn at_name(&self) -> bool {
        CLASS[usize::from(self.peek())] & START != 0
    }

    /// Returns whether a digit stands here.
    #[inline(always)]
    pub fn at_digit(&self) -> bool {
        CLASS[usize::from(self.peek())] & DIGIT != 0
    }

    /// Skips one byte (ASCII) and the blanks after it.
    #[inline(always)]
    pub fn bump(&mut self) {
        self.at += 1;
        self.blanks();
    }

    /// Skips one byte (ASCII), and no blanks.
    pub fn advance(&mut self) {
        self.at += 1;
    }

    /// Skips a mark if it stands here.
    #[inline(always)]
    pub fn accept(&mut self, mark: u8) -> bool {
        let here = self.peek() == mark;
        if here {
            self.bump();
        }
        here
    }

    /// Skips `_` if it stands here alone.
    pub fn accept_sink(&mut self) -> bool {
        let here = self.peek() == b'_' && CLASS[usize::from(self.ahead(1))] & NAME == 0;
        if here {
            self.bump();
        }
        here
    }

    /// Skips a mark that must stand here.
    #[inline(always)]
    pub fn expect(&mut self, mark: u8) -> Parsed<()> {
        match self.accept(mark) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{}`", char::from(mark)))),
        }
    }

    /// Skips blanks, line ends and comments.
    #[inline(always)]
    pub fn blanks(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    self.line_start = self.at;
                }
                b'/' if matches!(self.ahead(1), b'/' | b'*') => self.comment(),
                _ => return,
            }
        }
    }

    #[cold]
    fn comment(&mut self) {
        if self.ahead(1) == b'/' {
            return self.line_rest();
        }
        self.at += 2;
        while !(self.at_end() || self.peek() == b'*' && self.ahead(1) == b'/') {
            if self.peek() == b'\n' {
                self.line += 1;
                self.line_start = self.at + 1;
            }
            self.at += 1;
        }
        self.at = (self.at + 2).min(self.bytes.len());
    }

    /// Goes to the end of the line.
    pub fn line_rest(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
    }

    /// Skips to the next of two marks, outside of strings, and stays before it.
    pub fn skip_to(&mut self, mark: u8, other: u8) -> Parsed<()> {
        loop {
            match self.peek() {
                _ if self.at_end() => return Err(self.expected(&format!("`{}`", char::from(mark)))),
                b if b == mark || b == other => return Ok(()),
                b'"' => drop(self.string()?),
                _ => {
                    self.at += 1;
                    self.blanks();
                }
            }
        }
    }

    /// A name: letters, digits, `_`, `$` and a leading `%`. Skips the blanks after it.
    #[inline(always)]
    pub fn name(&mut self) -> Parsed<&'t str> {
        refuse_if!(!self.at_name(), self.expected("a name"));
        let name = self.run(NAME);
        self.blanks();
        Ok(name)
    }

    /// A name without the blanks after it: a component (`.x`) may follow.
    #[inline(always)]
    pub fn bare_name(&mut self) -> &'t str {
        self.run(NAME)
    }

    /// The digits and letters of a number.
    pub fn number_word(&mut self) -> &'t str {
        self.run(NAME)
    }

    /// An opcode or a directive: a name with dots and `::` in it. Skips the blanks after it.
    #[inline(always)]
    pub fn dotted(&mut self) -> &'t str {
        let start = self.at;
        loop {
            self.run(NAME | DOT);
            // `ld.shared::cta` goes on, a label's colon does not.
            if self.peek() == b':' && self.ahead(1) == b':' {
                self.at += 2;
            } else {
                break;
            }
        }
        let text = &self.text[start..self.at];
        self.blanks();
        text
    }

    /// A word of a directive: `.align`, without the words that follow it directly (`.ptr.global`).
    pub fn directive(&mut self) -> Parsed<&'t str> {
        let start = self.at;
        refuse_if!(self.peek() != b'.', self.expected("a directive"));
        self.at += 1;
        self.run(NAME);
        let word = &self.text[start..self.at];
        self.blanks();
        Ok(word)
    }

    /// The directive that stands here, without moving.
    pub fn peek_directive(&self) -> &'t str {
        if self.peek() != b'.' {
            return "";
        }
        let rest = &self.bytes[self.at + 1..];
        let length = rest.iter().position(|&b| CLASS[usize::from(b)] & NAME == 0).unwrap_or(rest.len());
        &self.text[self.at..self.at + 1 + length]
    }

    /// Skips a directive if it stands here.
    pub fn accept_directive(&mut self, word: &str) -> bool {
        let here = self.peek_directive() == word;
        if here {
            self.at += word.len();
            self.blanks();
        }
        here
    }

    /// A string in quotes; PTX has no escapes in the strings that matter here. Skips the blanks after it.
    pub fn string(&mut self) -> Parsed<&'t str> {
        refuse_if!(self.peek() != b'"', self.expected("a string"));
        let rest = &self.text[self.at + 1..];
        match rest.bytes().position(|b| b == b'"' || b == b'\n') {
            Some(length) if rest.as_bytes()[length] == b'"' => {
                self.at += length + 2;
                self.blanks();
                Ok(&rest[..length])
            }
            _ => Err(self.error("this string does not end on its line")),
        }
    }

    #[inline(always)]
    fn run(&mut self, class: u8) -> &'t str {
        let start = self.at;
        while CLASS[usize::from(self.peek())] & class != 0 {
            self.at += 1;
        }
        &self.text[start..self.at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_through_comments_of_both_kinds() {
        let mut cursor = Cursor::new("// one\n/* two\nthree */ word\n  next");
        assert_eq!((cursor.line(), cursor.name().unwrap()), (3, "word"));
        assert_eq!((cursor.line(), cursor.error("x").column), (4, 3));
    }

    #[test]
    fn a_text_ends_at_its_first_nul() {
        let mut cursor = Cursor::new("abc\0def");
        assert_eq!(cursor.name().unwrap(), "abc");
        assert!(cursor.at_end());
    }

    #[test]
    fn an_error_says_what_stands_there() {
        let cursor = Cursor::new("  hello;");
        assert_eq!(cursor.expected("`{`").to_string(), "line 1, column 3: expected `{`, found `hello`");
        assert_eq!(Cursor::new("").expected("a name").message, "expected a name, but the text ends");
    }

    #[test]
    fn unfinished_comments_and_strings_end_with_the_text() {
        assert!(Cursor::new("/* never").at_end());
        assert!(Cursor::new("\"never").string().is_err());
    }
}

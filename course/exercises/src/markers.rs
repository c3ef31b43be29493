//! `BEGIN SOLUTION` and `END SOLUTION`: what of a file is the solution, and what a student gets in its place.

use anyhow::{bail, ensure};

const BEGIN: &str = "// BEGIN SOLUTION";
const END: &str = "// END SOLUTION";
/// After the begin mark of a Rust region: the expression that stands in its place, typed as the function's result.
const STARTER: &str = "(starter: ";

/// The line that stands in a region's place.
pub(crate) const TO_DO: &str = "// Your code goes here.";

/// The file as it is handed out: each region replaced by a line that says where to write.
///
/// # Errors
/// Marks that do not pair; no region at all.
pub fn starter(text: &str) -> anyhow::Result<String> {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    let mut regions = 0;
    for (number, line) in text.lines().enumerate() {
        let mark = line.trim_start();
        let indent = &line[..line.len() - mark.len()];
        let number = number + 1;
        if let Some(rest) = mark.strip_prefix(BEGIN) {
            ensure!(!inside, "line {number}: a region begins within a region");
            inside = true;
            regions += 1;
            out.push_str(&format!("{indent}{TO_DO}\n"));
            if let Some(expression) = rest.trim().strip_prefix(STARTER).and_then(|rest| rest.strip_suffix(')')) {
                out.push_str(&format!("{indent}{expression}\n"));
            }
        } else if mark == END {
            ensure!(inside, "line {number}: a region ends that has not begun");
            inside = false;
        } else if !inside {
            out.push_str(line);
            out.push('\n');
        }
    }
    ensure!(!inside, "the last region does not end");
    if regions == 0 {
        bail!("no {BEGIN}: the whole file would be handed out");
    }
    Ok(out)
}

/// Returns whether a file has a solution to be taken out: a begin mark on a line of its own.
pub fn marked(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with(BEGIN))
}

/// The lines between the marks, without the marks.
pub fn solution(text: &str) -> Vec<&str> {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        match line.trim_start() {
            mark if mark.starts_with(BEGIN) => inside = true,
            END => inside = false,
            _ if inside => lines.push(line),
            _ => {}
        }
    }
    lines
}

/// A text without comments and white space: what of it a compiler sees.
pub fn bare(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("//") {
        let (code, comment) = rest.split_at(at);
        out.extend(code.chars().filter(|c| !c.is_whitespace()));
        rest = comment.split_once('\n').map_or("", |(_, after)| after);
    }
    out.extend(rest.chars().filter(|c| !c.is_whitespace()));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "fn f() -> u32 {\n    // TASK: count.\n    // BEGIN SOLUTION (starter: 0)\n    1 + 1\n    // END SOLUTION\n}\n";

    #[test]
    fn a_region_becomes_its_starter() {
        let starter = starter(TEXT).unwrap();
        assert_eq!(starter, "fn f() -> u32 {\n    // TASK: count.\n    // Your code goes here.\n    0\n}\n");
        assert_eq!(solution(TEXT), ["    1 + 1"]);
    }

    #[test]
    fn marks_that_do_not_pair_are_refused() {
        for text in ["x\n", "// BEGIN SOLUTION\n", "// END SOLUTION\n", "// BEGIN SOLUTION\n// BEGIN SOLUTION\n"] {
            assert!(starter(text).is_err(), "{text}");
        }
    }

    #[test]
    fn comments_and_layout_do_not_count() {
        assert_eq!(bare("a = 1; // one\n\n  b"), bare("a=1;b // two"));
        assert_ne!(bare("a = 1;"), bare("a = 2;"));
    }
}

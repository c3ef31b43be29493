//! Markdown, as far as these tests look at it: which lines are code, which are text, and what they link to.

use std::collections::BTreeSet;

/// A line of a page.
pub struct Line<'t> {
    /// From 1.
    pub number: usize,
    pub text: &'t str,
    pub is_code: bool,
}

/// The lines of a page without the comments that stand on lines of their own. Code is fenced, or indented by four after an empty line.
pub fn lines(page: &str) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    let (mut fenced, mut after_empty, mut indented, mut comment) = (false, true, false, false);
    for (index, text) in page.lines().enumerate() {
        let fence = text.trim_start().starts_with("```");
        comment |= !fenced && text.starts_with("<!--");
        if comment {
            comment = !text.contains("-->");
            continue;
        }
        if text.trim().is_empty() {
            after_empty = true;
        } else {
            let deep = text.starts_with("    ") && !is_item(text.trim_start());
            indented = deep && (after_empty || indented);
            after_empty = false;
        }
        lines.push(Line { number: index + 1, text, is_code: fenced || fence || (indented && !after_empty) });
        fenced ^= fence;
    }
    lines
}

/// The paragraphs of a page, and the cells of its tables, with the line of each.
pub fn passages(page: &str) -> Vec<(usize, String)> {
    let mut passages: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for line in lines(page) {
        let start = line.text.trim();
        let is_text = !line.is_code && !start.is_empty() && !start.starts_with('#');
        if is_text && start.starts_with('|') {
            passages.extend(start.split(" | ").map(|cell| (line.number, cell.to_owned())));
        } else if let Some((_, passage)) = passages.last_mut().filter(|_| is_text && goes_on) {
            passage.extend(["\n", start]);
        } else if is_text {
            passages.push((line.number, start.to_owned()));
        }
        goes_on = is_text && !start.starts_with('|');
    }
    passages
}

/// True of a line that begins an item of a list.
pub fn is_item(text: &str) -> bool {
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    text.starts_with("- ") || text.starts_with("* ") || (number.len() < text.len() && number.starts_with(". "))
}

/// The text between single backquotes.
pub fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The text without what stands between backquotes.
pub fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join("``")
}

/// The targets of a line's links and pictures.
pub fn targets(text: &str) -> Vec<String> {
    let text = without_code(text);
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.to_owned()).collect()
}

/// The anchors of a page: those of its headings, as GitHub and mdBook make them.
pub fn anchors(page: &str) -> BTreeSet<String> {
    let headings = lines(page).into_iter().filter(|line| !line.is_code && line.text.starts_with('#'));
    headings.map(|line| slug(line.text.trim_start_matches('#').trim())).collect()
}

fn slug(heading: &str) -> String {
    let kept = |c: char| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c.to_ascii_lowercase()),
        _ => None,
    };
    heading.chars().filter_map(kept).collect()
}

#[test]
fn code_and_text_are_told_apart() {
    let page = "text\n    goes on\n\n    code\n\n- item\n\n    - item\n```\ncode\n```\n<!-- a\nb -->\ntext `in line`\n";
    let code: Vec<_> = lines(page).iter().filter(|line| line.is_code).map(|line| line.number).collect();
    assert_eq!(code, [4, 9, 10, 11]);
    assert!(lines(page).iter().all(|line| !line.text.contains("b -->")));
    let passages: Vec<_> =
        passages(page).into_iter().map(|(line, passage)| (line, passage.replace('\n', " "))).collect();
    assert_eq!(passages[0], (1, "text goes on".to_owned()));
    assert_eq!(passages.last(), Some(&(14, "text `in line`".to_owned())));
    assert_eq!(code_spans("a `b` c `d`").collect::<Vec<_>>(), ["b", "d"]);
    assert_eq!(targets("[a](b.md#c) `[d](e)` ![f](g.svg)"), ["b.md#c", "g.svg"]);
    assert!(anchors("## What is it, in `C++`?\n").contains("what-is-it-in-c"));
}

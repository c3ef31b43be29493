//! The kernels' compiler's log: its errors without its warnings, or the warnings about a kernel that compiles and is wrong.

use crate::meant::host_header;
use std::collections::BTreeSet;

/// Warnings that are told.
const MOST: usize = 3;
/// "Declared and never used" says nothing of a wrong result.
const UNUSED: &str = "177-D";

/// The message without its warnings: paragraphs, each of which says in its first line what it is.
pub fn without_warnings(log: &str) -> String {
    let mut paragraphs = vec![String::new()];
    for line in log.lines() {
        match (line.trim().is_empty(), paragraphs.last_mut()) {
            (false, Some(last)) => last.push_str(&format!("{line}\n")),
            _ => paragraphs.push(String::new()),
        }
    }
    // The first paragraph begins with a line of this program's own.
    let is_warning = |(number, paragraph): &(usize, String)| {
        let first = paragraph.lines().next().unwrap_or_default();
        *number > 0 && (first.contains("): warning") || first.starts_with("Remark:") || paragraph.is_empty())
    };
    let kept = paragraphs.into_iter().enumerate().filter(|paragraph| !is_warning(paragraph));
    kept.map(|(_, paragraph)| paragraph).chain(host_header(log)).collect()
}

/// The warnings that may explain a wrong result, a line each with a line end before it: a kernel that compiles with "used before its value is set"
/// is told so beside the value that came out.
pub fn warnings(log: &str) -> String {
    let warning = |line: &str| {
        let (place, rest) = line.split_once("): warning #")?;
        let (code, what) = rest.split_once(": ")?;
        let (_, number) = place.rsplit_once('(')?;
        (code != UNUSED).then(|| format!("\nthe compiler warns of line {number}: {what}"))
    };
    // A template is compiled once for each type.
    let mut seen = BTreeSet::new();
    log.lines().filter_map(warning).filter(|line| seen.insert(line.clone())).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_left_out_of_a_compilers_message() {
        let log = "your kernel: a.cu does not compile\na.cu(26): error: expected a \";\"\n    x\n    ^\n\na.cu(22): warning #177-D: unused\n  y\n  ^\n\nRemark: more\n\na.cu(30): error: again\n\n2 errors detected\n";
        let expected = "your kernel: a.cu does not compile\na.cu(26): error: expected a \";\"\n    x\n    ^\na.cu(30): error: again\n2 errors detected\n";
        assert_eq!(without_warnings(log), expected);
    }

    #[test]
    fn a_warning_is_told_once_and_an_unused_variable_is_none() {
        let of = |line: u32, code: &str, what: &str| {
            format!("kernels/gemm/2_naive.cu({line}): warning #{code}: {what}\n    T sum;\n    ^\n\n")
        };
        let (unset, unused) =
            (of(17, "549-D", "variable \"sum\" is used before its value is set"), of(3, "177-D", "unused"));
        let said = warnings(&format!("{unset}{unused}{unset}Remark: more\n"));
        assert_eq!(said, "\nthe compiler warns of line 17: variable \"sum\" is used before its value is set");
        assert_eq!(warnings(""), "");
    }
}

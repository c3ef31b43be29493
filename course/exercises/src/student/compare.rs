//! The kernels of a lab side by side, at sizes where each one's idea pays: a student's own, those that are right so far.

use crate::judge::Judge;
use crate::labs;
use crate::progress::Progress;
use crate::table::Course;
use crate::verdict::State;
use common::exercise::Compared;
use common::report::three_digits;
use common::result::distinct;

/// The times of a lab's exercises that are right so far, a table for each size; empty where there are not two of them, or the lab's exercises compute
/// different things.
///
/// # Errors
/// As [`Judge::judge`]; what the lab's own run says.
pub fn side_by_side(course: &Course, judge: &Judge, progress: &mut Progress, lab: &str) -> anyhow::Result<String> {
    let mut right = Vec::new();
    for exercise in course.of_lab(lab) {
        if matches!(progress.verdict(course, judge, exercise)?.state, State::Right | State::Passed) {
            right.push(exercise.name.clone());
        }
    }
    let times = labs::find(lab)?.compared(&right, &course.card)?;
    Ok(tables(lab, &times, &right))
}

/// A table for each size, in the order of the sheet.
fn tables(lab: &str, times: &[Compared], order: &[String]) -> String {
    let mut text = String::new();
    for size in distinct(times.iter().map(|time| &time.size)) {
        let mut rows: Vec<&Compared> = times.iter().filter(|time| time.size == *size).collect();
        rows.sort_by_key(|time| order.iter().position(|name| *name == time.exercise));
        let [first, _, ..] = rows[..] else { continue };
        text.push_str(&format!("\n  {:<30} {:>12} {:>12}\n", format!("{lab}, size {size}"), "ms", "speed-up"));
        for Compared { exercise, ms, .. } in &rows {
            text.push_str(&format!("  {exercise:<30} {:>12} {:>12.2}\n", three_digits(*ms), first.ms / ms));
        }
    }
    if !text.is_empty() {
        text.push_str("  your exercises that are right so far; the speed-up is over the first of them\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_the_order_of_the_sheet() {
        let time = |exercise: &str, size: &str, ms: f64| Compared { exercise: exercise.into(), size: size.into(), ms };
        let order = ["naive", "shared", "wide"].map(String::from);
        let times = [time("shared", "512", 0.25), time("naive", "512", 0.5), time("wide", "64x9", 0.1)];
        let text = tables("gemm", &times, &order);
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[1], ["gemm,", "size", "512", "ms", "speed-up"]);
        assert_eq!(lines[2], ["naive", "0.500", "1.00"]);
        assert_eq!(lines[3], ["shared", "0.250", "2.00"]);
        assert!(!text.contains("64x9"), "one kernel alone is compared with nothing: {text}");
        assert_eq!(tables("first", &[], &order), "");
    }
}

//! The answers to written questions, in the file that is handed in.

use crate::table::{Course, Exercise, Lab};

/// The answer to an exercise's question: what stands below the question's own text, up to the next question or heading. Where the question's
/// text is not there any more, all that stands below the exercise's heading.
pub fn answer(course: &Course, lab: &Lab, (exercise, number): (&Exercise, usize), sheet: &str) -> String {
    let lines: Vec<&str> = sheet.lines().collect();
    let is = |line: &str, text: &str| line.split_whitespace().eq(text.split_whitespace());
    let heading = format!("## {}", exercise.name);
    let below = |start: usize| {
        let all: Vec<&String> = course.of_lab(&lab.name).flat_map(|exercise| &exercise.questions).collect();
        let ends = |line: &&str| line.starts_with("## ") || all.iter().any(|other| is(line, other));
        let end = lines[start..].iter().position(ends).map_or(lines.len(), |at| start + at);
        let text: Vec<&str> =
            lines[start..end].iter().map(|line| line.strip_prefix('>').unwrap_or(line).trim_end()).collect();
        text.join("\n").trim().to_owned()
    };
    let own = lines.iter().position(|line| is(line, &exercise.questions[number]));
    let section = || lines.iter().position(|line| is(line, &heading));
    own.or_else(section).map_or(String::new(), |at| below(at + 1))
}

/// The questions of a lab that a sheet leaves without an answer, "gemm/shared 1", and how many questions there are.
pub fn empty(course: &Course, lab: &Lab, sheet: &str) -> (Vec<String>, usize) {
    let numbers = |exercise: &Exercise| 0..exercise.questions.len();
    let labs = course.of_lab(&lab.name);
    let all: Vec<(&Exercise, usize)> = labs.flat_map(|one| numbers(one).map(move |number| (one, number))).collect();
    let empty = all.iter().filter(|question| answer(course, lab, **question, sheet).is_empty());
    (empty.map(|(exercise, number)| format!("{} {}", exercise.id(), number + 1)).collect(), all.len())
}

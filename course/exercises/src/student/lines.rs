//! Verdicts as lines of text: a line per exercise, and the story of the first that is to be done.

use crate::escape::printable;
use crate::table::{Course, Exercise};
use crate::verdict::{NO_RUSTC, State, Talk, Verdict};

/// Lines of a story that are shown ahead of its next step, however long that is.
const LEAST_LINES: usize = 6;
/// Lines of a story that are shown: with the lines of the largest lab that makes fewer than forty.
const MOST_LINES: usize = 18;
/// Bytes of a story in a record, a page, a report; that of the longest finding has two thousand.
pub const LONGEST_STORY: usize = 8 << 10;
/// Bytes of the mark in a text that was cut.
const MARK: usize = 48;
/// Columns of a terminal that nobody has widened.
const WIDTH: usize = 80;

/// "gemm/shared (25 points)": the name of a test.
pub fn name(exercise: &Exercise) -> String {
    format!("{} ({})", exercise.id(), exercise.worth())
}

/// The line of one exercise.
pub fn line(exercise: &Exercise, verdict: &Verdict) -> String {
    let result = match verdict.state {
        State::Passed => "ok".to_owned(),
        State::ToBeRepeated if verdict.kind == NO_RUSTC => "ignored (no Rust is installed here)".to_owned(),
        _ if verdict.left_out() => "ignored (not started)".to_owned(),
        // The story says the same at length.
        State::Failed if verdict.kind == "budget" => "FAILED (did not end)".to_owned(),
        State::Failed => format!("FAILED ({})", verdict.kind),
        State::Right => format!("FAILED ({} of {} points, technique missing)", verdict.points, verdict.of),
        state => format!("FAILED ({})", state.words()),
    };
    format!("test {} ... {result}", name(exercise))
}

/// The next thing to do in a lab whose verdicts are given in order: the story of the first that is not passed, and what to read. Empty if all are;
/// an optional exercise that was left out is nothing to do.
pub fn next(course: &Course, lab: &str, verdicts: &[Verdict]) -> String {
    let to_do = |verdict: &&Verdict| !verdict.passed() && !verdict.left_out();
    let Some(first) = verdicts.iter().find(to_do) else { return String::new() };
    let exercise = course.of_lab(lab).find(|exercise| exercise.id() == first.exercise);
    let Some(exercise) = exercise else { return String::new() };
    let sheet = course.labs.iter().find(|known| known.name == lab).map_or("", |lab| &lab.sheet);
    let mut text = format!("\n{}: {}, {} of {} points\n", first.exercise, first.state.words(), first.points, first.of);
    text.push_str(&shortened(&first.story));
    text.push_str(&printed(first));
    if !matches!(first.state, State::NotStarted | State::NotCompiled) {
        text.push_str(&format!("  replay: just verdict {} --seed {}\n", first.exercise, first.seed));
        if let Some(words) = steps(exercise, first).filter(|_| !first.case.is_empty()) {
            text.push_str(&format!("  steps:  just lab {lab} {words}\n"));
        }
    }
    text.push_str(&format!("  write:  {}\n  read:   {sheet}, \"{}\"\n", exercise.file, exercise.name));
    text.push_str(&format!("  hint:   just hint {}\n", first.exercise));
    text
}

/// The flags of a lab's run that write the page which plays a kernel step by step: as the run that failed has them, else at a size with an edge that no
/// block fills. None of host code.
pub fn steps(exercise: &Exercise, verdict: &Verdict) -> Option<String> {
    let Exercise { name, file, .. } = exercise;
    let size = verdict.case.split([' ', ',']).filter(|part| !part.is_empty()).nth(1).unwrap_or("33");
    // An endless loop ends as soon as it did in the verdict.
    let budget = (verdict.kind == "budget", " --budget 10000000");
    let words = [(" f64", " --dtype f64"), (", in place", " --place in")];
    let of_case = words.map(|(words, flag)| (verdict.case.contains(words), flag));
    let flags: String = of_case.into_iter().chain([budget]).filter(|one| one.0).map(|one| one.1).collect();
    let flags = format!("--size {size}{flags} --sanitize --smallest --replay {name}.html");
    file.ends_with(".cu").then(|| format!("--variant {name} {flags}"))
}

/// A text of at most about so many bytes: of a longer one the begin and the end, and between them how much is left out.
pub fn capped(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let room = bytes.saturating_sub(MARK);
    let head = (0..=room * 2 / 3).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let tail = (text.len() - room / 3..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
    let between = if text.contains('\n') { '\n' } else { ' ' };
    format!("{}{between}… {} bytes left out …{between}{}", &text[..head], tail - head, &text[tail..])
}

/// A story of at most so many lines, indented, each as wide as a terminal. Of a longer one the last next step stays, and what comes before it is cut.
pub fn shortened(story: &str) -> String {
    let story = &printable(story);
    let lines: Vec<&str> = story.lines().collect();
    let mut wrapped = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        // A caret points into the line above it, and a compiler's gutter lines code up.
        let points = |line: &str| !line.trim().is_empty() && line.trim().chars().all(|c| "^~-".contains(c));
        let pointed_at = points(line) || lines.get(number + 1).is_some_and(|next| points(next));
        if pointed_at || is_code(line) { wrapped.push(format!("  {line}")) } else { wrap(line, &mut wrapped) }
    }
    let next = wrapped.iter().rposition(|line| is_next(line)).unwrap_or(wrapped.len());
    let end = wrapped.len().min(next + MOST_LINES - LEAST_LINES);
    let next = if end > MOST_LINES { &wrapped[next..end] } else { &[] };
    let cut = wrapped.len().saturating_sub(MOST_LINES);
    let mark = (cut > 0).then(|| format!("  … {}", counted(cut, "more line")));
    let shown = wrapped.iter().take(MOST_LINES - next.len()).chain(&mark).chain(next);
    shown.map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// Printed lines that are shown.
const MOST_PRINTED: usize = 8;

/// The lines that the student's code printed: the first ones, and how many more there are. Empty where it kept quiet.
pub fn printed(verdict: &Verdict) -> String {
    let Talk { who, lines, count } = &verdict.printed;
    if *count == 0 {
        return String::new();
    }
    let room = WIDTH - 4;
    let line = |line: &String| format!("  | {}\n", printable(line).chars().take(room).collect::<String>());
    let first: String = lines.iter().take(MOST_PRINTED).map(line).collect();
    let more = count.saturating_sub(MOST_PRINTED as u64);
    let more = if more > 0 { format!("  | … {}\n", counted(more as usize, "more line")) } else { String::new() };
    format!("  {} printed:\n{first}{more}", printable(who))
}

/// "1 line", "2 lines".
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Returns whether a line stands in a compiler's gutter: a number or nothing, then a bar; or three dots.
fn is_code(line: &str) -> bool {
    let (gutter, bar) = line.split_once('|').unwrap_or((line, ""));
    let in_gutter = gutter.trim().chars().all(|c| c.is_ascii_digit());
    in_gutter && (!bar.is_empty() || line.trim_end().ends_with('|')) && gutter.len() <= 8 || line.trim() == "..."
}

/// Returns whether a line says what to do next.
fn is_next(line: &str) -> bool {
    ["next: ", "= next: "].iter().any(|lead| line.trim_start().starts_with(lead))
}

/// One line of a story as lines that fit, indented; what goes on stands further in than what began it.
fn wrap(line: &str, out: &mut Vec<String>) {
    let begin = " ".repeat(2 + line.len() - line.trim_start().len());
    let further = format!("{begin}    ");
    let mut current = begin;
    let mut empty = true;
    for word in line.split_whitespace() {
        if !empty && current.chars().count() + 1 + word.chars().count() > WIDTH {
            out.push(std::mem::replace(&mut current, further.clone()));
            empty = true;
        }
        if !empty {
            current.push(' ');
        }
        current.push_str(word);
        empty = false;
    }
    out.push(current);
}

/// Points of a lab so far.
pub fn sum(lab: &str, verdicts: &[Verdict]) -> String {
    let points: u32 = verdicts.iter().map(|verdict| verdict.points).sum();
    let of: u32 = verdicts.iter().filter(|verdict| !verdict.bonus).map(|verdict| verdict.of).sum();
    let count = |bonus: bool| {
        let of_kind = verdicts.iter().filter(|verdict| verdict.bonus == bonus);
        let passed = of_kind.clone().filter(|verdict| verdict.passed()).count();
        format!("{passed} of {}", of_kind.count())
    };
    if verdicts.iter().all(|verdict| verdict.bonus) {
        let of: u32 = verdicts.iter().map(|verdict| verdict.of).sum();
        return format!("{lab}: {points} of {of} bonus points; passed: {} exercises", count(true));
    }
    let bonus = verdicts.iter().any(|verdict| verdict.bonus).then(|| format!(", {} bonus", count(true)));
    format!("{lab}: {points} of {of} points; passed: {} exercises{}", count(false), bonus.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = include_str!("../sample.toml");

    fn verdict(exercise: &Exercise, state: State, story: &str) -> Verdict {
        Verdict { story: story.to_owned(), kind: "race".to_owned(), ..Verdict::new(exercise, state, 3) }
    }

    #[test]
    fn a_long_story_is_cut_and_fits_the_terminal() {
        let story = format!("{}\n", "a word and another ".repeat(30)).repeat(9);
        let text = shortened(&story);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH && line.starts_with("  ")), "{text}");
        assert_eq!(text.lines().count(), MOST_LINES + 1);
        assert!(text.trim_end().ends_with("more lines"), "{text}");
    }

    #[test]
    fn the_next_step_stays_and_what_comes_before_it_is_cut() {
        let rows = |count: usize| "a line of its story\n".repeat(count);
        let next = format!("   = next: {}\n    while: a run", "a word and another ".repeat(5));
        let text = shortened(&(rows(30) + &next));
        assert_eq!(text.lines().count(), MOST_LINES + 1);
        assert!(text.contains("… 15 more lines\n     = next: a word") && text.ends_with("while: a run\n"), "{text}");
        for (fits, of) in [(rows(14) + &next, 17), (next.clone() + &rows(40), MOST_LINES + 1)] {
            let text = shortened(&fits);
            assert!(text.contains("= next: ") && text.lines().count() == of, "{text}");
        }
        // A next step without end.
        let text = shortened(&(rows(9) + "next: " + &"a word and another ".repeat(99)));
        assert!(text.contains("  next: a word") && text.lines().count() == MOST_LINES + 1, "{text}");
    }

    #[test]
    fn a_text_without_end_keeps_its_begin_and_its_end() {
        for text in ["first\n".to_owned() + &"é".repeat(60_000) + "last", "漢".repeat(50_000)] {
            for most in [0, 10, 100, 1000, LONGEST_STORY] {
                let cut = capped(&text, most);
                assert!(cut.len() <= most.max(MARK), "{most}: {}", cut.len());
                assert!(cut.contains(" bytes left out …"), "{cut}");
            }
        }
        let cut = capped(&format!("first{}last", "x".repeat(9000)), LONGEST_STORY);
        assert!(cut.starts_with("firstx") && cut.ends_with("xlast"), "{cut}");
        assert_eq!(capped("short", 5), "short");
    }

    #[test]
    fn a_story_does_not_act_on_the_terminal() {
        assert_eq!(shortened("a\u{1b}[2J\u{202e}b"), "  a\\u{1b}[2J\\u{202e}b\n");
    }

    #[test]
    fn a_compilers_lines_keep_their_columns() {
        let log = "error[E0308]: mismatched types\n  --> a.rs:7:5\n   |\n 7 |     let lanes: usize =    \"two\";\n   |                ----- ^^^^^ expected `usize`";
        let text = shortened(log);
        assert!(
            text.contains("\n   7 |     let lanes: usize =    \"two\";\n     |                ----- ^^^^^ expected"),
            "{text}"
        );
    }

    #[test]
    fn printed_lines_are_bounded_and_do_not_act_on_the_terminal() {
        let talk = |count: usize| Talk {
            who: "your code".into(),
            lines: vec!["a\u{1b}[2J".into(); count],
            count: count as u64,
        };
        let course: Course = toml::from_str(ROWS).unwrap();
        let verdict = |count| Verdict { printed: talk(count), ..verdict(&course.exercises[0], State::Failed, "") };
        assert_eq!(printed(&verdict(0)), "");
        assert_eq!(printed(&verdict(1)), "  your code printed:\n  | a\\u{1b}[2J\n");
        assert!(printed(&verdict(9)).ends_with("  | … 1 more line\n"));
    }

    #[test]
    fn a_line_that_a_caret_points_into_is_left_as_it_is() {
        let code = format!("      {};", "x + ".repeat(40));
        assert!(shortened(&format!("{code}\n      ^")).starts_with(&format!("  {code}\n")));
    }

    #[test]
    fn the_first_failing_exercise_is_told_and_a_bonus_left_out_is_no_failure() {
        let course: Course = toml::from_str(ROWS).unwrap();
        let [naive, tile] = [&course.exercises[0], &course.exercises[1]];
        let left_out = verdict(tile, State::NotStarted, "");
        assert_eq!(line(tile, &left_out), "test gemm/tile (5 bonus points) ... ignored (not started)");
        let failed = verdict(naive, State::Failed, "line 3 races with line 4");
        assert_eq!(line(naive, &failed), "test gemm/naive (10 points) ... FAILED (race)");
        let text = next(&course, "gemm", &[failed, left_out.clone()]);
        for part in
            ["line 3 races", "just verdict gemm/naive --seed 3", "naive.cu", "sheet, \"naive\"", "just hint gemm/naive"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        let passed = verdict(naive, State::Passed, "");
        assert_eq!(next(&course, "gemm", &[passed.clone(), left_out.clone()]), "");
        assert_eq!(sum("gemm", &[passed, left_out]), "gemm: 0 of 10 points; passed: 1 of 1 exercises, 0 of 1 bonus");
        let alone = Verdict { points: 5, ..verdict(tile, State::Passed, "") };
        assert_eq!(sum("gemm", &[alone]), "gemm: 5 of 5 bonus points; passed: 1 of 1 exercises");
    }
}

//! The leaderboard: of each exercise the fastest right results, as shares of the reference's simulated time. Only students whom the roster
//! gives a `nickname` stand in it, under that name.

use super::page::page;
use crate::escape::markup;
use crate::platforms::Row;
use exercises::table::Course;
use exercises::technique::References;
use exercises::verdict::Verdict;

/// The figure by which results are ranked: less is better.
const TIME: &str = "time_us";
/// Places of an exercise.
const PLACES: usize = 10;

/// The page; `None` where the roster gives nobody a nickname.
pub fn render(course: &Course, references: &References, rows: &[Row]) -> Option<String> {
    let named: Vec<(&str, &[Verdict])> = rows
        .iter()
        .filter_map(|row| Some((row.student?.nickname.as_str(), row.record?.verdicts.as_slice())))
        .filter(|(nickname, _)| !nickname.is_empty())
        .collect();
    if named.is_empty() {
        return None;
    }
    let mut body = "<p>The fastest right results of those who take part. 100 % is the reference's simulated time, 200 % half of it.</p>\n\
         <table>\n<tr><th>exercise</th><th>fastest first</th></tr>\n"
        .to_owned();
    for exercise in &course.exercises {
        let id = exercise.id();
        let Some(reference) = references.panel(&id).and_then(|panel| panel.get(TIME)) else { continue };
        let mut ranked: Vec<(f64, &str)> = named
            .iter()
            .flat_map(|(nickname, verdicts)| verdicts.iter().map(move |verdict| (*nickname, verdict)))
            .filter(|(_, verdict)| verdict.exercise == id && verdict.passed())
            .filter_map(|(nickname, verdict)| Some((reference / verdict.panel.get(TIME)?, nickname)))
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        let places: Vec<String> = ranked
            .iter()
            .take(PLACES)
            .map(|(share, nickname)| format!("{} {:.0} %", markup(nickname), share * 100.0))
            .collect();
        if !places.is_empty() {
            body.push_str(&format!("<tr><td>{id}</td><td>{}</td></tr>\n", places.join(" · ")));
        }
    }
    body.push_str("</table>\n");
    Some(page("Leaderboard", &body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platforms::Student;
    use crate::record::Record;
    use exercises::verdict::{Panel, State};

    #[test]
    fn who_takes_part_is_ranked_by_right_results() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let (course, references) = (Course::read(&root).unwrap(), References::read(&root).unwrap());
        let reference = references.panel("gemm/naive").unwrap()[TIME];
        let exercise = course.exercises.iter().find(|exercise| exercise.id() == "gemm/naive").unwrap();
        let record = |times: f64, state: State| {
            let verdict = Verdict {
                panel: Panel::from([(TIME.to_owned(), times * reference)]),
                ..Verdict::new(exercise, state, 1)
            };
            Record { verdicts: vec![verdict], ..Record::default() }
        };
        let student =
            |nickname: &str| Student { nickname: nickname.into(), name: "Jane Doe".into(), ..Student::default() };
        let class = [
            (student("slow"), record(2.0, State::Passed)),
            (student("<fast>"), record(0.5, State::Passed)),
            (student("wrong"), record(0.1, State::Failed)),
            (student(""), record(0.2, State::Passed)),
        ];
        let rows: Vec<Row> =
            class.iter().map(|(student, record)| Row { student: Some(student), record: Some(record) }).collect();
        let page = render(&course, &references, &rows).unwrap();
        assert!(page.contains("<td>gemm/naive</td><td>&lt;fast&gt; 200 % · slow 50 %</td>"), "{page}");
        assert!(!page.contains("wrong") && !page.contains("Jane") && !page.contains("500 %"), "{page}");
        assert!(render(&course, &references, &rows[3..]).is_none());
    }
}

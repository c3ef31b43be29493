//! All files of a class, its table and its CSV.

use super::escape::{cell, line};
use super::{copies, junit, leaderboard, page};
use crate::marking::{self, ClassMarks, Sum};
use crate::platforms::{self, BOM, Roster, Row, Student, dates, gradescope};
use crate::record::Record;
use crate::totals::{Decisions, Terms, Total};
use anyhow::Context;
use exercises::lines::capped;
use exercises::table::{Course, Lab};
use exercises::technique::References;
use std::fs;
use std::path::Path;

/// Bytes of a reason in a table.
const LONGEST_LINE: usize = 300;

/// Writes every file of a class into a folder. Returns what does not fit together, a line each.
///
/// # Errors
/// A folder that cannot be written; decisions that cannot be read.
pub fn write(
    course: &Course,
    roster: &Roster,
    records: &[Record],
    out: &Path,
    bom: bool,
) -> anyhow::Result<Vec<String>> {
    let put = |path: String, text: String| fs::write(out.join(&path), text).with_context(|| path.clone());
    for folder in ["gradescope", "junit", "pages"] {
        fs::create_dir_all(out.join(folder))?;
    }
    let references = References::read(&course.root)?;
    let class_marks = marking::of_class(out, records)?;
    roster.ask(records.iter().map(|record| (record.name.as_str(), &record.owner)))?;
    let (rows, mut said) = roster.join(records);
    let terms = Terms::new(course, &class_marks, Decisions::read(out, course)?);
    said.extend(terms.about_nobody(&rows));
    let totals: Vec<Total> = rows.iter().map(|row| terms.total(row)).collect();
    for (row, total) in rows.iter().zip(&totals) {
        let Some(record) = row.record else { continue };
        let marks = &class_marks[&record.name];
        gradescope::write(course, record, marks, &out.join(format!("gradescope/{}.json", record.name)))?;
        put(format!("junit/{}.xml", record.name), junit::render(course, record, marks))?;
        let total = terms.matter().then_some(total);
        put(
            format!("pages/{}.html", record.name),
            page::student(course, &references, record, (marks, total), records),
        )?;
    }
    let begin = if bom { BOM } else { "" };
    put("class.csv".to_owned(), begin.to_owned() + &csv(course, (&rows, &totals), &class_marks)?)?;
    if let Some(page) = leaderboard::render(course, &references, &rows) {
        put("leaderboard.html".to_owned(), page)?;
    }
    said.extend(platforms::write_back(course, roster, (&rows, &totals), out, bom)?);
    put("class.html".to_owned(), page::class(course, (&rows, &totals), &class_marks, terms.matter(), &said))?;
    Ok(said)
}

/// One line per submission: its points, and those of each lab where there are several; a hyphen where nothing of a lab came.
pub fn table(course: &Course, records: &[Record]) -> String {
    let labs: &[Lab] = if course.labs.len() > 1 { &course.labs } else { &[] };
    let width = records.iter().map(|record| record.name.chars().count()).max().unwrap_or(0).clamp(10, 32);
    let titles: String = labs.iter().map(|lab| format!("  {:>5}", lab.name)).collect();
    let mut text = format!("{:<width$}  points   of{titles}\n", "submission");
    let copies = copies::of_class(course, records.iter());
    for record in records {
        let cells: String = labs
            .iter()
            .map(|lab| {
                let points = record.points_of(course, lab).map_or("-".to_owned(), |(points, _)| points.to_string());
                format!("  {points:>0$}", lab.name.len().max(5))
            })
            .collect();
        let mut remarks: Vec<String> = record.open_exercises().into_iter().collect();
        match (&record.refused, record.remarkable_notes()) {
            (Some(why), _) => remarks.push(line(&capped(why, LONGEST_LINE))),
            (None, 0) => {}
            (None, 1) => remarks.push("1 note".to_owned()),
            (None, count) => remarks.push(format!("{count} notes")),
        }
        remarks.extend(copies.get(record.name.as_str()).map(|text| line(&capped(text, LONGEST_LINE))));
        let (name, points, of) = (line(&record.name), record.points(), record.of());
        let row = format!("{name:<width$}  {points:>6} {of:>4}{cells}  {}", remarks.join("; "));
        text.push_str(&format!("{}\n", row.trim_end()));
    }
    text
}

/// The intake's report with what a person should look at first, for a cell that has room for the first lines.
fn remarkable(record: &Record) -> String {
    let mut notes: Vec<_> = record.notes.iter().collect();
    notes.sort_by_key(|note| !note.is_remarkable());
    notes.iter().map(|note| format!("{}\n", line(&note.to_string()))).collect()
}

/// A line for each row of the class. Where something is to be repeated, and where nothing came, a cell is empty: that is no zero.
fn csv(course: &Course, (rows, totals): (&[Row], &[Total]), class_marks: &ClassMarks) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let first = "name,points,of,seed,refused,notes,student,id,to_be_repeated,\
        handed_in,handed_in_by,same_hash_as,total,total of";
    let mut head = first.split(',').map(str::to_owned).collect::<Vec<_>>();
    for lab in &course.labs {
        head.extend(["", " of", " late", " penalty", " override", " total"].map(|what| format!("{}{what}", lab.name)));
    }
    head.extend(course.exercises.iter().map(|exercise| exercise.id()));
    // The points that a person gives, where anything is marked: then a cell that is empty has no marks yet.
    let marked: Vec<&Lab> =
        course.labs.iter().filter(|lab| class_marks.values().any(|marks| marks.sum(course, lab).marked > 0)).collect();
    for lab in &marked {
        head.extend(["", " of", " marked"].map(|what| format!("{} answers{what}", lab.name)));
    }
    writer.write_record(&head)?;
    let copies = copies::of_class(course, rows.iter().filter_map(|row| row.record));
    let figure = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    for (Row { student, record }, total) in rows.iter().zip(totals) {
        let known = |of: fn(&Student) -> &str| student.map_or(String::new(), |student| cell(of(student)));
        let owner = [known(Student::display_name), known(|student| &student.id)];
        let Some(record) = record else {
            let mut row = vec![String::new(); head.len()];
            row[4] = "nothing was handed in".to_owned();
            row[6..8].clone_from_slice(&owner);
            row[12..14].clone_from_slice(&[figure(total.points), total.of.to_string()]);
            writer.write_record(&row)?;
            continue;
        };
        let sum = |points: u32, open: bool| if open { String::new() } else { points.to_string() };
        let mut row = vec![
            cell(&record.name),
            sum(record.points(), !record.complete),
            record.of().to_string(),
            record.seed.to_string(),
            cell(&capped(record.refused.as_deref().unwrap_or_default(), LONGEST_LINE)),
            cell(&capped(remarkable(record).trim_end(), LONGEST_LINE)),
        ];
        row.extend(owner);
        row.push(record.to_be_repeated().to_string());
        row.push(total.handed_in.and_then(|handed_in| handed_in.at).map_or(String::new(), dates::text_of));
        row.push(total.handed_in.map_or(String::new(), |handed_in| handed_in.by.to_owned()));
        row.push(copies.get(record.name.as_str()).map_or(String::new(), |text| cell(&capped(text, LONGEST_LINE))));
        row.extend([figure(total.points), total.of.to_string()]);
        for (lab, own) in course.labs.iter().zip(&total.labs) {
            let open = record.of_lab(&lab.name).any(|verdict| !verdict.state.is_final());
            let points = record.points_of(course, lab);
            row.push(points.map_or(String::new(), |(points, _)| sum(points, open)));
            row.push(course.points(&lab.name).to_string());
            let penalty = (own.penalty > 0.0).then_some(own.penalty);
            row.extend([figure(own.hours), figure(penalty), own.decided.join("; "), figure(own.total)]);
        }
        for exercise in &course.exercises {
            let verdict = record.verdicts.iter().find(|verdict| verdict.exercise == exercise.id());
            let verdict = verdict.filter(|verdict| verdict.state.is_final());
            row.push(verdict.map_or(String::new(), |verdict| verdict.points.to_string()));
        }
        for lab in &marked {
            let sum = class_marks.get(&record.name).map(|marks| marks.sum(course, lab)).unwrap_or_default();
            let Sum { points, of, marked, questions } = sum;
            row.push(if marked > 0 { points.to_string() } else { String::new() });
            row.extend([of.to_string(), format!("{marked} of {questions}")]);
        }
        writer.write_record(&row)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

//! The class as the registrar has it: a CSV with names and ids, joined with what was handed in, so that nobody is missing from a table because
//! nothing of them came.

use crate::dates::{At, of_roster};
use crate::record::Record;
use crate::spreadsheet::Table;
use anyhow::{Context, bail, ensure};
use std::collections::BTreeSet;
use std::path::Path;

/// One of the class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Student {
    /// "Jane Doe".
    pub name: String,
    /// As the registrar or the platform numbers students.
    pub id: String,
    /// The account, as a folder of GitHub Classroom has it.
    pub login: String,
    /// The name under which the student takes part in the leaderboard; empty for who does not.
    pub nickname: String,
    /// When the roster says that the work came.
    pub handed_in: Option<At>,
}

/// All of the class; of nobody where no roster is given.
#[derive(Clone, Debug, Default)]
pub struct Roster {
    /// In the file's order.
    pub students: Vec<Student>,
}

/// A line of the class's tables: a student, a submission, or both.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// None for a submission that is nobody's of the roster.
    pub student: Option<&'a Student>,
    /// None for a student of whom nothing came.
    pub record: Option<&'a Record>,
}

/// Heads of columns by what they hold: this program's, Moodle's, Canvas's, Brightspace's, GitHub Classroom's.
const NAME: &[&str] = &["name", "full name", "student", "student name", "roster_identifier"];
const FIRST: &[&str] = &["first name", "given name"];
const LAST: &[&str] = &["last name", "surname", "family name"];
const ID: &[&str] =
    &["id", "identifier", "id number", "student id", "sis user id", "orgdefinedid", "matriculation number"];
const LOGIN: &[&str] = &["login", "username", "user name", "github_username", "sis login id", "account"];
const NICKNAME: &[&str] = &["nickname"];
const HANDED_IN: &[&str] = &["handed_in", "handed in", "submitted"];

impl Roster {
    /// Reads a CSV with a head: `name` (or first and last name) or `id`; `login`, `nickname` and `handed_in` if they are there.
    ///
    /// # Errors
    /// No such file; no column that tells students apart; a time that cannot be read.
    pub fn read(file: &Path) -> anyhow::Result<Self> {
        let place = || format!("{}", file.display());
        Table::read(file).and_then(|table| Self::of(&table)).with_context(place)
    }

    fn of(table: &Table) -> anyhow::Result<Self> {
        let columns = [NAME, FIRST, LAST, ID, LOGIN, NICKNAME, HANDED_IN].map(|titles| table.column(titles));
        ensure!(
            columns[..5].iter().any(Option::is_some),
            "no column 'name' or 'id', but: {}\n  next: a head such as name,id,login",
            table.head.join(", ")
        );
        let mut students = Vec::new();
        for (line, row) in &table.rows {
            let [name, first, last, id, login, nickname, handed_in] =
                columns.map(|at| at.and_then(|at| row.get(at)).unwrap_or_default().trim().to_owned());
            let name = if name.is_empty() { format!("{first} {last}").trim().to_owned() } else { name };
            let handed_in = match handed_in.as_str() {
                "" | "-" => None,
                text => match of_roster(text) {
                    None => bail!("line {line}: '{text}' is no time; write 2026-11-30T23:59:00+01:00"),
                    at => at,
                },
            };
            let student = Student { name, id, login, nickname, handed_in };
            if !student.name.is_empty() || !student.id.is_empty() || !student.login.is_empty() {
                students.push(student);
            }
        }
        Ok(Roster { students })
    }

    /// Every student with the submission that came, in the roster's order; then submissions that nobody of the roster handed in. Without a
    /// roster: the submissions. Says too what does not fit together.
    pub fn join<'a>(&'a self, records: &'a [Record]) -> (Vec<Row<'a>>, Vec<String>) {
        let mut said = Vec::new();
        let mut left: Vec<&Record> = records.iter().collect();
        let mut rows = Vec::new();
        // By number or account first, so that of two students of one name each gets the own one.
        let mut of: Vec<Vec<&Record>> = vec![Vec::new(); self.students.len()];
        for by in [Student::is_by_number as fn(&Student, &Record) -> bool, Student::is_by_name] {
            left.retain(|record| {
                let owners: Vec<usize> =
                    (0..self.students.len()).filter(|&at| by(&self.students[at], record)).collect();
                if let [at] = owners[..] {
                    of[at].push(record);
                }
                owners.len() != 1
            });
        }
        for (student, own) in self.students.iter().zip(&of) {
            if own.len() > 1 {
                let names: Vec<&str> = own.iter().map(|record| record.name.as_str()).collect();
                said.push(format!("{} has {} submissions: {}", student.shown(), own.len(), names.join(", ")));
            }
            if own.is_empty() {
                rows.push(Row { student: Some(student), record: None });
            }
            rows.extend(own.iter().map(|&record| Row { student: Some(student), record: Some(record) }));
        }
        if !self.students.is_empty() && !left.is_empty() {
            let names: Vec<&str> = left.iter().map(|record| record.name.as_str()).collect();
            said.push(format!("in no row of the roster: {}", names.join(", ")));
        }
        rows.extend(left.into_iter().map(|record| Row { student: None, record: Some(record) }));
        (rows, said)
    }
}

impl Student {
    /// The name, or what else there is.
    pub fn shown(&self) -> &str {
        [&self.name, &self.login, &self.id].into_iter().find(|text| !text.is_empty()).map_or("", String::as_str)
    }

    /// Whether a submission has this number or this account: all of its name, or a part of it.
    fn is_by_number(&self, record: &Record) -> bool {
        let name = record.name.to_lowercase();
        let is = |own: &str| {
            let own = own.to_lowercase();
            let inside = name.split(['_', ' ']).any(|part| part == own);
            // A folder of GitHub Classroom: the assignment, a hyphen, the account.
            let behind = name.ends_with(&format!("-{own}"));
            !own.is_empty() && (record.owner.id.as_deref() == Some(&own) || name == own || inside || behind)
        };
        is(&self.id) || is(&self.login)
    }

    /// Whether a submission has this name, whatever the order of its parts.
    fn is_by_name(&self, record: &Record) -> bool {
        let own = words(&self.name);
        let theirs = words(record.owner.name.as_deref().unwrap_or(&record.name));
        let sorted = |words: &[String]| words.iter().cloned().collect::<BTreeSet<_>>();
        // Canvas writes the last name first, and all in one word.
        let turned = (0..own.len()).any(|at| [&own[at..], &own[..at]].concat().concat() == theirs.concat());
        !own.is_empty() && (sorted(&own) == sorted(&theirs) || turned)
    }
}

/// The words of a name in small letters.
fn words(name: &str) -> Vec<String> {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::Owner;

    fn record(name: &str, owner: Option<&str>, id: Option<&str>) -> Record {
        let owner = Owner { name: owner.map(str::to_owned), id: id.map(str::to_owned), ..Owner::default() };
        Record { name: name.to_owned(), owner, ..Record::default() }
    }

    fn parsed(text: &str) -> anyhow::Result<Roster> {
        Roster::of(&Table::parse(text)?)
    }

    #[test]
    fn a_roster_is_read_whatever_program_wrote_it() {
        for text in [
            "name,id,login\nJane Doe,17,jdoe\n",
            "First name;Last name;ID number;Username\nJane;Doe;17;jdoe\n",
            "ID,Student,SIS Login ID,Section\n17,Jane Doe,jdoe,1\n,,,\n",
        ] {
            let roster = parsed(text).unwrap();
            let expected =
                Student { name: "Jane Doe".into(), id: "17".into(), login: "jdoe".into(), ..Student::default() };
            assert_eq!(roster.students, [expected], "{text}");
        }
        for (text, why) in [("colour\nred\n", "no column 'name'"), ("name,handed_in\nJane,yesterday\n", "line 2")] {
            assert!(parsed(text).unwrap_err().to_string().contains(why), "{why}");
        }
    }

    #[test]
    fn submissions_find_their_students() {
        let roster = parsed(
            "name,id,login\nJane Doe,17,jdoe\nJörg Müller,18,jm\nAnna Sá,19,anna\nAnna Sá,20,\nNobody Here,21,\n",
        );
        let roster = roster.unwrap();
        let records = [
            record("doejane_4711", Some("doejane"), Some("4711")),
            record("Müller Jörg_3", Some("Müller Jörg"), Some("3")),
            record("labs-anna", None, None),
            record("20", None, None),
            record("stranger", None, None),
        ];
        let (rows, said) = roster.join(&records);
        let told: Vec<(&str, &str)> = rows
            .iter()
            .map(|row| (row.student.map_or("", |one| one.id.as_str()), row.record.map_or("", |one| one.name.as_str())))
            .collect();
        let expected = [
            ("17", "doejane_4711"),
            ("18", "Müller Jörg_3"),
            ("19", "labs-anna"),
            ("20", "20"),
            ("21", ""),
            ("", "stranger"),
        ];
        assert_eq!(told, expected);
        assert_eq!(said, ["in no row of the roster: stranger"]);

        let twice = [record("17", None, None), record("jdoe", None, None)];
        let (rows, said) = roster.join(&twice);
        assert!(rows.len() == 6 && said[0].contains("Jane Doe has 2 submissions"), "{said:?}");
        let nobody = Roster::default();
        let (rows, said) = nobody.join(&records);
        assert!(rows.len() == 5 && said.is_empty());
    }
}

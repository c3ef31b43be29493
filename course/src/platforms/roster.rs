//! The class as the registrar has it: a CSV with names and ids, joined with what was handed in, so that nobody is missing from a table because
//! nothing of them came.

use crate::names::without_hash;
use crate::platforms::Owner;
use crate::platforms::Table;
use crate::platforms::dates::{At, of_roster};
use crate::record::Record;
use anyhow::{Context, bail, ensure};
use std::collections::BTreeSet;
use std::path::Path;
use unicode_normalization::UnicodeNormalization;

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
    /// The row of the roster.
    pub row: usize,
}

/// All of the class; of nobody where no roster is given.
#[derive(Clone, Debug, Default)]
pub struct Roster {
    /// In the file's order.
    pub students: Vec<Student>,
    /// The file, which goes back to its platform with the grades where it is that platform's own.
    pub table: Table,
    /// Columns by what they hold, where their titles do not say it.
    pub columns: Columns,
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
const HANDED_IN: &[&str] = &["handed_in", "handed in", "submitted", "last modified (submission)"];
/// Canvas's name for the row of its gradebook that holds each column's most points.
pub const MOST: &str = "Points Possible";
/// The names by which `--columns` says what a column holds; a lab's name says that it holds the lab's grade.
const KEYS: [&str; 10] = ["name", "first", "last", "id", "login", "nickname", "handed_in", "grade", "most", "comment"];

/// Titles of columns, as a person gives them: `login=Matrikelnummer,name="Nachname, Vorname"`.
#[derive(Clone, Debug, Default)]
pub struct Columns(Vec<(String, String)>);

impl Columns {
    /// Takes a text apart; a comma that no known name and `=` follow is part of a title.
    ///
    /// # Errors
    /// A name that is not known.
    pub fn of(text: &str, labs: &[&str]) -> anyhow::Result<Self> {
        let mut all: Vec<(String, String)> = Vec::new();
        for part in text.split(',') {
            let known = part.split_once('=').filter(|(key, _)| KEYS.iter().chain(labs).any(|one| *one == key.trim()));
            match (known, all.last_mut()) {
                (Some((key, title)), _) => all.push((key.trim().to_owned(), title.to_owned())),
                (None, Some((_, title))) if !title.is_empty() && !part.contains('=') => {
                    title.push_str(&format!(",{part}"))
                }
                _ => bail!(
                    "--columns: '{part}' is none of {}=TITLE, or a lab's name and its column",
                    KEYS.join("=TITLE, ")
                ),
            }
        }
        let plain = |(key, title): (String, String)| (key, title.trim().trim_matches('"').to_lowercase());
        Ok(Columns(all.into_iter().map(plain).collect()))
    }

    /// The column that holds something, in a table: the one that a person named, else the first of these titles.
    ///
    /// # Errors
    /// A person named one that is not there.
    pub fn find(&self, table: &Table, key: &str, titles: &[&str]) -> anyhow::Result<Option<usize>> {
        match self.0.iter().find(|(own, _)| own == key) {
            None => Ok(table.column(titles)),
            // To leave one out.
            Some((_, title)) if title.is_empty() => Ok(None),
            Some((_, title)) => {
                let column = table.column(&[title]);
                let known = table.head.join(", ");
                column.map(Some).with_context(|| format!("--columns: no column '{title}' ({key}), but: {known}"))
            }
        }
    }
}

impl Roster {
    /// Reads a CSV with a head: `name` (or first and last name) or `id`; `login`, `nickname` and `handed_in` if they are there.
    ///
    /// # Errors
    /// No such file; no column that tells students apart; a time that cannot be read.
    pub fn read(file: &Path, columns: Columns) -> anyhow::Result<Self> {
        let place = || format!("{}", file.display());
        Table::read(file).and_then(|table| Self::of(table, columns)).with_context(place)
    }

    fn of(table: Table, named: Columns) -> anyhow::Result<Self> {
        let titles = [NAME, FIRST, LAST, ID, LOGIN, NICKNAME, HANDED_IN];
        let mut columns = [None; 7];
        for (at, titles) in titles.iter().enumerate() {
            columns[at] = named.find(&table, KEYS[at], titles)?;
        }
        ensure!(
            columns[..5].iter().any(Option::is_some),
            "no column 'name' or 'id', but: {}\n  next: a head such as name,id,login; or --columns 'id=TITLE,name=TITLE'",
            table.head.join(", ")
        );
        let mut students = Vec::new();
        for (at, (line, row)) in table.rows.iter().enumerate() {
            let [name, first, last, id, login, nickname, handed_in] =
                columns.map(|at| at.and_then(|at| row.get(at)).unwrap_or_default().trim().to_owned());
            let name = if name.is_empty() { format!("{first} {last}").trim().to_owned() } else { name };
            // Moodle's worksheet numbers its students "Participant 17", in the site's language.
            let number = id.rsplit(' ').next().filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
            let id = number.filter(|_| table.column(&["identifier"]) == columns[3]).unwrap_or(&id).to_owned();
            let handed_in = match handed_in.as_str() {
                "" | "-" => None,
                text => match of_roster(text) {
                    None => bail!("line {line}: '{text}' is no time; write 2026-11-30T23:59:00+01:00"),
                    at => at,
                },
            };
            let student = Student { name, id, login, nickname, handed_in, row: at };
            let known = !student.name.is_empty() || !student.id.is_empty() || !student.login.is_empty();
            if known && student.name != MOST {
                students.push(student);
            }
        }
        Ok(Roster { students, table, columns: named })
    }

    /// Every student with the submission that came, in the roster's order; then submissions that nobody of the roster handed in. Without a
    /// roster: the submissions. Says too what does not fit together.
    pub fn join<'a>(&'a self, records: &'a [Record]) -> (Vec<Row<'a>>, Vec<String>) {
        let (mut said, mut left, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        let mut of: Vec<Vec<&Record>> = vec![Vec::new(); self.students.len()];
        for record in records {
            match self.owners(&record.name, &record.owner)[..] {
                [at] => of[at].push(record),
                _ => left.push(record),
            }
        }
        for (student, own) in self.students.iter().zip(&of) {
            if own.len() > 1 {
                let names: Vec<&str> = own.iter().map(|record| record.name.as_str()).collect();
                said.push(format!("{} has {} submissions: {}", student.display_name(), own.len(), names.join(", ")));
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

    /// The students whom a submission may be of: those for whom the surest sign speaks, and of those the ones for whom the next one does. As
    /// the names are written comes before letters of either size and either form of Unicode; a number or account comes before a name.
    fn owners(&self, name: &str, owner: &Owner) -> Vec<usize> {
        type Sign = fn(&Student, &str, &Owner, Spelling) -> bool;
        let signs: [Sign; 3] = [Student::is_number, Student::has_number, Student::is_by_name];
        let mut owners: Option<Vec<usize>> = None;
        for (spelling, sign) in
            [Spelling::Written, Spelling::Folded].into_iter().flat_map(|spelling| signs.map(|sign| (spelling, sign)))
        {
            let fits = |at: &usize| sign(&self.students[*at], without_hash(name), owner, spelling);
            let fitting: Vec<usize> = match &owners {
                Some(owners) if owners.len() == 1 => break,
                Some(owners) => owners.iter().copied().filter(fits).collect(),
                None => (0..self.students.len()).filter(fits).collect(),
            };
            owners = Some(fitting).filter(|fitting| !fitting.is_empty()).or(owners);
        }
        owners.unwrap_or_default()
    }

    /// Asks about each submission that may be of several students.
    ///
    /// # Errors
    /// There is one.
    pub fn ask<'a>(&self, class: impl Iterator<Item = (&'a str, &'a Owner)>) -> anyhow::Result<()> {
        let asked = class.filter_map(|(name, owner)| {
            let owners = self.owners(name, owner);
            let in_words = |at: &usize| {
                format!(
                    "{} (id '{}', login '{}')",
                    self.students[*at].display_name(),
                    self.students[*at].id,
                    self.students[*at].login
                )
            };
            let all: Vec<String> = owners.iter().map(in_words).collect();
            (all.len() > 1).then(|| format!("'{name}' may be of {}", all.join(" or of ")))
        });
        let asked: Vec<String> = asked.collect();
        ensure!(
            asked.is_empty(),
            "whose is it? {}\n  next: write the submission's name as the login of the right row of the roster, and the same command again",
            asked.join("; ")
        );
        Ok(())
    }
}

/// How names are compared.
#[derive(Clone, Copy)]
enum Spelling {
    /// Letter by letter.
    Written,
    /// Letters of either size being the same, and those of several code points in one spelling.
    Folded,
}

impl Spelling {
    fn of(self, text: &str) -> String {
        match self {
            Spelling::Written => text.to_owned(),
            // Upper case first: a final sigma and a sharp s have one each.
            Spelling::Folded => text.nfc().collect::<String>().to_uppercase().to_lowercase().nfc().collect(),
        }
    }
}

impl Student {
    /// The name, or what else there is.
    pub fn display_name(&self) -> &str {
        [&self.name, &self.login, &self.id].into_iter().find(|text| !text.is_empty()).map_or("", String::as_str)
    }

    /// This one's number and account.
    fn numbers(&self, spelling: Spelling) -> impl Iterator<Item = String> {
        [&self.id, &self.login].into_iter().filter(|own| !own.is_empty()).map(move |own| spelling.of(own))
    }

    /// Returns whether a submission's name, or the platform's number, is this number or this account.
    fn is_number(&self, name: &str, owner: &Owner, spelling: Spelling) -> bool {
        let id = owner.id.as_ref().map(|id| spelling.of(id));
        self.numbers(spelling).any(|own| own == spelling.of(name) || id.as_ref() == Some(&own))
    }

    /// Returns whether a part of a submission's name is; or its end, after the assignment and a hyphen, as in a folder of GitHub Classroom.
    fn has_number(&self, name: &str, _: &Owner, spelling: Spelling) -> bool {
        let name = spelling.of(name);
        self.numbers(spelling)
            .any(|own| name.split(['_', ' ']).any(|part| part == own) || name.ends_with(&format!("-{own}")))
    }

    /// Returns whether a submission has this name, whatever the order of its parts.
    fn is_by_name(&self, name: &str, owner: &Owner, spelling: Spelling) -> bool {
        let [own, theirs] = [&self.name, owner.name.as_deref().unwrap_or(name)].map(|name| spelling.of(name));
        let [own, theirs] = [&own, &theirs].map(|name| words(name));
        let sorted = |words: &[&str]| words.iter().copied().map(str::to_owned).collect::<BTreeSet<_>>();
        // Canvas writes the last name first, and all in one word.
        let turned = (0..own.len()).any(|at| [&own[at..], &own[..at]].concat().concat() == theirs.concat());
        !own.is_empty() && (sorted(&own) == sorted(&theirs) || turned)
    }
}

fn words(name: &str) -> Vec<&str> {
    name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, owner: Option<&str>, id: Option<&str>) -> Record {
        let owner = Owner { name: owner.map(str::to_owned), id: id.map(str::to_owned), ..Owner::default() };
        Record { name: name.to_owned(), owner, ..Record::default() }
    }

    fn parsed(text: &str) -> anyhow::Result<Roster> {
        Roster::of(Table::parse(text)?, Columns::default())
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
    fn a_registrars_own_titles_are_given_by_hand() {
        let text = "Matrikelnummer;Nachname, Vorname;Gruppe\n17;Doe, Jane;A\n";
        assert!(parsed(text).unwrap_err().to_string().contains("--columns 'id=TITLE"));
        let columns = |text| Columns::of(text, &["gemm"]);
        for given in ["login=Matrikelnummer,name=Nachname, Vorname", "name=\"Nachname, Vorname\",login=Matrikelnummer"]
        {
            let roster = Roster::of(Table::parse(text).unwrap(), columns(given).unwrap()).unwrap();
            let student = &roster.students[0];
            assert_eq!((student.login.as_str(), student.name.as_str()), ("17", "Doe, Jane"), "{given}");
            assert!(student.is_by_name("Jane Doe", &Owner::default(), Spelling::Written));
        }
        let missing = Roster::of(Table::parse(text).unwrap(), columns("id=Nummer").unwrap()).unwrap_err();
        assert!(missing.to_string().contains("no column 'nummer' (id), but: matrikelnummer"), "{missing}");
        assert!(columns("gemm=Lab 1").is_ok() && columns("colour=red").is_err() && columns("id=a,colour=red").is_err());
    }

    #[test]
    fn submissions_find_their_students() {
        let roster = parsed(
            "name,id,login\nJane Doe,17,jdoe\nJörg Müller,18,jm\nAnna Sá,19,anna\nAnna Sá,20,\nNobody Here,21,\n",
        );
        let class = roster.unwrap();
        let records = [
            record("doejane_4711", Some("doejane"), Some("4711")),
            record("Müller Jörg_3", Some("Müller Jörg"), Some("3")),
            record("labs-anna", None, None),
            record("20", None, None),
            record("stranger", None, None),
        ];
        let (rows, said) = class.join(&records);
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

        // An exact name before one of other letters, and one form of Unicode for both; where two fit, nobody is taken.
        let roster = parsed("name,login\nA,anna\nB,Anna\nJo\u{308}rg STRASSE,\nMüller,m\nmüller,M\n").unwrap();
        let records = ["Anna", "anna", "jörg straße", "Mu\u{308}ller~0123456789ab", "müller"]
            .map(|name| record(name, None, None));
        let (rows, said) = roster.join(&records);
        let told: Vec<&str> = rows.iter().map(|row| row.record.map_or("", |one| one.name.as_str())).collect();
        assert_eq!(told, ["anna", "Anna", "jörg straße", "", "müller", "Mu\u{308}ller~0123456789ab"], "{said:?}");
        let asked = roster.ask(records.iter().map(|record| (record.name.as_str(), &record.owner))).unwrap_err();
        assert!(
            asked.to_string().contains("'Mu\u{308}ller~0123456789ab' may be of Müller (id '', login 'm') or of müller"),
            "{asked}"
        );

        let twice = [record("17", None, None), record("jdoe", None, None)];
        let (rows, said) = class.join(&twice);
        assert!(rows.len() == 6 && said[0].contains("Jane Doe has 2 submissions"), "{said:?}");
        let nobody = Roster::default();
        let (rows, said) = nobody.join(&records);
        assert!(rows.len() == 5 && said.is_empty());
    }
}

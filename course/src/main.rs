//! The instructor's side of the course: `handout`, `check`, `reference`, `grade`, `regrade`, `verify`, `mark`, `plagiarism`.

mod command_line;
mod grading;
mod handout;
mod intake;
mod marking;
mod platforms;
mod proof;
mod reports;
mod totals;

use anyhow::{Context, ensure};
use clap::Parser;
use command_line::{Arguments, Class, How, What};
use differences::{changes, differences, news};
use exercises::output::{READER_LEFT, reader_left};
use exercises::process::Workers;
use exercises::say;
use exercises::table::Course;
use grade::{Graded, Grader, Options, Step};
use grading::{differences, grade, names, plagiarism, progress, record, unfinished};
use marking::Marks;
use platforms::{Columns, Entry, Roster, class, gradescope, slurm};
use progress::Progress;
use proof::{check, leaks, reference, samples};
use record::Record;
use reports::{copies, escape};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

impl Class {
    /// The folder of results, of a lab alone or of all.
    fn out(&self, lab: Option<&str>) -> PathBuf {
        let default = || lab.map_or_else(|| PathBuf::from("grades"), |lab| Path::new("grades").join(lab));
        self.out.clone().unwrap_or_else(default)
    }

    /// The folder in which records of a lab lie already: what `grade --lab` wrote, or what `grade` did.
    fn found(&self, lab: &str) -> anyhow::Result<PathBuf> {
        let [own, all] = [self.out(Some(lab)), self.out(None)];
        let there = [&own, &all].map(|out| out.join("records").is_dir());
        ensure!(
            self.out.is_some() || there != [true, true],
            "records lie in {} and in {}\n  next: the same command with --out and one of them",
            own.display(),
            all.display()
        );
        Ok(if there[0] { own } else { all })
    }

    fn roster(&self, course: &Course) -> anyhow::Result<Roster> {
        let labs: Vec<&str> = course.whole().labs.iter().map(|lab| lab.name.as_str()).collect();
        let columns = self.columns.as_ref().map_or(Ok(Columns::default()), |text| Columns::of(text, &labs))?;
        self.roster.as_ref().map_or(Ok(Roster::default()), |file| Roster::read(file, columns))
    }
}

impl How {
    fn out(&self) -> PathBuf {
        self.class.out(self.lab.as_deref())
    }

    fn options(&self) -> Options {
        let budget = Duration::from_secs(self.budget);
        Options { out: self.out(), jobs: self.jobs, budget, seed: self.seed, unconfined: self.unconfined }
    }
}

fn main() -> ExitCode {
    if let Some(code) = exercises::worker::dispatch_with(&[(intake::WORK, intake::work)]) {
        return code;
    }
    match run(&Arguments::parse().what) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) if reader_left(&error) => ExitCode::from(READER_LEFT),
        Err(error) => {
            eprintln!("error: {}", escape::printable(&format!("{error:#}")));
            ExitCode::from(2)
        }
    }
}

fn run(what: &What) -> anyhow::Result<bool> {
    let course = Course::here()?;
    let lab = match what {
        What::Handout { lab, .. } => lab,
        What::Grade { how, .. } | What::Regrade { how } => &how.lab,
        _ => &None,
    };
    let course = match lab {
        Some(lab) => course.only(lab)?,
        None => course,
    };
    match what {
        What::Handout { folder, with_simulator, .. } => {
            let kind = if *with_simulator { handout::Kind::Source } else { handout::Kind::Tool };
            let judge = if *with_simulator { None } else { Some(handout::judge::current(&course)?) };
            let written = handout::write(&course, folder, kind)?;
            judge.map_or(Ok(()), |judge| handout::judge::put(&course, &judge, folder))?;
            say!("{}: {written} files; next: cd there, ./judge nvrtc, ./judge watch", folder.display());
            Ok(true)
        }
        What::Check { name, no_build } => check::check(&course, name.as_deref(), !no_build),
        What::Sample { name } => {
            say!("{}", samples::whole(&course, name)?.trim_end());
            Ok(true)
        }
        What::Reference { name } => reference::write(&course, name.as_deref()),
        What::Grade { how, task: Some(list), number: Some(number), .. } => grade_one(&course, list, *number, how),
        What::Grade { paths, how, slurm: true, slurm_option, .. } => {
            grade_on_cluster(&course, &class_of(paths)?, how, slurm_option)
        }
        What::Grade { paths, how, .. } => grade_all(&course, &class_of(paths)?, how),
        What::Regrade { how } => regrade(&course, how),
        What::Verify { record, unconfined } => verify(course, record, *unconfined),
        What::Mark { lab, csv, class } => mark(&course, lab, csv.as_deref(), class),
        What::Plagiarism { folder, paths } => {
            let class = class_of(paths)?;
            let refused = plagiarism::export(&course, &class, folder)?;
            refused.iter().for_each(|why| eprintln!("left out: {}", escape::line(why)));
            let (count, of) = (class.len() - refused.len(), class.len());
            say!("{}: {count} of {of} submissions; base code in {}", folder.display(), folder.join("base").display());
            Ok(refused.is_empty())
        }
    }
}

/// A class by its paths; says how it was read.
fn class_of(paths: &[PathBuf]) -> anyhow::Result<Vec<Entry>> {
    let (class, said) = class(paths)?;
    said.iter().for_each(|line| eprintln!("{}", escape::line(line)));
    Ok(class)
}

/// Asks what nobody but a person can say, before anything is judged.
fn ask(course: &Course, roster: &Roster, class: &[Entry]) -> anyhow::Result<()> {
    roster.ask(class.iter().map(|entry| (entry.name.as_str(), &entry.owner)))?;
    let workers = Workers::of_this_program(true)?;
    // The machine's failures are met again when the submission is judged.
    let question = |entry: &Entry| intake::asked(&workers, course, &entry.paths()).ok()?.err();
    let asked = class.iter().filter_map(|entry| Some(format!("\n  {}: {}", entry.path.display(), question(entry)?)));
    let asked: String = asked.collect();
    ensure!(
        asked.is_empty(),
        "nothing is judged before this is said:{asked}\n  next: take out what does not count, and the same command again"
    );
    Ok(())
}

fn grade_on_cluster(course: &Course, class: &[Entry], how: &How, options: &[String]) -> anyhow::Result<bool> {
    let mut arguments: Vec<String> = how.seed.iter().map(|seed| format!("--seed={seed}")).collect();
    arguments.extend(how.unconfined.then(|| "--unconfined".to_owned()));
    arguments.extend(how.lab.iter().map(|lab| format!("--lab={lab}")));
    let roster = how.class.roster(course)?;
    ask(course, &roster, class)?;
    let graded = slurm::Array { course, out: &how.out(), arguments, options }.grade(class)?;
    report(course, &roster, &graded, how)
}

/// A job of a Slurm array.
fn grade_one(course: &Course, list: &Path, number: usize, how: &How) -> anyhow::Result<bool> {
    let class = slurm::listed(list)?;
    let entry = number.checked_sub(1).and_then(|place| class.get(place));
    let entry = entry.with_context(|| format!("{} has no submission {number}", list.display()))?;
    let grader = Grader::new(course, how.options(), &|_| ())?;
    say!("confinement: {}", grader.confinement());
    let graded = grader.grade(std::slice::from_ref(entry), &|_| Ok(()), &|_| ());
    say!("{}", reports::table(course, &graded.records).trim_end());
    Ok(all_final(&graded))
}

fn grade_all(course: &Course, class: &[Entry], how: &How) -> anyhow::Result<bool> {
    let roster = how.class.roster(course)?;
    ask(course, &roster, class)?;
    let before = record::of_class(&how.out());
    let progress = Progress::new(class.len());
    let tell = |step: Step| progress.tell(&step);
    let grader = Grader::new(course, how.options(), &tell)?;
    say!("confinement: {}", grader.confinement());
    ensure!(how.results.is_none() || class.len() == 1, "--results is of one submission; {} are given", class.len());
    let results = |record: &Record| {
        how.results
            .as_ref()
            .map_or(Ok(()), |file| gradescope::write(course, record, &Marks::read(&how.out(), &record.name)?, file))
    };
    let before_the_last = |records: &[Record]| {
        if let Err(error) = reports::write(course, &roster, records, &how.out(), how.class.bom) {
            eprintln!("{error:#}");
        }
    };
    let graded = grader.grade(class, &results, &before_the_last);
    let whole = report(course, &roster, &graded, how)?;
    for line in news(&before, &graded.records) {
        say!("{}", escape::line(&line));
    }
    Ok(whole)
}

fn report(course: &Course, roster: &Roster, graded: &Graded, how: &How) -> anyhow::Result<bool> {
    let written = reports::write(course, roster, &graded.records, &how.out(), how.class.bom);
    say!("{}", reports::table(course, &graded.records).trim_end());
    let missing = roster.join(&graded.records).0.into_iter().filter(|row| row.record.is_none());
    for student in missing.filter_map(|row| row.student) {
        say!("{}: nothing was handed in", escape::line(student.display_name()));
    }
    let whole = all_final(graded);
    // After what each submission came to: the records are there all the same.
    written?.iter().for_each(|line| eprintln!("{}", escape::line(line)));
    say!("records, results.json, JUnit, CSV and pages: {}", how.out().display());
    Ok(whole)
}

/// Returns whether all verdicts are final; says which are not, and what else went wrong.
fn all_final(graded: &Graded) -> bool {
    let open: Vec<&Record> = graded.records.iter().filter(|record| !record.complete).collect();
    graded.troubles.iter().for_each(|trouble| eprintln!("{}", escape::line(trouble)));
    for record in &open {
        let all = record.verdicts.iter().filter(|verdict| !verdict.state.is_final());
        let why = all.clone().next().map_or("", |verdict| verdict.story.lines().next().unwrap_or_default());
        let names: Vec<&str> = all.map(|verdict| verdict.exercise.as_str()).collect();
        let list = if names.len() < record.verdicts.len() { names.join(", ") } else { "every exercise".to_owned() };
        eprintln!("{}: to be repeated: {list}: {}", escape::line(&record.name), escape::line(why));
    }
    if !open.is_empty() {
        let (count, are) = (open.len(), if open.len() == 1 { "submission is" } else { "submissions are" });
        eprintln!(
            "{count} {are} not graded completely, which is not the students' doing; next: the same command again"
        );
    }
    open.is_empty() && graded.troubles.is_empty()
}

fn regrade(course: &Course, how: &How) -> anyhow::Result<bool> {
    let roster = how.class.roster(course)?;
    let grader = Grader::new(course, how.options(), &|_| ())?;
    let files = record::files(&how.out())?;
    let mut graded = Graded::default();
    let mut changed = 0;
    for file in files {
        let before = match record::read(&file, course) {
            Ok(before) => before,
            Err(error) => {
                graded.troubles.push(format!("{error:#}: not graded again"));
                continue;
            }
        };
        let name = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or(&before.name).to_owned();
        let after = grader.again(&Entry { name, ..before.entry() }, before.seed);
        let lines = changes(&before, &after);
        changed += usize::from(!lines.is_empty());
        for line in &lines {
            say!("{}", escape::line(line));
        }
        if let Err(error) = record::write_whole(&file, &after) {
            graded.troubles.push(format!("{error:#}"));
        }
        graded.records.push(after);
    }
    graded.troubles.extend(grader.troubles());
    let said = reports::write(course, &roster, &graded.records, &how.out(), how.class.bom)?;
    said.iter().for_each(|line| eprintln!("{}", escape::line(line)));
    say!("{} submissions graded again, {changed} grades changed", graded.records.len());
    Ok(all_final(&graded))
}

/// The course that the records of a folder are of: one lab, where `grade --lab` wrote them.
fn of_records(course: &Course, records: &[Record]) -> anyhow::Result<Course> {
    let lab = records.first().and_then(Record::only_lab).filter(|lab| course.lab(lab).is_ok());
    lab.map_or(Ok(course.clone()), |lab| course.clone().only(&lab))
}

fn mark(course: &Course, lab: &str, table: Option<&Path>, class: &Class) -> anyhow::Result<bool> {
    let roster = class.roster(course)?;
    let lab = course.lab(lab)?;
    let out = &class.found(&lab.name)?;
    let (sheets, records) = marking::sheets(course, lab, out)?;
    let end = match table {
        Some(file) => {
            let (end, said) = marking::by_table(course, lab, &sheets, out, file)?;
            said.iter().for_each(|line| eprintln!("{}", escape::line(line)));
            end
        }
        None => marking::ask(course, lab, &sheets, out, (&mut std::io::stdin().lock(), &mut std::io::stdout()))?,
    };
    let course = &of_records(course, &records)?;
    reports::write(course, &roster, &records, out, class.bom)?
        .iter()
        .for_each(|line| eprintln!("{}", escape::line(line)));
    match end {
        marking::End::Complete => {
            say!("\n{}: every answer has a mark; CSV, JUnit and pages: {}", lab.name, out.display())
        }
        marking::End::Left(count) => {
            say!("\n{}: {count} answers have no mark yet; next: just mark {0}", lab.name);
        }
    }
    Ok(end == marking::End::Complete)
}

/// Returns whether a record comes out the same again, from the files whose hashes it holds.
fn verify(course: Course, file: &Path, unconfined: bool) -> anyhow::Result<bool> {
    let record::Kept { record: before, raw } = record::parsed(file)?;
    // The record is of one lab, if `grade --lab` wrote it.
    let course = &match before.only_lab() {
        Some(lab) if course.lab(&lab).is_ok() => course.only(&lab)?,
        _ => course,
    };
    let out = tempfile::tempdir()?;
    let options = Options { out: out.path().to_owned(), jobs: 1, budget: Duration::MAX, seed: None, unconfined };
    let grader = Grader::new(course, options, &|_| ())?;
    let after = grader.again(&before.entry(), before.seed);
    ensure!(
        before.hashes == after.hashes,
        "{} does not hold the files that the record was made from",
        before.path.display()
    );
    let mut lines = before.defects(course);
    lines.extend(differences(&raw, &after));
    for line in &lines {
        say!("{}", escape::line(line));
    }
    let result = if lines.is_empty() { "reproduced" } else { "NOT reproduced" };
    say!("{}: {} of {} points, {result}", escape::line(&before.name), after.points(), after.of());
    if before.commit != after.commit {
        say!("next: git checkout {}, of which the record is", before.commit);
    }
    Ok(lines.is_empty())
}

//! A class of thirty: whole solutions in each kind of archive, single labs, starters, mutants, exploits, and work in other
//! styles, right or half right. `just acceptance-course` grades it twice and prints the table; unoptimised it takes too long.

use crate::archives::{Form, archive, zip};
use crate::submissions::{copy, course, ended, folder_for_kernels, points, put, root, solution, submission, table};
use exercises::table::Course;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The time that an autograder has for one submission; here it is the class's.
const LONGEST: Duration = Duration::from_secs(600);

/// Work in other styles, by its name in `course/honest` or `course/cheats`, and its points: other layouts and orders of loops and of calls, and right
/// results without the technique.
const OTHERS: &[(&str, u32)] = &include!("other_styles.txt");

/// A lab's solutions with one mutant among them, which costs its whole exercise.
const MUTANTS: &[(&str, &str, &str)] = &[
    ("gemm", "shared", "missing_barrier"),
    ("gemv", "shuffle", "shifted_index"),
    ("transpose", "vectorised", "misaligned_rows"),
    ("streams", "constant", "lost_coefficient"),
];

struct Class<'a> {
    course: &'a Course,
    folder: &'a Path,
    /// Submission, points that it must get.
    all: Vec<(PathBuf, u32)>,
}

impl<'a> Class<'a> {
    fn add(&mut self, name: &str, points: u32, files: &[(&str, String)]) -> PathBuf {
        let path = submission(self.folder, name, files);
        self.all.push((path.clone(), points));
        path
    }

    fn points(&self, exercise: &str) -> u32 {
        let found = self.course.exercises.iter().find(|row| row.id() == exercise);
        found.unwrap_or_else(|| panic!("{exercise} is in the table")).points
    }

    /// Files and points of a lab's solutions; of all labs for none.
    fn solutions(&self, lab: Option<&str>) -> (Vec<(&'a str, String)>, u32) {
        let course: &'a Course = self.course;
        let wanted = course.exercises.iter().filter(|row| lab.is_none_or(|lab| row.lab == lab));
        let files = wanted.clone().map(|row| (row.file.as_str(), solution(&row.file))).collect();
        (files, wanted.map(|row| row.points).sum())
    }

    fn whole_solutions(&mut self) {
        let (files, points) = self.solutions(None);
        let named: Vec<String> = files.iter().map(|(file, _)| format!("labs-main/{file}")).collect();
        let entries = named.iter().zip(&files).map(|(name, (_, text))| (name.as_str(), text.as_bytes()));
        let entries: Vec<(&str, &[u8])> = entries.collect();
        let archives = [
            ("solved_zip.zip", zip(&entries)),
            ("solved_tar.tar", archive(Form::Tar, &entries)),
            ("solved_tgz.tar.gz", archive(Form::TarGz, &entries)),
        ];
        submission(self.folder, "solved", &files);
        self.all.push((self.folder.join("solved"), points));
        for (name, bytes) in archives {
            fs::write(self.folder.join(name), bytes).expect("written");
            self.all.push((self.folder.join(name), points));
        }
    }

    fn single_labs(&mut self) {
        for lab in ["gemm", "gemv", "transpose", "streams"] {
            let (files, points) = self.solutions(Some(lab));
            self.add(&format!("only_{lab}"), points, &files);
        }
    }

    fn starters(&mut self) {
        let path = self.add("starters", 0, &[]);
        let noted = self.add("starters_with_notes", 0, &[]);
        self.add("nothing", 0, &[("README.md", "I was ill.".to_owned())]);
        for exercise in &self.course.exercises {
            let starter = self.course.starter(exercise).expect("marks that pair");
            put(&path, &exercise.file, &starter);
            put(&noted, &exercise.file, &format!("// my name\n{starter}\n// to do\n"));
        }
    }

    fn mutants(&mut self) {
        for &(lab, rung, name) in MUTANTS {
            let (files, points) = self.solutions(Some(lab));
            let mutant = kernels::MUTANTS.iter().find(|row| (row.lab, row.rung, row.name) == (lab, rung, name));
            let mutant = mutant.unwrap_or_else(|| panic!("{lab}/{rung}.{name} is a mutant"));
            let file = self.course.find(lab, rung).expect("a row").file.clone();
            let points = points - self.points(&format!("{lab}/{rung}"));
            let changed = |(own, text): (&'a str, String)| {
                (own, if own == file { text.replacen(mutant.find, mutant.replace, 1) } else { text })
            };
            let files: Vec<(&str, String)> = files.into_iter().map(changed).collect();
            self.add(&format!("{lab}_{name}"), points, &files);
        }
    }

    fn others(&mut self) {
        for &(sample, points) in OTHERS {
            let (id, name) = sample.rsplit_once('/').expect("LAB/EXERCISE/NAME");
            let row = self.course.exercises.iter().find(|row| row.id() == id).expect("a row");
            let text = ended(&course(&["sample", sample], &[]), 0);
            self.add(name, points, &[(row.file.as_str(), text)]);
        }
    }

    fn exploits(&mut self) {
        for name in ["endless_kernel", "forged_lines", "include_solution", "symlink"] {
            let path = self.folder.join(name);
            copy(&root().join("course/exploits").join(name), &path, self.folder);
            self.all.push((path, 0));
        }
    }
}

fn thirty<'a>(course: &'a Course, folder: &'a Path) -> Vec<(PathBuf, u32)> {
    let mut class = Class { course, folder, all: Vec::new() };
    class.whole_solutions();
    class.single_labs();
    class.starters();
    class.mutants();
    class.others();
    class.exploits();
    class.all
}

fn name(path: &Path) -> String {
    let name = path.file_name().and_then(|name| name.to_str()).expect("UTF-8");
    name.split('.').next().unwrap_or(name).to_owned()
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes unoptimised; next: just acceptance-course")]
fn thirty_submissions_get_their_points_twice_the_same() {
    let Some(folder) = folder_for_kernels() else { return };
    let course = table();
    let class = thirty(&course, &folder.path().join("submissions"));
    assert_eq!(class.len(), 30);
    let paths: Vec<PathBuf> = class.iter().map(|(path, _)| path.clone()).collect();
    let passes = ["first", "second"].map(|pass| {
        let start = Instant::now();
        (points(&folder.path().join(pass), &paths), start.elapsed())
    });
    let [(first, once), (second, again)] = passes;
    println!("{:<28} {:>8} {:>8} {:>8}", "submission", "expected", "first", "second");
    let mut wrong = Vec::new();
    for (path, expected) in &class {
        let name = name(path);
        let (first, second) = (first[&name], second[&name]);
        println!("{name:<28} {expected:>8} {first:>8} {second:>8}");
        if [first, second] != [*expected; 2] {
            wrong.push(name);
        }
    }
    println!(
        "{} submissions, two at a time: {:.0} s and {:.0} s",
        class.len(),
        once.as_secs_f64(),
        again.as_secs_f64()
    );
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(once.max(again) < LONGEST, "{once:?}, {again:?}");
}

/// The part of the class that is quick enough for every test run: one exercise each.
#[test]
fn right_work_in_other_styles_gets_all_points_and_half_right_work_its_share() {
    let Some(folder) = folder_for_kernels() else { return };
    let course = table();
    let submissions = folder.path().join("submissions");
    let mut class = thirty(&course, &submissions);
    // The exploits are all graded in `exploits`.
    let exploit = |path: &Path| root().join("course/exploits").join(name(path)).is_dir();
    let large = |path: &Path| {
        ["solved", "only_", "gemm_", "gemv_", "transpose_", "streams_"]
            .iter()
            .any(|begin| name(path).starts_with(begin))
    };
    class.retain(|(path, _)| !large(path) && !exploit(path));
    let broken = submission(&submissions, "does_not_compile", &[("kernels/gemm/2_naive.cu", "int main(".to_owned())]);
    class.push((broken, 0));
    let expected: BTreeMap<String, u32> = class.iter().map(|(path, points)| (name(path), *points)).collect();
    let paths: Vec<PathBuf> = class.into_iter().map(|(path, _)| path).collect();
    assert_eq!(points(&folder.path().join("grades"), &paths), expected);
}

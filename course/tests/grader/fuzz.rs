//! Random classes: whatever is handed in, the class is graded to its end, and an honest student beside it gets what is due.
//!
//! `cargo test` grades one; `COURSE_FUZZ_SECONDS=3600 COURSE_FUZZ_SEED=7 cargo test --release -p course --test grader random_classes` as long as
//! is said, and a class that breaks a rule is printed with its seed and kept.

use crate::archives::{Form, archive};
use crate::submissions::{compiler, program, put, root, said, solution, table};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Right files of two exercises, which stand beside the random submissions and get their points.
const HONEST: [&str; 2] = ["kernels/transpose/2_naive.cu", "lab-streams/src/schedules/streamed.rs"];

/// Passages that go into kernels at random places.
const IN_KERNELS: &[&str] = &[
    "while (true) {}\n",
    "for (;;) { __syncthreads(); }\n",
    "__syncthreads();\n",
    "__syncwarp();\n",
    "__trap();\n",
    "asm volatile(\"brkpt;\");\n",
    "asm volatile(\"this is no instruction;\");\n",
    "printf(\"%s %d %f\\n\", \"\\x1b[31m\", threadIdx.x, 1.0f);\n",
    "for (int i = 0; i < 100000; ++i) printf(\"flood %d\\n\", i);\n",
    "__nanosleep(1000000000);\n",
    "int local[100000]; local[threadIdx.x] = 1;\n",
    "*(volatile int*)0 = 1;\n",
    "*(volatile char*)(unsigned long long)clock64() = 1;\n",
    "extern __shared__ char none[]; none[1 << 30] = 1;\n",
    "malloc(1 << 30);\n",
    "static __device__ char large[1 << 30]; large[threadIdx.x] = 1;\n",
    "#include \"/etc/passwd\"\n",
    "#include __FILE__\n",
    "template <int N> struct T { static const int v = T<N - 1>::v + T<N - 2>::v; };\n",
    "#error \u{ffff}\u{202e} <b>&amp;\n",
    "/* \u{1b}]0;title\u{7} */\n",
    "return;\n",
    "}\n",
    "{\n",
    "\"\n",
    "\0",
];

/// Passages that go into host code.
const IN_HOST_CODE: &[&str] = &[
    "loop {}\n",
    "loop { std::thread::park(); }\n",
    "std::process::exit(0);\n",
    "std::process::abort();\n",
    "panic!(\"\\u{1b}[31m\");\n",
    "println!(\"1 1 0 0 1 Default\");\n",
    "loop { println!(\"flood\"); }\n",
    "let mut all = Vec::new(); loop { all.push(vec![1u8; 1 << 24]); }\n",
    "std::thread::spawn(|| loop {});\n",
    "std::fs::remove_dir_all(\"/\").ok();\n",
    "std::process::Command::new(\"/bin/sh\").status().ok();\n",
    "for step in 0..70_000 { schedule.push(step, 0, None, Action::Kernel); }\n",
    "fn f() { f() } f();\n",
    "include!(\"/etc/passwd\");\n",
    "macro_rules! m { ($($t:tt)*) => { m!($($t)* $($t)*) } } m!(a b);\n",
    "unsafe { std::ptr::null_mut::<u8>().write(1) }\n",
    "return Default::default();\n",
    "}\n",
    "{\n",
];

/// Names of files and folders: bytes as Linux takes them.
const NAMES: &[&[u8]] = &[
    b"a b",
    b"-rf",
    b"--out",
    b"=cmd|'/C calc'!A0",
    b"\t=1+1",
    b"\x1b[31mred",
    b"line\nbreak",
    b"\xff\xfe",
    b"caf\xe9",
    "M\u{fc}ller, J\u{f6}rg".as_bytes(),
    "\u{202e}txt.zip".as_bytes(),
    b"<script>alert(1)</script>",
    b"..hidden",
    b"CON",
    b"%2e%2e",
    b"\\windows\\path",
    b"records",
    b"class.csv",
];

struct Class {
    draw: StdRng,
    folder: PathBuf,
}

impl Class {
    fn name(&mut self, ending: &str) -> OsString {
        let mut name = match self.draw.random_range(0..4) {
            0 => vec![b'n'; self.draw.random_range(200..=255 - ending.len())],
            1 => (0..self.draw.random_range(1..40)).map(|_| self.draw.random_range(1..=255u8)).collect(),
            _ => NAMES.choose(&mut self.draw).expect("names").to_vec(),
        };
        name.iter_mut().filter(|byte| **byte == b'/').for_each(|byte| *byte = b'_');
        if name.iter().all(|byte| *byte == b'.') {
            name.push(b'x');
        }
        name.extend_from_slice(ending.as_bytes());
        OsString::from_vec(name)
    }

    /// A listed file's path and a text that is nearly a solution of it.
    fn file(&mut self) -> (String, Vec<u8>) {
        let files: Vec<String> = table().exercises.iter().map(|exercise| exercise.file.clone()).collect();
        let file = files.choose(&mut self.draw).expect("exercises").clone();
        let passages = if file.ends_with(".cu") { IN_KERNELS } else { IN_HOST_CODE };
        let mut lines: Vec<String> = solution(&file).lines().map(|line| format!("{line}\n")).collect();
        for _ in 0..self.draw.random_range(0..4) {
            let at = self.draw.random_range(0..lines.len().max(1)).min(lines.len());
            match self.draw.random_range(0..5) {
                0 if at < lines.len() => drop(lines.remove(at)),
                1 => lines.insert(at, lines.get(at).cloned().unwrap_or_default()),
                _ => lines.insert(at, (*passages.choose(&mut self.draw).expect("passages")).to_owned()),
            }
        }
        let mut bytes = lines.concat().into_bytes();
        match self.draw.random_range(0..12) {
            0 => bytes.insert(0, 0xff),
            1 => bytes = [b"\xef\xbb\xbf", bytes.as_slice()].concat(),
            2 => bytes = String::from_utf8_lossy(&bytes).encode_utf16().flat_map(u16::to_le_bytes).collect(),
            3 => (0..20).for_each(|_| {
                let at = self.draw.random_range(0..bytes.len());
                bytes[at] = self.draw.random();
            }),
            4 => bytes.truncate(bytes.len() / 2),
            5 => bytes = vec![b'a'; 1 << 21],
            _ => {}
        }
        (file, bytes)
    }

    fn submission(&mut self) -> PathBuf {
        let ending = *["", ".zip", ".tar", ".tar.gz", ".tgz"].choose(&mut self.draw).expect("endings");
        let name = self.name(ending);
        let path = self.folder.join(name);
        let prefix = *["", "labs/", "old/labs/", "../", "/", "a\\b\\", "./"].choose(&mut self.draw).expect("prefixes");
        let files: Vec<_> = (0..self.draw.random_range(0..4)).map(|_| self.file()).collect();
        if ending.is_empty() {
            // Two submissions of one name are one folder.
            fs::create_dir_all(&path).expect("a folder");
            for (file, bytes) in files {
                let file = path.join(&file);
                fs::create_dir_all(file.parent().expect("in a folder")).expect("a folder");
                fs::write(file, bytes).expect("written");
            }
            return path;
        }
        let names: Vec<String> = files.iter().map(|(file, _)| format!("{prefix}{file}")).collect();
        let entries = names.iter().zip(&files).map(|(name, (_, bytes))| (name.as_str(), bytes.as_slice()));
        let entries: Vec<(&str, &[u8])> = entries.collect();
        let form = match ending {
            ".zip" => Form::Zip,
            ".tar" => Form::Tar,
            _ => Form::TarGz,
        };
        let mut bytes = archive(form, &entries);
        if self.draw.random_range(0..3) == 0 {
            for _ in 0..self.draw.random_range(1..30) {
                let at = self.draw.random_range(0..bytes.len());
                bytes[at] = self.draw.random();
            }
        }
        fs::write(&path, bytes).expect("written");
        path
    }
}

/// Grades one class and says which rule was broken.
fn class(seed: u64, folder: &Path) -> Result<(), String> {
    let mut class = Class { draw: StdRng::seed_from_u64(seed), folder: folder.join("handed-in") };
    fs::create_dir_all(&class.folder).expect("a folder");
    let honest = class.folder.join("honest");
    HONEST.iter().for_each(|file| put(&honest, file, &solution(file)));
    let mut paths: Vec<PathBuf> = (0..class.draw.random_range(1..6)).map(|_| class.submission()).collect();
    paths.insert(class.draw.random_range(0..=paths.len()), honest);
    paths.sort();
    paths.dedup();
    let out = folder.join("grades");
    let begin = Instant::now();
    let jobs = if seed.is_multiple_of(2) { "1" } else { "2" };
    let mut command = program();
    let output = command.args(["grade", "--jobs", jobs, "--seed", "5", "--out"]).arg(&out).arg("--").args(&paths);
    let output = output.output().expect("the program starts");
    let said = said(&output);
    let rule = |kept: bool, what: &str| if kept { Ok(()) } else { Err(format!("{what}\n{said}")) };
    rule(matches!(output.status.code(), Some(0 | 1)), &format!("the grader ended with {}", output.status))?;
    rule(begin.elapsed() < Duration::from_secs(600), "it took more than ten minutes")?;
    rule(!said.contains(['\u{1b}', '\u{7}', '\u{202e}']), "control characters reach the terminal")?;
    let records: Vec<Value> = fs::read_dir(out.join("records"))
        .map_err(|error| format!("no records: {error}"))?
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .map(|path| serde_json::from_slice(&fs::read(path).expect("a record")).expect("JSON"))
        .collect();
    rule(records.len() == paths.len(), &format!("{} records of {} submissions", records.len(), paths.len()))?;
    let exercises = table().exercises.len();
    for record in &records {
        let verdicts = record["verdicts"].as_array().expect("verdicts");
        let name = &record["name"];
        rule(record["complete"] == true, &format!("{name} is not complete: {}", repeated(verdicts)))?;
        rule(verdicts.len() == exercises, &format!("{name} has {} verdicts", verdicts.len()))?;
    }
    let points = |record: &Value| -> u64 {
        record["verdicts"].as_array().expect("verdicts").iter().filter_map(|verdict| verdict["points"].as_u64()).sum()
    };
    let due: u64 = table()
        .exercises
        .iter()
        .filter(|exercise| HONEST.contains(&exercise.file.as_str()))
        .map(|exercise| u64::from(exercise.points))
        .sum();
    let honest = records.iter().find(|record| record["name"] == "honest").expect("the honest one");
    rule(points(honest) == due, &format!("the honest student has {} points of {due}", points(honest)))?;
    let junit = fs::read_dir(&out).expect("reports").map(|entry| entry.expect("an entry").path());
    for xml in junit.filter(|path| path.extension().is_some_and(|ending| ending == "xml")) {
        let text = fs::read_to_string(&xml).map_err(|error| format!("{}: {error}", xml.display()))?;
        rule(roxmltree::Document::parse(&text).is_ok(), "JUnit is no XML")?;
    }
    let rows = csv::Reader::from_path(out.join("class.csv")).map_err(|error| error.to_string())?.into_records().count();
    rule(rows == paths.len(), &format!("{rows} rows of {} submissions", paths.len()))?;
    for page in fs::read_dir(out.join("pages")).map_err(|error| error.to_string())? {
        let bytes = page.expect("an entry").metadata().expect("a file").len();
        rule(bytes < 1 << 20, &format!("a page of {bytes} bytes"))?;
    }
    Ok(())
}

/// The exercises of a record that are to be repeated, with their reasons.
fn repeated(verdicts: &[Value]) -> String {
    let left = verdicts.iter().filter(|verdict| verdict["state"] == "to_be_repeated");
    left.map(|verdict| format!("{}: {}; ", verdict["exercise"], verdict["story"])).collect()
}

#[test]
fn random_classes_are_graded_to_their_end() {
    if !compiler() {
        return;
    }
    let number = |name: &str, usual: u64| {
        std::env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
    };
    let end = Instant::now() + Duration::from_secs(number("COURSE_FUZZ_SECONDS", 0));
    let first = number("COURSE_FUZZ_SEED", 1);
    let mut broken = Vec::new();
    let mut seed = first;
    while seed < first + 1 || Instant::now() < end {
        let folder = tempfile::tempdir().expect("a folder");
        if let Err(rule) = class(seed, folder.path()) {
            let kept = folder.keep();
            eprintln!("class {seed}, kept in {}: {rule}", kept.display());
            broken.push(seed);
        }
        seed += 1;
    }
    eprintln!("{} random classes of {}", seed - first, root().display());
    assert!(broken.is_empty(), "classes that broke a rule: {broken:?}");
}

//! Submissions as programs make them, and as nobody should: whatever comes, there is an answer within the limits.
//!
//! The last tests draw submissions for a third of a second each, or for `INTAKE_FUZZ_SECONDS`: `just fuzz-intake`.

#[path = "../../tests/grader/archives.rs"]
mod archives;

use super::*;
use archives::{Form, archive, dated, entry, packed, zip};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use std::fmt::Debug;
use std::path::Path;
use std::time::{Duration, Instant};
use tar::EntryType::{self, Char, Fifo, GNUSparse, Link, Regular, Symlink, XHeader};

const NAIVE: &str = "kernels/gemm/2_naive.cu";
const SHARED: &str = "kernels/gemm/3_shared.cu";
const ANSWERS: &str = "answers/gemm.md";
const SMALL: Most = Most { bytes: 1 << 20, entries: 50, name: 300, file: 4096, files: 6000, roots: 5, inner: 1 << 20 };

fn expected() -> Expected {
    Expected {
        exercises: BTreeSet::from([NAIVE, SHARED].map(str::to_owned)),
        answers: BTreeSet::from([ANSWERS.to_owned()]),
        ..Expected::default()
    }
}

/// Reads bytes as a file of a name.
fn read_as(name: &str, bytes: &[u8]) -> Taken {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    read_path(&path)
}

fn read_path(path: &Path) -> Taken {
    read_paths(&[path.to_owned()], &expected())
}

fn read_paths(paths: &[PathBuf], expected: &Expected) -> Taken {
    match sources::open(paths, SMALL).unwrap() {
        Ok(source) => take(Parts::new(source, SMALL), expected, SMALL).unwrap_or_else(Taken::Refused),
        Err(why) => Taken::Refused(why),
    }
}

const FORMS: [Form; 3] = [Form::Zip, Form::Tar, Form::TarGz];

/// A tar of entries of any kind.
fn tar_of(entries: &[(EntryType, &str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    entries.iter().for_each(|(kind, name, text)| entry(&mut builder, *kind, name.as_bytes(), text.as_bytes()));
    builder.into_inner().unwrap()
}

fn ending(form: Form) -> &'static str {
    match form {
        Form::Zip => "a.zip",
        Form::Tar => "a.tar",
        Form::TarGz => "a.tar.gz",
    }
}

fn files(taken: Taken) -> Submission {
    match taken {
        Taken::Files(submission) => submission,
        Taken::Refused(why) => panic!("refused: {why}"),
    }
}

fn refusal(taken: Taken) -> String {
    match taken {
        Taken::Files(submission) => panic!("taken: {submission:?}"),
        Taken::Refused(why) => why,
    }
}

#[test]
fn the_workspace_is_where_most_listed_files_lie_at_the_least_depth() {
    let old = [("old/kernels/gemm/2_naive.cu", &b"old"[..]), ("old/kernels/gemm/3_shared.cu", b"old")];
    let new = [(NAIVE, &b"new"[..]), (ANSWERS, b"new")];
    for form in FORMS {
        for (order, taken) in [
            // A copy within, whichever comes first.
            ([&old[..], &new].concat(), NAIVE),
            ([&new[..], &old].concat(), NAIVE),
            // Answers alone make no workspace.
            (vec![(ANSWERS, &b"new"[..]), ("labs/kernels/gemm/2_naive.cu", b"new")], NAIVE),
            // Names of Windows.
            (vec![("labs\\kernels\\gemm\\2_naive.cu", &b"new"[..])], NAIVE),
            (vec![("./labs/./kernels//gemm/2_naive.cu", &b"new"[..])], NAIVE),
        ] {
            let submission = files(read_as(ending(form), &archive(form, &order)));
            assert_eq!(submission.files.get(taken).map(String::as_str), Some("new"), "{form:?} {order:?}");
            let several = order.len() > 1;
            let told =
                submission.notes.iter().any(|note| note.kind == NoteKind::Chosen && note.what.contains("also in"));
            assert_eq!(told, several, "{form:?} {order:?} {:?}", submission.notes);
        }
    }
}

#[test]
fn one_bad_file_costs_itself_alone() {
    let long = [b' '; 4097];
    for (name, bytes, why) in [
        (SHARED, &b"a\0b"[..], "value 0"),
        (SHARED, b"\xff\x01", "no letters"),
        (SHARED, &long, "longer than 4 KiB"),
        (ANSWERS, b"\xff\xfe\x00\xd8", "UTF-16LE"),
    ] {
        for form in FORMS {
            let submission = files(read_as(ending(form), &archive(form, &[(NAIVE, b"right"), (name, bytes)])));
            assert_eq!(submission.files.keys().collect::<Vec<_>>(), [NAIVE], "{form:?} {why}");
            let note = submission.notes.iter().find(|note| note.kind == NoteKind::NotTaken).unwrap();
            assert!(note.path == name && note.what.contains(why), "{note:?}");
        }
    }
    let submission = files(read_as("a.zip", &zip(&[(NAIVE, b"right"), (ANSWERS, b"gr\xf6\xdfe")])));
    assert_eq!(submission.files[ANSWERS], "größe");
    let all = [(NAIVE, &[b'a'; 4000][..]), (SHARED, &[b'b'; 4000])];
    let submission = files(read_as("a.tar", &archive(Form::Tar, &all)));
    assert!(submission.files.len() == 1 && submission.notes.iter().any(|note| note.what.contains("together")));
}

#[test]
fn what_lies_beside_the_files_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("labs");
    let put = |name: &str, text: &[u8]| {
        std::fs::create_dir_all(path.join(name).parent().unwrap()).unwrap();
        std::fs::write(path.join(name), text).unwrap();
    };
    put(NAIVE, b"right");
    put("..\\..\\x", b"");
    put("\\x", b"");
    put("target/debug/a", b"");
    std::os::unix::fs::symlink("/usr/bin/python3", path.join("target/python")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, path.join("target/pipe"), rustix::fs::Mode::from(0o600)).unwrap();
    let submission = files(read_path(&path));
    assert_eq!(submission.files[NAIVE], "right");
    assert_eq!(files(read_path(folder.path())).files[NAIVE], "right", "in a folder around everything");

    let links = [(Symlink, ".venv/bin/python", ""), (Link, "target/a", ""), (Fifo, "target/b", "")];
    let entries = tar_of(&[&links[..], &[(Regular, NAIVE, "right")]].concat());
    assert_eq!(files(read_as("a.tar", &entries)).files[NAIVE], "right");

    // More than are looked at: those of the upper folders are.
    (0..60).for_each(|number| put(&format!("target/debug/{number}"), b""));
    let submission = files(read_path(&path));
    assert_eq!(submission.files[NAIVE], "right");
    assert!(submission.notes.iter().any(|note| note.what.contains("first 50 entries")), "{:?}", submission.notes);
}

#[test]
fn links_and_devices_in_the_place_of_a_listed_file_are_refused() {
    for (kind, name, why) in [
        (Symlink, SHARED, "3_shared.cu is a link"),
        (Link, SHARED, "3_shared.cu is a link"),
        (Fifo, SHARED, "3_shared.cu is a device"),
        (Char, SHARED, "3_shared.cu is a device"),
        (Symlink, "answers", "answers is a link"),
    ] {
        let said = refusal(read_as("a.tar", &tar_of(&[(Regular, NAIVE, "right"), (kind, name, "")])));
        assert!(said.contains(why), "{why}: {said}");
    }
}

#[test]
fn each_limit_is_told_with_its_number() {
    let many: Vec<String> = (0..51).map(|number| number.to_string()).collect();
    let roots: Vec<String> = (0..6).map(|number| format!("{number}/{NAIVE}")).collect();
    let of_names =
        |names: &[String]| tar_of(&names.iter().map(|name| (Regular, name.as_str(), "a")).collect::<Vec<_>>());
    let one = |kind, name: &str, text: &str| tar_of(&[(kind, name, text)]);
    for (bytes, why) in [
        (of_names(&many), "more than 50 entries"),
        (of_names(&roots), "more than 5 folders"),
        (one(Regular, &"x".repeat(400), ""), "a name of 401 bytes; the longest that is read has 300"),
        (one(XHeader, "x", &"x".repeat(5000)), "header of 5000 bytes; the longest that is read has 4800"),
        (one(XHeader, "x", "18 size=123456789\n"), "more than 8 GiB"),
        (one(Regular, "x", &"\0".repeat((1 << 20) + 1)), "more than 1048576 bytes"),
        (one(GNUSparse, "x", ""), "sparse"),
        (one(Regular, "../x", ""), "'../x' leads out"),
        (one(Regular, "/x", ""), "'/x' leads out"),
        (one(Regular, "a\\..\\..\\x", ""), "leads out"),
        (one(Regular, "a/other.cu", ""), "none of the expected files found"),
        (b"text".to_vec(), "damaged"),
        (Vec::new(), "it is empty"),
    ] {
        for (name, bytes) in [("a.tar", bytes.clone()), ("a.tgz", packed(&bytes))] {
            let said = refusal(read_as(name, &bytes));
            assert!(said.contains(why), "{why}: {said}");
        }
    }
    let other = refusal(read_as("a.zip", &zip(&[("thesis.pdf", b"")])));
    assert!(other.contains("none of the expected files found") && other.contains("thesis.pdf"), "{other}");
    assert!(refusal(read_as("a.zip", b"no archive")).contains("not a zip archive"));
    assert!(refusal(read_as("a.rar", b"Rar!")).contains("neither a folder nor"));
}

#[test]
fn an_export_of_a_class_is_no_submission() {
    let of = |student: &str| format!("{student}_assignsubmission_file_/{NAIVE}");
    let (jane, rich) = (of("Jane Doe_1"), of("Rich Roe_2"));
    let said = refusal(read_as("class.zip", &zip(&[(&jane, b"a"), (&rich, b"b")])));
    assert!(said.contains("export of a class") && said.contains("unpack it"), "{said}");
    assert_eq!(files(read_as("one.zip", &zip(&[(&jane, b"right")]))).files[NAIVE], "right");
}

#[test]
fn a_long_name_of_either_form_is_read() {
    let name = format!("{}/{NAIVE}", "x".repeat(150));
    let submission = files(read_as("a.tar", &archive(Form::Tar, &[(&name, b"right")])));
    assert_eq!(submission.files[NAIVE], "right");
    let mut builder = tar::Builder::new(Vec::new());
    builder.append_pax_extensions([("path", name.as_bytes()), ("mtime", b"1.5")]).unwrap();
    entry(&mut builder, Regular, b"x", b"right");
    assert_eq!(files(read_as("a.tar", &builder.into_inner().unwrap())).files[NAIVE], "right");
}

#[test]
fn the_last_of_several_files_of_one_name_is_taken() {
    let submission = files(read_as("a.tar", &archive(Form::Tar, &[(NAIVE, b"first"), (NAIVE, b"last")])));
    assert_eq!(submission.files[NAIVE], "last");
    assert!(submission.notes.iter().any(|note| note.what.contains("there 2 times")), "{:?}", submission.notes);
}

#[test]
fn the_newest_of_several_archives_counts_and_a_doubt_is_asked() {
    let read = |archives: [(&str, u16, &str, &[u8]); 2], forms: [Form; 2]| {
        let folder = tempfile::tempdir().unwrap();
        for ((name, year, path, text), form) in archives.into_iter().zip(forms) {
            let made = if form == Form::Zip { "__MACOSX/._new" } else { "target/new" };
            let bytes = dated(form, year, &[(path, text), ("README.md", b""), (made, b"")]);
            std::fs::write(folder.path().join(format!("{name}{}", &ending(form)[1..])), bytes).unwrap();
        }
        let source = sources::open(&[folder.path().to_owned()], SMALL).unwrap().unwrap();
        take(Parts::new(source, SMALL), &expected(), SMALL).map(|taken| files(taken).files[NAIVE].clone())
    };
    let (backslashes, flat) = ("labs\\kernels\\gemm\\2_naive.cu", "2_naive.cu");
    for forms in FORMS.into_iter().flat_map(|one| FORMS.map(|other| [one, other])) {
        for archives in [
            [("a", 2024, NAIVE, &b"old"[..]), ("b", 2025, NAIVE, b"new")],
            [("a", 2025, backslashes, b"new"), ("b", 2024, NAIVE, b"old")],
            [("a", 2024, NAIVE, b"old"), ("b", 2025, flat, b"new")],
            [("a", 2024, flat, b"old"), ("b", 2025, flat, b"new")],
            // The number of a browser, or of an attempt, where there are no times; and twice the same.
            [("labs", 1980, NAIVE, b"old"), ("labs (1)", 1980, NAIVE, b"new")],
            [("labs-2", 2025, NAIVE, b"new"), ("Labs-1", 2025, NAIVE, b"old")],
            [("a", 1980, NAIVE, b"new"), ("b", 1980, flat, b"new")],
        ] {
            assert_eq!(read(archives, forms).as_deref(), Ok("new"), "{forms:?} {archives:?}");
        }
        for (one, other) in [(2025, 2025), (1980, 2025), (2024, 2099), (1980, 1980)] {
            let question = read([("a", one, NAIVE, b"one"), ("b", other, flat, b"other")], forms).unwrap_err();
            assert!(["'a.", "'b.", NAIVE].iter().all(|part| question.contains(part)), "{forms:?}: {question}");
        }
        let turned = read([("labs", 2025, NAIVE, b"one"), ("labs-1", 2024, NAIVE, b"other")], forms);
        assert!(turned.unwrap_err().contains("its newest file is of 202"), "{forms:?}");
        // An archive within a new one counts as one beside an old one.
        let inner = dated(forms[1], 2025, &[(NAIVE, b"new")]);
        let within = archive(forms[0], &[(ending(forms[1]), &inner)]);
        let folder = tempfile::tempdir().unwrap();
        let old = dated(forms[0], 2024, &[(NAIVE, b"old")]);
        for (name, bytes) in [("new.tar", within), ("old.zip", old)] {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        assert_eq!(files(read_path(folder.path())).files[NAIVE], "new", "{forms:?}");
    }
}

/// The rules that must hold of every answer.
fn within_limits(taken: &Taken) -> Result<(), TestCaseError> {
    match taken {
        Taken::Refused(why) => prop_assert!(!why.is_empty()),
        Taken::Files(Submission { files, notes }) => {
            prop_assert!(!files.is_empty());
            let listed: Vec<String> = expected().listed().map(str::to_owned).collect();
            prop_assert!(files.keys().all(|path| listed.contains(path)));
            prop_assert!(files.values().map(String::len).sum::<usize>() <= SMALL.files);
            prop_assert!(files.values().all(|text| !text.contains('\0')));
            prop_assert!(notes.len() < 20 && notes.iter().all(|note| note.what.len() <= LONGEST_WHY));
        }
    }
    Ok(())
}

/// Draws 32 cases at least, until the time is over.
fn draw<S: Strategy<Value: Debug>>(strategy: &S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let seconds = std::env::var("INTAKE_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(0.3);
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let config = Config { cases: 32, failure_persistence: None, ..Config::default() };
    while Instant::now() < end {
        TestRunner::new(config.clone()).run(strategy, &test).unwrap();
    }
}

/// Parts of names as no student would write them, and as many do.
fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("kernels".to_owned()),
        Just("gemm".to_owned()),
        Just("2_naive.cu".to_owned()),
        Just("..".to_owned()),
        Just(".".to_owned()),
        Just(String::new()),
        Just("C:".to_owned()),
        Just("\\".to_owned()),
        Just("\u{202e}\u{1b}[2J\n".to_owned()),
        Just("x".repeat(120)),
        any::<String>(),
    ]
}

fn name() -> impl Strategy<Value = String> {
    let listed = prop_oneof![Just(NAIVE), Just(SHARED), Just(ANSWERS)];
    let nested = vec(part(), 0..6).prop_map(|parts| parts.join("/"));
    let deep = (0usize..200).prop_map(|depth| "d/".repeat(depth) + NAIVE);
    let inside = (vec("[a-z]{1,8}", 0..3), listed).prop_map(|(mut parts, file)| {
        parts.push(file.to_owned());
        parts.join("/")
    });
    prop_oneof![2 => nested, 1 => deep, 4 => inside]
}

fn content() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 0..200),
        any::<String>().prop_map(String::into_bytes),
        any::<String>()
            .prop_map(|text| ("\u{feff}".to_owned() + &text).encode_utf16().flat_map(u16::to_le_bytes).collect()),
        (0usize..9000).prop_map(|length| vec![b' '; length]),
    ]
}

fn form() -> impl Strategy<Value = Form> {
    prop_oneof![Just(Form::Zip), Just(Form::Tar), Just(Form::TarGz)]
}

fn drawn_archive() -> impl Strategy<Value = (Form, Vec<u8>)> {
    (form(), vec((name(), content()), 0..8)).prop_map(|(form, files)| {
        let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        (form, archive(form, &files))
    })
}

#[test]
fn any_archive_gets_an_answer() {
    draw(&drawn_archive(), |(form, bytes)| within_limits(&read_as(ending(form), &bytes)));
}

#[test]
fn any_damaged_archive_gets_an_answer() {
    let damage = vec((any::<prop::sample::Index>(), any::<u8>(), 0usize..4), 1..6);
    draw(&(drawn_archive(), damage), |((form, mut bytes), damage)| {
        for (at, byte, kind) in damage {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.truncate(at),
                // A number of several bytes at its largest.
                2 => bytes.iter_mut().skip(at).take(usize::from(byte % 9)).for_each(|byte| *byte = 0xff),
                _ => {
                    let copy: Vec<u8> = bytes.iter().skip(at).take(usize::from(byte) * 4).copied().collect();
                    bytes.splice(at..at, copy);
                }
            }
        }
        // The form by the name, then the form by the bytes alone.
        within_limits(&read_as(ending(form), &bytes))?;
        within_limits(&read_as("a", &bytes))
    });
}

#[test]
fn any_folder_gets_an_answer() {
    draw(&vec((name(), content(), any::<bool>()), 0..8), |files| {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes, link) in files {
            let inside = name.split('/').all(|part| part != "..") && !name.starts_with('/');
            let path = folder.path().join(&name);
            // Names that the file system does not take are not there.
            if inside && path.parent().is_some_and(|parent| std::fs::create_dir_all(parent).is_ok()) {
                let _ =
                    if link { std::os::unix::fs::symlink("/etc/passwd", &path) } else { std::fs::write(&path, &bytes) };
            }
        }
        within_limits(&read_path(folder.path()))
    });
}

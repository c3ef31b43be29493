//! Archives: what is taken of them, what is taken although something beside it is odd, and which are refused as a whole.

use crate::archives::{Form, archive, zip};
use crate::submissions::{course, ended, folder_for_kernels, program, put, root, said, solution};
use std::ffi::OsStr;
use std::fs;
use std::io::{Cursor, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use zip::write::SimpleFileOptions;

const FILE: &str = "kernels/gemm/2_naive.cu";

fn header(kind: tar::EntryType, size: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(size);
    header.set_mode(0o644);
    header
}

/// Writes an archive's bytes into a file.
fn file(folder: &Path, name: &str, bytes: Vec<u8>) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("written");
    path
}

/// A zip with a link in the place of the kernel.
fn zip_with_link() -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let target = root().join(FILE);
    writer.add_symlink(FILE, target.to_str().expect("UTF-8"), SimpleFileOptions::default()).expect("added");
    writer.finish().expect("an archive").into_inner()
}

/// A tar of one entry with a content of zeros, which takes no room on the disk.
fn hollow(folder: &Path, name: &str, kind: tar::EntryType, bytes: u64) -> PathBuf {
    let path = folder.join(name);
    let mut header = header(kind, bytes);
    header.as_old_mut().name[..1].copy_from_slice(b"x");
    header.set_cksum();
    let mut file = fs::File::create(&path).expect("a file");
    file.write_all(header.as_bytes()).expect("written");
    file.seek(SeekFrom::Start(512 + bytes.next_multiple_of(512) + 1024)).expect("a place");
    file.set_len(512 + bytes.next_multiple_of(512) + 1024).expect("a length");
    path
}

/// Submissions whose kernel is right, and what the intake's report says of each.
fn right(folder: &Path) -> Vec<(PathBuf, &'static str)> {
    let text = solution(FILE);
    let old = text.replacen("T sum = 0;", "T sum = 1;", 1);
    vec![(
        file(folder, "old_first.zip", zip(&[(&format!("old/{FILE}"), old.as_bytes()), (FILE, text.as_bytes())])),
        "taken from the top (1 files); listed files lie also in 'old' (1 files)",
    )]
}

/// Submissions of which nothing is taken, and why.
fn refused(folder: &Path) -> Vec<(PathBuf, &'static str)> {
    let text = solution(FILE);
    let linked_folder = folder.join("linked_folder");
    fs::create_dir_all(&linked_folder).expect("a folder");
    std::os::unix::fs::symlink(root().join("kernels"), linked_folder.join("kernels")).expect("a link");
    put(folder, "damaged.zip", "no archive");
    vec![
        (file(folder, "zipped_link.zip", zip_with_link()), "2_naive.cu is a link"),
        (file(folder, "zipped_above.zip", zip(&[(&format!("../{FILE}"), text.as_bytes())])), "leads out"),
        (hollow(folder, "bomb.tar", tar::EntryType::Regular, 1100 << 20), "unpacks to more than 1073741824 bytes"),
        (
            hollow(folder, "long_name.tar", tar::EntryType::GNULongName, 844 << 20),
            "a name of 884998144 bytes; the longest that is read has 4096",
        ),
        (file(folder, "escape.zip", zip(&[("\u{1b}[2J\u{202e}x", b"")])), "none of the expected files found"),
        (folder.join("damaged.zip"), "not a zip archive"),
        (linked_folder, "kernels is a link"),
    ]
}

#[test]
fn a_name_that_no_file_or_no_text_can_have_stops_nobody() {
    let Some(folder) = folder_for_kernels() else { return };
    let text = solution(FILE);
    let names = [&[b'x'; 255][..], b"caf\xe9", b"caf\xe8", b"\x1b[2J\xe2\x80\xae<b>", b"anna"];
    let paths: Vec<PathBuf> = names.iter().map(|name| folder.path().join("in").join(OsStr::from_bytes(name))).collect();
    paths.iter().for_each(|path| put(path, FILE, &text));
    let out = folder.path().join("grades");
    let output = course(&["grade", "--jobs", "2", "--out", out.to_str().expect("UTF-8")], &paths);
    assert!(output.status.success() && !said(&output).contains('\u{1b}'), "{}", said(&output));
    for kind in ["records", "gradescope", "junit", "pages"] {
        assert_eq!(fs::read_dir(out.join(kind)).expect("a folder").count(), names.len(), "{kind}");
    }
    let mut reader = csv::Reader::from_path(out.join("class.csv")).expect("a table");
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    assert!(rows.len() == names.len() && rows.iter().all(|row| &row[1] == "15"), "{rows:?}");
    // A second call finds them all again.
    ended(&course(&["grade", "--out", out.to_str().expect("UTF-8")], &paths), 0);
}

#[test]
fn plagiarism_goes_on_after_a_refused_submission() {
    let folder = tempfile::tempdir().expect("a folder");
    let (right, refused) = (right(folder.path()), refused(folder.path()));
    let paths = |rows: &[(PathBuf, &str)]| rows.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
    let export = |name: &str, paths: &[PathBuf]| {
        let to = folder.path().join(name);
        (program().arg("plagiarism").arg(&to).args(paths).output().expect("the program starts"), to)
    };
    let (output, to) = export("some", &[paths(&refused), paths(&right)].concat());
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    for (path, why) in &refused {
        let all = said(&output);
        let line = all.lines().find(|line| line.contains(&format!("{}: ", path.display())));
        assert!(
            line.is_some_and(|line| line.contains(" is refused: ") && line.contains(why)),
            "{}: {all}",
            path.display()
        );
    }
    assert!(!said(&output).contains(['\u{1b}', '\u{202e}']), "{}", said(&output));
    let copied = fs::read_dir(to.join("submissions")).expect("a folder").count();
    assert_eq!(copied, right.len(), "{}", said(&output));
    let text = fs::read_to_string(to.join("submissions/old_first/kernels_gemm_2_naive.cu")).expect("a kernel");
    assert_eq!(text, solution(FILE));

    let (output, _) = export("all", &paths(&right));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let (output, none) = export("none", &paths(&refused));
    assert!(output.status.code() == Some(2) && !none.exists(), "{}", said(&output));
    let left = fs::read_dir(folder.path()).expect("a folder").filter_map(Result::ok);
    assert!(!left.map(|entry| entry.file_name()).any(|name| name.as_bytes().starts_with(b".plagiarism")));
}

#[test]
fn a_name_of_a_gigabyte_is_never_in_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = hollow(folder.path(), "name.tar", tar::EntryType::GNULongName, 1000 << 20);
    let link = hollow(folder.path(), "link.tar", tar::EntryType::GNULongLink, 1000 << 20);
    let good = file(folder.path(), "good.tar", archive(Form::Tar, &[(FILE, solution(FILE).as_bytes())]));
    // The grader's own process has half of that; a worker that wanted to hold it would reach its own limit first, and say so.
    let limited = program();
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -S -v 500000; exec \"$@\"", "sh"])
        .arg(limited.get_program())
        .env("COURSE_ROOT", root());
    command.arg("plagiarism").arg(folder.path().join("to")).args([name, link, good]);
    let told = ended(&command.output().expect("the shell starts"), 1);
    assert!(told.contains("a name of 1048576000 bytes"), "{told}");
    assert!(told.contains("1 of 3 submissions"), "{told}");
}

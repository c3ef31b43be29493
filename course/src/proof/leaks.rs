//! Looks for solutions in a hand-out: in its texts and in what it builds.
//!
//! A passage is three consecutive lines of a solution without comments and white space. PTX is known by the entry points of a rung's kernels,
//! and by the head line of the files in which this workspace keeps it, which stands before the deflated text.

use crate::handout;
use anyhow::Context;
use exercises::markers;
use exercises::solutions;
use exercises::table::Course;
use memchr::memmem;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// Lines of a passage.
const WINDOW: usize = 3;
/// A shorter passage says nothing: braces and returns.
const TELLING: usize = 60;
/// Every entry point in PTX begins with it.
const ENTRY: &str = ".visible .entry ";
/// Every generated file of PTX or text begins with its rung's path and these words.
const GENERATED: &[u8] = b".cu, made by ";

/// The secrets that must not be found.
pub struct Secrets {
    /// `true` where the course hands packed solutions out, in a folder of their own.
    handed_out: bool,
    /// Passage → the file whose solution it belongs to.
    passages: HashMap<String, String>,
    /// Entry points as they stand in PTX.
    entries: Vec<Vec<u8>>,
}

impl Secrets {
    /// The secrets of every marked file of the workspace.
    ///
    /// # Errors
    /// A repository that git does not list; marks that do not pair.
    pub fn of(course: &Course) -> anyhow::Result<Self> {
        let marked = handout::marked(course)?;
        let starters: Vec<String> = marked
            .iter()
            .map(|(_, text)| Ok(markers::bare(&markers::starter(text)?)))
            .collect::<anyhow::Result<_>>()?;
        let mut passages = HashMap::new();
        for (file, text) in &marked {
            let lines = markers::solution(text).join("\n");
            for passage in passages_of(lines.as_bytes()) {
                // A passage that another starter gives away, because it belongs to its task, is no secret.
                if passage.len() > TELLING && !starters.iter().any(|starter| starter.contains(&passage)) {
                    passages.insert(passage, file.clone());
                }
            }
        }
        // The kernel that schedules are judged with has the name of the one that a student writes.
        let exercises = kernels::sources().filter(|source| source.name != "one_touch");
        let entry = |symbol: String| format!("{ENTRY}{symbol}(").into_bytes();
        let entries = exercises.flat_map(|source| source.exports()).map(entry).collect();
        Ok(Secrets { handed_out: course.solutions, passages, entries })
    }

    /// How many passages are looked for.
    pub fn count(&self) -> usize {
        self.passages.len()
    }

    /// Every file of a folder and its subfolders that holds one, with what it holds; and how many files were looked at. Packed files are
    /// unpacked. Git's own folder is left out: it holds the same texts; and that of the solutions, where the course hands them out.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub fn found_in(&self, folder: &Path) -> anyhow::Result<(Vec<String>, usize)> {
        let (mut found, mut count) = (Vec::new(), 0);
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
                let path = entry?.path();
                // Incremental compilation keeps what the finished files beside it are made of.
                let is_looked_at = !(path.ends_with(".git") || self.handed_out && path.ends_with(solutions::FILE));
                if path.is_dir() && is_looked_at && !path.ends_with("incremental") {
                    folders.push(path);
                } else if path.is_file() && is_looked_at {
                    count += 1;
                    found.extend(self.found_in_file(&path)?);
                }
            }
        }
        Ok((found, count))
    }

    fn found_in_file(&self, path: &Path) -> anyhow::Result<Option<String>> {
        let bytes = fs::read(path).with_context(|| path.display().to_string())?;
        let bytes = solutions::unpack(&bytes).unwrap_or(bytes);
        let has_entries = memmem::find(&bytes, ENTRY.as_bytes()).is_some();
        let mut entries = self.entries.iter().filter(|_| has_entries);
        let what = if let Some(file) = passages_of(&bytes).find_map(|passage| self.passages.get(&passage)) {
            format!("holds lines of the solution of {file}")
        } else if let Some(entry) = entries.find(|entry| memmem::find(&bytes, entry).is_some()) {
            format!("holds PTX: {}", String::from_utf8_lossy(entry))
        } else if memmem::find(&bytes, GENERATED).is_some() {
            "holds a kept file of PTX or text".to_owned()
        } else {
            return Ok(None);
        };
        Ok(Some(format!("{} {what}", path.display())))
    }
}

/// The passages of a text, or of the texts in a program: what is no UTF-8 breaks a line off like its end does.
fn passages_of(bytes: &[u8]) -> impl Iterator<Item = String> {
    let lines = bytes.split(|byte| *byte == b'\n' || *byte == 0);
    let lines = lines.map(|line| markers::bare(&String::from_utf8_lossy(line))).filter(|line| line.len() > 3);
    let mut last: [String; WINDOW] = Default::default();
    lines.map(move |line| {
        last.rotate_left(1);
        last[WINDOW - 1] = line;
        last.concat()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here() -> Course {
        Course::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))).unwrap()
    }

    #[test]
    fn a_hand_out_holds_no_solution_and_a_planted_one_is_found() {
        let mut course = here();
        let secrets = Secrets::of(&course).unwrap();
        assert!(secrets.count() > 300, "{}", secrets.count());
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("handout");
        handout::write(&course, &root, handout::Kind::Source).unwrap();
        let (found, count) = secrets.found_in(&root).unwrap();
        assert!(found.is_empty() && count > 300, "{count} files: {found:#?}");
        assert!(root.join(".github/workflows/check.yml").is_file());
        for missing in [
            "course/src",
            "course/exploits",
            "kernels/ptx",
            "lab-gemm/tests",
            "course/exercises/tests/watch.rs",
            "simulator/tests",
        ] {
            assert!(!root.join(missing).exists(), "{missing}");
        }

        // The course may hand solutions out: packed, in their folder; and only that course.
        assert!(!course.solutions && !root.join(solutions::FILE).exists(), "off by default");
        course.solutions = true;
        let with = folder.path().join("with");
        handout::write(&course, &with, handout::Kind::Tool).unwrap();
        let (found, _) = secrets.found_in(&with).unwrap();
        assert!(found.len() == 1 && found[0].contains(solutions::FILE), "{found:#?}");
        assert_eq!(Secrets::of(&course).unwrap().found_in(&with).unwrap().0, [""; 0]);

        // As text with another layout and other comments, in the middle of a program, as PTX, as a kept file.
        let solution = fs::read_to_string(course.root.join("kernels/gemm/3_shared.cu")).unwrap();
        let lines: Vec<String> =
            markers::solution(&solution).iter().map(|line| format!("\t{} // mine\n\n", line.trim())).collect();
        let program = [b"\x7fELF\0\xff\0", lines.concat().as_bytes(), b"\0\xfe"].concat();
        let ptx: &[u8] = b"\0.visible .entry naive_f32(\n";
        let kept: &[u8] = b"// kernels/gemm/2_naive.cu, made by `just ptx` with NVRTC 12.9; do not edit\n";
        for (name, bytes) in [("notes.md", lines.concat().as_bytes()), ("program", &program), ("a", ptx), ("b", kept)] {
            let planted = folder.path().join("planted").join(name);
            fs::create_dir_all(&planted).unwrap();
            fs::write(planted.join(name), bytes).unwrap();
            assert_eq!(secrets.found_in(&planted).unwrap().0.len(), 1, "{name}");
        }
    }
}

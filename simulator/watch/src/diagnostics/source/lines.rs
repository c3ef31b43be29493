//! Source lines: where a place is in CUDA C++, and the line itself with a caret.
use super::scene::Scene;
use machine::probe::Place;
use machine::program::{Location, Site};
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// One line of source, ready to be shown.
pub(crate) struct Snippet {
    pub file: String,
    /// 1-based.
    pub line: u32,
    /// 1-based, 0 where unknown.
    pub column: u32,
    /// The line's text, where the source is at hand.
    text: Option<String>,
    /// The words after the caret: where the code was called, or which library's header it is in.
    note: Option<String>,
    /// The PTX instruction, where no source line is known.
    instruction: Option<String>,
}

pub(crate) fn site<'a>(scene: &Scene<'a>, at: &Place) -> Option<&'a Site> {
    scene.launch.program.functions.get(at.function as usize)?.sites.get(at.site as usize)
}

/// The source line of a place; of the PTX text where there is none.
pub(crate) fn snippet(scene: &Scene, at: &Place) -> Option<Snippet> {
    let site = site(scene, at)?;
    let location = site.at;
    if location.line == 0 {
        return Some(Snippet {
            file: "PTX".into(),
            line: location.ptx_line,
            column: 0,
            text: None,
            note: None,
            instruction: Some(site.text.to_string()),
        });
    }
    let file_of = |index: u32| scene.launch.program.files.get(index as usize).cloned().unwrap_or_default();
    let inside = file_of(location.file);
    let (file, line, column, note) = if is_called_library(scene, location) {
        let note = format!("inside {inside}:{}", location.line);
        (file_of(location.inlined_file), location.called_at, 0, Some(note))
    } else {
        let called = location.inlined_at != 0 && location.inlined_at != location.line;
        let note = called.then(|| format!("called from line {}", location.inlined_at));
        (inside, location.line, location.column, note)
    };
    Some(Snippet { note, ..of_line(scene, Written { file, line, column }) })
}

/// A line that the program itself names.
pub(crate) struct Written {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// A line with its text, where the source is at hand.
pub(crate) fn of_line(scene: &Scene, Written { file, line, column }: Written) -> Snippet {
    let text = (scene.sources)(&file)
        .and_then(|source| source.lines().nth(line as usize - 1).map(|line| line.trim_end().replace('\t', " ")));
    Snippet { file, line, column, text, note: None, instruction: None }
}

/// The line that a message adds where an instruction stands in the place of a line.
pub const NO_LINES: &str = "compiled without line information: nvcc -lineinfo, NVRTC's --generate-line-info and numba's \
                                   @cuda.jit(lineinfo=True) add it";

/// The line that a message adds where the compiler gives lines, and none for this instruction.
pub const NO_LINE: &str = "the compiler gives no line for this instruction";

/// The path of the file that an instruction comes from.
pub(crate) fn file<'a>(scene: &Scene<'a>, at: &Place) -> Option<&'a str> {
    let location = site(scene, at)?.at;
    scene.launch.program.files.get(location.file as usize).filter(|_| location.line != 0).map(String::as_str)
}

/// True if the kernel that is launched was written in Rust.
pub(crate) fn is_in_rust(scene: &Scene) -> bool {
    let launch = scene.launch;
    let files = launch.function.sites.iter().filter(|site| site.at.line != 0).map(|site| site.at.file);
    let path = |file: u32| launch.program.files.get(file as usize);
    files.filter_map(path).any(|path| path.ends_with(".rs"))
}

/// True if a path is that of Rust's own library, or of a crate from a registry.
pub(crate) fn is_rust_library(path: &str) -> bool {
    let parts = ["library/core/", "library/std/", "library/alloc/", "/rustlib/src/", ".cargo/registry/"];
    path.ends_with(".rs") && parts.iter().any(|part| path.contains(part))
}

/// The number of the line that is shown for a place; 0 where no line of source is known.
pub(crate) fn line(scene: &Scene, at: &Place) -> u32 {
    let location = site(scene, at).map(|site| site.at).unwrap_or_default();
    if is_called_library(scene, location) { location.called_at } else { location.line }
}

/// A line: of the source, or of the PTX text where no line of source is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub of_ptx: bool,
    pub number: u32,
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", if self.of_ptx { "PTX line" } else { "line" }, self.number)
    }
}

/// The line that is shown for a place. A line of Rust's own library is none of the reader's: the PTX has the place.
pub(crate) fn spot(scene: &Scene, at: &Place) -> Spot {
    match line(scene, at) {
        0 => ptx_spot(scene, at),
        _ if is_inside_rust(scene, at) => ptx_spot(scene, at),
        number => Spot { of_ptx: false, number },
    }
}

fn is_inside_rust(scene: &Scene, at: &Place) -> bool {
    file(scene, at).is_some_and(is_rust_library)
}

fn ptx_spot(scene: &Scene, at: &Place) -> Spot {
    Spot { of_ptx: true, number: site(scene, at).map_or(0, |site| site.at.ptx_line) }
}

/// The lines of two places where a reader finds both: of code that different calls brought there, the lines of those calls; of
/// the PTX text where the source has no line of one of them.
pub(crate) fn spots(scene: &Scene, one: &Place, other: &Place) -> (Spot, Spot) {
    let at = |place: &Place| site(scene, place).map(|site| site.at).unwrap_or_default();
    let calls = |at: Location| (at.inlined_file, at.inlined_at);
    let outer = |at: Location| if at.inlined_at != 0 { at.inlined_at } else { at.line };
    let (first, second) = match calls(at(one)) == calls(at(other)) {
        true => (line(scene, one), line(scene, other)),
        false => (outer(at(one)), outer(at(other))),
    };
    if first == 0 || second == 0 || is_inside_rust(scene, one) || is_inside_rust(scene, other) {
        return (ptx_spot(scene, one), ptx_spot(scene, other));
    }
    (Spot { of_ptx: false, number: first }, Spot { of_ptx: false, number: second })
}

/// True if an instruction is a library's, inlined where it was called. What a library does wrong is nearly always what it was
/// called with: the line to look at is the call.
fn is_called_library(scene: &Scene, location: Location) -> bool {
    let inside = scene.launch.program.files.get(location.file as usize);
    location.inlined_at != 0 && location.inlined_file != location.file && inside.is_some_and(|path| is_library(path))
}

/// Folders and first words of names of the headers that come with CUDA.
const LIBRARIES: [&str; 9] = ["cooperative_groups", "cuda", "cub", "thrust", "crt", "nv", "libcudacxx", "cccl", "cute"];
const HEADERS: [&str; 8] = ["cooperative_groups", "cuda_", "sm_", "device_", "curand_", "math_", "mma.", "vector_"];

/// True if a path is that of a header that comes with CUDA.
fn is_library(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    folders.split('/').any(|folder| LIBRARIES.contains(&folder) || folder.starts_with("cuda-"))
        || HEADERS.iter().any(|start| name.starts_with(start)) && name.ends_with(".h") | name.ends_with(".hpp")
}

impl Snippet {
    /// True if it shows an instruction because no line of source is known.
    pub fn lacks_line(&self) -> bool {
        self.instruction.is_some()
    }

    /// True if the source has a word at the line: `None` where the line is not known, or the word may be in what it calls.
    pub fn has(&self, scene: &Scene, word: &str) -> Option<bool> {
        let is_code = |line: &str| line.split("//").next().is_some_and(|code| code.contains(word));
        let in_file = || (scene.sources)(&self.file).is_some_and(|source| source.lines().any(is_code));
        let line = self.text.as_deref()?;
        (line.contains(word) || self.note.is_none() && !in_file()).then(|| line.contains(word))
    }

    /// Appends the place and, where it is known, the line under a gutter of `width`.
    pub fn write(&self, message: &mut String, width: usize, arrow: &str) {
        let _ = write!(message, "\n{:width$}{arrow} {}:{}", "", self.file, self.line);
        if self.column > 0 {
            let _ = write!(message, ":{}", self.column);
        }
        if let Some(instruction) = &self.instruction {
            let _ = write!(message, " `{instruction}`");
        }
        let Some(text) = &self.text else { return };
        let _ = write!(message, "\n{:width$} |\n{:width$} | {text}", "", self.line);
        let end = text.chars().count();
        let caret = (self.column as usize).clamp(1, end.max(1)) - 1;
        // A column at the start of a statement says no more than the line does: point at the first word.
        let caret = caret.max(text.chars().take_while(|c| c.is_whitespace()).count().min(end));
        let _ = write!(message, "\n{:width$} | {:caret$}^", "", "");
        if let Some(note) = &self.note {
            let _ = write!(message, " {note}");
        }
    }
}

/// Texts by the path that the compiler was given: for who may not read files.
static GIVEN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// From now on a source file has this text, whatever is on the disk.
pub fn give_source(path: &str, text: &str) {
    GIVEN.lock().unwrap_or_else(PoisonError::into_inner).insert(path.into(), text.into());
}

/// The text of a source file: the one that was given, else as the path says, or with the path taken from one of the folders above the current one, so
/// that a test run in a member's folder finds what was compiled from the workspace's.
pub fn read_source(path: &str) -> Option<String> {
    if path.is_empty() {
        return None;
    }
    if let Some(text) = GIVEN.lock().unwrap_or_else(PoisonError::into_inner).get(path) {
        return Some(text.clone());
    }
    let here = std::env::current_dir().unwrap_or_default();
    std::iter::once(Path::new(path).to_path_buf())
        .chain(here.ancestors().map(|folder| folder.join(path)))
        .find_map(|candidate| std::fs::read_to_string(candidate).ok())
}

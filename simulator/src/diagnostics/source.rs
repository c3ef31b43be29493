//! Source lines: where a place is in CUDA C++, and the line itself with a caret.
use super::Scene;
use crate::fault::Place;
use crate::program::Site;
use std::fmt::Write;
use std::path::Path;

/// One line of source, ready to be shown.
pub(super) struct Snippet {
    pub file: String,
    /// 1-based.
    pub line: u32,
    /// 1-based, 0 where unknown.
    column: u32,
    /// The line's text, where the source is at hand.
    text: Option<String>,
    /// Line of the call through which the code got here, 0 where it stands where it was written.
    called_from: u32,
    /// The PTX instruction, where no source line is known.
    instruction: Option<String>,
}

/// The site of a place.
pub(super) fn site<'a>(scene: &Scene<'a>, at: &Place) -> Option<&'a Site> {
    scene.launch.program.functions.get(at.function as usize)?.sites.get(at.site as usize)
}

/// The source line of a place; of the PTX text where there is none.
pub(super) fn snippet(scene: &Scene, at: &Place) -> Option<Snippet> {
    let site = site(scene, at)?;
    let location = site.at;
    if location.line == 0 {
        return Some(Snippet {
            file: "PTX".into(),
            line: location.ptx_line,
            column: 0,
            text: None,
            called_from: 0,
            instruction: Some(site.text.to_string()),
        });
    }
    let file = scene.launch.program.files.get(location.file as usize).cloned().unwrap_or_default();
    let text = (scene.sources)(&file).and_then(|source| {
        source.lines().nth(location.line as usize - 1).map(|line| line.trim_end().replace('\t', " "))
    });
    Some(Snippet {
        file,
        line: location.line,
        column: location.column,
        text,
        called_from: location.inlined_at,
        instruction: None,
    })
}

impl Snippet {
    /// Appends the place and, where it is known, the line under a gutter of `width`.
    pub fn write(&self, message: &mut String, width: usize, arrow: &str) {
        let _ = write!(message, "\n{:width$}{arrow} {}:{}", "", self.file, self.line);
        if self.column > 0 {
            let _ = write!(message, ":{}", self.column);
        }
        if let Some(instruction) = &self.instruction {
            let _ = write!(message, " `{instruction}` (compile with --generate-line-info to see the source line)");
        }
        let Some(text) = &self.text else { return };
        let _ = write!(message, "\n{:width$} |\n{:width$} | {text}", "", self.line);
        let end = text.chars().count();
        let caret = (self.column as usize).clamp(1, end.max(1)) - 1;
        // A column at the start of a statement says no more than the line does: point at the first word.
        let caret = caret.max(text.chars().take_while(|c| c.is_whitespace()).count().min(end));
        let _ = write!(message, "\n{:width$} | {:caret$}^", "", "");
        if self.called_from != 0 && self.called_from != self.line {
            let _ = write!(message, " called from line {}", self.called_from);
        }
    }
}

/// The text of a source file: as the path says, or with the path taken from one of the folders above the current one, so
/// that a test run in a member's folder finds what was compiled from the workspace's.
pub fn read_source(path: &str) -> Option<String> {
    if path.is_empty() {
        return None;
    }
    let here = std::env::current_dir().unwrap_or_default();
    std::iter::once(Path::new(path).to_path_buf())
        .chain(here.ancestors().map(|folder| folder.join(path)))
        .find_map(|candidate| std::fs::read_to_string(candidate).ok())
}

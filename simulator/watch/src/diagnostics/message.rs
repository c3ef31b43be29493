//! A message before and after it is laid out: every message has one shape (see [`super`]).
use super::diagnosis::Diagnosis;
use super::family::Family;
use super::rust;
use super::source::lines::{NO_LINE, NO_LINES, Snippet, Written, is_in_rust, of_line, snippet};
use super::source::names::{kernel_name, who};
use super::source::scene::Scene;
use machine::fault::Place;
use std::fmt::Write;

/// A message before it is laid out.
pub(super) struct Message<'a> {
    pub family: Family,
    pub kind: &'static str,
    /// The first line, without the family.
    pub title: String,
    pub at: Option<&'a Place>,
    /// The line that is shown in place of that of `at`: the program itself says that this is it.
    pub written_at: Option<Written>,
    /// A second line of source, and the words that go before it.
    pub other: Option<(String, &'a Place)>,
    pub who: Option<String>,
    pub what: Vec<String>,
    pub next: String,
}

impl<'a> Message<'a> {
    /// A kernel's fault at a place, which shows one line of source.
    pub fn of_kernel(
        at: &'a Place,
        kind: &'static str,
        title: String,
        what: impl IntoIterator<Item = String>,
        next: impl Into<String>,
    ) -> Self {
        let (at, who, what) = (Some(at), Some(who(at)), what.into_iter().collect());
        Message { family: Family::Kernel, kind, title, at, written_at: None, other: None, who, what, next: next.into() }
    }

    /// Lays it out.
    pub fn render(mut self, scene: &Scene) -> Diagnosis {
        if is_in_rust(scene) {
            self.title = rust::in_rust(&self.title);
            self.next = rust::in_rust(&self.next);
            self.what.iter_mut().for_each(|text| *text = rust::in_rust(text));
        }
        let mut message = format!("{}: {}", self.family.title(), self.title);
        let first = self.at.and_then(|at| snippet(scene, at));
        let at = self.at.filter(|_| self.written_at.is_none());
        let first = self.written_at.map_or(first, |written| Some(of_line(scene, written)));
        let second = self.other.as_ref().and_then(|(words, at)| Some((words, snippet(scene, at)?)));
        let width = [first.as_ref(), second.as_ref().map(|(_, snippet)| snippet)]
            .into_iter()
            .flatten()
            .map(|snippet| snippet.line.to_string().len())
            .max()
            .unwrap_or(2)
            .max(2);
        if let Some(snippet) = &first {
            snippet.write(&mut message, width, "-->");
        }
        if let Some((words, snippet)) = &second {
            let _ = write!(message, "\n{:width$} = {words}:", "");
            snippet.write(&mut message, width, ":::");
        }
        let who = self.who.iter().map(|text| ("who", text));
        let what = self.what.iter().map(|text| ("what", text));
        for (label, text) in who.chain(what).chain([("next", &self.next)]) {
            let _ = write!(message, "\n{:width$} = {label}: {text}", "");
        }
        let second = second.map(|(_, snippet)| snippet);
        if [&first, &second].into_iter().flatten().any(Snippet::lacks_line) {
            let why = if scene.launch.program.files.is_empty() { NO_LINES } else { NO_LINE };
            let _ = write!(message, "\n{:width$} = lines: {why}", "");
        }
        let inlined = at.into_iter().chain(self.other.map(|(_, at)| at)).find_map(|at| rust::inlined(scene, at));
        if let Some(inlined) = inlined {
            let _ = write!(message, "\n{:width$} = lines: {inlined}", "");
        }
        let (file, line) = first.map_or((String::new(), 0), |Snippet { file, line, .. }| (file, line));
        let kernel = kernel_name(&scene.launch.function.name);
        Diagnosis { family: self.family, kind: self.kind, kernel, file, line, message }
    }
}

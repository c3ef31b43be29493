//! The wording: what a user reads about a kernel that went wrong. What is said of a broken rule stands beside the rule, in
//! `sanitizer::misuse`; everything else is written in this room.
//!
//! Every message has one shape: whose fault and what, the source line with a caret, who did it, what it touched, the other
//! party with its line, and one next step.
//!
//! ```text
//! your kernel: `shared_f32` reads 4 bytes past the end of `a`
//!   --> kernels/gemm/3_shared.cu:26:24
//!    |
//! 26 |         tile_a[y][x] = a[row * k + start + x];
//!    |                        ^
//!    = who: thread (0, 1, 0) of block (3, 0, 0), lane 0 of warp 1, with 7 more lanes of the warp
//!    = what: `a`[1600] of `a`[0 … 1599], 6400 bytes in all
//!    = next: compare the index with the bounds of the array before this line
//! ```
mod endless;
mod fault;
mod finding;
mod names;
mod path;
mod refusal;
mod sampled;
mod source;
mod streams;
mod undefined;

use crate::sanitizer::finding::Finding;
use machine::fault::{Fault, Place};
use machine::memory::Allocation;
use machine::probe::Launch;
pub use names::kernel_name;
pub use refusal::refusals;
pub use sampled::{not_sampled, reads_a_sample};
use serde::Serialize;
pub use source::read_source;
use source::{NO_LINES, Snippet, snippet};
use std::fmt::Write;
pub use streams::{FREE, Party, unordered};

/// Whose fault it is; the first words of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Family {
    #[serde(rename = "your kernel")]
    Kernel,
    #[serde(rename = "your host code")]
    Host,
    #[serde(rename = "not modelled by the simulator")]
    NotModelled,
    #[serde(rename = "limit reached")]
    Limit,
}

impl Family {
    /// The words that open a message.
    pub fn title(self) -> &'static str {
        match self {
            Family::Kernel => "your kernel",
            Family::Host => "your host code",
            Family::NotModelled => "not modelled by the simulator",
            Family::Limit => "limit reached",
        }
    }
}

/// A rendered message with what programs want to know of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    pub family: Family,
    /// A stable name for the class of what is wrong, such as `race`.
    pub kind: &'static str,
    pub kernel: String,
    /// Of the line that is shown first; empty and 0 where there is none.
    pub file: String,
    pub line: u32,
    /// The whole text, several lines, without a newline at the end.
    pub message: String,
}

/// What a message may look at.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    pub launch: &'a Launch<'a>,
    /// The text of a source file by the path that the compiler was given; see [`read_source`].
    pub sources: &'a dyn Fn(&str) -> Option<String>,
}

/// Words what stopped a launch.
pub fn fault(fault: &Fault, scene: &Scene) -> Diagnosis {
    fault::word(fault, scene).render(scene)
}

/// Words what the sanitizer found.
pub fn finding(finding: &Finding, scene: &Scene) -> Diagnosis {
    finding::word(finding, scene).render(scene)
}

/// Words memory that the program still holds at its end; `None` if there is none.
pub fn leaks(held: &[Allocation]) -> Option<Diagnosis> {
    let bytes: u64 = held.iter().map(|allocation| allocation.bytes).sum();
    let (first, rest) = held.split_first()?;
    let names: Vec<_> = held.iter().filter(|a| !a.name.is_empty()).map(|a| format!("`{}`", a.name)).collect();
    let mut message = format!("your host code: {} still allocated at the end", names::count(bytes, "byte"));
    let _ = write!(message, "\n   = what: {}", names::allocation(first));
    if !rest.is_empty() {
        let _ = write!(message, ", and {} more", names::count(rest.len() as u64, "allocation"));
    }
    if names.len() > 1 {
        let _ = write!(message, " ({})", names.join(", "));
    }
    message.push_str("\n   = next: free what was allocated, or drop its owner, before the context goes");
    Some(Diagnosis { family: Family::Host, kind: "leak", kernel: String::new(), file: String::new(), line: 0, message })
}

/// A message before it is laid out.
struct Draft<'a> {
    family: Family,
    kind: &'static str,
    /// What, without the family.
    title: String,
    at: Option<&'a Place>,
    /// A second line of source, and the words that go before it.
    other: Option<(String, &'a Place)>,
    who: Option<String>,
    what: Vec<String>,
    next: String,
}

impl Draft<'_> {
    fn render(self, scene: &Scene) -> Diagnosis {
        let mut message = format!("{}: {}", self.family.title(), self.title);
        let first = self.at.and_then(|at| snippet(scene, at));
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
        if [&first, &second.map(|(_, snippet)| snippet)].into_iter().flatten().any(Snippet::lacks_line) {
            let _ = write!(message, "\n{:width$} = lines: {NO_LINES}", "");
        }
        let (file, line) = first.map_or((String::new(), 0), |Snippet { file, line, .. }| (file, line));
        let kernel = kernel_name(&scene.launch.function.name);
        Diagnosis { family: self.family, kind: self.kind, kernel, file, line, message }
    }
}

//! Mistakes that the text of a kernel's file shows, each with the text that may have been meant: a verdict tries it before it speaks of it.
//! `tests/mistakes.toml` has each of them, and texts that look like it and are none.

use crate::markers::{TO_DO, bare};

/// A change that may have been meant.
pub struct Meant {
    /// The whole file with it.
    pub text: String,
    /// The place, and what stands there.
    pub words: String,
    /// The name for the change.
    pub change: &'static str,
    /// True if the words hold even where the change alone is no cure.
    pub holds: bool,
}

/// The changes that a text suggests: an array that each thread has of its own, though threads share its elements out by their numbers; and
/// rows of shared memory that are as long whatever the tile's edge is.
pub fn changes(text: &str) -> Vec<Meant> {
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let statements = || code.iter().enumerate().flat_map(|(at, line)| line.split(';').map(move |part| (at, part)));
    let arrays: Vec<(usize, Array)> = statements().filter_map(|(at, part)| Some((at, Array::of(part)?))).collect();
    let of_thread = of_thread(&code);
    let is_shared_out = |array: &Array| {
        let of_one = |index: &str| words(index).any(|word| of_thread.contains(&word));
        let opening = format!("{}[", array.name);
        code.iter().any(|line| {
            let mut uses = line.match_indices(&opening).filter(|(at, _)| !line[..*at].ends_with(is_of_word));
            uses.any(|(at, _)| line[at + opening.len()..].split_once(']').is_some_and(|(index, _)| of_one(index)))
        })
    };
    let changed = |of: &[&(usize, Array)], find: &str, put: &str| -> String {
        let line = |(at, line): (usize, &str)| match of.iter().find(|(own, _)| *own == at) {
            Some((_, array)) => line.replacen(array.text, &array.text.replace(find, put), 1) + "\n",
            None => format!("{line}\n"),
        };
        text.lines().enumerate().map(line).collect()
    };
    let mut all = Vec::new();
    for own in arrays.iter().filter(|(_, array)| !array.is_shared && is_shared_out(array)) {
        let (at, Array { name, text: declared, .. }) = own;
        all.push(Meant {
            text: changed(&[own], declared, &format!("__shared__ {declared}")),
            words: format!("line {}: `{name}` is a local array; is it meant to be `__shared__`?", at + 1),
            change: "__shared__",
            holds: true,
        });
    }
    let template = code.iter().find_map(|line| line.strip_prefix("template")?.split_once("int "));
    let edge = template.and_then(|(_, rest)| words(rest).next());
    let fixed = |(_, array): &&(usize, Array)| edge.is_some() && array.is_shared && array.columns == Some("32");
    let fixed: Vec<&(usize, Array)> = arrays.iter().filter(fixed).collect();
    if let Some(((at, Array { name, .. }), edge)) = fixed.first().zip(edge) {
        all.push(Meant {
            text: changed(&fixed, "[32]", &format!("[{edge}]")),
            words: format!("line {}: `{name}` has 32 columns, and a tile {edge} of them", at + 1),
            change: "the tile's edge in place of 32",
            holds: false,
        });
    }
    all
}

/// The line with which the text includes what belongs to a host's program, by the compiler's message.
pub fn host_header(log: &str) -> Option<String> {
    #[rustfmt::skip]
    const OF_HOSTS: [&str; 18] = [
        "algorithm", "assert.h", "cassert", "cmath", "cstdint", "cstdio", "cstdlib", "cstring", "iostream", "math.h", "stdint.h", "stdio.h",
        "stdlib.h", "string", "string.h", "sys/types.h", "unistd.h", "vector",
    ];
    let name = log.split_once("cannot open source file \"")?.1.split('"').next()?;
    let says =
        format!("\ndelete the line: #include <{name}>; a kernel has no headers of the host, and needs none for printf");
    OF_HOSTS.contains(&name).then_some(says)
}

/// The names of the functions that are as they were handed out, to be written, beside others that are not.
pub fn untouched(text: &str, starter: &str) -> Vec<String> {
    let given = functions(starter);
    let as_given = |(name, body): &(&str, &str)| given.iter().any(|one| one.0 == *name && bare(one.1) == bare(body));
    let is_due = |name: &str| given.iter().any(|(of, body)| *of == name && body.contains(TO_DO));
    let (left, done): (Vec<_>, Vec<_>) = functions(text).into_iter().partition(as_given);
    let left = left.into_iter().filter(|(name, _)| !done.is_empty() && is_due(name));
    left.map(|(name, _)| name.to_owned()).collect()
}

/// The device functions of a text, each with its body.
fn functions(text: &str) -> Vec<(&str, &str)> {
    let starts = text.match_indices("__device__ void ").map(|(at, found)| at + found.len());
    let function = |start: usize| {
        let (name, rest) = text[start..].split_once('(')?;
        let body = &rest[rest.find('{')? + 1..];
        Some((name, &body[..body.find("\n}")?]))
    };
    starts.filter_map(function).collect()
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_of_word(c)).filter(|word| !word.is_empty())
}

/// The names whose values follow from the thread's number.
fn of_thread<'t>(code: &[&'t str]) -> Vec<&'t str> {
    let mut names = vec!["threadIdx"];
    loop {
        let before = names.len();
        for statement in code.iter().flat_map(|line| line.split([';', '('])) {
            let Some((name, value)) = statement.split_once('=').filter(|(_, value)| !value.starts_with('=')) else {
                continue;
            };
            let Some(name) = words(name).last().filter(|_| !name.trim_end().ends_with(['<', '>', '!', ']'])) else {
                continue;
            };
            if !names.contains(&name) && words(value).any(|word| names.contains(&word)) {
                names.push(name);
            }
        }
        if names.len() == before {
            return names;
        }
    }
}

/// The declaration of an array.
struct Array<'t> {
    text: &'t str,
    name: &'t str,
    is_shared: bool,
    /// The last of its two extents or more.
    columns: Option<&'t str>,
}

impl<'t> Array<'t> {
    fn of(statement: &'t str) -> Option<Self> {
        let text = statement.trim_start().trim_start_matches('{').trim();
        let (head, extents) = text.split_once('[')?;
        let is_declared = head.chars().all(|c| is_of_word(c) || c == ' ');
        let head: Vec<&str> = head.split_whitespace().collect();
        let (name, types) = head.split_last()?;
        let is_type = !types.is_empty() && !["return", "else", "extern", "const"].contains(&types[0]);
        let columns = extents.rsplit_once("][").map(|(_, last)| last.trim_end_matches(']'));
        (is_declared && is_type).then(|| Array { text, name, is_shared: types.contains(&"__shared__"), columns })
    }
}

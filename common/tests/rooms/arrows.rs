//! Which file names which: read from the sources' own tokens, so that neither comments nor strings count.
//!
//! A crate is walked from its root along `mod name;`. A path that starts with `crate`, `super`, `self` or the name of a module below is
//! an arrow to the file that defines what it ends in; a name that a file only hands on (`pub use`) counts for the file that it comes from, and
//! is no arrow of the file that hands it on.
//! Code for tests only (`#[cfg(test)]`) is left out.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The files of one crate, by their paths from its `src/`, and which of them each one names.
pub type Arrows = BTreeMap<String, BTreeSet<String>>;

/// One module with a file of its own, or one written inside of a file.
struct Module {
    file: String,
    children: BTreeMap<String, usize>,
    /// Names that this module uses, and so hands on, and where they come from.
    handed_on: BTreeMap<String, Vec<String>>,
    /// Modules of which it hands on everything.
    globs: Vec<Vec<String>>,
    defined: BTreeSet<String>,
    /// The paths that its text names, from the crate's root.
    named: Vec<Vec<String>>,
}

/// Reads the crate whose root is `root` (`src/lib.rs`, `src/main.rs`). Panics where a source cannot be read: it would not compile either.
pub fn read(root: &Path) -> Arrows {
    let base = root.parent().expect("a root lies in a folder");
    let mut reader = Reader { base: base.to_owned(), modules: Vec::new() };
    reader.file(root, base, &[]);
    let mut arrows = Arrows::new();
    for module in &reader.modules {
        let targets = arrows.entry(module.file.clone()).or_default();
        let files = module.named.iter().map(|path| reader.file_of(path));
        targets.extend(files.filter(|file| *file != module.file));
    }
    arrows
}

/// Words before the name of what a module defines.
const DEFINES: [&str; 8] = ["fn", "struct", "enum", "trait", "const", "static", "type", "union"];

struct Reader {
    base: PathBuf,
    modules: Vec<Module>,
}

impl Reader {
    /// Reads one file as the module `path`; its own modules lie in `folder`. Returns the module's index.
    fn file(&mut self, file: &Path, folder: &Path, path: &[String]) -> usize {
        let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let name = file.strip_prefix(&self.base).expect("below the root").display().to_string();
        self.module(name, tokens, folder, path)
    }

    fn module(&mut self, file: String, tokens: TokenStream, folder: &Path, path: &[String]) -> usize {
        let index = self.modules.len();
        self.modules.push(Module {
            file,
            children: BTreeMap::new(),
            handed_on: BTreeMap::new(),
            globs: Vec::new(),
            defined: BTreeSet::new(),
            named: Vec::new(),
        });
        let tokens: Vec<TokenTree> = without_tests(tokens);
        self.declare(index, &tokens, folder, path);
        self.names(index, &tokens, path);
        index
    }

    /// Finds the modules and the definitions at the top of a module.
    fn declare(&mut self, index: usize, tokens: &[TokenTree], folder: &Path, path: &[String]) {
        for (at, token) in tokens.iter().enumerate() {
            let (TokenTree::Ident(word), Some(TokenTree::Ident(name))) = (token, tokens.get(at + 1)) else { continue };
            if DEFINES.iter().any(|other| word == other) {
                self.modules[index].defined.insert(name.to_string());
            }
            if word != "mod" {
                continue;
            }
            let name = name.to_string();
            let below: Vec<String> = [path, std::slice::from_ref(&name)].concat();
            let child = match tokens.get(at + 2) {
                Some(TokenTree::Group(group)) => {
                    let file = self.modules[index].file.clone();
                    self.module(file, group.stream(), &folder.join(&name), &below)
                }
                _ => {
                    let own = folder.join(format!("{name}.rs"));
                    let file = if own.is_file() { own } else { folder.join(&name).join("mod.rs") };
                    self.file(&file, &folder.join(&name), &below)
                }
            };
            self.modules[index].children.insert(name, child);
        }
    }

    /// Finds the paths that a module's text names, at any depth.
    fn names(&mut self, index: usize, tokens: &[TokenTree], path: &[String]) {
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Ident(word) if word == "mod" && matches!(tokens.get(at + 2), Some(TokenTree::Group(_))) => {
                    at += 3;
                }
                TokenTree::Ident(word) if word == "use" => {
                    let end = tokens[at..].iter().position(|token| is(token, ';')).map_or(tokens.len(), |n| at + n);
                    let mut found = Vec::new();
                    use_tree(&tokens[at + 1..end], &mut Vec::new(), &mut found);
                    let is_handed_on = is_public(&tokens[..at]);
                    for (words, name) in found {
                        let Some(absolute) = self.absolute(index, &words, path) else { continue };
                        match name.as_str() {
                            "*" => self.modules[index].globs.push(absolute.clone()),
                            _ => drop(self.modules[index].handed_on.insert(name, absolute.clone())),
                        }
                        if !is_handed_on {
                            self.modules[index].named.push(absolute);
                        }
                    }
                    at = end;
                }
                // Most words are no path, and need no text of their own.
                TokenTree::Ident(_) if is_path(tokens, at) && !continues(tokens, at) => {
                    let (words, end) = words(tokens, at);
                    if words.len() > 1
                        && let Some(absolute) = self.absolute(index, &words, path)
                    {
                        self.modules[index].named.push(absolute);
                    }
                    at = end;
                }
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = without_tests(group.stream());
                    self.names(index, &inner, path);
                    at += 1;
                }
                _ => at += 1,
            }
        }
    }

    /// A path from the crate's root; `None` for one that leads out of the crate.
    fn absolute(&self, index: usize, words: &[String], path: &[String]) -> Option<Vec<String>> {
        let (first, rest) = words.split_first()?;
        let mut base = path.to_vec();
        let mut rest = rest;
        match first.as_str() {
            "crate" => base.clear(),
            "self" => {}
            "super" => {
                base.pop();
                while rest.first().is_some_and(|word| word == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            name if self.modules[index].children.contains_key(name) => rest = words,
            _ => return None,
        }
        base.extend(rest.iter().cloned());
        Some(base)
    }

    /// The file that defines what a path from the root ends in.
    fn file_of(&self, path: &[String]) -> String {
        let mut module = &self.modules[0];
        let mut rest = path;
        // A name that is handed on in a ring would not compile; the bound only keeps this loop finite.
        for _ in 0..64 {
            let Some((first, below)) = rest.split_first() else { break };
            if let Some(&child) = module.children.get(first) {
                module = &self.modules[child];
                rest = below;
            } else if let Some(origin) = module.handed_on.get(first) {
                return self.file_of(&[origin, below].concat());
            } else {
                let has = |glob: &&Vec<String>| self.module_at(glob).is_some_and(|m| m.defined.contains(first));
                match module.globs.iter().find(has) {
                    Some(glob) if !module.defined.contains(first) => return self.file_of(glob),
                    _ => break,
                }
            }
        }
        module.file.clone()
    }

    fn module_at(&self, path: &[String]) -> Option<&Module> {
        path.iter().try_fold(&self.modules[0], |module, word| Some(&self.modules[*module.children.get(word)?]))
    }
}

/// The tokens without items under `#[cfg(test)]`.
fn without_tests(stream: TokenStream) -> Vec<TokenTree> {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if is(&tokens[at], '#') && tokens.get(at + 1).is_some_and(is_for_tests) {
            let ends = |token: &TokenTree| {
                is(token, ';') || matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
            };
            at = tokens[at..].iter().position(ends).map_or(tokens.len(), |n| at + n + 1);
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

/// The rest of an attribute that is `#[cfg(test)]`.
fn is_for_tests(attribute: &TokenTree) -> bool {
    let TokenTree::Group(group) = attribute else { return false };
    let mut tokens = group.stream().into_iter();
    let (Some(TokenTree::Ident(word)), Some(TokenTree::Group(condition)), None) =
        (tokens.next(), tokens.next(), tokens.next())
    else {
        return false;
    };
    let mut condition = condition.stream().into_iter();
    let only = (condition.next(), condition.next());
    let is_test = matches!(&only, (Some(TokenTree::Ident(only)), None) if only == "test");
    group.delimiter() == Delimiter::Bracket && word == "cfg" && is_test
}

/// The leaves of what stands between `use` and `;`: each path, and the name under which it is known here.
fn use_tree(tokens: &[TokenTree], before: &mut Vec<String>, found: &mut Vec<(Vec<String>, String)>) {
    for branch in tokens.split(|token| is(token, ',')).filter(|branch| !branch.is_empty()) {
        let depth = before.len();
        let mut name = None;
        let mut grouped = false;
        let mut renamed = false;
        for token in branch {
            match token {
                TokenTree::Ident(word) if word == "as" => renamed = true,
                TokenTree::Ident(word) if renamed => name = Some(word.to_string()),
                TokenTree::Ident(word) if word == "self" && depth > 0 && before.len() == depth => {
                    name = before.last().cloned();
                }
                TokenTree::Ident(word) => {
                    before.push(word.to_string());
                    name = Some(word.to_string());
                }
                TokenTree::Punct(star) if star.as_char() == '*' => name = Some("*".to_owned()),
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    use_tree(&inner, before, found);
                    grouped = true;
                }
                _ => {}
            }
        }
        if let (false, Some(name)) = (grouped, name) {
            found.push((before.clone(), name));
        }
        before.truncate(depth);
    }
}

/// The words of a path that starts at `at`, and where it ends.
fn words(tokens: &[TokenTree], mut at: usize) -> (Vec<String>, usize) {
    let mut words = Vec::from_iter(ident(&tokens[at]));
    at += 1;
    let colon = |at: usize| tokens.get(at).is_some_and(|token| is(token, ':'));
    while colon(at) && colon(at + 1) {
        let Some(word) = tokens.get(at + 2).and_then(ident) else { break };
        words.push(word);
        at += 3;
    }
    (words, at)
}

/// The tokens before an item end in `pub` or `pub(…)`.
fn is_public(before: &[TokenTree]) -> bool {
    let word = match before {
        [.., word, TokenTree::Group(_)] | [.., word] => ident(word),
        [] => None,
    };
    word.is_some_and(|word| word == "pub")
}

/// A word at `at` is followed by `::`.
fn is_path(tokens: &[TokenTree], at: usize) -> bool {
    [1, 2].iter().all(|next| tokens.get(at + next).is_some_and(|token| is(token, ':')))
}

/// The word at `at` goes on a path, or is a field or a method.
fn continues(tokens: &[TokenTree], at: usize) -> bool {
    at > 0 && (is(&tokens[at - 1], ':') && at > 1 && is(&tokens[at - 2], ':') || is(&tokens[at - 1], '.'))
}

fn ident(token: &TokenTree) -> Option<String> {
    match token {
        TokenTree::Ident(word) => Some(word.to_string()),
        _ => None,
    }
}

fn is(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

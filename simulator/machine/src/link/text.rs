//! The linked modules as text.
use super::Input;
use super::names::{DeclarationId, Names, declarations, uses};
use ptx::tree::{Declared, Item, Linkage, Module};
use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;

/// A passage of an input's text, and what stands there instead.
type Edit = (Range<usize>, String);

/// Writes the linked module: variables first, then prototypes, then functions, so that each name is declared before its use.
pub fn write(inputs: &[Input], names: &Names) -> String {
    let version = inputs.iter().map(|input| input.module.version).max().unwrap_or_default();
    let target = inputs.iter().map(|input| input.module.target).max_by_key(|target| rank(target)).unwrap_or_default();
    let mut text = format!(".version {}.{}\n.target {target}\n.address_size 64\n\n", version.0, version.1);
    let mut files: Vec<&str> = Vec::new();
    let edits: Vec<Vec<Edit>> = (0..inputs.len()).map(|at| edits(inputs, names, at, &mut files)).collect();
    for (number, path) in files.iter().enumerate() {
        let _ = writeln!(text, ".file {} \"{path}\"", number + 1);
    }
    for wanted in [Part::Variable, Part::Prototype, Part::Function] {
        for (at, input) in inputs.iter().enumerate() {
            for (index, item) in input.module.items.iter().enumerate() {
                if part(&input.module, item) == wanted && is_kept(inputs, names, at, index) {
                    let _ = writeln!(text, "{}", declaration(input, item, &edits[at], names).trim_end());
                }
            }
        }
    }
    for (at, input) in inputs.iter().enumerate() {
        for (alias, function) in &input.module.aliases {
            let new = |name: &str| names.renamed.get(&(at, name)).map_or(name.to_owned(), String::clone);
            let _ = writeln!(text, ".alias {}, {};", new(alias), new(function));
        }
    }
    text
}

#[derive(PartialEq, Eq)]
enum Part {
    Variable,
    Prototype,
    Function,
}

fn part(module: &Module, item: &Item) -> Part {
    match item.what {
        Declared::Variables(_) => Part::Variable,
        Declared::Function(index) if module.functions[index].body.is_some() => Part::Function,
        Declared::Function(_) => Part::Prototype,
    }
}

/// `sm_90a` comes after `sm_90`, and that after `sm_75`.
fn rank(target: &str) -> (u32, usize) {
    let digits: String = target.chars().filter(char::is_ascii_digit).collect();
    (digits.parse().unwrap_or(0), target.len())
}

/// Returns whether an item is written: an extern variable is, once, if nothing defines it; prototypes are, once; of definitions the one
/// that stands for the name.
fn is_kept(inputs: &[Input], names: &Names, input: usize, item: usize) -> bool {
    declarations(&inputs[input].module, item).iter().any(|declaration| {
        let place = DeclarationId { input, item, variable: declaration.variable };
        if declaration.linkage == Linkage::Local {
            return true;
        }
        match (declaration.is_definition, names.defined.get(declaration.name)) {
            (true, Some(&(chosen, _))) => chosen == place,
            (false, Some(_)) if declaration.function.is_none() => false,
            _ => names.declared.get(declaration.name) == Some(&place),
        }
    })
}

/// An item's text with what changes in it.
fn declaration(input: &Input, item: &Item, edits: &[Edit], names: &Names) -> String {
    let range = place(input.text, item.text);
    let mut text = String::with_capacity(item.text.len() + 16);
    let mut at = range.start;
    let first = edits.partition_point(|(edit, _)| edit.start < range.start);
    for (edit, new) in edits[first..].iter().take_while(|(edit, _)| edit.end <= range.end) {
        text.push_str(&input.text[at..edit.start]);
        text.push_str(new);
        at = edit.end;
    }
    text.push_str(&input.text[at..range.end]);
    // A name that another module defines is not extern any more.
    let defined = |name: &str| names.defined.get(name).map(|&(_, linkage)| linkage);
    let linkage = match &item.what {
        Declared::Function(index) if item.linkage == Linkage::Extern => defined(input.module.functions[*index].name),
        _ => None,
    };
    match (linkage, text.strip_prefix(".extern")) {
        (Some(Linkage::Weak), Some(rest)) => format!(".weak{rest}"),
        (Some(_), Some(rest)) => format!(".visible{rest}"),
        _ => text,
    }
}

/// All that changes in an input's text, in its order: names, and the numbers of files.
fn edits<'t>(inputs: &[Input<'_, 't>], names: &Names<'t>, at: usize, files: &mut Vec<&'t str>) -> Vec<Edit> {
    let Input { text, module, .. } = &inputs[at];
    let mut edits = Vec::new();
    let renamed = |name: &'t str| names.renamed.get(&(at, name)).map(|new| (place(text, name), new.clone()));
    edits.extend(uses(module).into_iter().filter_map(renamed));
    for item in 0..module.items.len() {
        for declaration in declarations(module, item) {
            edits.extend(renamed(declaration.name));
            // Beside the variable that is written stands one that another module's stands for: it keeps its place under
            // a name that nothing uses.
            let own = DeclarationId { input: at, item, variable: declaration.variable };
            let other = names.defined.get(declaration.name).is_some_and(|&(chosen, _)| chosen != own);
            if other && declaration.linkage != Linkage::Local && declaration.space.is_some() {
                edits.push((place(text, declaration.name), format!("{}__unused_{at}", declaration.name)));
            }
        }
    }
    let mut numbers = HashMap::new();
    for &(number, path) in &module.files {
        let known = files.iter().position(|file| *file == path).unwrap_or_else(|| {
            files.push(path);
            files.len() - 1
        });
        numbers.insert(number, known + 1);
    }
    for range in file_numbers(text) {
        if let Some(new) = text[range.clone()].parse().ok().and_then(|number: u32| numbers.get(&number)) {
            edits.push((range, new.to_string()));
        }
    }
    edits.sort_by_key(|(range, _)| range.start);
    edits.dedup_by_key(|(range, _)| range.start);
    edits
}

/// Where `.loc 1 …` and `inlined_at 1 …` say a file's number, outside of comments.
fn file_numbers(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or(line);
        if code.trim_start().starts_with(".loc") {
            for word in [".loc", "inlined_at"] {
                let Some(after) = code.find(word).map(|at| at + word.len()) else { continue };
                let blank = code[after..].len() - code[after..].trim_start().len();
                let digits = code[after + blank..].bytes().take_while(u8::is_ascii_digit).count();
                if blank > 0 && digits > 0 {
                    found.push(start + after + blank..start + after + blank + digits);
                }
            }
        }
        start += line.len();
    }
    found
}

/// A module's text with `.maxnreg` before the body of each kernel that has none.
pub fn limit_registers(text: &str, module: &Module, most: u32) -> String {
    let mut limited = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for item in &module.items {
        let Declared::Function(index) = item.what else { continue };
        let function = &module.functions[index];
        let start = place(text, item.text).start;
        if let (true, None, Some(brace)) = (function.is_entry, function.max_registers, item.text.find('{')) {
            limited.push_str(&text[at..start + brace]);
            let _ = writeln!(limited, ".maxnreg {most}");
            at = start + brace;
        }
    }
    limited.push_str(&text[at..]);
    limited
}

/// Where a slice of a text lies in it.
fn place(text: &str, slice: &str) -> Range<usize> {
    let start = slice.as_ptr() as usize - text.as_ptr() as usize;
    start..start + slice.len()
}

//! Arrays that a kernel makes of dynamic shared memory. PTX knows one; the source's lines tell which pointer a line goes through.
use super::lines::snippet;
use super::names::variable_name;
use super::scene::Scene;
use machine::probe::Place;

/// A pointer into dynamic shared memory.
struct Carved<'s> {
    name: &'s str,
    line: usize,
    made_of: &'s str,
    /// The array that it is the beginning of: its own, or an earlier one's.
    array: &'s str,
}

/// The words for two lines that reach one byte of dynamic shared memory through two arrays; `None` where the lines do not tell that.
pub(crate) fn overlap(scene: &Scene, places: [&Place; 2], address: u64) -> Option<String> {
    let function = scene.launch.function;
    let byte = address.checked_sub(function.dynamic_shared_start.into())?;
    let memory = function.shared_symbols.iter().find(|symbol| symbol.bytes == 0)?;
    let memory = variable_name(&memory.name);
    let [one, other] = [snippet(scene, places[0])?, snippet(scene, places[1])?];
    let source = (scene.sources)(&one.file).filter(|_| one.file == other.file)?;
    let lines: Vec<&str> = source.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let mut all = vec![Carved { name: &memory, line: 0, made_of: "", array: &memory }];
    for (number, line) in lines.iter().enumerate().take(one.line.min(other.line) as usize) {
        let Some((left, right)) = line.split_once('=').filter(|(_, right)| !right.starts_with('=')) else { continue };
        let made_of = right.trim().trim_end_matches(';');
        let of = all.iter().rfind(|known| words(made_of).any(|word| word == known.name));
        let is_pointer =
            left.contains('*') && words(left).count() > 1 && (made_of.contains('&') || !made_of.contains('['));
        if let (Some(of), Some(name), true) = (of, words(left).last(), is_pointer) {
            let array = if made_of.contains(['+', '-', '[']) { name } else { of.array };
            all.push(Carved { name, line: number + 1, made_of, array });
        }
    }
    let is_used = |line: &str, name: &str| {
        line.match_indices(name).any(|(at, _)| {
            let ends = line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            !ends && (line[at + name.len()..].trim_start().starts_with('[') || line[..at].ends_with('*'))
        })
    };
    let through = |number: u32| {
        let line = lines.get(number as usize - 1)?;
        let mut used = all.iter().rev().filter(|carved| is_used(line, carved.name));
        used.next().filter(|_| used.next().is_none())
    };
    let [one_array, other_array] = [through(one.line)?, through(other.line)?];
    // A pointer that changes may be anywhere.
    let changes = |carved: &Carved| {
        let assigned = |line: &&&str| {
            let rest = line.split_once(carved.name).map_or("", |(_, rest)| rest.trim_start());
            ["=", "+=", "-=", "++", "^="].iter().any(|sign| rest.starts_with(sign)) && !rest.starts_with("==")
                || line.contains("swap") && words(line).any(|word| word == carved.name)
        };
        lines.iter().filter(assigned).count() > usize::from(carved.line > 0)
    };
    if one_array.array == other_array.array || changes(one_array) || changes(other_array) {
        return None;
    }
    let told = |line: u32, carved: &Carved| match carved.line {
        0 => format!("line {line} goes through `{}`", carved.name),
        made => format!("line {line} goes through `{}`, which line {made} makes of `{}`", carved.name, carved.made_of),
    };
    let [one, other] = [told(one.line, one_array), told(other.line, other_array)];
    Some(format!("{one}; {other}: two arrays that overlap at byte {byte} of dynamic shared memory"))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

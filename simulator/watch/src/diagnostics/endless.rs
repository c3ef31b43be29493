//! The story of a loop that did not end: which lines, which warp, and what its condition reads that did not change.
use super::source::lines::is_rust_library;
use super::source::scene::Scene;
use machine::fault::{Compared, Exit, Loop};
use machine::probe::Place;
use machine::program::{Location, Site};
use ptx::isa::{Class, Type};

/// The facts of the loop, a line each, and `true` if its counter is on the way to its end.
pub(super) fn story(around: &Loop, at: &Place, scene: &Scene) -> (Vec<String>, bool) {
    let nothing = (Vec::new(), false);
    let Some(function) = scene.launch.program.functions.get(around.function as usize) else { return nothing };
    let site = |index: u32| function.sites.get(index as usize);
    // The last instruction may be a library's, inlined into the loop.
    let is_library =
        |site: &&Site| scene.launch.program.files.get(site.at.file as usize).is_some_and(|f| is_rust_library(f));
    let of_loop = || around.sites.iter().cloned().flatten().filter_map(site);
    let written = || of_loop().find(|site| site.at.line != 0 && !is_library(site));
    let Some(last) = site(at.site) else { return nothing };
    let Some(file) = Some(last).filter(|site| !is_library(site)).or_else(written).map(|site| site.at.file) else {
        return nothing;
    };
    let own = |at: &Location| at.file == file && at.line != 0;
    let sites = || of_loop().filter(|site| own(&site.at));
    let reach = |acts_only: bool| {
        let lines = sites().filter(|site| !acts_only || acts(site.class)).map(|site| site.at.line);
        lines.fold(None, |reach: Option<(u32, u32)>, line| {
            let (first, last) = reach.unwrap_or((line, line));
            Some((first.min(line), last.max(line)))
        })
    };
    let Some((first, last)) = reach(false) else { return nothing };

    let path = scene.launch.program.files.get(file as usize).cloned().unwrap_or_default();
    let source = (scene.sources)(&path);
    // The compiler computes addresses in the loop for lines ahead of it; an access or a barrier stays where it was written.
    let reaches = [Some((first, last)), reach(true)].into_iter().flatten();
    let written = source
        .as_deref()
        .and_then(|text| reaches.into_iter().find_map(|(first, last)| WrittenLoop::around(text, first, last)));
    let (first, last) = written.as_ref().map_or((first, last), |loop_| (loop_.first, loop_.last));
    let lines = if first == last { format!("line {first}") } else { format!("lines {first} to {last}") };
    let [x, y, z] = at.block;
    // Where ways out are left, a counter may be on its way to one, and others may write what a condition reads.
    let never = if around.exits.is_empty() { " and never leaves it" } else { "" };
    let threads: u32 = scene.launch.block.iter().product();
    let who = match around.lanes {
        1 if threads > 1 => format!("one thread of block ({x}, {y}, {z}) alone"),
        _ => format!("warp {} of block ({x}, {y}, {z})", at.warp),
    };
    let mut story = vec![format!("{who} goes round the loop on {lines}{never}")];

    let steps_by_one = written.as_ref().is_some_and(|loop_| loop_.steps_by_one);
    let of_exit = |exit: &Exit| {
        let compared = exit.compared.as_ref()?;
        let counted = counted(around, exit, site(compared.site)?, steps_by_one);
        Some((counted.is_some(), counted.unwrap_or(comparison(compared, site(compared.site)?))))
    };
    let (finite, compared): (Vec<bool>, Vec<String>) = around.exits.iter().filter_map(of_exit).unzip();
    if around.exits.is_empty() {
        let frozen = written.as_ref().is_some_and(|written| written.unchanged == names(&written.condition));
        let why = if frozen { "nothing that its condition reads changes inside" } else { "its condition always holds" };
        story.push(format!("the compiler left no way out of it: {why}"));
    }
    story.extend(compared);
    if let Some(WrittenLoop { condition, unchanged, .. }) = &written
        && !condition.is_empty()
    {
        let names: Vec<String> = unchanged.iter().map(|name| format!("`{name}`")).collect();
        match names.as_slice() {
            [] => story.push(format!("it goes on while `{condition}`")),
            [only] => story.push(format!("it goes on while `{condition}`, and no line of it changes {only}")),
            many => {
                story.push(format!("it goes on while `{condition}`, and no line of it changes {}", many.join(" or ")))
            }
        }
    }
    (story, finite.contains(&true))
}

/// The turn that a loop is in, where it ends in so many because a whole number steps towards the one that it is compared with.
fn counted(around: &Loop, exit: &Exit, site: &Site, steps_by_one: bool) -> Option<String> {
    let Compared { before, after, .. } = exit.compared.as_ref()?;
    let value = |bits: u64| match site.opcode.last? {
        Type::S32 => Some(i128::from(bits as i32)),
        Type::S64 => Some(i128::from(bits as i64)),
        Type::U32 | Type::B32 | Type::U64 | Type::B64 => Some(i128::from(bits)),
        _ => None,
    };
    let which = [0, 1].into_iter().find(|&side| before[1 - side] == after[1 - side])?;
    let [start, now, limit] = [value(before[which])?, value(after[which])?, value(after[1 - which])?];
    let (moved, rounds) = (now - start, i128::from(exit.rounds));
    let step = (2 * moved + rounds * moved.signum()) / (2 * rounds.max(1));
    let left = limit - now;
    // The two times are not at the same place of a round.
    let is_even = (moved - step * rounds).abs() <= step.abs() && left * step > 0;
    if !is_even || site.opcode.is_equality && left % step != 0 {
        return None;
    }
    // A compiler takes several turns of a loop for one of its own.
    let turns = if steps_by_one { step.abs() } else { 1 };
    let [before, watched] = around.spent.map(i128::from);
    let done = rounds * turns * (before + watched) / watched.max(1);
    let of = done + (left + step - step.signum()) / step * turns;
    let moves = if step < 0 { "falls" } else { "rises" };
    Some(format!("turn {done} of about {of}: its counter {moves} by {} to {limit}, so it is finite", step.abs()))
}

/// Instructions that do something outside of registers.
fn acts(class: Class) -> bool {
    matches!(class, Class::Async | Class::Atomic | Class::Barrier | Class::Matrix | Class::Memory | Class::Warp)
}

/// "line 27 compares 3 with 64, and neither changes"
fn comparison(compared: &Compared, site: &Site) -> String {
    let Compared { before, after, .. } = compared;
    let value = |bits: u64| match site.opcode.last {
        Some(Type::S16) => (bits as i16).to_string(),
        Some(Type::S32) => (bits as i32).to_string(),
        Some(Type::S64) => (bits as i64).to_string(),
        Some(Type::F32) => f32::from_bits(bits as u32).to_string(),
        Some(Type::F64) => f64::from_bits(bits).to_string(),
        _ => bits.to_string(),
    };
    let [left, right] = after.map(value);
    let line = match site.at.line {
        0 => format!("PTX line {}", site.at.ptx_line),
        line => format!("line {line}"),
    };
    let changes = match (before[0] != after[0], before[1] != after[1]) {
        (false, false) => "and neither changes from round to round".to_owned(),
        (true, false) => format!("of which the first was {} a while before", value(before[0])),
        (false, true) => format!("of which the second was {} a while before", value(before[1])),
        (true, true) => format!("which were {} and {} a while before", value(before[0]), value(before[1])),
    };
    format!("to leave it, {line} compares {left} with {right}, {changes}")
}

/// A loop as its source has it.
#[derive(Debug, PartialEq)]
struct WrittenLoop {
    first: u32,
    last: u32,
    condition: String,
    /// Names of the condition that nothing in the loop assigns.
    unchanged: Vec<String>,
    /// True of a `for` whose step is `++` or `--`.
    steps_by_one: bool,
}

impl WrittenLoop {
    /// The innermost `for` or `while` that reaches over these lines.
    fn around(text: &str, first: u32, last: u32) -> Option<WrittenLoop> {
        let starts: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(index, _)| index + 1)).collect();
        let line_of = |offset: usize| starts.partition_point(|&start| start <= offset) as u32;
        let upto = starts.get(first as usize).copied().unwrap_or(text.len());
        let mut keywords: Vec<(usize, &str)> =
            ["for", "while"].iter().flat_map(|word| text[..upto].match_indices(word)).collect();
        keywords.sort_unstable();
        keywords.into_iter().rev().find_map(|(offset, keyword)| {
            let before = text[..offset].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_') || is_comment(text, offset) {
                return None;
            }
            let head = offset + keyword.len();
            let open = head + text[head..].find(|c: char| !c.is_whitespace())?;
            let close = matching(text, open, '(', ')')?;
            let body = close + 1 + text[close + 1..].find(|c: char| !c.is_whitespace())?;
            let end = matching(text, body, '{', '}').or_else(|| Some(body + text[body..].find(';')?))?;
            let (start, stop) = (line_of(offset), line_of(end));
            if stop < last {
                return None;
            }
            let parts: Vec<&str> = text[open + 1..close].split(';').collect();
            let (condition, step) = match (keyword, parts.as_slice()) {
                ("for", [_, condition, step]) => (condition.trim(), *step),
                ("while", [condition]) => (condition.trim(), ""),
                _ => return None,
            };
            let body = format!("{condition};{step};{}", &text[body..=end]);
            let unchanged = names(condition).into_iter().filter(|name| !is_assigned(&body, name)).collect();
            let steps_by_one = step.contains("++") || step.contains("--");
            Some(WrittenLoop { first: start, last: stop, condition: condition.to_owned(), unchanged, steps_by_one })
        })
    }
}

fn is_comment(text: &str, offset: usize) -> bool {
    let start = text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
    text[start..offset].contains("//")
}

/// The offset of the bracket that closes the one at `open`; `None` where there is none at `open`.
fn matching(text: &str, open: usize, opening: char, closing: char) -> Option<usize> {
    if !text[open..].starts_with(opening) {
        return None;
    }
    let mut depth = 0;
    text[open..].char_indices().find_map(|(index, c)| {
        depth += i32::from(c == opening) - i32::from(c == closing);
        (depth == 0).then_some(open + index)
    })
}

/// The variables that an expression names: no calls, no members, no literals' suffixes.
fn names(expression: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = expression;
    let mut before = ' ';
    while let Some(start) = rest.find(is_word) {
        before = rest[..start].chars().next_back().unwrap_or(before);
        let end = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |length| start + length);
        let word = &rest[start..end];
        let after = rest[end..].trim_start().chars().next();
        let is_name = !word.starts_with(|c: char| c.is_ascii_digit()) && before != '.' && after != Some('(');
        if is_name && !["true", "false"].contains(&word) && !names.iter().any(|known| known == word) {
            names.push(word.to_owned());
        }
        before = word.chars().next_back().unwrap_or(' ');
        rest = &rest[end..];
    }
    names
}

/// True if a text gives a variable, or an element of it, another value.
fn is_assigned(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(start, _)| {
        let (before, after) = (&text[..start], &text[start + name.len()..]);
        if before.ends_with(is_word) || after.starts_with(is_word) {
            return false;
        }
        let mut after = after.trim_start();
        if after.starts_with('[')
            && let Some(close) = matching(after, 0, '[', ']')
        {
            after = after[close + 1..].trim_start();
        }
        let assigns = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"];
        let is_equality = after.starts_with("==");
        let before = before.trim_end();
        // `&name` may be written by whoever gets the pointer.
        let by_address = before.ends_with('&') && !before.ends_with("&&");
        let steps = before.ends_with("++") || before.ends_with("--");
        steps || by_address || !is_equality && assigns.iter().any(|operator| after.starts_with(operator))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = include_str!("endless.cu");

    #[test]
    fn the_innermost_loop_and_what_does_not_change_in_it() {
        let found = WrittenLoop::around(SOURCE, 4, 5).unwrap();
        assert_eq!((found.first, found.last, found.condition.as_str()), (4, 6, "p < n && c[p] != limit(n)"));
        assert_eq!(found.unchanged, ["p", "n"]);
        let outer = WrittenLoop::around(SOURCE, 3, 7).unwrap();
        assert_eq!((outer.first, outer.last, outer.unchanged), (2, 7, vec!["n".to_owned()]));
        assert_eq!(WrittenLoop::around(SOURCE, 1, 8), None);
    }

    #[test]
    fn an_assignment_is_no_comparison() {
        for (text, assigned) in [
            ("p = 1", true),
            ("p == 1", false),
            ("++p", true),
            ("p <<= 1", true),
            ("q = p", false),
            ("step = 2", false),
            ("f(&p)", true),
            ("a && p", false),
            ("p[i] = 3", true),
            ("p < n", false),
        ] {
            assert_eq!(is_assigned(text, "p"), assigned, "{text}");
        }
    }
}

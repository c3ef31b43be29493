//! The list of what goes out: entries of `course/course.toml`, which name files of the workspace.

use exercises::markers;
use exercises::solutions;
use exercises::table::{Course, Lab};
use std::fs;

/// Files of the hand-out alone: a file in this folder goes to the top.
pub const OWN: &str = "course/handout/";

/// One list: the words for it, and its entries.
fn lists(course: &Course) -> impl Iterator<Item = (String, &[String])> {
    let labs = course.labs.iter().map(|lab| (format!("the list of lab {}", lab.name), &lab.handout[..]));
    [("the common list".to_owned(), &course.handout[..])].into_iter().chain(labs)
}

/// The files that some list names.
pub fn chosen<'a>(course: &Course, tracked: &'a [String]) -> Vec<&'a str> {
    let named = |path: &&str| lists(course).any(|(_, entries)| names(entries, path));
    tracked.iter().map(String::as_str).filter(named).collect()
}

/// Every entry of the lists as a student has it: what is a file of the hand-out alone lies at the top there.
pub fn given(course: &Course) -> Vec<String> {
    let entries = lists(course).flat_map(|(_, entries)| entries.to_vec());
    let moved = |entry: String| entry.strip_prefix(OWN).map(str::to_owned).unwrap_or(entry);
    let own = [Course::PACKED_STARTERS, solutions::FILE].map(str::to_owned);
    entries.map(moved).chain([format!("{}/**/*", Course::STARTERS)]).chain(own).collect()
}

/// The defects of the lists, a line each: an entry without a file, one out of order, an exercise or a sheet that is not handed out with its
/// lab, a kernel that would go out whole.
pub fn defects(course: &Course, tracked: &[String]) -> Vec<String> {
    let mut defects = Vec::new();
    for (list, entries) in lists(course) {
        for entry in entries.iter().filter(|entry| !tracked.iter().any(|path| matches(entry, path))) {
            defects.push(format!("hand-out: {list} names {entry}, and there is no such file"));
        }
        for pair in entries.windows(2).filter(|pair| pair[0] >= pair[1]) {
            defects.push(format!("hand-out: {list} is not sorted: {} stands before {}", pair[0], pair[1]));
        }
    }
    let whole = chosen(course.whole(), tracked);
    for entry in course.tool.iter().filter(|entry| !whole.iter().any(|path| matches(entry, path))) {
        defects.push(format!("hand-out: the tool's list names {entry}, and no list has such a file"));
    }
    defects.extend(missing_parts(course, &chosen(course, tracked)));
    for lab in &course.labs {
        let files = course.of_lab(&lab.name).map(|exercise| (exercise.id(), &exercise.file));
        let sheet = std::iter::once((lab.name.clone(), &lab.sheet));
        for (id, file) in sheet.chain(files).filter(|(_, file)| !names(&lab.handout, file)) {
            defects.push(format!("{id}: {file} is not in the hand-out's list of lab {}", lab.name));
        }
    }
    for lab in &course.labs {
        let sheet = fs::read_to_string(course.root.join(&lab.sheet)).unwrap_or_default();
        let own = course.of_lab(&lab.name).map(|exercise| (exercise.id(), exercise.worth()));
        defects.extend(of_sheet(lab, &sheet, &own.collect::<Vec<_>>()));
        defects.extend(of_prose(course, lab, &sheet));
    }
    let kernels =
        chosen(course, tracked).into_iter().filter(|path| path.starts_with("kernels/") && path.ends_with(".cu"));
    let given: Vec<&str> = course.labs.iter().flat_map(|lab| lab.given.iter().map(String::as_str)).collect();
    // A rung is a solution as a whole, unless marks say which part of it is, or it is given.
    let whole = |path: &&str| {
        !given.contains(path) && fs::read_to_string(course.root.join(path)).is_ok_and(|text| !markers::marked(&text))
    };
    defects.extend(kernels.filter(whole).map(|path| format!("hand-out: {path} has no marks: all of it would go out")));
    defects
}

/// Files that sources compile in, as `include_str!` and its like name them, and that stay: such a hand-out does not build.
fn missing_parts(course: &Course, chosen: &[&str]) -> Vec<String> {
    let mut defects = Vec::new();
    for source in chosen.iter().filter(|path| path.ends_with(".rs")) {
        let text = fs::read_to_string(course.root.join(source)).unwrap_or_default();
        if !["include_", "include!("].iter().any(|word| text.contains(word)) {
            continue;
        }
        let text = without_tests(&text);
        let names = ["include_str!(\"", "include_bytes!(\"", "include!(\""].into_iter();
        for name in names.flat_map(|word| text.split(word).skip(1)).filter_map(|rest| rest.split('"').next()) {
            let part = beside(source, name);
            if !chosen.contains(&part.as_str()) {
                defects.push(format!("hand-out: {source} compiles {part} in, which no list names"));
            }
        }
    }
    defects
}

/// A source without its unit tests: the module of that name, which stands last, as a lint asks.
pub fn without_tests(text: &str) -> String {
    let kept = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    kept.trim_end().to_owned() + "\n"
}

/// The file that a name in another file means.
pub fn beside(file: &str, name: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in name.split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

/// The headings of a sheet that the table contradicts: `### naive (15 points)`, or in any words `### … (15 …) {#gemm/naive}`, so that a sheet can be
/// translated. The key, or else the name, says which exercise it is of.
fn of_sheet(lab: &Lab, sheet: &str, rows: &[(String, String)]) -> Vec<String> {
    let taken = |line: &str| {
        let (text, key) =
            line.strip_prefix("### ")?.split_once(" {#").map_or((line, None), |(text, key)| (text, Some(key)));
        let (name, points) = text.trim_start_matches("### ").rsplit_once(" (")?;
        let id = key.map(|key| key.trim_end_matches('}').to_owned());
        // Without a key, the whole heading is as the table has it; other headings end otherwise.
        let points =
            if key.is_some() { points.trim_end_matches(')').split(' ').next()? } else { points.strip_suffix(')')? };
        (key.is_some() || points.ends_with("points"))
            .then(|| (id.unwrap_or(format!("{}/{name}", lab.name)), points.to_owned()))
    };
    let found: Vec<(String, String)> = sheet.lines().filter_map(taken).collect();
    let same = |(id, worth): &(String, String), (key, points): &(String, String)| {
        id == key && (worth == points || worth.split(' ').next() == Some(points.as_str()))
    };
    let mut defects: Vec<String> = Vec::new();
    for row in rows.iter().filter(|row| !found.iter().any(|own| same(row, own))) {
        let (id, worth) = row;
        let name = id.split_once('/').map_or("", |(_, name)| name);
        defects.push(format!(
            "{} has no heading '### {name} ({worth})', nor one with {{#{id}}} and these points",
            lab.sheet
        ));
    }
    if defects.is_empty() && !(rows.len() == found.len() && rows.iter().zip(&found).all(|(row, own)| same(row, own))) {
        defects.push(format!("{}: its exercises are not those of course.toml in their order", lab.sheet));
    }
    defects
}

/// Points in a sheet's sentences that the table contradicts: of techniques, "5 points for …, 2 for …", and of a lab, "the 100 points".
fn of_prose(course: &Course, lab: &Lab, sheet: &str) -> Vec<String> {
    let mut defects = Vec::new();
    for exercise in course.of_lab(&lab.name) {
        let [name, key] = [format!("### {} (", exercise.name), format!("{{#{}}}", exercise.id())];
        let section = sheet.lines().skip_while(|line| !line.starts_with(&name) && !line.contains(&key)).skip(1);
        let words: Vec<&str> =
            section.take_while(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect();
        let is_of_points =
            |words: &&[&str]| matches!(words[1..], ["for", _] | ["of", "the"] | ["point" | "points", "for" | "if"]);
        let told = words.windows(3).filter(is_of_points).filter_map(|words| words[0].parse().ok());
        let told: Vec<u32> = told.collect();
        let due: Vec<u32> = exercise.techniques.iter().map(|technique| technique.points).collect();
        // A sheet in another language has other words around them.
        let is_there = |points: &u32| words.contains(&points.to_string().as_str());
        if told != due && !(told.is_empty() && due.iter().all(is_there)) {
            let id = exercise.id();
            defects
                .push(format!("{}: {id}: its techniques have {told:?} points there, {due:?} in the table", lab.sheet));
        }
    }
    let words: Vec<&str> = sheet.split_whitespace().collect();
    let totals = words.windows(3).filter(|words| words[0] == "the" && words[2].starts_with("points"));
    let mut totals = totals.filter_map(|words| words[1].parse::<u32>().ok());
    if let Some(total) = totals.find(|total| *total != course.points(&lab.name)) {
        defects.push(format!("{}: 'the {total} points' are {} in the table", lab.sheet, course.points(&lab.name)));
    }
    defects
}

pub fn names(entries: &[String], path: &str) -> bool {
    entries.iter().any(|entry| matches(entry, path))
}

/// Returns whether an entry names a path: name by name, `**` for any number of folders, one `*` in a name for any part of it.
pub fn matches(entry: &str, path: &str) -> bool {
    match (entry.split_once('/'), path.split_once('/')) {
        (Some(("**", rest)), folder) => matches(rest, path) || folder.is_some_and(|(_, deeper)| matches(entry, deeper)),
        (Some((name, rest)), Some((folder, deeper))) => matches_name(name, folder) && matches(rest, deeper),
        (None, None) => matches_name(entry, path),
        _ => false,
    }
}

fn matches_name(entry: &str, name: &str) -> bool {
    let Some((start, end)) = entry.split_once('*') else { return entry == name };
    name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn an_entry_names_what_it_says_and_no_more() {
        let cases: &[(&str, &str, bool)] = &include!("named.txt");
        for &(entry, path, named) in cases {
            assert_eq!(matches(entry, path), named, "{entry} {path}");
        }
    }

    fn here() -> (Course, Vec<String>) {
        let course = Course::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))).unwrap();
        let tracked = crate::handout::tracked(&course).unwrap();
        (course, tracked)
    }

    #[test]
    fn the_lists_are_right_and_what_is_in_none_stays() {
        let (course, mut tracked) = here();
        assert_eq!(defects(&course, &tracked), [""; 0]);
        let count = chosen(&course, &tracked).len();
        assert!(count > 500, "{count} files");
        let new = [
            "notes.md",
            "kernels/gemm/90_solved.cu",
            "lab-streams/src/schedules/solved.rs",
            "simulator/new/src/lib.rs",
        ];
        tracked.extend(new.map(str::to_owned));
        assert_eq!(chosen(&course, &tracked).len(), count);
    }

    fn gemm(course: &mut Course) -> &mut exercises::table::Lab {
        course.labs.iter_mut().find(|lab| lab.name == "gemm").expect("a lab")
    }

    #[test]
    fn a_sheet_agrees_with_the_table_in_any_language() {
        let (mut course, _) = here();
        let lab = gemm(&mut course);
        let rows = [("gemm/naive", "15 points"), ("gemm/tile", "10 bonus points")];
        let rows = rows.map(|(id, worth)| (id.to_owned(), worth.to_owned()));
        let of = |sheet: &str| of_sheet(lab, sheet, &rows);
        assert_eq!(of("### naive (15 points)\n### About\n### tile (10 bonus points)\n"), [""; 0]);
        assert_eq!(of("### Einfach (15 Punkte) {#gemm/naive}\n### tile (10 bonus points)\n"), [""; 0]);
        let wrong = of("### naive (15 points)\n### Kacheln (12 Zusatzpunkte) {#gemm/tile}\n");
        assert!(
            wrong.len() == 1 && wrong[0].contains("'### tile (10 bonus points)', nor one with {#gemm/tile}"),
            "{wrong:?}"
        );
        assert!(of("### tile (10 bonus points)\n### naive (15 points)\n")[0].contains("in their order"));
        assert!(
            of("### naive (15 points)\n### tile (10 bonus points)\n### more (5 points)\n")[0]
                .contains("in their order")
        );
    }

    #[test]
    fn each_defect_of_a_list_is_told() {
        let said = |change: fn(&mut Course)| {
            let (mut course, tracked) = here();
            change(&mut course);
            defects(&course, &tracked)
        };
        let gone = said(|course| course.handout.push("zoo/*.rs".to_owned()));
        assert_eq!(gone, ["hand-out: the common list names zoo/*.rs, and there is no such file"]);
        let gone = said(|course| course.tool.push("zoo/*.rs".to_owned()));
        assert_eq!(gone, ["hand-out: the tool's list names zoo/*.rs, and no list has such a file"]);
        let gone = said(|course| course.handout.retain(|entry| entry != "common/src/reasons.txt"));
        assert!(gone.len() == 1 && gone[0].ends_with(" compiles common/src/reasons.txt in, which no list names"));
        let gone = said(|course| course.exercises[0].points += 1);
        assert!(gone.len() == 1 && gone[0].starts_with("lab-first/ASSIGNMENT.md has no heading "), "{gone:?}");
        let naive = |course: &mut Course| course.exercises.iter().position(|row| row.id() == "gemm/naive").unwrap();
        let gone = said(|course| course.exercises.iter_mut().for_each(|row| row.bonus |= row.id() == "gemm/naive"));
        assert!(gone.iter().any(|line| line == "lab-gemm/ASSIGNMENT.md: 'the 100 points' are 85 in the table"));
        let (mut course, tracked) = here();
        let at = naive(&mut course);
        course.exercises[at].techniques[0].points = 4;
        let told = "lab-gemm/ASSIGNMENT.md: gemm/naive: its techniques have [5] points there, [4] in the table";
        assert_eq!(defects(&course, &tracked), [told]);
        let gone = said(|course| gemm(course).handout.swap(0, 1));
        assert!(gone.len() == 1 && gone[0].starts_with("hand-out: the list of lab gemm is not sorted: "), "{gone:?}");
        let gone = said(|course| gemm(course).handout.retain(|entry| !entry.ends_with("2_naive.cu")));
        assert_eq!(gone, ["gemm/naive: kernels/gemm/2_naive.cu is not in the hand-out's list of lab gemm"]);
        let gone = said(|course| gemm(course).handout.retain(|entry| !entry.ends_with(".md")));
        assert_eq!(gone, ["gemm: lab-gemm/ASSIGNMENT.md is not in the hand-out's list of lab gemm"]);
        let gone = said(|course| gemm(course).handout.insert(8, "kernels/gemm/9_async_copy.cu".to_owned()));
        assert_eq!(gone, ["hand-out: kernels/gemm/9_async_copy.cu has no marks: all of it would go out"]);
    }
}

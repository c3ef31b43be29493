//! Hints that follow from the failure itself: the two lines of a race, the stride of a bank conflict.

use crate::verdict::Verdict;

/// The hint that a failure gives by itself, in a sentence that leads on. `text` is the exercise's file, which the story names lines of.
pub fn of_failure(verdict: &Verdict, text: &str) -> Option<String> {
    let lines = lines_of(verdict, text);
    let at = |index: usize| lines.get(index).map_or(String::new(), |line| format!(" {line}"));
    match verdict.kind.as_str() {
        "race" => Some(match &lines[..] {
            [one, other, ..] if one != other => format!(
                "two threads meet at one address, one at {one}, the other at {other}. What makes the one come before the other: which barrier lies between them, and each time around the loop?"
            ),
            _ => format!(
                "two threads meet at one address{}. They run the same line: which of them should own that address, or must the access be atomic?",
                lines.first().map_or(String::new(), |line| format!(", both at {line}"))
            ),
        }),
        "out of bounds" => Some(format!(
            "an access leaves its buffer,{}. Work the index out for the thread that is named: does the guard let it in although it has no element, or does a loop make one turn too many?",
            at(0)
        )),
        "barrier" => Some(format!(
            "not all threads of the block reach the barrier,{}. Which condition or loop around it differs between threads?",
            at(0)
        )),
        "misaligned" => Some(format!(
            "a wide access starts at an odd place,{}. Which rows begin at multiples of 16 bytes, and what happens to the others?",
            at(0)
        )),
        "technique" => conflicts(verdict),
        "wrong result" => Some(
            "the first wrong element is named in the story. Which thread owns it, and what did that thread add up, or leave out?".to_owned(),
        ),
        "budget" => Some(format!(
            "the kernel does not end; it was last at{}. Which variable should change each time around that loop?",
            at(0)
        )),
        _ => None,
    }
}

/// The lines that a story points at, best first, as "line 33 `sum += …`".
fn lines_of(verdict: &Verdict, text: &str) -> Vec<String> {
    let pointed =
        verdict.story.lines().map(str::trim).filter(|line| line.starts_with("-->") || line.starts_with(":::"));
    let number = |line: &str| line.split_once(".cu:")?.1.split(':').next()?.parse::<usize>().ok();
    let numbers = pointed.filter_map(number);
    let code = |number: usize| text.lines().nth(number.checked_sub(1)?).map(|line| without_comment(line).trim());
    numbers.map(|number| format!("line {number} `{}`", code(number).unwrap_or_default())).collect()
}

fn without_comment(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

/// Which side of shared memory takes more than one pass for 32 words, and what distance between lanes does that.
fn conflicts(verdict: &Verdict) -> Option<String> {
    let number = |name: &str| verdict.panel.get(name).copied().unwrap_or(0.0);
    if number("shared_conflicts") == 0.0 {
        return None;
    }
    let passes =
        |side: &str| number(&format!("shared_{side}_wavefronts")) / number(&format!("shared_{side}_accesses")).max(1.0);
    let (side, passes) = [("reads", passes("load")), ("writes", passes("store"))]
        .into_iter()
        .max_by(|(_, a), (_, b)| a.total_cmp(b))
        .filter(|(_, passes)| *passes > 1.0)?;
    let stride = match passes.round() {
        rounded if rounded == passes => format!(
            "Neighbouring lanes are {rounded} words apart, or an odd multiple of that: of the 32 banks only {} answer.",
            (32.0 / rounded).max(1.0).floor()
        ),
        _ => "Some of them meet other words of the same bank.".to_owned(),
    };
    Some(format!(
        "a warp's {side} of shared memory take {passes:.1} passes each. {stride} Which stride between lanes is odd?"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{Failure, State};

    fn verdict(kind: &str, story: &str, panel: &[(&str, f64)]) -> Verdict {
        let row = "lab = 'l'\nname = 'e'\nfile = 'e.cu'\npoints = 2\nhints = ['a', 'b', 'c']";
        let panel = panel.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let failure = Failure::new(kind, story);
        Verdict { panel, ..Verdict::without_points(&toml::from_str(row).unwrap(), State::Failed, 1, failure) }
    }

    #[test]
    fn a_race_names_both_lines_as_they_are_written() {
        let story = "two warps race\n  --> kernels/gemm/3_shared.cu:3:13\n   = the other thread\n  ::: kernels/gemm/3_shared.cu:1:9\n";
        let hint = of_failure(&verdict("race", story, &[]), "tile[y] = 1;  // store\n\n  sum += tile[x];\n").unwrap();
        assert!(hint.contains("line 3 `sum += tile[x];`") && hint.contains("line 1 `tile[y] = 1;`"), "{hint}");
        let once = of_failure(&verdict("race", "--> a.cu:1:1", &[]), "x = 1;").unwrap();
        assert!(once.contains("both at line 1 `x = 1;`"), "{once}");
    }

    #[test]
    fn conflicts_name_the_side_and_the_stride() {
        let panel = [
            ("shared_conflicts", 31.0 * 512.0),
            ("shared_load_wavefronts", 32.0 * 512.0),
            ("shared_load_accesses", 512.0),
            ("shared_store_wavefronts", 512.0),
            ("shared_store_accesses", 512.0),
        ];
        let hint = of_failure(&verdict("technique", "", &panel), "").unwrap();
        assert!(hint.contains("reads") && hint.contains("32 words apart") && hint.contains("only 1 answer"), "{hint}");
        assert_eq!(of_failure(&verdict("technique", "", &[]), ""), None);
    }
}

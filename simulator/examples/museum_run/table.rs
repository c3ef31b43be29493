//! Who sees what: the answers of the checkers, one run after the other, as a table.
//!
//! ```text
//! ### CLASS/NAME TOOL EXIT-CODE
//! what the tool printed
//! ```
use std::fmt::Write;

/// The columns beside ours.
const TOOLS: [&str; 4] = ["memcheck", "racecheck", "initcheck", "synccheck"];

/// Stands where nothing was said.
const SILENT: &str = "–";

/// Stands where there is no answer.
const MISSING: &str = "?";

/// One tool's answer about one exhibit.
struct Answer<'t> {
    exhibit: &'t str,
    tool: &'t str,
    text: &'t str,
}

/// Markdown: one row per exhibit (name and fault, empty for a correct one), one column per checker, and how many each saw. Ours are the
/// faults themselves: `cargo test --test museum` proves that each is found, and nothing in a correct kernel.
pub fn markdown(text: &str, exhibits: &[(String, String)]) -> String {
    let answers = answers(text);
    let mut table = String::from("| exhibit | ours |");
    TOOLS.iter().for_each(|tool| table.extend([" ", tool, " |"]));
    table.push_str("\n|---|---|---|---|---|---|\n");
    let mut seen = [[0; TOOLS.len()]; 2];
    for (name, fault) in exhibits {
        let _ = write!(table, "| {name} | {} |", if fault.is_empty() { SILENT } else { fault });
        for (index, tool) in TOOLS.iter().enumerate() {
            let answer = answers.iter().find(|answer| answer.exhibit == name && answer.tool == *tool);
            let cell = answer.map_or_else(|| MISSING.to_owned(), |answer| verdict(answer.text));
            seen[usize::from(fault.is_empty())][index] += u32::from(cell != SILENT && cell != MISSING);
            let _ = write!(table, " {cell} |");
        }
        table.push('\n');
    }
    for (clean, words) in
        [(false, "faulty kernels in which it sees something"), (true, "correct kernels that it accuses")]
    {
        let all = exhibits.iter().filter(|(_, fault)| fault.is_empty() == clean).count();
        let ours = if clean { 0 } else { all };
        let _ = write!(table, "| **{words}** | **{ours} of {all}** |");
        seen[usize::from(clean)].iter().for_each(|count| {
            let _ = write!(table, " **{count}** |");
        });
        table.push('\n');
    }
    table
}

fn answers(text: &str) -> Vec<Answer<'_>> {
    let parts = text.split("### ").skip(1).filter_map(|part| {
        let (head, text) = part.split_once('\n').unwrap_or((part, ""));
        let mut words = head.split(' ');
        Some(Answer { exhibit: words.next()?, tool: words.next()?, text })
    });
    parts.collect()
}

/// The first thing that a tool says is wrong, in its words without numbers and places; whether it was about the kernel or only that
/// the launch failed is in these words.
fn verdict(text: &str) -> String {
    let lines = || text.lines().filter_map(|line| line.strip_prefix("=========")).map(str::trim);
    let about_kernel = [
        "Invalid ",
        "Misaligned ",
        "Race reported ",
        "Potential ",
        "Barrier error",
        "Uninitialized ",
        "Error: ",
        "Warning: Race",
    ];
    let said = lines().find(|line| about_kernel.iter().any(|start| line.starts_with(start)));
    let said = said.or_else(|| lines().find(|line| line.starts_with("Program hit ")));
    match said {
        Some(line) => {
            let line = line.split(['(', '.']).next().unwrap_or(line);
            let line = line.split(" of size").next().unwrap_or(line);
            line.split(" at ").next().unwrap_or(line).trim().to_lowercase()
        }
        None if text.contains("SUMMARY") => SILENT.to_owned(),
        None if text.contains("no end within") => "no end".to_owned(),
        None => MISSING.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_become_cells() {
        let text = "### a/x memcheck 3\n========= COMPUTE-SANITIZER\n========= Invalid __global__ read of size 4 bytes\n\
                    =========     at k+0x10 in k.cu:3\n========= ERROR SUMMARY: 2 errors\n\
                    ### a/x racecheck 0\n========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n\
                    ### c/y racecheck 0\n========= Error: Race reported between Write access at k+0x10 in k.cu:8\n";
        let exhibits = [("a/x", "out of bounds"), ("c/y", "")].map(|(name, fault)| (name.to_owned(), fault.to_owned()));
        let table = markdown(text, &exhibits);
        let rows: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(rows[0], "| a/x | out of bounds | invalid __global__ read | – | ? | ? |");
        assert_eq!(rows[1], "| c/y | – | ? | error: race reported between write access | ? | ? |");
        assert_eq!(
            rows[2],
            "| **faulty kernels in which it sees something** | **1 of 1** | **1** | **0** | **0** | **0** |"
        );
        assert_eq!(rows[3], "| **correct kernels that it accuses** | **0 of 1** | **0** | **1** | **0** | **0** |");
    }
}

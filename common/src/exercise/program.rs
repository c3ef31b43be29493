//! The program around a student's function: it reads lines of numbers and prints a plan for each.

use std::sync::OnceLock;

/// Prints one plan, of a lab's function, for some numbers; none where the function that the lab was built with is to be taken.
type Planner = dyn Fn(&str, &str, &[usize]) -> Option<String> + Send + Sync;

static PLANNER: OnceLock<Box<Planner>> = OnceLock::new();

/// Lets plans of the labs' own runs come from a student's programs from now on: the judge runs labs that were built before a student wrote.
pub fn plan_by(planner: Box<Planner>) {
    // The first one stays.
    let _ = PLANNER.set(planner);
}

/// The plan of a student's program, if [`plan_by`] gave one. A line that is none ends this program, as a wrong result does.
pub fn planned<T>(
    lab: &str,
    function: &str,
    numbers: &[usize],
    read: impl FnOnce(&str) -> anyhow::Result<T>,
) -> Option<T> {
    let line = PLANNER.get()?(lab, function, numbers)?;
    Some(read(&line).unwrap_or_else(|error| {
        eprintln!("error: your host code: {function}: {error:#}");
        std::process::exit(1)
    }))
}

/// A program as its files.
#[derive(Clone, Debug)]
pub struct PlanProgram {
    /// The folder of the student's file, which is a module there: "strategies".
    pub place: &'static str,
    /// The types that the student's file finds in the module above it.
    pub types: String,
    /// Modules beside that folder, by name.
    pub modules: Vec<(&'static str, String)>,
    /// The plan for the numbers `n`, as an expression whose value is printed.
    pub call: String,
}

impl PlanProgram {
    /// Around a function in `strategies/` that uses the types of these files.
    pub fn strategy(files: &[&str], call: &str) -> Self {
        PlanProgram { place: "strategies", types: types_of(files), modules: Vec::new(), call: call.to_owned() }
    }

    /// The program's main file. It repeats the word that stands on its first line before each plan, so that nothing else passes for one.
    pub fn main(&self) -> String {
        let PlanProgram { place, call, modules, .. } = self;
        let first: String = modules.iter().map(|(name, _)| format!("mod {name};\n")).collect();
        format!(
            "{first}mod {place};\nuse {place}::*;\nfn main() {{\n    let mut lines = std::io::stdin().lines();\n    \
             let word = lines.next().unwrap().unwrap();\n    for line in lines {{\n        \
             let n: Vec<usize> = line.unwrap().split(' ').map(|word| word.parse().unwrap()).collect();\n        \
             let plan = {call};\n        println!(\"\\n{{word}} {{plan}}\");\n    }}\n}}\n"
        )
    }
}

/// A lab's types, in one module: without their files' own headings.
fn types_of(files: &[&str]) -> String {
    let lines = files.iter().flat_map(|file| file.lines()).filter(|line| !line.starts_with("//!"));
    without_tests(&lines.map(|line| format!("{line}\n")).collect::<String>())
}

/// A module's text up to its tests.
pub fn without_tests(text: &str) -> String {
    text.split("#[cfg(test)]").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_stand_alone() {
        let files = ["//! Head\n\npub struct Turn;\n", "//! Head\npub struct Room;\n#[cfg(test)]\nmod tests {}\n"];
        let program = PlanProgram::strategy(&files, "student::turns(n[0])");
        assert_eq!(program.types, "\npub struct Turn;\npub struct Room;\n");
        assert!(program.main().starts_with("mod strategies;\nuse strategies::*;\n"), "{}", program.main());
    }
}

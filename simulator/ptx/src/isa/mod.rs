//! The instruction set as a table: one row per PTX instruction.
//!
//! A row holds the name, what it is for, how its operands are laid out, its semantics by name, and whatever else anyone must
//! know of it: its class, how a machine carries it out, its floating-point operations, whom it waits for, the noun of messages,
//! since when it is there.
//! To add an instruction, add its row to [`table`] and its function to the `exec` file of its class: nothing else knows the
//! list. This room sees no other; `exec` resolves the semantics' names, so that a row without a function does not compile.
pub mod contraction;
mod definition;
mod facts;
pub mod fidelity;
mod find;
mod form;
pub mod forms;
pub mod joins;
mod known;
pub mod machine;
mod opcode;
mod operands;
mod since;
mod special;
pub mod table;
mod types;
mod unit;
mod work;

pub use definition::{Class, Definition, ProductStep, Synchronises, matrix_size, products};
pub use facts::{Facts, Half};
pub use fidelity::UNROLLED;
pub use find::{RowId, find, row};
pub use form::{Form, Refusal};
pub use opcode::{Opcode, Printed};
pub use operands::{Operands, Width};
pub use since::Since;
pub use special::Special;
pub use table::INSTRUCTIONS;
pub use types::{Space, Type};
pub use work::Work;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_unique() {
        for pair in INSTRUCTIONS.windows(2) {
            assert!(pair[0].name < pair[1].name, "{} stands before {}", pair[0].name, pair[1].name);
        }
    }

    #[test]
    fn every_row_says_what_it_is_for_and_what_its_operands_are() {
        for row in INSTRUCTIONS {
            assert!(row.doc.ends_with('.') && row.doc.len() > 10, "{}: {}", row.name, row.doc);
            use Operands::*;
            let needs_widths = matches!(row.operands, Value | Move | TruthTable | Set | Source | Update | Vote);
            assert!(row.operands == Reduce || needs_widths != row.widths.is_empty(), "{}", row.name);
            let optional: Vec<bool> = row.widths.iter().map(|width| matches!(width, Width::Maybe(_))).collect();
            assert!(optional.is_sorted(), "{}: what may be left out stands last", row.name);
        }
    }

    /// Sources of the other crates of the simulated card that can see an opcode, by folder: those that need this crate or `machine`.
    fn sources_of_other_crates() -> Vec<(std::path::PathBuf, Vec<std::path::PathBuf>)> {
        let own = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let below = |folder: &std::path::Path| {
            let entries = std::fs::read_dir(folder).unwrap();
            entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
        };
        let sees = |folder: &std::path::Path| {
            let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
            manifest.lines().any(|line| line.starts_with("ptx.") || line.starts_with("machine."))
        };
        let simulator = own.parent().unwrap();
        let mut found = Vec::new();
        for folder in below(simulator).into_iter().chain([simulator.to_owned()]) {
            if folder == own || !sees(&folder) {
                continue;
            }
            let (mut open, mut sources) = (vec![folder.join("src")], Vec::new());
            while let Some(path) = open.pop() {
                if path.is_dir() {
                    open.extend(below(&path));
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    sources.push(path);
                }
            }
            found.push((folder, sources));
        }
        found
    }

    /// An instruction's meaning stands in its row and in its [`Facts`], so no other crate asks for its name. Its text can be printed and
    /// nothing else: [`Printed`] has no method that looks into it, and this finds code that looks into the printed text. Names that are
    /// modifiers as well (`atom.add`) are left out: forms are matched by their modifiers.
    #[test]
    fn no_other_crate_matches_names_of_instructions() {
        const MODIFIERS: [&str; 11] = ["abs", "add", "and", "exit", "max", "min", "not", "or", "popc", "sub", "xor"];
        const QUESTIONS: [&str; 5] =
            [".text.to_string().", ".printed().to_string().", "site.text ==", "row.name ==", ".split('.')"];
        let mut seen = 0;
        let crates = sources_of_other_crates();
        // A card's table takes versions apart, and sees no opcode.
        let of_cards = |path: &&std::path::PathBuf| path.ends_with("clock/src/cards/table.rs");
        for path in crates.iter().flat_map(|(_, sources)| sources).filter(|path| !of_cards(path)) {
            let text = std::fs::read_to_string(path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for (number, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
                let place = format!("{}:{}: {line}", path.display(), number + 1);
                assert!(!QUESTIONS.iter().any(|question| line.contains(question)), "{place}");
                for row in INSTRUCTIONS.iter().filter(|row| !MODIFIERS.contains(&row.name)) {
                    let name = format!("\"{}\"", row.name);
                    let matched =
                        [format!("{name} =>"), format!("{name} |"), format!("| {name}"), format!("== {name}")];
                    assert!(!matched.iter().any(|matched| line.contains(matched)), "{place}");
                }
                seen += 1;
            }
        }
        assert!(seen > 30_000, "{seen} lines");
        for name in ["machine", "watch", "clock", "driver"] {
            assert!(crates.iter().any(|(folder, _)| folder.ends_with(name)), "{name}: {crates:?}");
        }
    }

    #[test]
    fn classes_follow_types() {
        let add = row(find("add.f64").unwrap().0);
        assert_eq!(add.class_of(&[Type::F64]), Class::Double);
        assert_eq!(add.class_of(&[Type::F16x2]), Class::Half);
        assert_eq!(add.class_of(&[Type::S32]), Class::Integer);
    }

    #[test]
    fn matrices_multiply_and_add_whatever_their_type() {
        let mma = row(find("mma").unwrap().0);
        assert_eq!(mma.matrix_fmas(&["sync", "m16n8k32"]), 4096);
        assert_eq!(row(find("fma").unwrap().0).matrix_fmas(&["rn"]), 0);
        let cost = |a, size| mma.tensor_fmas(&[Type::F32, a, a, Type::F32], &["sync", size]);
        assert_eq!((cost(Type::F16, "m16n8k16"), cost(Type::Tf32, "m16n8k8")), (2048, 2048));
        assert_eq!((cost(Type::E4m3, "m16n8k32"), cost(Type::F64, "m8n8k4")), (2048, 4096));
    }

    #[test]
    fn operations_are_counted_per_lane() {
        let fma = row(find("fma").unwrap().0);
        assert_eq!(fma.flops_of(&[Type::F32], &[]), 2);
        assert_eq!(fma.flops_of(&[Type::F16x2], &[]), 4);
        let mma = row(find("mma").unwrap().0);
        assert_eq!(mma.flops_of(&[Type::F32], &["sync", "m16n8k16"]), 128);
        let wmma = row(find("wmma.mma").unwrap().0);
        assert_eq!(wmma.flops_of(&[Type::F32, Type::F32], &["sync", "m16n16k16"]), 256);
        assert_eq!(row(find("wmma.load").unwrap().0).flops_of(&[Type::F16], &["a", "m16n16k16"]), 0);
        assert_eq!(mma.flops_of(&[Type::S32], &["sync", "m16n8k32"]), 0);
        assert_eq!(row(find("add").unwrap().0).flops_of(&[Type::U32], &[]), 0);
    }
}

//! Where the simulated card computes otherwise than a real one, instruction by instruction. A run's certificate and its page of the
//! documentation are made from this table; an instruction that no row fits is exact, or has no model and is refused when its module is loaded.
use super::definition::Definition;
use super::operands::Operands;
use super::table::INSTRUCTIONS;
use super::types::Type;
use std::fmt::Write;

/// Which way the two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// The values differ, by a bound.
    Approximate,
    /// It has no effect here, and no value depends on it.
    Ignored,
}

impl Effect {
    /// The word of it.
    pub const fn name(self) -> &'static str {
        match self {
            Effect::Approximate => "approximate",
            Effect::Ignored => "ignored",
        }
    }
}

#[derive(Debug)]
pub struct Difference {
    /// Names of rows of the table of instructions.
    pub instructions: &'static [&'static str],
    /// A word that the opcode has; empty for any.
    pub word: &'static str,
    /// One of these is among its types; empty for any.
    pub types: &'static [Type],
    pub effect: Effect,
    /// By how much, or what the card does and is not done here.
    pub how: &'static str,
}

const F32: &[Type] = &[Type::F32];
const F64: &[Type] = &[Type::F64];
const F16: &[Type] = &[Type::F16, Type::F16x2];
const BF16: &[Type] = &[Type::Bf16, Type::Bf16x2];
/// Types whose products are added up in a wider one; sums of f64 and of integers are the card's.
const ROUNDED: &[Type] = &[Type::F16, Type::Bf16, Type::Tf32, Type::E4m3, Type::E5m2, Type::F32];

const fn approximate(
    instructions: &'static [&'static str],
    word: &'static str,
    types: &'static [Type],
    how: &'static str,
) -> Difference {
    Difference { instructions, word, types, effect: Effect::Approximate, how }
}

const fn ignored(instructions: &'static [&'static str], how: &'static str) -> Difference {
    Difference { instructions, word: "", types: &[], effect: Effect::Ignored, how }
}

/// The mark of a product that is rounded by itself or together with a sum, as a loop's unrolling has it.
pub const UNROLLED: &str = "in a loop";

/// All of them; the first that fits an opcode is its. Bounds are those of the PTX manual for a card's value (version 9.0, sections 9.7.3 and
/// 9.7.4, under the instruction's name); here it is the nearest, or within 1 unit in the last place of it.
pub const DIFFERENCES: &[Difference] = include!("differences.txt");

impl Difference {
    /// True if it is one of this form.
    fn fits(&self, definition: &Definition, modifiers: &[&str], types: &[Type]) -> bool {
        let has_type = self.types.is_empty() || self.types.iter().any(|ty| types.contains(ty));
        let has_word = self.word.is_empty() || modifiers.contains(&self.word);
        self.instructions.contains(&definition.name) && has_word && has_type
    }
}

/// How a form of an instruction differs; `None` where it is exact.
pub fn difference(definition: &Definition, modifiers: &[&str], types: &[Type]) -> Option<&'static Difference> {
    DIFFERENCES.iter().find(|difference| difference.fits(definition, modifiers, types))
}

/// True if an instruction has no model: a module that holds it is refused.
fn is_refused(definition: &Definition) -> bool {
    definition.operands == Operands::Unmodelled
}

/// Operands that an instruction of this name is refused with, where its opcode does not tell.
const OPERANDS: &[(&str, &str)] =
    &[("tex", "an offset, a depth to compare with, a sampler of its own"), ("tld4", "likewise")];

/// The table of what is not modelled, for two pages of the documentation.
pub fn refused() -> String {
    let names: Vec<String> =
        INSTRUCTIONS.iter().filter(|row| is_refused(row)).map(|row| format!("`{}`", row.name)).collect();
    let mut text = format!("| instruction | refused |\n|---|---|\n| {} | all of it |\n", names.join(", "));
    for row in INSTRUCTIONS {
        let form = |pattern: &&str| match pattern.split_once(".!") {
            Some((word, other)) => format!("`.{word}` without `.{other}`"),
            None => format!("`.{pattern}`"),
        };
        let mut forms: Vec<String> = row.unmodelled.iter().map(form).collect();
        forms.extend(OPERANDS.iter().filter(|(name, _)| *name == row.name).map(|(_, what)| (*what).to_string()));
        if !forms.is_empty() {
            let _ = writeln!(text, "| `{}` | {} |", row.name, forms.join(", "));
        }
    }
    text
}

/// The table of all this, for a page of the documentation.
pub fn table() -> String {
    let mut text = String::from("| instruction | here | how |\n|---|---|---|\n");
    for Difference { instructions, word, types, effect, how } in DIFFERENCES {
        let mut names: Vec<String> = Vec::new();
        for name in *instructions {
            names.push(match *word {
                "" => format!("`{name}`"),
                UNROLLED => format!("`{name}` {word}"),
                word => format!("`{name}.{word}`"),
            });
        }
        let types: Vec<String> = types.iter().map(|ty| format!("{ty:?}").to_lowercase()).collect();
        let of = if types.is_empty() { String::new() } else { format!(" of {}", types.join(", ")) };
        let _ = writeln!(text, "| {}{of} | {} | {how} |", names.join(", "), effect.name());
    }
    let _ = writeln!(text, "| those below | refused | by name, when a module is loaded |");
    let exact = INSTRUCTIONS.iter().filter(|row| !is_refused(row)).count();
    let _ = writeln!(
        text,
        "| all other forms of the {exact} instructions | exact | bit by bit, but for the bits of a NaN |"
    );
    text
}

#[cfg(test)]
mod tests {
    use super::super::opcode::Opcode;
    use super::*;

    fn effect(opcode: &str) -> Option<Effect> {
        Opcode::parse(opcode).unwrap().facts().difference.map(|difference| difference.effect)
    }

    #[test]
    fn forms_are_told_apart() {
        for opcode in [
            "rcp.approx.ftz.f32",
            "div.full.f32",
            "sin.approx.f32",
            "rsqrt.approx.ftz.f64",
            "ex2.approx.ftz.bf16x2",
            "tanh.approx.f16",
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16",
        ] {
            assert_eq!(effect(opcode), Some(Effect::Approximate), "{opcode}");
        }
        for opcode in [
            "rcp.rn.f32",
            "div.rn.f32",
            "div.s32",
            "sqrt.rn.f64",
            "fma.rn.f32",
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
            "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32",
        ] {
            assert_eq!(effect(opcode), None, "{opcode}");
        }
        assert_eq!(effect("prefetch.global.L2"), Some(Effect::Ignored));
        assert_eq!(effect("griddepcontrol.wait"), Some(Effect::Ignored));
    }

    /// Instructions that the machine does nothing for, or tells listeners of alone, are ignored, and no others are.
    #[test]
    fn what_has_no_effect_is_in_the_table() {
        let source = include_str!("instructions.txt");
        let rows = source.split("\n\"").skip(1).filter_map(|row| row.split_once("\":"));
        let idle = [" fence::hint", " fence::nanosleep", " fence::dependents", " fence::policy"];
        let without_effect = |row: &&str| idle.iter().any(|function| row.contains(function));
        let of_the_machine: Vec<&str> = rows.filter(|(_, row)| without_effect(row)).map(|(name, _)| name).collect();
        let mut told: Vec<&str> = DIFFERENCES
            .iter()
            .filter(|difference| difference.effect == Effect::Ignored)
            .flat_map(|difference| difference.instructions.iter().copied())
            .collect();
        told.sort_unstable();
        assert_eq!(told, of_the_machine);
    }

    /// An approximate form that no row fits would pass for exact.
    #[test]
    fn every_instruction_that_says_so_is_approximate() {
        for row in INSTRUCTIONS.iter().filter(|row| row.doc.contains("approximate")) {
            let has_row = DIFFERENCES.iter().any(|difference| difference.instructions.contains(&row.name));
            assert!(has_row, "{}", row.name);
        }
        for name in DIFFERENCES.iter().flat_map(|difference| difference.instructions) {
            assert!(INSTRUCTIONS.iter().any(|row| row.name == *name), "{name}");
        }
    }

    #[test]
    fn the_pages_have_the_tables() {
        let begin = |what| {
            format!("<!-- {what}made from simulator/ptx/src/isa/fidelity.rs: LABS_WRITE=1 cargo test -p ptx -->\n\n")
        };
        let tables = [("simulator/arithmetic.md", "", table()), ("fidelity.md", "refused, ", refused())];
        for (page, what, table) in tables {
            let page = format!("{}/../../docs/{page}", env!("CARGO_MANIFEST_DIR"));
            let (text, begin) = (std::fs::read_to_string(&page).expect("the page"), begin(what));
            let (before, after) = text.split_once(&begin).expect("the mark of the table");
            let rest = after.find("\n\n").map_or("", |end| &after[end + 1..]);
            let wanted = format!("{before}{begin}{table}{rest}");
            if std::env::var_os("LABS_WRITE").is_some() {
                std::fs::write(&page, &wanted).expect("the page can be written");
            }
            let text = std::fs::read_to_string(&page).expect("the page");
            assert!(text == wanted, "{page}: next: LABS_WRITE=1 cargo test -p ptx");
        }
    }
}

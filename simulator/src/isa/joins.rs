//! What the assembler makes of two instructions of the text of which one makes an operand of the other.
use super::machine::Unit;

/// What an instruction becomes together with the one that makes an operand of it, where a machine has one for both. `find` looks for such
/// a maker by its opcode.
pub fn joins(text: &str, find: impl Fn(&dyn Fn(&str) -> bool) -> Option<usize>) -> Option<(usize, Vec<Unit>)> {
    let kind = text.rsplit('.').next().unwrap_or_default();
    let wide = kind.ends_with("64");
    let with = |of: &dyn Fn(&str) -> bool, units: &[Unit]| find(of).map(|at| (at, units.to_vec()));
    let is = |name: &'static str| move |text: &str| text.starts_with(name);
    let logic = |text: &str| ["and.b32", "or.b32", "xor.b32", "not.b32"].iter().any(|name| text.starts_with(name));
    if text.starts_with("add.") && matches!(kind, "u64" | "s64") {
        return with(&is("mul.wide"), &[Unit::Wide])
            .or_else(|| with(&is("shl.b64"), &[Unit::Integer, Unit::Add]))
            .or_else(|| {
                with(
                    &|text| text.starts_with("mul.lo") && text.ends_with("64"),
                    &[Unit::Multiply, Unit::Wide, Unit::Multiply, Unit::Integer],
                )
            });
    }
    if (text.starts_with("add.") || text.starts_with("sub.")) && matches!(kind, "u32" | "s32") {
        return with(&|text| text.starts_with("mul.lo") && text.ends_with("32"), &[Unit::Multiply])
            .or_else(|| with(&|text| text.starts_with("shl.b32") || text.starts_with("shf.l"), &[Unit::Integer]))
            .or_else(|| {
                with(
                    &|text| {
                        (text.starts_with("add.") || text.starts_with("sub."))
                            && text.ends_with("32")
                            && !text.ends_with("f32")
                    },
                    &[Unit::Integer],
                )
            });
    }
    if logic(text) && !wide {
        return with(&logic, &[Unit::Integer]);
    }
    None
}

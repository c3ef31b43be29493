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
    // A product and a sum that name no rounding may have one together.
    let kinds = [("f32", Unit::Fp32), ("f64", Unit::Fp64)];
    let floats =
        kinds.iter().find(|(name, _)| kind == *name && (is_contracted(text, "add") || is_contracted(text, "sub")));
    if let Some(&(name, unit)) = floats {
        return with(&|text| is_contracted(text, "mul") && text.ends_with(name), &[unit]);
    }
    None
}

/// Whether it is the sum or product `name` without a rounding of its own: `add.f32`, `add.ftz.f32`.
fn is_contracted(text: &str, name: &str) -> bool {
    let mut parts = text.split('.');
    parts.next() == Some(name) && parts.all(|part| ["ftz", "f32", "f64"].contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of an instruction with the maker of one of its operands.
    fn with(maker: &str, text: &str) -> Option<Vec<Unit>> {
        joins(text, |of| of(maker).then_some(0)).map(|(_, units)| units)
    }

    #[test]
    fn products_and_sums_that_name_no_rounding_are_one() {
        assert_eq!(with("mul.f32", "add.f32"), Some(vec![Unit::Fp32]));
        assert_eq!(with("mul.ftz.f32", "sub.ftz.f32"), Some(vec![Unit::Fp32]));
        assert_eq!(with("mul.f64", "sub.f64"), Some(vec![Unit::Fp64]));
        for (maker, text) in
            [("mul.rn.f32", "add.f32"), ("mul.f32", "add.rn.f32"), ("mul.f64", "add.f32"), ("add.f32", "add.f32")]
        {
            assert_eq!(with(maker, text), None, "{maker}, {text}");
        }
    }
}

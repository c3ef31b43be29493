//! Which opcodes must name a rounding, and which must not: as ptxas 13 takes and refuses them.
use super::opcode::Opcode;
use super::types::Type;

/// Roundings to a number of the type.
const ROUNDINGS: [&str; 4] = ["rn", "rz", "rm", "rp"];
/// Roundings to an integral number.
const INTEGRAL: [&str; 4] = ["rni", "rzi", "rmi", "rpi"];

/// Returns whether an opcode names a rounding where it must, and none where it must not.
pub fn is_right(opcode: &Opcode) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| opcode.modifiers.contains(word));
    let rounds = has(&ROUNDINGS);
    let Some(&first) = opcode.types.first() else { return true };
    match (opcode.definition().name, &opcode.types[..]) {
        ("cvt", &[to, from]) if is_plain(to) && is_plain(from) => conversion(to, from, rounds, has(&INTEGRAL)),
        ("fma" | "mad", _) if first.is_float() => rounds,
        ("div" | "rcp" | "sqrt", _) if first.is_float() => rounds != has(&["approx", "full"]),
        ("add" | "sub" | "mul" | "mad" | "div", _) => first.is_float() || !rounds,
        _ => true,
    }
}

/// Returns whether it is a type of one number that `cvt` has from the beginning, or `bf16`.
fn is_plain(ty: Type) -> bool {
    use Type::{Bf16, F16, F32, F64, S8, S16, S32, S64, U8, U16, U32, U64};
    matches!(ty, U8 | S8 | U16 | S16 | U32 | S32 | U64 | S64 | F16 | Bf16 | F32 | F64)
}

fn conversion(to: Type, from: Type, rounds: bool, integral: bool) -> bool {
    match (to.is_float(), from.is_float()) {
        (false, false) => !rounds && !integral,
        (true, false) => rounds && !integral,
        (false, true) => integral && !rounds,
        (true, true) if to == from => !rounds,
        // A wider type has all numbers. Between `bf16` and f16, and from `bf16` on, a rounding may be named or not.
        (true, true) => match (to, from) {
            (Type::F16 | Type::F32 | Type::F64, Type::Bf16) | (Type::Bf16, Type::F16) => !integral,
            _ => rounds == (to.bytes() <= from.bytes()) && !integral,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roundings_are_named_where_ptxas_wants_them() {
        let is_right = |text: &str| is_right(&Opcode::parse(text).unwrap());
        let right = "cvt.rn.f64.u32 cvt.rzi.s32.f32 cvt.u64.u32 cvt.f64.f32 cvt.rn.f32.f64 cvt.rni.f32.f32 cvt.f32.f32 cvt.sat.f32.f32 \
                     cvt.f32.bf16 cvt.rn.f32.bf16 cvt.rn.f16.bf16 cvt.f16.bf16 cvt.bf16.f16 cvt.f64.bf16 fma.rn.f32 mad.lo.s32 mad.rn.f32 div.full.f32 div.rn.f64 div.s32 \
                     rcp.approx.ftz.f64 add.f32 add.rz.f64 mul.lo.u32 cvt.rn.f16x2.f32 cvt.rna.tf32.f32 add.s32";
        let wrong = "cvt.f64.u32 cvt.s32.f32 cvt.rn.s32.f32 cvt.rzi.f32.s32 cvt.rn.u64.u32 cvt.rn.f64.f32 cvt.f32.f64 cvt.rn.f32.f32 \
                     cvt.bf16.f32 fma.f32 mad.f32 div.f32 rcp.f64 sqrt.f32 add.rn.s32";
        for text in right.split(' ') {
            assert!(is_right(text), "{text}");
        }
        for text in wrong.split(' ') {
            assert!(!is_right(text), "{text}");
        }
    }
}

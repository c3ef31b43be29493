//! Which units of a multiprocessor an instruction of the text goes to: the table of what `ptxas` makes of one.
//!
//! Read off what `ptxas` 13 makes for `sm_90` with `nvdisasm`; instructions that become several are chains of them, each
//! after the one before.
use super::definition::{Class, Definition};
use super::facts::{Facts, Half};
use super::types::{Space, Type};
use super::work::Work;

pub use super::unit::{EVERY_UNIT, Pipe, UNITS, Unit};
use Unit::{Add, Check, Control, Detour, Fp16, Fp32, Fp64, Integer, Multiply, Nothing, Shuffle, Special, Tensor, Wide};

/// The machine instructions of an instruction of the text. One that other rules fold away is listed as if it stood alone.
pub(super) fn units(definition: &Definition, modifiers: &[&str], types: &[Type], facts: &Facts) -> &'static [Unit] {
    let has = |part: &str| modifiers.contains(&part);
    let wide = facts.last.is_some_and(is_wide);
    let class = definition.class_of(types);
    match facts.work {
        Work::Move | Work::Renaming => &[Nothing],
        Work::Load if facts.is_widened_parameter() => &[Integer],
        Work::Load | Work::Store if facts.space == Space::Param => &[Nothing],
        Work::Copy => &[Unit::Copy],
        Work::CloseGroup | Work::FourWarpsClose => &[Unit::Commit],
        Work::AwaitGroups | Work::AwaitAll | Work::FourWarpsAwait => &[Unit::Await],
        Work::Load | Work::LoadUniform | Work::Store | Work::Update => &[Unit::Memory],
        Work::Memory | Work::ArriveWithCopies | Work::Poll => &[Unit::Memory],
        Work::Barrier => &[Unit::Barrier],
        Work::Control | Work::ChooseLanes | Work::FourWarpsFence => &[Control],
        Work::Shuffle | Work::AddLanes => &[Shuffle],
        Work::Vote => &[Integer],
        Work::Divide => divide(facts.last, &has),
        Work::SquareRoot if wide => &[Special, Integer, Fp64, Fp64, Fp64, Fp64, Fp64, Fp64, Fp64, Integer, Detour],
        Work::SquareRoot if !has("approx") => {
            &[Special, Integer, Integer, Control, Fp32, Fp32, Fp32, Fp32, Detour, Control]
        }
        Work::Reciprocal if wide => &[Special, Integer, Fp64, Fp64, Fp64, Fp64, Detour],
        Work::Reciprocal if !has("approx") => &[Integer, Integer, Special, Fp32, Fp32, Fp32, Detour],
        // Numbers that are denormal are scaled, there and back.
        Work::Approximate | Work::Reciprocal | Work::SquareRoot if !has("ftz") && !wide => {
            &[Integer, Fp32, Special, Fp32]
        }
        Work::Sine => &[Fp32, Special],
        Work::Approximate | Work::Reciprocal | Work::SquareRoot | Work::Tangent | Work::CountBits => &[Special],
        Work::Convert => convert(types),
        Work::SmallProduct => &[Multiply],
        // Machines have the distances of bytes and the plain forms of words; others are taken apart and put together.
        Work::Video if definition.name != "vabsdiff4" && (has("sat") || definition.name.ends_with(['2', '4'])) => {
            &[Integer; 8]
        }
        Work::Set | Work::Compare if facts.last == Some(Type::F64) => &[Fp64],
        Work::Matrix | Work::FourWarps => &[Tensor],
        work => match class {
            Class::Float | Class::Double | Class::Half => arithmetic(work, class),
            _ => integer(work, facts, wide),
        },
    }
}

/// Returns whether a value takes two registers.
fn is_wide(ty: Type) -> bool {
    matches!(ty, Type::B64 | Type::U64 | Type::S64 | Type::F64)
}

fn divide(ty: Option<Type>, has: &dyn Fn(&str) -> bool) -> &'static [Unit] {
    match ty {
        Some(Type::F32) if has("approx") => &[Fp32, Special, Fp32],
        Some(Type::F32) if has("full") => &[Integer, Fp32, Special, Fp32, Fp32],
        Some(Type::F32) => &[Check, Special, Fp32, Fp32, Fp32, Fp32, Fp32, Fp32, Fp32, Detour],
        Some(Type::F64) => &[
            Special, Multiply, Fp64, Fp64, Fp64, Fp64, Fp64, Fp64, Fp64, Fp64, Multiply, Integer, Integer, Fp32,
            Control, Detour, Control,
        ],
        Some(Type::U64 | Type::S64) => &[
            Integer, Control, Special, Special, Multiply, Special, Multiply, Integer, Multiply, Multiply, Integer,
            Multiply, Multiply, Integer, Integer, Multiply, Multiply, Integer, Multiply, Integer, Multiply, Integer,
            Multiply, Integer, Integer, Integer, Multiply, Integer, Integer, Integer, Integer, Integer, Control,
        ],
        Some(Type::S32) => &[
            Integer, Special, Special, Integer, Special, Integer, Multiply, Multiply, Integer, Multiply, Integer,
            Integer, Integer, Integer, Integer, Integer, Integer, Integer,
        ],
        _ => &[
            Special, Special, Integer, Special, Integer, Multiply, Multiply, Multiply, Integer, Integer, Integer,
            Integer, Integer, Integer, Integer,
        ],
    }
}

/// Units of integer instructions: most take one for each 32 bits.
fn integer(work: Work, facts: &Facts, wide: bool) -> &'static [Unit] {
    match work {
        Work::Multiply | Work::MultiplyAdd => match (facts.half, wide) {
            (Some(Half::Whole), _) => &[Wide],
            (Some(Half::Upper), true) => &[Multiply; 10],
            (Some(Half::Upper), false) => &[Multiply, Multiply],
            (_, true) => &[Multiply, Wide, Multiply, Integer],
            (_, false) => &[Multiply],
        },
        Work::And | Work::Logic if facts.last == Some(Type::Pred) => &[Nothing],
        Work::Add | Work::Subtract if wide => &[Add, Add],
        Work::Add | Work::Subtract => &[Add],
        // One half is mostly known to be zero.
        Work::And => &[Integer],
        _ if wide => &[Integer, Integer],
        // A multiplication too.
        Work::ShiftLeft => &[Add],
        _ => &[Integer],
    }
}

fn arithmetic(work: Work, class: Class) -> &'static [Unit] {
    match (class, work) {
        (Class::Double, Work::Extreme) => &[Fp64, Integer, Integer],
        (Class::Double, _) => &[Fp64],
        (Class::Half, _) => &[Fp16],
        // A sign is an operand's, not an instruction.
        (_, Work::Sign) => &[Nothing],
        (_, Work::Extreme) => &[Integer],
        _ => &[Fp32],
    }
}

/// `cvt[.rounding].TO.FROM`.
fn convert(types: &[Type]) -> &'static [Unit] {
    use Type::{B8, Bf16, Bf16x2, F16, F16x2, F32, F64, S8, U8};
    let [.., to, from] = types else { return &[Nothing] };
    // Numbers of fewer bits than 16, and of fewer digits than a float's, are made by the slow unit, and read by the one for integers.
    let float = |ty: &Type| matches!(ty, F16 | F16x2 | Bf16 | Bf16x2 | F32 | F64);
    let byte = |ty: &Type| matches!(ty, B8 | U8 | S8);
    match (float(to), float(from)) {
        (false, false) if is_wide(*to) && from.is_signed() => &[Integer],
        // Widening without a sign, and keeping the low part, is a matter of naming registers.
        (false, false) if byte(from) || byte(to) => &[Integer],
        (false, false) => &[Nothing],
        (true, true) if is_wide(*to) || is_wide(*from) => &[Special],
        (true, true) => &[Fp16],
        _ if is_wide(*to) || is_wide(*from) => &[Special],
        (true, false) => &[Integer],
        (false, true) => &[Special],
    }
}

//! Which units of a multiprocessor an instruction of the text goes to: the table of what `ptxas` makes of one.
//!
//! Read off what `ptxas` 13 makes for `sm_90` with `nvdisasm`; instructions that become several are chains of them, each
//! behind the one before.
use super::Class;
use super::opcode::is_widened_parameter;

/// Where a machine instruction is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nowhere: renamed, folded into another, or kept in a bank of constants.
    Nothing,
    /// fp32 arithmetic, in either half of the unit.
    Fp32,
    /// Integer multiply-adds, in one half of the fp32 unit.
    Multiply,
    /// The same of 32 bits into 64, which takes twice as long.
    Wide,
    /// Integers, logic, comparisons, selections.
    Integer,
    /// 32-bit additions: in the integer unit, or as multiply-adds.
    Add,
    /// Reciprocals, roots, exponentials, conversions that are as slow.
    Special,
    /// A test of an operand, in the same place, that others need not wait for.
    Check,
    Fp64,
    Fp16,
    Tensor,
    /// Loads, stores, atomics.
    Memory,
    /// Constants at a known address, into registers of the warp.
    Constant,
    /// Parameters, special registers and addresses into registers, where a kernel begins.
    Setup,
    /// Copies to shared memory that go on by themselves; what closes a group of them or of products of four warps, and what waits for groups.
    Copy,
    Commit,
    Await,
    /// Between lanes, through the load/store units.
    Shuffle,
    /// A branch around what is seldom needed, such as the slow path of a division.
    Detour,
    /// Votes and the like, and what a branch needs.
    Control,
    Barrier,
}

/// How many there are.
pub const UNITS: usize = Unit::Barrier as usize + 1;

/// All of them, in the order of their numbers.
pub const EVERY_UNIT: [Unit; UNITS] = [
    Unit::Nothing,
    Unit::Fp32,
    Unit::Multiply,
    Unit::Wide,
    Unit::Integer,
    Unit::Add,
    Unit::Special,
    Unit::Check,
    Unit::Fp64,
    Unit::Fp16,
    Unit::Tensor,
    Unit::Memory,
    Unit::Constant,
    Unit::Setup,
    Unit::Copy,
    Unit::Commit,
    Unit::Await,
    Unit::Shuffle,
    Unit::Detour,
    Unit::Control,
    Unit::Barrier,
];

/// What hands its results to its own next instruction a clock sooner than to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipe {
    /// Floats and multiplications.
    Multiply,
    /// Integers and logic.
    Logic,
    /// The same, for a comparison's result: guards and branches have it later than selections.
    Comparison,
    Other,
}

impl Unit {
    /// The pipe that an instruction goes through.
    pub const fn pipe(self) -> Pipe {
        match self {
            Unit::Fp32 | Unit::Multiply | Unit::Wide => Pipe::Multiply,
            Unit::Integer => Pipe::Logic,
            _ => Pipe::Other,
        }
    }
}

use Unit::{Add, Check, Control, Detour, Fp16, Fp32, Fp64, Integer, Multiply, Nothing, Shuffle, Special, Tensor, Wide};

/// The machine instructions of an instruction of the text, by its opcode. One that other rules fold away is listed as if it stood alone.
/// `of_a_call`: it accesses the parameters of a call.
pub fn units(text: &str, class: Class, of_a_call: bool) -> &'static [Unit] {
    let (name, kind) = (text.split('.').next().unwrap_or(text), text.rsplit('.').next().unwrap_or_default());
    let wide = kind.ends_with("64");
    match name {
        "mov" | "cvta" | "membar" | "fence" | "isspacep" | "pragma" => &[Nothing],
        "ld" if is_widened_parameter(text) && !of_a_call => &[Integer],
        "ld" | "ldu" if text.starts_with("ld.param") || of_a_call => &[Nothing],
        "st" if text.starts_with("st.param") || of_a_call => &[Nothing],
        "cp" if text.starts_with("cp.async.c") && !text.contains("commit") => &[Unit::Copy],
        "cp" if text.starts_with("cp.async.commit") => &[Unit::Commit],
        "cp" if text.starts_with("cp.async.wait") => &[Unit::Await],
        "ld" | "ldu" | "st" | "atom" | "red" | "ldmatrix" | "stmatrix" | "cp" => &[Unit::Memory],
        "bar" | "barrier" => &[Unit::Barrier],
        "bra" | "brx" | "call" | "ret" | "exit" | "trap" => &[Control],
        "shfl" => &[Shuffle],
        "vote" | "activemask" => &[Integer],
        "match" | "elect" => &[Control],
        "redux" => &[Shuffle],
        "div" | "rem" => match kind {
            "f32" if text.contains("approx") => &[Fp32, Special, Fp32],
            "f32" if text.contains("full") => &[Integer, Fp32, Special, Fp32, Fp32],
            "f32" => &[Check, Special, Fp32, Fp32, Fp32, Fp32, Fp32, Fp32, Fp32, Detour],
            "f64" => &[
                Special, Multiply, Fp64, Fp64, Fp64, Fp64, Fp64, Fp64, Fp64, Fp64, Multiply, Integer, Integer, Fp32,
                Control, Detour, Control,
            ],
            "u64" | "s64" => &[
                Integer, Control, Special, Special, Multiply, Special, Multiply, Integer, Multiply, Multiply, Integer,
                Multiply, Multiply, Integer, Integer, Multiply, Multiply, Integer, Multiply, Integer, Multiply,
                Integer, Multiply, Integer, Integer, Integer, Multiply, Integer, Integer, Integer, Integer, Integer,
                Control,
            ],
            "s32" => &[
                Integer, Special, Special, Integer, Special, Integer, Multiply, Multiply, Integer, Multiply, Integer,
                Integer, Integer, Integer, Integer, Integer, Integer, Integer,
            ],
            _ => &[
                Special, Special, Integer, Special, Integer, Multiply, Multiply, Multiply, Integer, Integer, Integer,
                Integer, Integer, Integer, Integer,
            ],
        },
        "sqrt" if wide => &[Special, Integer, Fp64, Fp64, Fp64, Fp64, Fp64, Fp64, Fp64, Integer, Detour],
        "sqrt" if !text.contains("approx") => {
            &[Special, Integer, Integer, Control, Fp32, Fp32, Fp32, Fp32, Detour, Control]
        }
        "rcp" if wide => &[Special, Integer, Fp64, Fp64, Fp64, Fp64, Detour],
        "rcp" if !text.contains("approx") => &[Integer, Integer, Special, Fp32, Fp32, Fp32, Detour],
        // Numbers that are denormal are scaled, there and back.
        "ex2" | "lg2" | "rsqrt" | "rcp" | "sqrt" if !text.contains("ftz") && !wide => &[Integer, Fp32, Special, Fp32],
        "sin" | "cos" => &[Fp32, Special],
        "ex2" | "lg2" | "rsqrt" | "rcp" | "sqrt" | "tanh" => &[Special],
        "popc" | "clz" | "bfind" | "brev" => &[Special],
        "cvt" => convert(text),
        "mul" | "mad" if matches!(kind, "f32" | "f64" | "f16" | "f16x2" | "bf16" | "bf16x2") => arithmetic(text, class),
        "mul" | "mad" if text.contains(".wide") => &[Wide],
        "mul" | "mad" if text.contains(".hi") => {
            if wide {
                &[Multiply; 10]
            } else {
                &[Multiply, Multiply]
            }
        }
        "mul" | "mad" => {
            if wide {
                &[Multiply, Wide, Multiply, Integer]
            } else {
                &[Multiply]
            }
        }
        "dp4a" | "dp2a" | "mul24" | "mad24" => &[Multiply],
        "selp" if kind == "f64" || wide => &[Integer, Integer],
        "set" | "setp" if kind == "f64" => &[Fp64],
        "add" | "sub" | "min" | "max" | "neg" | "abs" if matches!(kind, "f32" | "f64" | "f16" | "f16x2" | "bf16x2") => {
            arithmetic(text, class)
        }
        "wgmma" if text.starts_with("wgmma.commit") => &[Unit::Commit],
        "wgmma" if text.starts_with("wgmma.wait") => &[Unit::Await],
        "wgmma" if text.starts_with("wgmma.fence") => &[Control],
        "mma" | "wmma" | "wgmma" => &[Tensor],
        _ => match class {
            Class::Float | Class::Double | Class::Half => arithmetic(text, class),
            Class::Control => &[Control],
            Class::Special => &[Special],
            Class::Matrix => &[Tensor],
            Class::Memory | Class::Atomic | Class::Async => &[Unit::Memory],
            Class::Barrier => &[Unit::Barrier],
            Class::Warp => &[Control],
            Class::Move => &[Nothing],
            Class::Logic if kind == "pred" => &[Nothing],
            _ if name == "add" || name == "sub" => {
                if wide {
                    &[Add, Add]
                } else {
                    &[Add]
                }
            }
            // One half is mostly known to be zero.
            _ if name == "and" => &[Integer],
            _ if wide => &[Integer, Integer],
            // A multiplication too.
            _ if name == "shl" => &[Add],
            _ => &[Integer],
        },
    }
}

/// How many of a division's first instructions need the divisor alone.
pub fn of_the_divisor(text: &str) -> Option<usize> {
    let (name, kind) = (text.split('.').next()?, text.rsplit('.').next()?);
    match (name, kind) {
        ("div" | "rem", "u32") => Some(7),
        ("div" | "rem", "s32") => Some(8),
        _ => None,
    }
}

fn arithmetic(text: &str, class: Class) -> &'static [Unit] {
    let compares = text.starts_with("min") || text.starts_with("max") || text.starts_with("set");
    match class {
        Class::Double if compares => &[Fp64, Integer, Integer],
        Class::Double => &[Fp64],
        Class::Half => &[Fp16],
        // A sign is an operand's, not an instruction.
        _ if text.starts_with("neg") || text.starts_with("abs") => &[Nothing],
        _ if compares => &[Integer],
        _ => &[Fp32],
    }
}

/// `cvt[.rounding].TO.FROM`.
fn convert(text: &str) -> &'static [Unit] {
    let mut types = text.rsplit('.');
    let (from, to) = (types.next().unwrap_or_default(), types.next().unwrap_or_default());
    let float = |ty: &str| ty.starts_with('f') || ty.starts_with("bf");
    let sixty_four = |ty: &str| ty.ends_with("64");
    match (float(to), float(from)) {
        (false, false) if sixty_four(to) && from.starts_with('s') => &[Integer],
        // Widening without a sign, and keeping the low part, is a matter of naming registers.
        (false, false) if from.ends_with("8") || to.ends_with("8") => &[Integer],
        (false, false) => &[Nothing],
        (true, true) if sixty_four(to) || sixty_four(from) => &[Special],
        (true, true) => &[Fp16],
        _ if sixty_four(to) || sixty_four(from) => &[Special],
        (true, false) => &[Integer],
        (false, true) => &[Special],
    }
}

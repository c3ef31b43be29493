//! An op before its semantics is chosen.
use crate::exec::op::{Row, Twin};
use ptx::isa::{Class, Definition, Operands, Space, Special, Width};

/// An op before its semantics is chosen: where its operands are, and what of its form the opcode does not say.
pub struct Draft {
    pub dst: Row,
    pub a: Row,
    pub b: Row,
    pub c: Row,
    pub imm: i64,
    pub bytes: u8,
    pub widths: [u8; 4],
    pub vector: u8,
    /// See [`Op::used`].
    pub used: u8,
    pub special: Option<Special>,
    pub space: Space,
    pub call_parameter: bool,
}

impl Draft {
    /// A draft without operands.
    pub fn new(space: Space) -> Draft {
        let row = Row(0);
        Draft {
            dst: row,
            a: row,
            b: row,
            c: row,
            imm: 0,
            bytes: 0,
            widths: [0; 4],
            vector: 1,
            used: 0,
            special: None,
            space,
            call_parameter: false,
        }
    }
}

/// How an op is done where its warp has twins; see `exec::undefined`.
pub fn twin(row: &Definition, draft: &Draft) -> Twin {
    match row.operands {
        _ if draft.special.is_some() => Twin::Once,
        Operands::Load | Operands::MatrixLoad | Operands::FragmentLoad => Twin::Loads,
        Operands::Store | Operands::MatrixStore | Operands::FragmentStore => Twin::Stores,
        Operands::WarpgroupMultiply => Twin::Products,
        Operands::Set => Twin::Compares,
        _ if row.class == Class::Atomic => Twin::Updates,
        _ if row.class == Class::Async => Twin::Once,
        Operands::Shuffle | Operands::Move => Twin::Moves,
        Operands::Value | Operands::TruthTable if matches!(row.class, Class::Logic | Class::Convert) => Twin::Moves,
        Operands::Value if row.widths.last() == Some(&Width::Pred) => Twin::Selects,
        Operands::Value
        | Operands::TruthTable
        | Operands::Vote
        | Operands::Match
        | Operands::Elect
        | Operands::Multiply => Twin::Computes,
        _ => Twin::Once,
    }
}

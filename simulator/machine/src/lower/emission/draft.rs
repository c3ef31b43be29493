//! An op before its semantics is chosen.
use crate::exec::op::{Dataflow, Row};
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
pub fn dataflow(row: &Definition, draft: &Draft) -> Dataflow {
    match row.operands {
        _ if draft.special.is_some() => Dataflow::Once,
        Operands::Load | Operands::MatrixLoad | Operands::FragmentLoad => Dataflow::Loads,
        Operands::Store | Operands::MatrixStore | Operands::FragmentStore => Dataflow::Stores,
        Operands::WarpgroupMultiply => Dataflow::Products,
        Operands::Set => Dataflow::Compares,
        _ if row.class == Class::Atomic => Dataflow::Updates,
        _ if row.class == Class::Async => Dataflow::Once,
        Operands::Shuffle | Operands::Move => Dataflow::Moves,
        Operands::Value | Operands::TruthTable if matches!(row.class, Class::Logic | Class::Convert) => Dataflow::Moves,
        Operands::Value if row.widths.last() == Some(&Width::Pred) => Dataflow::Selects,
        Operands::Source if row.uses_stack() => Dataflow::Computes,
        Operands::Value
        | Operands::TruthTable
        | Operands::Vote
        | Operands::Match
        | Operands::Elect
        | Operands::Multiply => Dataflow::Computes,
        _ => Dataflow::Once,
    }
}

//! A program with its ops: what a launch runs.
use crate::exec::view::Op;
use crate::program::Program;
use std::ops::Deref;

/// A lowered module, ready to run.
pub struct Executable {
    pub program: Program,
    /// The ops of each of the program's functions; [`BasicBlock::ops`](crate::program::BasicBlock::ops) are ranges of them.
    pub ops: Vec<Vec<Op>>,
}

impl Deref for Executable {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.program
    }
}

//! Nodes of a graph that choose what runs, by a value that kernels set.
use crate::interface::Cause;
use std::sync::Arc;

/// A value that a graph's kernels set by `cudaGraphSetConditional`. Its handle is the address of its 4 bytes of device memory.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    pub address: u64,
    /// Given to it as each launch begins.
    pub first: Option<u32>,
}

/// The way in which a value chooses a body. Numbers are those of `CUgraphConditionalNodeType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The first body where the value is not 0, else the second if there is one.
    If,
    /// The body, as long as the value is not 0.
    While,
    /// The body of that number, if there is one.
    Switch,
}

/// A conditional node.
#[derive(Clone, Debug)]
pub struct Conditional {
    pub choice: Choice,
    /// The address of the [`Condition`].
    pub address: u64,
    /// Handles of graphs, which the program fills. Their place in memory is the program's too, as long as the node lives.
    pub bodies: Arc<[usize]>,
}

impl Choice {
    /// By its number, for a node of so many bodies.
    pub fn new(number: u32, bodies: u32) -> Result<Choice, Cause> {
        let (choice, allowed, words) = match number {
            0 => (Choice::If, 1..=2, "1 and 2"),
            1 => (Choice::While, 1..=1, "1"),
            2 => (Choice::Switch, 1..=1024, "1 to 1024"),
            other => return Err(Cause::NoSuchValue("type", other.into())),
        };
        refuse_if!(!allowed.contains(&bodies), Cause::OutOfRange("size", bodies.into(), words.into()));
        Ok(choice)
    }

    /// The number of the body to run for a value.
    pub fn body(self, value: u32) -> Option<usize> {
        match self {
            Choice::If => Some(usize::from(value == 0)),
            Choice::While => (value != 0).then_some(0),
            Choice::Switch => Some(value as usize),
        }
    }
}

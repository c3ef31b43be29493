//! Work that streams take.
use super::conditional::Conditional;
use super::graph::Bodies;
use super::operation::{Fill, HostFunction, Transfer, ValueWait};
use crate::objects::modules::launch::Launch;
use machine::memory::Touch;
use std::sync::Arc;

/// Work to be done.
pub enum Work {
    Copy(Transfer),
    Fill(Fill),
    Launch(Box<Launch>),
    /// Notes the virtual time in the event, unless the event was recorded anew since.
    Record(usize),
    /// Only order: a wait for an event, the end of a graph.
    Join,
    Host(HostFunction),
    /// Runs what a value in device memory chooses.
    Conditional {
        node: Conditional,
        bodies: Arc<Bodies>,
    },
    /// Memory is there in stream order: only order, and noted under the sanitizer.
    Allocate {
        at: u64,
        bytes: u64,
    },
    Free(u64),
    /// Writes a value of 4 or 8 bytes.
    Write {
        at: u64,
        value: u64,
        bytes: u8,
    },
    /// Waits until a value of 4 or 8 bytes is what it shall be.
    Wait(ValueWait),
    /// Has been computed by the host: it has its place in the order and on the clock.
    Answered(Answered),
}

/// An operation of a library that the host computes in place of the card's machine code.
pub struct Answered {
    pub name: String,
    /// First byte, number and kind.
    pub touched: Vec<(u64, u64, Touch)>,
    pub multiply_adds: u64,
}

impl Work {
    /// True if it may wait for what no stream does: it is done by a thread of its own, and only waits wait for it.
    pub fn waits_for_others(&self) -> bool {
        matches!(self, Work::Host(_) | Work::Wait(_))
    }
}

//! Captures that are going on.
use crate::driver::objects::graph::Graph;
use std::collections::HashMap;
use std::thread::ThreadId;

/// A capture that is going on.
pub struct Capture {
    pub graph: Graph,
    pub origin: usize,
    pub thread: ThreadId,
    pub mode: u32,
    pub spoiled: bool,
    /// Whether nodes are added to a graph that the application has already.
    pub into: Option<usize>,
    /// The nodes that the next one on a stream comes behind.
    pub streams: HashMap<usize, Vec<usize>>,
    pub events: HashMap<usize, Vec<usize>>,
}

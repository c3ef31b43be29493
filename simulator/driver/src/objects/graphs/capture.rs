//! Captures that are going on.
use std::collections::HashMap;
use std::thread::ThreadId;

/// A capture that is going on.
pub struct Capture {
    /// The graph that grows.
    pub graph: usize,
    pub origin: usize,
    pub thread: ThreadId,
    pub mode: u32,
    pub spoiled: bool,
    /// True if it was the application's before.
    pub is_given: bool,
    /// The nodes that the next one on a stream comes after.
    pub streams: HashMap<usize, Vec<usize>>,
    pub events: HashMap<usize, Vec<usize>>,
    /// The handles of nodes, and the data of edges, that the last question about the capture was answered with.
    pub shown: (Vec<usize>, Vec<u64>),
}

//! Events.
use super::graphs::operation::Seq;

/// `CU_EVENT_DISABLE_TIMING`
pub const DISABLE_TIMING: u32 = 2;
/// `CU_EVENT_INTERPROCESS`
pub const INTERPROCESS: u32 = 4;
/// How long a stream is held up after an event that takes the time. Measured on an H200: two in a row.
pub const STAMP_NS: u64 = 1_280;

pub struct Event {
    pub context: usize,
    pub flags: u32,
    pub state: EventState,
    pub polled: Option<Seq>,
}

/// The last record of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventState {
    Never,
    Pending(Seq),
    Done {
        at_ns: u64,
    },
    /// In this capture, after these nodes.
    Captured(usize),
}

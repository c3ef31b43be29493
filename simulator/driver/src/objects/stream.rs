//! Streams.
use super::graphs::operation::Seq;
use clock::streams::ready::Ready;

#[derive(Default)]
pub struct Stream {
    pub context: usize,
    pub id: u64,
    pub is_legacy: bool,
    /// True if it is ordered with the legacy default stream.
    pub blocking: bool,
    pub flags: u32,
    pub priority: i32,
    /// The last pending operation.
    pub tail: Option<Seq>,
    /// When its finished operations ended on the virtual clock.
    pub ended: Ready,
    /// The tail that was last polled; see [`super::queue`].
    pub polled: Option<Seq>,
    pub capture: Option<usize>,
}

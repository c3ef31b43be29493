//! The warps that go through straight code together, as ops see them: `batch` says which these are.
use super::pattern::{PLACES, Pattern};
use crate::exec::view::Window;

/// Warps that go together at the most.
pub const MOST: usize = crate::probe::MOST_WARPS;

/// The warps that go together, as ops see them.
pub(crate) struct Together {
    /// How many there are; 0 where one warp runs alone.
    pub count: usize,
    /// The one that an op is at; 0 where one runs alone.
    pub at: usize,
    pub frames: [*mut u8; MOST],
    pub members: [Member; MOST],
    /// Patterns of address rows that later accesses of the block take. `None`: to be found again.
    pub patterns: [[Option<Pattern>; PLACES]; MOST],
}

/// Facts about a warp that ops need less often than its frame.
#[derive(Clone, Copy)]
pub(crate) struct Member {
    pub registers: Window,
    pub local: Window,
    pub warp: u32,
}

impl Together {
    /// One warp alone.
    pub const ALONE: Together = Together {
        count: 0,
        at: 0,
        frames: [std::ptr::null_mut(); MOST],
        members: [Member { registers: Window::NONE, local: Window::NONE, warp: 0 }; MOST],
        patterns: [[None; PLACES]; MOST],
    };

    /// The patterns of the warp that an op is at.
    #[inline(always)]
    pub fn patterns(&mut self) -> &mut [Option<Pattern>; PLACES] {
        &mut self.patterns[self.at % MOST]
    }
}

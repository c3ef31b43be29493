//! Work that streams take: copies, fills, launches, marks, functions of the host.
use crate::objects::conditional::{Bodies, Conditional};
use crate::objects::launch::Launch;
use std::sync::Arc;

/// Order of submission, over all streams and devices. What an operation waits for has a lower number.
pub type Seq = u64;

/// Operations that one wait has chosen to do.
pub struct Chosen {
    /// In the order of submission.
    pub operations: Vec<Seq>,
    /// The number of the first operation that was not submitted yet. What comes later has no influence on the clock, however
    /// long the host takes for the chosen ones.
    pub horizon: Seq,
}

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
    Free(u64),
    /// Writes a value of 4 or 8 bytes.
    Write {
        at: u64,
        value: u64,
        bytes: u8,
    },
}

/// A function of the application to be called in stream order.
#[derive(Clone, Copy)]
pub struct HostFunction {
    pub function: unsafe extern "C" fn(*mut std::ffi::c_void),
    /// The application's own pointer, as a number.
    pub data: usize,
}

/// A box of bytes to copy: `height` rows of `width` bytes in `depth` slices. A plain copy has one row.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    pub to: u64,
    pub from: u64,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub to_pitch: usize,
    pub from_pitch: usize,
    pub to_slice: usize,
    pub from_slice: usize,
    /// True if the caller named the sides: such addresses must lie where it said.
    pub sides: Sides,
}

/// The kinds of memory that a caller named for the two sides of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sides {
    pub to_device: Option<bool>,
    pub from_device: Option<bool>,
}

/// A pattern to repeat over `height` rows of `count` elements.
#[derive(Clone, Copy, Debug)]
pub struct Fill {
    pub at: u64,
    pub value: u32,
    /// Bytes of an element: 1, 2 or 4.
    pub element: usize,
    pub count: usize,
    pub height: usize,
    pub pitch: usize,
}

impl Transfer {
    /// A plain copy.
    pub fn line(to: u64, from: u64, bytes: usize, sides: Sides) -> Self {
        Transfer {
            to,
            from,
            width: bytes,
            height: 1,
            depth: 1,
            to_pitch: bytes,
            from_pitch: bytes,
            to_slice: bytes,
            from_slice: bytes,
            sides,
        }
    }
    /// Bytes that move.
    pub fn bytes(&self) -> u64 {
        (self.width as u64).saturating_mul(self.height as u64).saturating_mul(self.depth as u64)
    }
    /// Bytes from the first to past the last, on a side with this pitch and slice.
    pub fn reach(&self, pitch: usize, slice: usize) -> u64 {
        if self.bytes() == 0 {
            return 0;
        }
        let slices = (self.depth as u64 - 1).saturating_mul(slice as u64);
        let rows = (self.height as u64 - 1).saturating_mul(pitch as u64);
        slices.saturating_add(rows).saturating_add(self.width as u64)
    }
}

impl Fill {
    /// One row of `count` elements of `element` bytes.
    pub fn row(at: u64, value: u32, element: usize, count: usize) -> Fill {
        Fill { at, value, element, count, height: 1, pitch: 0 }
    }
    /// Bytes from the first to past the last.
    pub fn reach(&self) -> u64 {
        if self.count == 0 || self.height == 0 {
            return 0;
        }
        ((self.height as u64 - 1).saturating_mul(self.pitch as u64))
            .saturating_add((self.count as u64).saturating_mul(self.element as u64))
    }
}

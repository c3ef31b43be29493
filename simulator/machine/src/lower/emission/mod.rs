//! Ops under way: a draft, its semantics, its place in the frame, the ends of blocks, and the last check of all rows.
pub(crate) mod draft;
pub(crate) mod emitter;
pub(crate) mod ends;
pub(crate) mod frame;
pub(crate) mod rows;
pub(crate) mod selections;

pub(crate) use draft::Draft;
pub(crate) use emitter::{Emitter, Fit, refused};
pub(crate) use frame::{Frame, Kind, Layout};
pub(crate) use selections::Selections;

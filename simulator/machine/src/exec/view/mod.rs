//! An op's view of its warp: the active lanes, their registers and windows of memory, and the surroundings that it needs less often.
//!
//! The room names no instruction: those of the other rooms are written against [`lanes`] and [`op`].
pub mod context;
pub(crate) mod elementwise;
pub(crate) mod half_bits;
pub(crate) mod lane;
pub(crate) mod lanes;
pub mod op;
pub(crate) mod versions;

pub(crate) use context::{BlockState, Context, Coordinates, Device, Facts, LaunchConstants, Listener};
pub(crate) use elementwise::{
    binary, each1, each2, each3, each4, plainly, plainly_told, ternary, unary, whole, whole_of_each,
};
pub(crate) use lane::{Lane, Lane32, Line, Register, WARP};
pub(crate) use lanes::{Lanes, MOST_SPINS, Window};
pub(crate) use op::{Answer, Dataflow, Op, Row, Selected, Semantics, Versions};
pub(crate) use versions::one_by_one;

//! The timeline of a run: which engine worked when, for which item; and the conclusions.

mod overlap;
mod span;
mod svg;
mod trace;

pub use overlap::Overlap;
pub use span::{Span, Timeline, Track, one_copy_at_a_time};
pub use svg::render as render_svg;
pub use trace::process;

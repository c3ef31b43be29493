//! Mends of a race: put into the kernel's text, and tried on the launch from the memory that it found, before anybody is told of them.
mod mend;
mod places;
mod trial;

pub use mend::{Mend, Tried, Way};
pub use places::{Barrier, Kernel, OF_BLOCK, OF_WARP};
pub use trial::{Known, Trial};

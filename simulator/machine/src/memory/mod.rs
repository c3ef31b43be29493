//! Allocations with identity, and the address space they lie in.
//!
//! A simulated device address *is* a host address inside one reserved arena, so a kernel's access needs a bounds check
//! but no translation, and page-locked host memory has the same address on both sides, as unified addressing has it.
//! Shared, local and parameter memory have windows of their own in the generic address space.
mod allocation;
mod arena;
mod backing;
mod device;
mod footprint;
mod initialised;
mod mapped;
mod places;
mod range;
mod sparse;
mod stains;
mod suspended;
mod table;
mod transfer;
mod view;
mod windows;

pub use allocation::{ALIGNMENT, Allocation, BLOCK_BYTES, Described, FreeError, Kind, OutOfMemory, SMALL_BYTES};
pub use backing::Backing;
pub use device::Memory;
pub use footprint::{Clash, Footprint, Touch};
pub use initialised::{Initialised, UndefinedAt};
pub use range::Range;
pub use sparse::Source;
pub use stains::{Stain, Stains};
pub use transfer::Outside;
pub use view::View;
pub use windows::{FUNCTION_WINDOW, LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW_BYTES, space_of};

//! Launches that are run again from the memory that they found: with a mend of what was found, in other orders of their warps, and to be recorded.
pub mod mends;
pub mod replay;
pub mod search;

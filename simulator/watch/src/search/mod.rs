//! A search through the orders in which the warps of one block can take their steps: complete, up to orders that commute.
//!
//! [`explore`] says which orders are left, [`listener`] hears what a step does, [`snapshot`] puts memory back between two of them.
pub mod explore;
pub mod listener;
pub mod shorten;
pub mod snapshot;

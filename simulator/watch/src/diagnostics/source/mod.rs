//! The facts that a message takes from the program and its source: lines, names, the ways between two lines. They word no fault.
pub mod carved;
pub mod lines;
pub mod names;
pub mod origin;
pub mod scene;

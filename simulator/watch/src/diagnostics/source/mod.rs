//! What a message takes from the program and its source: lines, names, the ways between two lines. No words of a fault.
pub mod carved;
pub mod lines;
pub mod names;
pub mod origin;
pub mod path;
pub mod scene;

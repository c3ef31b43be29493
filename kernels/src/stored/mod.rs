//! Generated code that is kept: in the tree, in the program, between runs.

pub(crate) mod adopt;
pub(crate) mod cache;
pub(crate) mod deflated;
pub(crate) mod embedded;
pub(crate) mod fixtures;
pub(crate) mod generated;
pub(crate) mod generated_file;
pub(crate) mod text;

pub(crate) use text::*;

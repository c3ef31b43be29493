//! A GPU's multiprocessor on the host: runs a kernel of a module of PTX, a warp of 32 lanes at a time, and tells listeners.
//!
//! Arrows go one way: [`ptx`]'s tree → [`lower`] (flat code) → [`exec`] (flat code on lanes) → [`memory`]. Listeners hear of a launch by
//! [`probe`]. [`link`] resolves the names between modules.
#![allow(rustdoc::private_intra_doc_links, reason = "the comments are for maintainers, who see the private rooms")]
#![allow(missing_docs, reason = "types and functions carry comments; a field or variant whose name says all does not")]

pub mod exec;
pub mod fault;
pub mod host;
pub mod link;
pub mod lower;
pub mod memory;
pub mod probe;
pub mod program;
pub mod tensor;

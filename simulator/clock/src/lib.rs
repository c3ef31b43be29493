//! When a card would have done it: the cards ([`device`]), how many blocks fit ([`occupancy`]), and the model of time ([`timeline`]).
#![allow(rustdoc::private_intra_doc_links, reason = "the comments are for maintainers, who see the private rooms")]
#![allow(missing_docs, reason = "types and functions carry comments; a field or variant whose name says all does not")]

pub mod device;
pub mod occupancy;
pub mod timeline;

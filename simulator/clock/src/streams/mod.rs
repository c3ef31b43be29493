//! Streams and engines: when copies and kernels run on a card, beside each other and one after the other.
pub mod calendar;
pub mod copy_engine;
pub mod ready;
pub mod sharing;
pub mod span;
pub mod timeline;
pub mod utilisation;

//! Objects that handles name, and the parts that they are made from.
pub mod chosen_order;
pub mod context;
pub mod event;
pub mod graphs;
pub mod images;
pub mod memory;
pub mod modules;
pub mod stream;

//! The control flow of a function: basic blocks, where their paths meet, and the order in which lanes that parted meet again.
mod dominators;
pub(crate) mod flow;
mod order;

//! Graphs and what they are made from.
pub mod capture;
pub mod conditional;
pub mod graph;
pub mod operation;
pub mod user_object;
pub mod work;

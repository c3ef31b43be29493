//! Graphs: captured or built node by node, asked about, launched.
pub mod capture;
pub mod conditional;
pub mod executable;
pub mod graph;
pub mod graph_launch;
pub mod memory_nodes;
pub mod node;
pub mod node_parameters;
pub mod picture;
pub mod user_object;

pub use self::{
    capture::*, conditional::*, executable::*, graph::*, graph_launch::*, memory_nodes::*, node::*, node_parameters::*,
    picture::*, user_object::*,
};

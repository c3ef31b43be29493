//! The functions of the interface, one file a family. An item with the name of a function of [`cuda::functions!`] answers it.
#![allow(non_snake_case, reason = "the interface's names")]
#![allow(ambiguous_glob_reexports, reason = "only the interface's names are asked for here, and each is there once")]
pub mod array;
pub mod attributes;
pub mod capture;
pub mod conditional;
pub mod context;
pub mod copy;
pub mod device;
pub mod error;
pub mod event;
pub mod executable;
pub mod function;
pub mod graph;
pub mod graph_launch;
pub mod graph_memory;
pub mod graph_picture;
pub mod host_memory;
pub mod interprocess;
pub mod launch;
pub mod link;
pub mod logs;
pub mod managed;
pub mod memory;
pub mod module;
pub mod node;
pub mod node_parameters;
pub mod occupancy;
pub mod pointer;
pub mod pool;
pub mod pool_sharing;
pub mod prepared;
pub mod stream;
pub mod tensor;
pub mod texture;
pub mod user_object;
pub mod virtual_memory;

pub use self::{
    array::*, capture::*, conditional::*, context::*, copy::*, device::*, error::*, event::*, executable::*,
    function::*, graph::*, graph_launch::*, graph_memory::*, graph_picture::*, host_memory::*, interprocess::*,
    launch::*, link::*, logs::*, managed::*, memory::*, module::*, node::*, node_parameters::*, occupancy::*,
    pointer::*, pool::*, pool_sharing::*, prepared::*, stream::*, tensor::*, texture::*, user_object::*,
    virtual_memory::*,
};

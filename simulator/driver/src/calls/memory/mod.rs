//! Memory: allocated, shared between processes, mapped, pooled, copied and described.
pub mod allocation;
pub mod array;
pub mod copy;
pub mod host_memory;
pub mod interprocess;
pub mod managed;
pub mod pointer;
pub mod pool;
pub mod pool_sharing;
pub mod tensor;
pub mod texture;
pub mod virtual_memory;

pub use self::{
    allocation::*, array::*, copy::*, host_memory::*, interprocess::*, managed::*, pointer::*, pool::*,
    pool_sharing::*, tensor::*, texture::*, virtual_memory::*,
};

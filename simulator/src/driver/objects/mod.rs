//! What handles name, and what it is made from.
pub mod allocation;
pub mod archive;
pub mod assembler;
pub mod capture;
pub mod context;
pub mod event;
pub mod fat_binary;
pub mod function;
pub mod graph;
pub mod image;
pub mod launch;
pub mod linking;
pub mod loaded;
pub mod module;
pub mod pool;
pub mod stream;
pub mod work;

//! Images: the containers that nvcc puts PTX in, and what is linked from them.
pub mod archive;
pub mod assembler;
pub mod facts;
pub mod fat_binary;
pub mod image;
pub mod linking;

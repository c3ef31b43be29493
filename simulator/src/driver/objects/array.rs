//! CUDA arrays, and the texture and surface objects that read them.
use crate::driver::interface::layout::{ArrayDescriptor, ResourceDescriptor, TextureDescriptor};
use crate::exec::texture_object::Format;

/// A CUDA array: its rows lie one after the other, which no program can see.
pub struct Array {
    pub address: u64,
    pub descriptor: ArrayDescriptor,
    pub format: Format,
    /// Bytes of a row, from a row to the next, and from a slice or layer to the next.
    pub row_bytes: usize,
    pub pitch: usize,
    pub slice: usize,
}

/// A texture or surface object, by the address of its bytes.
pub struct TextureObject {
    pub resource: ResourceDescriptor,
    /// `None`: a surface.
    pub texture: Option<TextureDescriptor>,
}

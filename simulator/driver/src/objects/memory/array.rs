//! CUDA arrays, mipmapped arrays, and the texture and surface objects that read them.
use cuda::layout::{ArrayDescriptor, ResourceDescriptor, TextureDescriptor, ViewDescriptor};
use machine::exec::texture_object::{Format, Level};

/// A CUDA array: its rows lie one after the other, which no program can see.
pub struct Array {
    pub descriptor: ArrayDescriptor,
    pub format: Format,
    pub place: Level,
    /// Bytes of a row's texels.
    pub row_bytes: usize,
    /// A level of a mipmapped array, which it lives as long as.
    pub is_level: bool,
}

/// A mipmapped array: one allocation, level after level.
pub struct MipmappedArray {
    /// The first level's place.
    pub descriptor: ArrayDescriptor,
    pub format: Format,
    /// The levels' handles.
    pub levels: Vec<usize>,
    pub first: Level,
}

/// A texture or surface object, by the address of its bytes.
pub struct TextureObject {
    pub resource: ResourceDescriptor,
    /// `None`: a surface.
    pub texture: Option<TextureDescriptor>,
    pub view: Option<ViewDescriptor>,
}

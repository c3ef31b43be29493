//! Textures and surfaces: their objects, the texels of a fetch, and the instructions that fetch and store them.
mod cube;
mod mipmap;
pub(crate) mod surface;
mod texel;
pub(crate) mod texture;
mod texture_fetch;
pub mod texture_object;

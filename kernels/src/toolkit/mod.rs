//! NVIDIA's compiler: where it lies, what is asked of it, what it says of a kernel's resources.

pub(crate) mod compiler;
pub(crate) mod discovery;
pub(crate) mod nvrtc;
pub(crate) mod resources;

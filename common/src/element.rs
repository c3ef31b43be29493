//! The element types of the labs as a device has them; their arithmetic is in [`numbers`].

use crate::blas::Blas;
use cudarc::cublas::CudaBlas;
use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
pub use numbers::{Dtype, Loops, Number};

/// A type that matrices hold: the same bits on the host and on the device.
pub trait Element: Loops + DeviceRepr + ValidAsZeroBits + Blas<Library = CudaBlas> {}

impl<T: Loops + DeviceRepr + ValidAsZeroBits + Blas<Library = CudaBlas>> Element for T {}

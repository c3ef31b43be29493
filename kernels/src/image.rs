//! A kernel's image: code for a device, and the place where that code comes from.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaModule, DriverError};
use cudarc::nvrtc::Ptx;

use crate::architecture::Architecture;

/// The target of a compilation. `major.minor` is the compute capability of the device that will run the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// Machine code of that very architecture: for a GPU. Any driver that knows the card takes it, whatever the
    /// compiler's age.
    Cubin {
        /// 8 of 8.6.
        major: u32,
        /// 6 of 8.6.
        minor: u32,
    },
    /// PTX: for the simulator. It is always made for the lowest architecture that the rung needs, so that every device
    /// profile runs, and counts, the same instructions. What PTX does not have, because the assembler deals it out, is
    /// added in comments `//resources sm_86 naive_f32: 32 registers, …`, one per kernel, for this device.
    Ptx {
        /// 8 of 8.6.
        major: u32,
        /// 6 of 8.6.
        minor: u32,
    },
    /// PTX for the simulator, made for that very architecture: a verdict's kernels may use all that its card has.
    ExactPtx {
        /// 8 of 8.6.
        major: u32,
        /// 6 of 8.6.
        minor: u32,
    },
}

impl Target {
    /// The device's architecture.
    pub fn device(self) -> Architecture {
        let (Self::Cubin { major, minor } | Self::Ptx { major, minor } | Self::ExactPtx { major, minor }) = self;
        Architecture::new(major, minor)
    }
}

/// Where an image comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Compiled just now.
    Compiled {
        /// NVRTC's version, `12.9`.
        version: String,
        /// `sm_90` for machine code, `compute_50` for PTX.
        architecture: String,
    },
    /// PTX of the unmodified source, from `kernels/ptx/`.
    Embedded {
        /// `compute_50`.
        architecture: String,
    },
}

/// Code for a device. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Image {
    pub(crate) bytes: Arc<[u8]>,
    pub(crate) origin: Origin,
    pub(crate) log: Arc<str>,
}

impl Image {
    /// The code: an ELF file, or PTX.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The code as text, if it is PTX.
    pub fn ptx(&self) -> Option<&str> {
        if self.bytes.starts_with(b"\x7fELF") { None } else { std::str::from_utf8(&self.bytes).ok() }
    }

    /// Where the code comes from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The compiler's warnings and, where its code could not be used, its errors. Empty if it had nothing to say.
    pub fn log(&self) -> &str {
        &self.log
    }

    /// Gives the code to the device.
    ///
    /// # Errors
    /// The driver's, for code that it does not take.
    pub fn load(&self, context: &Arc<CudaContext>) -> Result<Arc<CudaModule>, DriverError> {
        context.load_module(match self.ptx() {
            Some(text) => Ptx::from_src(text),
            None => Ptx::from_binary(self.bytes.to_vec()),
        })
    }
}

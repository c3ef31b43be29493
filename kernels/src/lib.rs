//! The labs' CUDA C++ kernels, one rung per file, and how they become code for a device.
//!
//! A rung is the file `kernels/LAB/NUMBER_NAME.cu`; the build script makes the table of them from the folders. A kernel
//! reaches a device as a CUBIN for the device's own architecture, compiled by NVRTC when the lab starts, or as PTX, which
//! the simulator takes. The PTX of every unmodified source lies in `kernels/ptx/`, so that a machine with neither GPU nor
//! CUDA runs the labs; a *modified* source needs NVRTC, which `just nvrtc` installs. Sources are read from the checkout when a program
//! runs, so that an edit needs no Rust build; what NVRTC made of a text is kept in the build's folder.
//!
//! A rung is whole: it includes no file of ours, although the later rungs of GEMM load their tiles alike. A student reads it from its
//! first line to its last, compares it with the rung before in one `diff`, and hands it in by itself; NVRTC gets one text, whose hash is
//! the key of all that was made of it.
//!
//! ```
//! # fn main() -> Result<(), kernels::KernelError> {
//! let naive = kernels::source("gemm", "naive")?;
//! let image = kernels::compile(&naive, kernels::Target::Ptx { major: 8, minor: 9 })?;
//! assert!(image.ptx().is_some_and(|ptx| ptx.contains(".visible .entry naive_f32")));
//! # Ok(())
//! # }
//! ```

mod architecture;
mod checkout;
mod compile;
mod error;
mod image;
mod link;
mod mutants;
mod source;
mod stored;
mod toolkit;

pub use architecture::Architecture;
pub use checkout::{checkout, checkout_elsewhere};
pub use compile::{compile, resources};
pub use error::KernelError;
pub use image::{Image, Origin, Target};
pub use mutants::{DIVERGENT_BARRIER, MISALIGNED, MUTANTS, Mutant, OUT_OF_BOUNDS, RACE, WRONG_RESULT};
pub use source::{Source, pristine, pristine_sources, source, sources, with_text};
pub use stored::adopt::adopt;
pub use stored::deflated::inflate;
pub use stored::fixtures::{read_ptx, unpack};
pub use stored::generated::{folders, generated_files, kept_files};
pub use stored::generated_file::GeneratedFile;
pub(crate) use stored::{cache, deflated, embedded, fixtures, generated_file};
pub use toolkit::compiler::{compile_text, compiler};
pub use toolkit::resources::Resources;
pub(crate) use toolkit::{compiler, discovery, nvrtc, resources};

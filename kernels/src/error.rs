//! The failures between a kernel's name and its code on a device, and who caused each.

use std::path::PathBuf;

/// Where to get the compiler, as the last line of every message that needs it.
const INSTALL: &str = "  next: just nvrtc\n        (the same: python3 -m pip install --target .nvrtc \
                       'nvidia-cuda-nvrtc-cu12==12.9.*' 'nvidia-cuda-runtime-cu12==12.9.*' 'nvidia-cuda-cccl-cu12==12.9.*')";

/// Why a kernel could not be found or compiled. The text starts with the family: *your kernel*, *this machine* or
/// *limit reached*.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KernelError {
    /// There is no such rung.
    #[error(
        "your kernel: there is no kernel `{name}` in lab `{lab}`{}\n  next: kernels/{lab}/ has the files, and a file's name without its number is its kernel's",
        listed(.near)
    )]
    UnknownSource {
        /// The lab that was asked for.
        lab: String,
        /// The rung that was asked for.
        name: String,
        /// `lab/name` of rungs spelt alike, nearest first.
        near: Vec<String>,
    },
    /// The checkout is there, but not the kernel's file, or not as text.
    #[error(
        "your kernel: {path} cannot be read: {reason}\n  next: git checkout -- {path}   (or `cargo build`, if it is meant to be gone)"
    )]
    Unreadable {
        /// The source, as `kernels/gemm/2_naive.cu`.
        path: String,
        /// The system's words.
        reason: String,
    },
    /// No pristine copy of the rung lies in the workspace.
    #[error(
        "this machine: kernels/ptx/ keeps no copy of {path}\n  next: just ptx   (a hand-out has none: its self-tests are the instructor's)"
    )]
    NotKept {
        /// The source, as `kernels/gemm/2_naive.cu`.
        path: String,
    },
    /// NVRTC rejected the kernel.
    #[error("your kernel: {path} does not compile for {architecture}\n{}", .log.trim_end())]
    Compile {
        /// The source, as `kernels/gemm/2_naive.cu`.
        path: String,
        /// The architecture that it was to be compiled for, `compute_89`.
        architecture: String,
        /// NVRTC's log as it wrote it.
        log: String,
    },
    /// The source differs from the one that the embedded PTX was made of, and nothing here can compile it.
    #[error("this machine: {path} has to be compiled, and there is no NVRTC here\n{INSTALL}")]
    NoCompiler {
        /// The source, as `kernels/gemm/2_naive.cu`.
        path: String,
    },
    /// A question that only the compiler answers (registers, spills), and there is none.
    #[error(
        "limit reached: {question} of {path} can be had from NVRTC only, and there is none on this machine\n{INSTALL}"
    )]
    NeedsCompiler {
        /// The question that was asked.
        question: &'static str,
        /// The source, as `kernels/gemm/2_naive.cu`.
        path: String,
    },
    /// The kernel uses what the device does not have.
    #[error("limit reached: {path} needs an architecture sm_{needed}{}; this device is sm_{device}",
            if .needed.ends_with(|c: char| c.is_ascii_digit()) { " or newer" } else { "" })]
    Device {
        /// The source, as `kernels/gemm/2_naive.cu`.
        path: String,
        /// The requirement of its `// requires:` line.
        needed: String,
        /// The device's capability.
        device: String,
    },
    /// The kernel needs a newer or older compiler than the one found.
    #[error("limit reached: {path} is for sm_{needed}; NVRTC {version} ({}) compiles for sm_{lowest} to sm_{highest}\n{INSTALL}", .library.display())]
    Architecture {
        /// The source, as `kernels/gemm/2_naive.cu`.
        path: String,
        /// The architecture to compile for.
        needed: String,
        /// NVRTC's version, `12.9`.
        version: String,
        /// The library's file.
        library: PathBuf,
        /// The lowest architecture it knows.
        lowest: u32,
        /// The highest architecture it knows.
        highest: u32,
    },
    /// `LABS_NVRTC` names a place where no NVRTC is, or a library could not be loaded or used.
    #[error("this machine: NVRTC cannot be used: {reason}\n{INSTALL}")]
    Nvrtc {
        /// The event, with the library's file.
        reason: String,
    },
    /// A kernel that launches kernels could not be linked with CUDA's device runtime.
    #[error("this machine: kernels that launch kernels are linked with libcudadevrt.a: {reason}\n{INSTALL}")]
    DeviceRuntime {
        /// The file that is missing, or the driver's words.
        reason: String,
    },
}

impl KernelError {
    /// The family of the error, which is also how its text starts.
    pub fn family(&self) -> &'static str {
        match self {
            Self::Compile { .. } | Self::Unreadable { .. } | Self::UnknownSource { .. } => "your kernel",
            Self::NotKept { .. } | Self::Nvrtc { .. } | Self::NoCompiler { .. } | Self::DeviceRuntime { .. } => {
                "this machine"
            }
            Self::NeedsCompiler { .. } | Self::Device { .. } | Self::Architecture { .. } => "limit reached",
        }
    }
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("\n  near: {}", names.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_starts_with_its_family() {
        let path = || "kernels/gemm/2_naive.cu".to_owned();
        let errors = [
            KernelError::UnknownSource { lab: "gemm".into(), name: "naiv".into(), near: vec!["gemm/naive".into()] },
            KernelError::NotKept { path: path() },
            KernelError::Compile { path: path(), architecture: "compute_50".into(), log: "error".into() },
            KernelError::NoCompiler { path: path() },
            KernelError::Unreadable { path: path(), reason: "no such file".into() },
            KernelError::NeedsCompiler { question: "registers", path: path() },
            KernelError::Device { path: path(), needed: "90a".into(), device: "86".into() },
            KernelError::Nvrtc { reason: "no".into() },
            KernelError::DeviceRuntime { reason: "no".into() },
        ];
        for error in errors {
            assert!(error.to_string().starts_with(&format!("{}: ", error.family())), "{error}");
        }
    }

    #[test]
    fn a_modified_kernel_names_the_one_command() {
        let text = KernelError::NoCompiler { path: "kernels/gemm/2_naive.cu".into() }.to_string();
        assert!(text.contains("kernels/gemm/2_naive.cu") && text.contains("just nvrtc"), "{text}");
        assert!(text.contains("nvidia-cuda-cccl-cu12"), "{text}");
    }
}

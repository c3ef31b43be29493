//! One generated file: what it is made from, and how.

use crate::architecture::Architecture;
use crate::compiler;
use crate::error::KernelError;
use crate::nvrtc::Nvrtc;
use crate::resources;
use crate::source::Source;
use crate::{deflated, stored};

/// The NVRTC that makes them, which is the one that `just nvrtc` installs: other versions make other PTX of the same text, and
/// later ones do not compile for the lowest architecture that a rung is kept for.
const MADE_BY: (i32, i32) = (12, 9);

/// The architectures whose resources are kept: one for each generation and size that the simulator's devices have.
const ARCHITECTURES: [u32; 8] = [50, 60, 61, 75, 80, 86, 89, 90];

/// A file that is made of a source, and kept in the tree.
pub struct GeneratedFile {
    /// From the workspace's root: `kernels/ptx/gemm/2_naive.ptx.z`, `….resources` or `….cu.z`, or
    /// `lab-gemm/tests/mutants/naive.wrong_bound.ptx.z`.
    pub path: String,
    /// The source that it is made from.
    pub source: Source,
    /// The compiler's options.
    pub(crate) options: Vec<String>,
    /// Who makes it, where `just ptx` does not.
    pub(crate) other_maker: Option<String>,
}

impl GeneratedFile {
    /// A file that is made with the options and the compiler of the rungs.
    pub(crate) fn new(path: String, source: Source) -> Self {
        let options = compiler::ptx_options(&source);
        Self { path, source, options, other_maker: None }
    }

    /// Who makes this file, where it is not `just ptx`: another NVRTC, or one with more headers than `just nvrtc` installs.
    pub fn other_maker(&self) -> Option<&str> {
        self.other_maker.as_deref()
    }

    /// Makes the file's text.
    ///
    /// # Errors
    /// No NVRTC, another version than the one the project installs, a source that does not compile.
    pub fn make(&self) -> Result<String, KernelError> {
        let source = &self.source;
        if self.is_text() {
            return Ok(stored::with_header(source, "`just ptx`", &source.text));
        }
        let nvrtc = self.compiler()?;
        if nvrtc.version != MADE_BY {
            let (library, version) = (nvrtc.library.display(), nvrtc.version());
            let reason = format!("kernels/ptx/ is made by NVRTC {}.{}; {library} is {version}", MADE_BY.0, MADE_BY.1);
            return Err(KernelError::Nvrtc { reason: reason + "\n  (LABS_NVRTC=$PWD/.nvrtc names the one to take)" });
        }
        if self.is_resources() {
            return Ok(stored::with_header(source, &made_with(&nvrtc.version()), &resource_lines(nvrtc, source)?));
        }
        self.compile(nvrtc, &made_with(&nvrtc.version()))
    }

    /// Makes the text of a file of PTX with the NVRTC that is here, whichever it is, and says that `maker` made it.
    ///
    /// # Errors
    /// No NVRTC, a source that does not compile.
    pub fn make_with_any(&self, maker: Option<&str>) -> Result<String, KernelError> {
        let nvrtc = self.compiler()?;
        self.compile(nvrtc, &maker.map_or_else(|| made_with(&nvrtc.version()), str::to_owned))
    }

    fn compiler(&self) -> Result<&'static Nvrtc, KernelError> {
        let needs = || KernelError::NeedsCompiler { question: "the PTX", path: self.source.path.to_owned() };
        compiler::library()?.ok_or_else(needs)
    }

    fn compile(&self, nvrtc: &Nvrtc, maker: &str) -> Result<String, KernelError> {
        let (ptx, _) = compiler::ptx_text(nvrtc, &self.source, &self.options)?;
        Ok(self.with_header(maker, &ptx))
    }

    /// PTX that `maker` made of the source, under the two lines which say so.
    pub fn with_header(&self, maker: &str, ptx: &str) -> String {
        stored::with_header_and(&self.source, &self.options, maker, ptx)
    }

    /// The text as the file's bytes.
    pub fn encode(&self, text: &str) -> Vec<u8> {
        if self.is_resources() { text.as_bytes().to_vec() } else { deflated::deflate(text) }
    }

    /// The text in the file's bytes; `None` where they are damaged.
    pub fn decode(&self, file: &[u8]) -> Option<String> {
        if self.is_resources() { String::from_utf8(file.to_vec()).ok() } else { deflated::inflate(file) }
    }

    /// Returns whether `file`, the bytes as they are, was made from the source as it is.
    pub fn belongs(&self, file: &[u8]) -> bool {
        stored::key_of(file) == Some(stored::key_with(&self.source, &self.options))
    }

    /// Returns whether this is a rung's own text.
    pub fn is_text(&self) -> bool {
        self.path.ends_with(".cu.z")
    }

    /// Returns whether this is a table of resources; assembling it for all architectures takes seconds.
    pub fn is_resources(&self) -> bool {
        self.path.ends_with(".resources")
    }
}

fn made_with(version: &str) -> String {
    format!("`just ptx` with NVRTC {version}")
}

/// The maker that a header names, where it is not `just ptx` with the NVRTC that `just nvrtc` installs.
pub(crate) fn other_maker(maker: &str) -> Option<String> {
    (maker != made_with(&format!("{}.{}", MADE_BY.0, MADE_BY.1))).then(|| maker.to_owned())
}

fn resource_lines(nvrtc: &Nvrtc, source: &Source) -> Result<String, KernelError> {
    let needed = compiler::ptx_architecture(source);
    let devices = ARCHITECTURES.into_iter().map(|number| Architecture { number, suffix: None });
    let mut text = String::new();
    for device in devices.filter(|device| device.runs(needed)) {
        for kernel in resources::assemble(nvrtc, source, device)? {
            text.push_str(&format!("{kernel}\n"));
        }
    }
    Ok(text)
}

//! From a source to an image that a device loads: a CUBIN for a GPU, PTX for the simulator, the embedded PTX where no
//! compiler is needed or none is there.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use cudarc::driver::{CudaContext, CudaModule, DriverError};
use cudarc::nvrtc::Ptx;

use crate::architecture::Architecture;
use crate::embedded;
use crate::error::KernelError;
use crate::nvrtc::{self, Nvrtc, Output};
use crate::resources::{self, Resources};
use crate::source::Source;

/// What to compile for. `major.minor` is the compute capability of the device that will run the code.
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
}

impl Target {
    /// The device's architecture.
    pub fn device(self) -> Architecture {
        let (Self::Cubin { major, minor } | Self::Ptx { major, minor }) = self;
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
    bytes: Arc<[u8]>,
    origin: Origin,
    log: Arc<str>,
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

/// Compiles `source` for `target`, once per process and text: asked again, the same image is returned.
///
/// For a GPU NVRTC makes a CUBIN. Without NVRTC, or where it does not serve that GPU, the embedded PTX is left to the
/// driver to translate. For the simulator the embedded PTX is used if it belongs to this very text, else NVRTC is.
///
/// # Errors
/// A rung that needs a newer device, a source that does not compile, a modified source with no NVRTC.
pub fn compile(source: &Source, target: Target) -> Result<Image, KernelError> {
    type Cell = Arc<OnceLock<Result<Image, KernelError>>>;
    static IMAGES: Mutex<Option<HashMap<(u64, Target), Cell>>> = Mutex::new(None);
    let key = (embedded::key(source), target);
    let cell = {
        let mut images = IMAGES.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        images.get_or_insert_default().entry(key).or_default().clone()
    };
    cell.get_or_init(|| {
        let library = nvrtc::library().map_err(|reason| KernelError::Nvrtc { reason });
        compile_with(source, target, library)
    })
    .clone()
}

/// As `compile`, with the compiler given. An unusable one counts only if a compiler is needed.
fn compile_with(
    source: &Source,
    target: Target,
    library: Result<Option<&Nvrtc>, KernelError>,
) -> Result<Image, KernelError> {
    if let Some(needed) = source.requires()
        && !target.device().runs(needed)
    {
        let (needed, device) = (needed.to_string(), target.device().to_string());
        return Err(KernelError::Device { path: source.path.to_owned(), needed, device });
    }
    let known = embedded::find(source).map(|text| Image {
        bytes: match target {
            Target::Ptx { .. } => with_resources(text, embedded::resources(source, target.device())),
            Target::Cubin { .. } => text.as_bytes().into(),
        },
        origin: Origin::Embedded { architecture: embedded::architecture(source).compute() },
        log: "".into(),
    });
    let compiled = match (target, library) {
        (Target::Ptx { .. }, _) if known.is_some() => return Ok(known.expect("just seen")),
        (_, Err(reason)) => return Err(reason),
        (_, Ok(None)) => return known.ok_or_else(|| KernelError::NoCompiler { path: source.path.to_owned() }),
        (Target::Ptx { .. }, Ok(Some(nvrtc))) => ptx(nvrtc, source, embedded::architecture(source)).map(|image| {
            // A device newer than the compiler has no numbers; the kernel runs none the less.
            let resources = resources::assemble(nvrtc, source, target.device()).ok();
            Image { bytes: with_resources(image.ptx().unwrap_or_default(), resources), ..image }
        }),
        (Target::Cubin { .. }, Ok(Some(nvrtc))) => cubin(nvrtc, source, target.device(), &[]),
    };
    // An embedded source is known to compile: what went wrong is the compiler's age or its headers.
    compiled.or_else(|error| known.map(|image| Image { log: error.to_string().into(), ..image }).ok_or(error))
}

/// PTX with what its kernels take of a multiprocessor, as comments.
fn with_resources(ptx: &str, resources: Option<Vec<Resources>>) -> Arc<[u8]> {
    let mut text = ptx.to_owned();
    for kernel in resources.unwrap_or_default() {
        text.push_str(&format!("//resources {kernel}\n"));
    }
    text.into_bytes().into()
}

/// The compiler that this process has found, described in a line: `NVRTC 12.9, sm_50 to sm_121, /usr/local/cuda/…`.
///
/// # Errors
/// One that cannot be used where `LABS_NVRTC` names it, or none at all.
pub fn compiler() -> Result<String, KernelError> {
    let found = nvrtc::library().map_err(|reason| KernelError::Nvrtc { reason })?;
    let nvrtc = found.ok_or_else(|| KernelError::Nvrtc { reason: "there is none on this machine".to_owned() })?;
    let (lowest, highest) = (nvrtc.architectures.first().unwrap_or(&0), nvrtc.architectures.last().unwrap_or(&0));
    Ok(format!("NVRTC {}, sm_{lowest} to sm_{highest}, {}", nvrtc.version(), nvrtc.library.display()))
}

/// Machine code for `device`; PTX for the highest architecture the compiler knows if the device is newer than that.
pub(crate) fn cubin(
    nvrtc: &Nvrtc,
    source: &Source,
    device: Architecture,
    more_options: &[String],
) -> Result<Image, KernelError> {
    let highest = *nvrtc.architectures.last().unwrap_or(&0);
    if device.number > highest && source.requires().is_none_or(|needed| needed.suffix.is_none()) {
        return ptx(nvrtc, source, Architecture { number: highest, suffix: None });
    }
    let suffix = source.requires().and_then(|needed| needed.suffix);
    let architecture = Architecture { suffix, ..device };
    if !nvrtc.architectures.contains(&device.number) {
        return Err(unsupported(nvrtc, source, architecture));
    }
    let name = format!("sm_{architecture}");
    let options = [options(&name), more_options.to_vec()].concat();
    let (bytes, log) = run(nvrtc, source, &options, Output::Cubin)?;
    let origin = Origin::Compiled { version: nvrtc.version(), architecture: name };
    Ok(Image { bytes: bytes.into(), origin, log: log.into() })
}

/// PTX for `architecture`, or for the lowest that the compiler knows.
pub(crate) fn ptx(nvrtc: &Nvrtc, source: &Source, architecture: Architecture) -> Result<Image, KernelError> {
    let lowest = *nvrtc.architectures.first().unwrap_or(&0);
    let architecture = Architecture { number: architecture.number.max(lowest), ..architecture };
    if !nvrtc.architectures.contains(&architecture.number) {
        return Err(unsupported(nvrtc, source, architecture));
    }
    let (bytes, log) = run(nvrtc, source, &options(&architecture.compute()), Output::Ptx)?;
    let text = embedded::relative_files(&String::from_utf8_lossy(&bytes), source.path);
    let origin = Origin::Compiled { version: nvrtc.version(), architecture: architecture.compute() };
    Ok(Image { bytes: text.into_bytes().into(), origin, log: log.into() })
}

/// The compiler's options: they decide what the code is, and so are part of an embedded PTX's key.
pub(crate) fn options(architecture: &str) -> Vec<String> {
    vec![format!("--gpu-architecture={architecture}"), "--std=c++17".to_owned(), "--generate-line-info".to_owned()]
}

fn run(nvrtc: &Nvrtc, source: &Source, options: &[String], output: Output) -> Result<(Vec<u8>, String), KernelError> {
    nvrtc
        .compile(&source.text, source.path, options, output)
        .map_err(|log| KernelError::Compile { path: source.path.to_owned(), log })
}

pub(crate) fn unsupported(nvrtc: &Nvrtc, source: &Source, architecture: Architecture) -> KernelError {
    KernelError::Architecture {
        path: source.path.to_owned(),
        needed: architecture.to_string(),
        version: nvrtc.version(),
        library: nvrtc.library.clone(),
        lowest: *nvrtc.architectures.first().unwrap_or(&0),
        highest: *nvrtc.architectures.last().unwrap_or(&0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source;

    const SIMULATOR: Target = Target::Ptx { major: 3, minor: 0 };

    fn modified() -> Source {
        let mut source = source("gemm", "naive").unwrap();
        source.text.to_mut().push_str("// changed\n");
        source
    }

    #[test]
    fn an_unmodified_source_needs_no_compiler() {
        let naive = source("gemm", "naive").unwrap();
        for target in [SIMULATOR, Target::Cubin { major: 9, minor: 0 }] {
            let image = compile_with(&naive, target, Ok(None)).unwrap();
            assert_eq!(*image.origin(), Origin::Embedded { architecture: "compute_50".into() });
            assert!(image.ptx().unwrap().contains(".visible .entry naive_f64"));
        }
    }

    #[test]
    fn ptx_for_the_simulator_says_what_its_kernels_take_of_the_device() {
        let shared = source("gemm", "shared").unwrap();
        for (target, architecture) in [(SIMULATOR, "sm_50"), (Target::Ptx { major: 8, minor: 9 }, "sm_89")] {
            let image = compile_with(&shared, target, Ok(None)).unwrap();
            let lines = image.ptx().unwrap().lines().filter_map(|line| line.strip_prefix("//resources "));
            let found: Vec<Resources> = lines.map(|line| line.parse().unwrap()).collect();
            let edge_32 = found.iter().find(|kernel| kernel.kernel == "shared_f32_32").unwrap();
            assert_eq!((edge_32.architecture.as_str(), edge_32.shared_bytes), (architecture, 8192));
            assert_eq!(found.len(), shared.exports().len());
        }
    }

    #[test]
    fn a_modified_source_without_a_compiler_is_an_error() {
        let error = compile_with(&modified(), SIMULATOR, Ok(None)).unwrap_err();
        assert_eq!(error, KernelError::NoCompiler { path: "kernels/gemm/2_naive.cu".into() });
    }

    #[test]
    fn a_rung_that_needs_more_than_the_device_has_is_refused() {
        let mut source = modified();
        source.text.to_mut().push_str("// requires: sm_80\n");
        let error = compile_with(&source, Target::Ptx { major: 7, minor: 5 }, Ok(None)).unwrap_err();
        assert!(matches!(error, KernelError::Device { .. }), "{error}");
    }

    #[test]
    fn asked_again_the_same_image_is_returned() {
        let naive = source("gemm", "naive").unwrap();
        let (first, second) = (compile(&naive, SIMULATOR).unwrap(), compile(&naive, SIMULATOR).unwrap());
        assert!(Arc::ptr_eq(&first.bytes, &second.bytes));
    }
}

//! From a source to an image that a device loads: a CUBIN for a GPU, PTX for the simulator, the embedded PTX where no
//! compiler is needed or none is there.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use crate::architecture::Architecture;
use crate::cache::Entry;
use crate::compiler;
use crate::embedded;
use crate::error::KernelError;
use crate::image::{Image, Origin, Target};
use crate::nvrtc::Nvrtc;
use crate::resources::{self, Resources};
use crate::source::Source;
use crate::stored;

/// Compiles `source` for `target`, once per process and text: asked again, the same image is returned.
///
/// For a GPU NVRTC makes a CUBIN. Without NVRTC, or where it does not serve that GPU, the embedded PTX is left to the
/// driver to translate. For the simulator the embedded PTX is used if it belongs to this very text, else NVRTC is; where the PTX is to be for
/// the very architecture, it is the other way round.
///
/// # Errors
/// A rung that needs a newer device, a source that does not compile, a modified source with no NVRTC.
pub fn compile(source: &Source, target: Target) -> Result<Image, KernelError> {
    type Cell = Arc<OnceLock<Result<Image, KernelError>>>;
    static IMAGES: Mutex<Option<HashMap<(u64, Target), Cell>>> = Mutex::new(None);
    let key = (stored::key(source), target);
    let cell = {
        let mut images = IMAGES.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        images.get_or_insert_default().entry(key).or_default().clone()
    };
    cell.get_or_init(|| compile_with(source, target, compiler::library())).clone()
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
    let known = embedded::ptx(source).map(|text| Image {
        bytes: match target {
            Target::Ptx { .. } | Target::ExactPtx { .. } => match embedded::resources(source, target.device()) {
                Some(known) => with_resources(&text, Some(known)),
                // Adopted PTX has its lines from the process that compiled it.
                None => text.into_bytes().into(),
            },
            Target::Cubin { .. } => text.into_bytes().into(),
        },
        origin: Origin::Embedded { architecture: compiler::ptx_architecture(source).compute() },
        log: "".into(),
    });
    let compiled = match (target, library) {
        (Target::Ptx { .. }, _) if known.is_some() => return Ok(known.expect("just seen")),
        (_, Err(reason)) => return Err(reason),
        (_, Ok(None)) => return known.ok_or_else(|| KernelError::NoCompiler { path: source.path.to_owned() }),
        (_, Ok(Some(nvrtc))) => cached(nvrtc, source, target),
    };
    // An embedded source is known to compile: what went wrong is the compiler's age or its headers.
    compiled.or_else(|error| known.map(|image| Image { log: error.to_string().into(), ..image }).ok_or(error))
}

/// NVRTC's output of the source for the device, made now or in an earlier run.
fn cached(nvrtc: &Nvrtc, source: &Source, target: Target) -> Result<Image, KernelError> {
    let entry = Entry::of(source, &nvrtc.version(), target);
    if let Some(image) = entry.as_ref().and_then(|entry| entry.read(&nvrtc.version())) {
        return Ok(image);
    }
    let image = match target {
        Target::Cubin { .. } => compiler::cubin(nvrtc, source, target.device(), &[])?,
        Target::Ptx { .. } | Target::ExactPtx { .. } => {
            let suffix = source.requires().and_then(|needed| needed.suffix);
            let architecture = match target {
                Target::ExactPtx { .. } => Architecture { suffix, ..target.device() },
                _ => compiler::ptx_architecture(source),
            };
            let image = compiler::ptx(nvrtc, source, architecture)?;
            // A device newer than the compiler has no numbers; the kernel runs none the less.
            let resources = resources::assemble(nvrtc, source, target.device()).ok();
            Image { bytes: with_resources(image.ptx().unwrap_or_default(), resources), ..image }
        }
    };
    if let Some(entry) = entry {
        entry.write(&image);
    }
    Ok(image)
}

/// The head of a line about resources.
const RESOURCES: &str = "//resources ";

/// PTX with what its kernels take of a multiprocessor, as comments. Such lines of its own, which inline assembly can bring in, are left out: they
/// would be taken for the assembler's.
fn with_resources(ptx: &str, resources: Option<Vec<Resources>>) -> Arc<[u8]> {
    let own = |line: &&str| !line.starts_with(RESOURCES);
    let mut text: String = ptx.split_inclusive('\n').filter(own).collect();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    for kernel in resources.unwrap_or_default() {
        text.push_str(&format!("{RESOURCES}{kernel}\n"));
    }
    text.into_bytes().into()
}

/// The resources of all kernels of `source` on the target's architecture, or on the lowest that the compiler knows if the
/// device is older than that; by name. Without NVRTC they are known of unmodified sources, for the highest embedded
/// architecture that the device runs.
///
/// # Errors
/// No NVRTC and a modified source; a device newer than NVRTC; a source that does not compile.
pub fn resources(source: &Source, target: Target) -> Result<Vec<Resources>, KernelError> {
    match compiler::library()? {
        Some(nvrtc) => resources::assemble(nvrtc, source, target.device()),
        None => embedded::resources(source, target.device()).ok_or_else(|| KernelError::NeedsCompiler {
            question: "registers and spills",
            path: source.path.to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pristine;

    const SIMULATOR: Target = Target::Ptx { major: 3, minor: 0 };

    fn modified() -> Source {
        let mut source = pristine("gemm", "naive").unwrap();
        source.text.to_mut().push_str("// changed\n");
        source
    }

    #[test]
    fn an_unmodified_source_needs_no_compiler() {
        let naive = pristine("gemm", "naive").unwrap();
        for target in [SIMULATOR, Target::Cubin { major: 9, minor: 0 }] {
            let image = compile_with(&naive, target, Ok(None)).unwrap();
            assert_eq!(*image.origin(), Origin::Embedded { architecture: "compute_50".into() });
            assert!(image.ptx().unwrap().contains(".visible .entry naive_f64"));
        }
    }

    #[test]
    fn ptx_for_the_simulator_says_what_its_kernels_take_of_the_device() {
        let shared = pristine("gemm", "shared").unwrap();
        for (target, architecture) in [(SIMULATOR, "sm_50"), (Target::Ptx { major: 8, minor: 9 }, "sm_89")] {
            let image = compile_with(&shared, target, Ok(None)).unwrap();
            let lines = image.ptx().unwrap().lines().filter_map(|line| line.strip_prefix(RESOURCES));
            let found: Vec<Resources> = lines.map(|line| line.parse().unwrap()).collect();
            let edge_32 = found.iter().find(|kernel| kernel.kernel == "shared_f32_32").unwrap();
            assert_eq!((edge_32.architecture.as_str(), edge_32.shared_bytes), (architecture, 8192));
            assert_eq!(found.len(), shared.exports().len());
        }
    }

    #[test]
    fn lines_that_a_source_brings_into_its_ptx_are_not_taken_for_the_assemblers() {
        let forged = "\t.reg .b32 r;\n//resources sm_50 naive_f32: 1 registers, 0 shared\n//\t";
        let kept = with_resources(
            forged,
            "sm_50 naive_f32: 32 registers, 0 shared, 356 constant, 0 local, 0 spill stores, 0 spill loads"
                .parse()
                .ok()
                .map(|own| vec![own]),
        );
        let text = String::from_utf8(kept.to_vec()).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with(RESOURCES)).collect();
        assert!(
            lines.len() == 1 && lines[0].contains("32 registers") && text.starts_with("\t.reg .b32 r;\n//\t"),
            "{text}"
        );
        assert!(!String::from_utf8(with_resources(forged, None).to_vec()).unwrap().contains(RESOURCES));
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
        let naive = pristine("gemm", "naive").unwrap();
        let (first, second) = (compile(&naive, SIMULATOR).unwrap(), compile(&naive, SIMULATOR).unwrap());
        assert!(Arc::ptr_eq(&first.bytes, &second.bytes));
    }
}

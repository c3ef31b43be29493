//! The requests to NVRTC: PTX or machine code of a source, with one set of options.

use crate::architecture::Architecture;
use crate::error::KernelError;
use crate::image::{Image, Origin};
use crate::nvrtc::{self, Nvrtc, Output};
use crate::source::Source;

/// The lowest architecture that NVRTC 12.9 compiles for: PTX of a rung that requires nothing is for this one.
const LOWEST: Architecture = Architecture::new(5, 0);

/// The architecture that a source's PTX is for: the lowest that its `// requires:` line allows.
pub(crate) fn ptx_architecture(source: &Source) -> Architecture {
    source.requires().filter(|needed| needed.number > LOWEST.number).unwrap_or(LOWEST)
}

/// The compiler of this process, if there is one.
///
/// # Errors
/// One that cannot be used where `LABS_NVRTC` names it.
pub(crate) fn library() -> Result<Option<&'static Nvrtc>, KernelError> {
    nvrtc::library().map_err(|reason| KernelError::Nvrtc { reason })
}

/// The compiler that this process has found, described in a line: `NVRTC 12.9, sm_50 to sm_121, /usr/local/cuda/…`.
///
/// # Errors
/// One that cannot be used where `LABS_NVRTC` names it, or none at all.
pub fn compiler() -> Result<String, KernelError> {
    let none = || KernelError::Nvrtc { reason: "there is none on this machine".to_owned() };
    let nvrtc = library()?.ok_or_else(none)?;
    let (lowest, highest) = (nvrtc.architectures.first().unwrap_or(&0), nvrtc.architectures.last().unwrap_or(&0));
    Ok(format!("NVRTC {}, sm_{lowest} to sm_{highest}, {}", nvrtc.version(), nvrtc.library.display()))
}

/// PTX of a text that is no rung: a generated program, a sample. `name` is what the compiler's messages call it; nothing is
/// kept. `None`: there is no NVRTC here.
///
/// # Errors
/// A compiler that cannot be used, a text that does not compile.
pub fn compile_text(text: &str, name: &str, options: &[String]) -> Result<Option<String>, KernelError> {
    let Some(nvrtc) = library()? else { return Ok(None) };
    let compiled = nvrtc.compile(text, name, options, Output::Ptx);
    let (bytes, _) = compiled.map_err(|log| refused(name, options, log))?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
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
    let options = [options(source, &name), more_options.to_vec()].concat();
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
    let (text, log) = ptx_text(nvrtc, source, &options(source, &architecture.compute()))?;
    let origin = Origin::Compiled { version: nvrtc.version(), architecture: architecture.compute() };
    Ok(Image { bytes: text.into_bytes().into(), origin, log: log.into() })
}

/// PTX of `source` with these options, and the compiler's log.
pub(crate) fn ptx_text(nvrtc: &Nvrtc, source: &Source, options: &[String]) -> Result<(String, String), KernelError> {
    let (bytes, log) = run(nvrtc, source, options, Output::Ptx)?;
    Ok((relative_files(&String::from_utf8_lossy(&bytes), source.path), log))
}

/// The options for PTX of a source on the architecture that it needs.
pub(crate) fn ptx_options(source: &Source) -> Vec<String> {
    options(source, &ptx_architecture(source).compute())
}

/// The compiler's options: they decide what the code is, and so are part of an embedded PTX's key.
fn options(source: &Source, architecture: &str) -> Vec<String> {
    let mut options =
        vec![format!("--gpu-architecture={architecture}"), "--std=c++17".to_owned(), "--generate-line-info".to_owned()];
    options.extend(source.launches_kernels().then(|| "--relocatable-device-code=true".to_owned()));
    options
}

fn run(nvrtc: &Nvrtc, source: &Source, options: &[String], output: Output) -> Result<(Vec<u8>, String), KernelError> {
    nvrtc.compile(&source.text, source.path, options, output).map_err(|log| refused(source.path, options, log))
}

/// The compiler's refusal of a text under its options, which say for what it was compiled.
fn refused(path: &str, options: &[String], log: String) -> KernelError {
    let asked = options.iter().find_map(|option| option.strip_prefix("--gpu-architecture="));
    KernelError::Compile { path: path.to_owned(), architecture: asked.unwrap_or("NVRTC's default").to_owned(), log }
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

/// Makes the file names in PTX those of the project: NVRTC writes the working folder before the source's name, and
/// headers with wherever they lie on this machine.
fn relative_files(ptx: &str, source: &str) -> String {
    let mut text = String::with_capacity(ptx.len());
    for line in ptx.split_inclusive('\n') {
        let quoted = line.trim_start().strip_prefix(".file").and_then(|rest| rest.split('"').nth(1));
        match quoted {
            Some(path) if path.ends_with(source) => text.push_str(&line.replace(path, source)),
            Some(path) => {
                // NVRTC's own header lies in the working folder, by its name.
                let own = path.rsplit('/').next().filter(|_| path.starts_with('/')).unwrap_or(path);
                let short = path.rsplit_once("/include/").map_or(own, |(_, rest)| rest);
                text.push_str(&line.replace(path, short));
            }
            None => text.push_str(line),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_as_in_the_project() {
        let ptx = "\t.file\t1 \"/home/x/kernels/gemm/2_naive.cu\"\n\t.file\t2 \"/opt/cuda/include/nv/target\"\n\t.file\t3 \"/home/x/own.h\"\n";
        let expected = "\t.file\t1 \"kernels/gemm/2_naive.cu\"\n\t.file\t2 \"nv/target\"\n\t.file\t3 \"own.h\"\n";
        assert_eq!(relative_files(ptx, "kernels/gemm/2_naive.cu"), expected);
    }

    #[test]
    fn ptx_is_for_the_lowest_architecture_that_the_source_allows() {
        let mut naive = crate::pristine("gemm", "naive").unwrap();
        assert_eq!(ptx_architecture(&naive), LOWEST);
        naive.text.to_mut().insert_str(0, "// requires: sm_80\n");
        assert_eq!(ptx_architecture(&naive), Architecture::new(8, 0));
    }
}

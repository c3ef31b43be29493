//! What is kept beside the sources, so that an unmodified kernel needs no compiler: its PTX, and what the assembler makes of
//! it on each generation of GPUs. Each file starts with the key of the text it was made from, and is found by that key: it
//! can be missing, but never be another text's.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::architecture::Architecture;
use crate::compile;
use crate::error::KernelError;
use crate::mutants::MUTANTS;
use crate::nvrtc::{self, Nvrtc};
use crate::resources::{self, Resources};
use crate::source::{EMBEDDED, RESOURCES as EMBEDDED_RESOURCES, Source, sources};

const KEY: &str = "// key ";

/// The lowest architecture that NVRTC 12.9 compiles for: PTX of a rung that requires nothing is for this one.
const LOWEST: Architecture = Architecture::new(5, 0);

/// The NVRTC that makes it, which is the one that `just nvrtc` installs: other versions make other PTX of the same text, and
/// later ones do not reach [`LOWEST`].
const MADE_BY: (i32, i32) = (12, 9);

/// The embedded PTX of exactly this source.
pub(crate) fn find(source: &Source) -> Option<&'static str> {
    static BY_KEY: LazyLock<HashMap<u64, &str>> =
        LazyLock::new(|| EMBEDDED.iter().filter_map(|(_, text)| Some((key_of(text)?, *text))).collect());
    BY_KEY.get(&key(source)).copied()
}

/// The architectures whose resources are kept: one for each generation and size that the simulator's devices have.
const ARCHITECTURES: [u32; 8] = [50, 60, 61, 75, 80, 86, 89, 90];

/// The embedded resources of exactly this source, on the highest kept architecture that `device` runs, or the lowest.
pub(crate) fn resources(source: &Source, device: Architecture) -> Option<Vec<Resources>> {
    let own = key(source);
    let (_, text) = EMBEDDED_RESOURCES.iter().find(|(_, text)| key_of(text) == Some(own))?;
    let kept: Vec<Resources> = text.lines().filter_map(|line| line.parse().ok()).collect();
    let number = |kernel: &Resources| kernel.architecture.parse::<Architecture>().map_or(0, |kept| kept.number);
    let best = kept.iter().map(number).filter(|number| *number <= device.number).max();
    let best = best.or_else(|| kept.iter().map(number).min())?;
    Some(kept.into_iter().filter(|kernel| number(kernel) == best).collect())
}

/// The architecture that a source's PTX is for: the lowest that its `// requires:` line allows.
pub(crate) fn architecture(source: &Source) -> Architecture {
    source.requires().filter(|needed| needed.number > LOWEST.number).unwrap_or(LOWEST)
}

/// FNV-1a over all that decides what the PTX of a source is: its path, the options, its text.
pub(crate) fn key(source: &Source) -> u64 {
    let options = compile::options(&architecture(source).compute()).join(" ");
    let parts = [source.path, &options, &source.text];
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

fn key_of(ptx: &str) -> Option<u64> {
    let line = ptx.lines().take(4).find_map(|line| line.strip_prefix(KEY))?;
    u64::from_str_radix(line.split_whitespace().next()?, 16).ok()
}

/// A file that is kept beside the sources.
pub struct Kept {
    /// From the workspace's root: `kernels/ptx/gemm/2_naive.ptx`, `kernels/ptx/gemm/mutants/naive.wrong_bound.ptx`, or
    /// `kernels/ptx/gemm/2_naive.resources`.
    pub path: String,
    /// What it is made from.
    pub source: Source,
}

/// Every file to keep: the PTX of all sources and mutants, the resources of all sources.
pub fn kept() -> impl Iterator<Item = Kept> {
    let rungs = sources().flat_map(|source| {
        let stem = source.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".cu");
        let folder = format!("kernels/ptx/{}", source.lab);
        [
            Kept { path: format!("{folder}/{stem}.ptx"), source: source.clone() },
            Kept { path: format!("{folder}/{stem}.resources"), source: source.clone() },
        ]
    });
    let mutants = MUTANTS.iter().map(|mutant| Kept {
        path: format!("kernels/ptx/{}/mutants/{}.{}.ptx", mutant.lab, mutant.rung, mutant.name),
        source: mutant.source(),
    });
    rungs.chain(mutants)
}

impl Kept {
    /// Makes the file's text.
    ///
    /// # Errors
    /// No NVRTC, another version than the one the project installs, a source that does not compile.
    pub fn make(&self) -> Result<String, KernelError> {
        let source = &self.source;
        let nvrtc = nvrtc::library()
            .map_err(|reason| KernelError::Nvrtc { reason })?
            .ok_or_else(|| KernelError::NeedsCompiler { question: "the PTX", path: source.path.to_owned() })?;
        if nvrtc.version != MADE_BY {
            let (library, version) = (nvrtc.library.display(), nvrtc.version());
            let reason = format!("kernels/ptx/ is made by NVRTC {}.{}; {library} is {version}", MADE_BY.0, MADE_BY.1);
            return Err(KernelError::Nvrtc { reason: reason + "\n  (LABS_NVRTC=$PWD/.nvrtc names the one to take)" });
        }
        let body = if self.path.ends_with(".ptx") { ptx(nvrtc, source) } else { resource_lines(nvrtc, source) }?;
        let options = compile::options(&architecture(source).compute()).join(" ");
        Ok(format!(
            "// {}, made by `just ptx` with NVRTC {}; do not edit\n{KEY}{:016x} of the path, the options {options} and the text\n{}\n",
            source.path,
            nvrtc.version(),
            key(source),
            body.trim_end(),
        ))
    }

    /// Whether `text`, the file as it is, was made from the source as it is.
    pub fn belongs(&self, text: &str) -> bool {
        key_of(text) == Some(key(&self.source))
    }
}

fn ptx(nvrtc: &Nvrtc, source: &Source) -> Result<String, KernelError> {
    let image = compile::ptx(nvrtc, source, architecture(source))?;
    Ok(image.ptx().unwrap_or_default().to_owned())
}

fn resource_lines(nvrtc: &Nvrtc, source: &Source) -> Result<String, KernelError> {
    let needed = architecture(source);
    let devices = ARCHITECTURES.into_iter().map(|number| Architecture { number, suffix: None });
    let mut text = String::new();
    for device in devices.filter(|device| device.runs(needed)) {
        for kernel in resources::assemble(nvrtc, source, device)? {
            text.push_str(&format!("{kernel}\n"));
        }
    }
    Ok(text)
}

/// Makes the file names in PTX those of the project: NVRTC writes the working folder before the source's name, and
/// headers with wherever they lie on this machine.
pub(crate) fn relative_files(ptx: &str, source: &str) -> String {
    let mut text = String::with_capacity(ptx.len());
    for line in ptx.split_inclusive('\n') {
        let quoted = line.trim_start().strip_prefix(".file").and_then(|rest| rest.split('"').nth(1));
        match quoted {
            Some(path) if path.ends_with(source) => text.push_str(&line.replace(path, source)),
            Some(path) => {
                let short = path.rsplit_once("/include/").map_or(path, |(_, rest)| rest);
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

    fn files() -> HashMap<&'static str, &'static str> {
        EMBEDDED.iter().chain(EMBEDDED_RESOURCES).copied().collect()
    }

    #[test]
    fn every_source_and_mutant_has_its_current_files() {
        let files = files();
        let current = |kept: &Kept| files.get(kept.path.as_str()).is_some_and(|text| kept.belongs(text));
        let stale: Vec<String> = kept().filter(|kept| !current(kept)).map(|kept| kept.path).collect();
        assert!(stale.is_empty(), "not made from the current sources (next: just ptx): {stale:#?}");
    }

    #[test]
    fn every_file_has_its_source() {
        let wanted: Vec<String> = kept().map(|kept| kept.path).collect();
        let extra: Vec<_> = files().into_keys().filter(|path| !wanted.iter().any(|wanted| wanted == path)).collect();
        assert!(extra.is_empty(), "of no source (next: just ptx): {extra:?}");
    }

    #[test]
    fn resources_are_those_of_the_nearest_architecture() {
        let naive = crate::source("gemm", "naive").unwrap();
        for (device, kept) in [(20, "sm_50"), (52, "sm_50"), (61, "sm_61"), (87, "sm_86"), (120, "sm_90")] {
            let found = resources(&naive, Architecture { number: device, suffix: None }).unwrap();
            assert_eq!(found.len(), naive.exports().len());
            assert!(found.iter().all(|kernel| kernel.architecture == kept && kernel.registers > 0), "{found:?}");
        }
    }

    #[test]
    fn the_key_follows_from_every_part() {
        let naive = crate::source("gemm", "naive").unwrap();
        let mut other = naive.clone();
        other.text.to_mut().push(' ');
        assert_ne!(key(&naive), key(&other));
        let mut higher = naive.clone();
        higher.text.to_mut().insert_str(0, "// requires: sm_80\n");
        assert_eq!(architecture(&higher), Architecture::new(8, 0));
        assert_ne!(key(&naive), key(&Source { path: "kernels/gemm/9_naive.cu", ..naive.clone() }));
    }

    #[test]
    fn files_are_named_as_in_the_project() {
        let ptx = "\t.file\t1 \"/home/x/kernels/gemm/2_naive.cu\"\n\t.file\t2 \"/opt/cuda/include/nv/target\"\nret;\n";
        let expected = "\t.file\t1 \"kernels/gemm/2_naive.cu\"\n\t.file\t2 \"nv/target\"\nret;\n";
        assert_eq!(relative_files(ptx, "kernels/gemm/2_naive.cu"), expected);
    }

    #[test]
    fn embedded_ptx_names_no_place_of_the_machine_it_was_made_on() {
        for (path, text) in EMBEDDED {
            let absolute = text.lines().find(|line| line.trim_start().starts_with(".file") && line.contains("\"/"));
            assert_eq!(absolute, None, "{path}");
        }
    }
}

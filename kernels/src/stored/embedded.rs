//! Each program embeds, beside the sources, their PTX, so that an unmodified rung needs no compiler, and what
//! the assembler makes of it on each generation of GPUs. Both are found by the key of the text they were made from.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::architecture::Architecture;
use crate::deflated::inflate;
use crate::resources::Resources;
use crate::source::{EMBEDDED, RESOURCES, Source};
use crate::stored::{key, key_of};

/// Files of PTX by their keys: the embedded ones, and those that were added.
static BY_KEY: LazyLock<Mutex<HashMap<u64, Cow<'static, [u8]>>>> = LazyLock::new(|| {
    let embedded = EMBEDDED.iter().filter_map(|(_, file)| Some((key_of(file)?, Cow::Borrowed(*file))));
    Mutex::new(embedded.collect())
});

fn by_key() -> MutexGuard<'static, HashMap<u64, Cow<'static, [u8]>>> {
    BY_KEY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The PTX made of exactly this source beforehand.
pub(crate) fn ptx(source: &Source) -> Option<String> {
    let file = by_key().get(&key(source)).cloned()?;
    inflate(&file)
}

/// Adds a file of PTX that is kept elsewhere. It serves the text it was made from and no other, so nothing else changes.
pub(crate) fn add(file: Vec<u8>) {
    if let Some(key) = key_of(&file) {
        by_key().insert(key, Cow::Owned(file));
    }
}

/// The embedded resources of exactly this source, on the highest kept architecture that `device` runs, or the lowest.
pub(crate) fn resources(source: &Source, device: Architecture) -> Option<Vec<Resources>> {
    let own = key(source);
    let (_, text) = RESOURCES.iter().find(|(_, text)| key_of(text.as_bytes()) == Some(own))?;
    let kept: Vec<Resources> = text.lines().filter_map(|line| line.parse().ok()).collect();
    let number = |kernel: &Resources| kernel.architecture.parse::<Architecture>().map_or(0, |kept| kept.number);
    let best = kept.iter().map(number).filter(|number| *number <= device.number).max();
    let best = best.or_else(|| kept.iter().map(number).min())?;
    Some(kept.into_iter().filter(|kernel| number(kernel) == best).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pristine;

    #[test]
    fn resources_are_those_of_the_nearest_architecture() {
        let naive = pristine("gemm", "naive").unwrap();
        for (device, kept) in [(20, "sm_50"), (52, "sm_50"), (61, "sm_61"), (87, "sm_86"), (120, "sm_90")] {
            let found = resources(&naive, Architecture { number: device, suffix: None }).unwrap();
            assert_eq!(found.len(), naive.exports().len());
            assert!(found.iter().all(|kernel| kernel.architecture == kept && kernel.registers > 0), "{found:?}");
        }
    }

    #[test]
    fn ptx_that_is_added_serves_its_text_only() {
        let mut naive = pristine("gemm", "naive").unwrap();
        naive.text.to_mut().push_str("// changed\n");
        assert_eq!(ptx(&naive), None);
        let text = crate::stored::with_header(&naive, "a test", "ret;");
        add(crate::deflated::deflate(&text));
        assert_eq!(ptx(&naive), Some(text));
        naive.text.to_mut().push_str("// once more\n");
        assert_eq!(ptx(&naive), None);
    }

    #[test]
    fn only_the_rungs_are_embedded() {
        let rungs: Vec<&str> = crate::sources().map(|source| source.path).collect();
        let paths: Vec<String> = EMBEDDED.iter().map(|(path, _)| path.replace("kernels/ptx/", "kernels/")).collect();
        let paths: Vec<String> = paths.iter().map(|path| path.replace(".ptx.z", ".cu")).collect();
        assert_eq!(paths, rungs);
    }

    #[test]
    fn embedded_ptx_names_no_place_of_the_machine_it_was_made_on() {
        for (path, file) in EMBEDDED {
            let text = inflate(file).expect("whole");
            let absolute = text.lines().find(|line| line.trim_start().starts_with(".file") && line.contains("\"/"));
            assert_eq!(absolute, None, "{path}");
        }
    }
}

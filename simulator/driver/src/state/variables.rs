//! Variables of the environment: their names, and what becomes of one that nobody reads.
use clock::cards::distance;

/// All that begin with [`OURS`] and are read somewhere in this project.
const KNOWN: &str = "LABS_CUDART_STATIC LABS_DEVICE LABS_GRADER LABS_NVRTC LABS_REQUIRE_BROWSER LABS_REQUIRE_SLURM LABS_SIMULATOR \
    LABS_SIM_ALLOW_FAULTS LABS_SIM_ALLOW_REFUSED LABS_SIM_BUDGET LABS_SIM_COUNTERS LABS_SIM_DEVICES LABS_SIM_DRIVER \
    LABS_SIM_JOURNAL LABS_SIM_LEAKS LABS_SIM_LINES LABS_SIM_LOG LABS_SIM_ORDER LABS_SIM_PROFILE LABS_SIM_PROGRESS \
    LABS_SIM_REFUSALS LABS_SIM_REPLAY LABS_SIM_SAMPLES LABS_SIM_SANITIZE LABS_SIM_SCHEDULE_SEED LABS_SIM_SEARCH LABS_SIM_SIMD \
    LABS_SIM_SOURCES LABS_SIM_STRICT LABS_SIM_THREADS LABS_SIM_TORCH LABS_SIM_TRACE LABS_WRITE";
const OURS: &str = "LABS_";

fn known() -> impl Iterator<Item = &'static str> {
    KNOWN.split(' ')
}

/// Says on standard error which variables look as if they were meant for this project and are not read, each with the nearest name. `sim`
/// says it before it starts a command, whose driver then does not.
pub fn tell_of_unknown() {
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    for (name, near) in unknown(names) {
        eprintln!("[simulator] {name} is set, and nothing reads it; the nearest name is {near}");
    }
}

/// Unknown names with their nearest known ones.
fn unknown(names: impl Iterator<Item = String>) -> Vec<(String, &'static str)> {
    let unknown = names.filter(|name| name.starts_with(OURS) && !known().any(|known| known == name));
    unknown
        .map(|name| {
            let near = known().min_by_key(|known| distance(known, &name)).unwrap_or_default();
            (name, near)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_misspelt_name_is_told_with_the_nearest() {
        let names = ["LABS_SIM_PROFIL", "LABS_SIM_SANITISE", "LABS_SIM_PROFILE", "PATH", "MY_LABS_SIM"];
        let told = unknown(names.iter().map(|name| (*name).to_owned()));
        assert_eq!(
            told,
            [("LABS_SIM_PROFIL".to_owned(), "LABS_SIM_PROFILE"), ("LABS_SIM_SANITISE".to_owned(), "LABS_SIM_SANITIZE")]
        );
    }

    /// A variable that some crate reads, and that this list lacks, would be told as misspelt.
    #[test]
    fn the_list_has_all_that_the_sources_read() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        let mut folders = vec![root.to_owned()];
        let mut found = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
                let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if entry.is_dir() && name != "target" && !name.starts_with('.') {
                    folders.push(entry);
                } else if name.ends_with(".rs") {
                    let text = std::fs::read_to_string(&entry).expect("a source");
                    for read in text.split("var(\"").chain(text.split("var_os(\"")).skip(1) {
                        let name = read.split('"').next().unwrap_or_default();
                        assert!(
                            !name.starts_with(OURS) || known().any(|known| known == name),
                            "{name} in {}",
                            entry.display()
                        );
                        found += usize::from(name.starts_with(OURS));
                    }
                }
            }
        }
        assert!(found > 10, "{found} were found");
    }
}

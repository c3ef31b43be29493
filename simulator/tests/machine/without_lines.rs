//! Kernels that were compiled without line information: what is found is the same, and the messages name lines of the PTX text and
//! how lines of the source are had.
use crate::exhibit::{Exhibit, files, ptx_beside, root};
use simulator::diagnostics::Diagnosis;
use simulator::exec::launch::Settings;
use simulator::lower::Tier;
use simulator::sanitizer::Sanitizer;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Threads that meet at two barriers are told apart by the barriers' lines, since compilers make two of one.
const NEEDS_LINES: &str = "simulator/tests/museum/barrier/in_both_branches.cu";

/// The diagnoses of an exhibit whose PTX is that without lines.
fn said(exhibit: &Exhibit, ptx: &str) -> Vec<Diagnosis> {
    let is_line = |line: &&str| [".loc\t", ".file\t"].iter().any(|directive| line.trim_start().starts_with(directive));
    let text: String = ptx.lines().filter(|line| !is_line(line)).flat_map(|line| [line, "\n"]).collect();
    let setup = exhibit.set_up(&text, Tier::Probed).expect(&exhibit.name);
    let budget = exhibit.note("budget").and_then(|text| text.parse().ok()).unwrap_or(50_000_000);
    let settings = Settings { budget, ..Settings::default() };
    let outcome = exhibit.run(&setup, settings, Some(Box::new(Sanitizer::new())));
    let sanitizer = outcome.probe.expect("it is given back").concrete::<Sanitizer>();
    exhibit.judge(&setup, &sanitizer.expect("the probe is another one"), outcome.fault.as_ref())
}

/// The first exhibit of each of the museum's folders, and the one that needs lines.
#[test]
fn what_is_found_needs_no_lines() {
    let mut folders = HashSet::new();
    let mut paths = museum();
    paths.retain(|path| folders.insert(path.parent().map(Path::to_owned)) || path.ends_with(NEEDS_LINES));
    assert_nothing_differs(&paths);
}

#[test]
#[ignore = "the same of each exhibit; next: .ci/run"]
fn exhaustive_museum_needs_no_lines() {
    assert_nothing_differs(&museum());
}

fn museum() -> Vec<PathBuf> {
    files(&root().join("simulator/tests/museum"))
}

fn assert_nothing_differs(paths: &[PathBuf]) {
    let mut differing = Vec::new();
    for path in paths {
        let exhibit = Exhibit::read(path).expect("readable");
        let ptx = ptx_beside(path).expect("beside the kernel");
        let said = said(&exhibit, &ptx);
        let mut kinds: Vec<&str> = said.iter().map(|diagnosis| diagnosis.kind).collect();
        kinds.dedup();
        let (kinds, wanted) = (kinds.join(", "), exhibit.note("finds").unwrap_or_default());
        if (kinds != wanted) != (exhibit.name == NEEDS_LINES) {
            differing.push(format!("{}: {kinds} in place of {wanted}", exhibit.name));
        }
        for message in said.iter().map(|diagnosis| &diagnosis.message) {
            assert!(!message.contains("line 0") && !message.contains("lines 0"), "{message}");
            let shows_ptx = message.contains("--> PTX:") || message.contains("::: PTX:");
            assert!(!shows_ptx || message.contains(" = lines: compiled without line information"), "{message}");
            assert!(shows_ptx || !message.contains("lines: compiled without"), "{message}");
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn the_lines_of_a_race_are_those_of_the_text() {
    let path = root().join("simulator/tests/museum/race_shared/missing_barrier_after_load.cu");
    let exhibit = Exhibit::read(&path).expect("readable");
    let ptx = ptx_beside(&path).expect("beside the kernel");
    let said = said(&exhibit, &ptx);
    let message = &said.first().expect("a race").message;
    let number = |text: &str| text.split(|c: char| !c.is_ascii_digit()).find_map(|part| part.parse::<u32>().ok());
    let shown: Vec<u32> = message.split(" PTX:").skip(1).filter_map(number).collect();
    let next: Vec<u32> = message.split(" PTX line ").skip(1).filter_map(number).collect();
    assert_eq!(shown.len(), 2, "{message}");
    assert!(!next.is_empty() && next.iter().all(|line| shown.contains(line)), "{message}");
}

//! Mutants of the museum's correct kernels, made in their PTX: a barrier or a fence is taken out, a scope is narrowed, a
//! bound is moved by one, a wait for asynchronous copies is taken out, a load is made a read-only one. `mutations.txt` has the verdict on each, looked at one by one; `LABS_WRITE=1` writes it anew.
//!
//! A mutant that is called clean is put to another judge: the search over schedules, which knows nothing of the memory
//! model and looks at results only.
use crate::exhibit::schedules::search;
use crate::exhibit::{Exhibit, files, ptx_beside, root};
use simulator::exec::launch::Settings;
use simulator::lower::Tier;
use simulator::sanitizer::Sanitizer;
use std::fmt::Write;

/// A mutation: its name, and what a line of PTX becomes, if it is one that it changes.
struct Mutation {
    name: &'static str,
    change: fn(&str) -> Option<String>,
}

const MUTATIONS: [Mutation; 7] = [
    Mutation { name: "barrier removed", change: |line| is(line, &["bar.sync", "barrier.sync"]).then(String::new) },
    Mutation { name: "warp barrier removed", change: |line| is(line, &["bar.warp.sync"]).then(String::new) },
    Mutation { name: "fence removed", change: |line| is(line, &["fence.", "membar."]).then(String::new) },
    Mutation { name: "scope narrowed", change: narrowed },
    Mutation { name: "bound moved", change: moved },
    Mutation { name: "wait removed", change: |line| is(line, &["cp.async.wait_"]).then(String::new) },
    Mutation { name: "load made read-only", change: read_only },
];

fn is(line: &str, names: &[&str]) -> bool {
    names.iter().any(|name| line.trim_start().starts_with(name))
}

/// From the device to the block.
fn narrowed(line: &str) -> Option<String> {
    let narrow = [("membar.gl", "membar.cta"), (".gpu.", ".cta."), (".gpu;", ".cta;")];
    if let Some((wide, narrow)) = narrow.into_iter().find(|(wide, _)| line.contains(wide)) {
        return Some(line.replace(wide, narrow));
    }
    // An atomic that names no scope has the device's.
    is(line, &["atom.global.", "red.global."]).then(|| line.replace(".global.", ".relaxed.cta.global."))
}

/// A weak load of global memory, through the cache that hears of no write.
fn read_only(line: &str) -> Option<String> {
    let weak = ["ld.global.u", "ld.global.s", "ld.global.b", "ld.global.f", "ld.global.v2", "ld.global.v4"];
    is(line, &weak).then(|| line.replace("ld.global.", "ld.global.nc."))
}

/// The number that something is compared with, plus 1.
fn moved(line: &str) -> Option<String> {
    let compares = is(line, &["setp.lt.", "setp.le.", "setp.gt.", "setp.ge."]);
    let (head, last) = line.trim_end().strip_suffix(';').filter(|_| compares)?.rsplit_once(' ')?;
    let number: i64 = last.parse().ok()?;
    Some(format!("{head} {};", number + 1))
}

/// Orders of warps and blocks that are tried beside the natural one.
const ORDERS: u64 = 6;

/// The verdict on a mutant, and the order of warps and blocks in which it was found; `None` where it does not load.
fn verdict(exhibit: &Exhibit, ptx: &str) -> Option<String> {
    for schedule_seed in 0..=ORDERS {
        let kinds = said(exhibit, ptx, schedule_seed)?;
        match (kinds.is_empty(), schedule_seed) {
            (true, _) => {}
            (false, 0) => return Some(kinds.join(", ")),
            // The first to come decides who signals whom: some orders are right by luck.
            (false, _) => return Some(format!("{} in another order", kinds.join(", "))),
        }
    }
    Some(CLEAN.into())
}

const CLEAN: &str = "clean";

/// The kinds of what the sanitizer and the executor say of a kernel.
fn said(exhibit: &Exhibit, ptx: &str, schedule_seed: u64) -> Option<Vec<&'static str>> {
    let setup = exhibit.set_up(ptx, Tier::Probed).ok()?;
    let settings = Settings { budget: 2_000_000, schedule_seed, ..Settings::default() };
    let outcome = exhibit.run(&setup, settings, Some(Box::new(Sanitizer::new())));
    let sanitizer = outcome.probe?.concrete::<Sanitizer>()?;
    let said = exhibit.judge(&setup, &sanitizer, outcome.fault.as_ref());
    let mut kinds: Vec<&str> = said.iter().map(|diagnosis| diagnosis.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    Some(kinds)
}

/// Returns whether some order of warps and blocks makes another result.
fn depends_on_the_order(exhibit: &Exhibit, ptx: &str) -> bool {
    let Ok(setup) = exhibit.set_up(ptx, Tier::Bare) else { return false };
    let settings = Settings { budget: 2_000_000, ..Settings::default() };
    search(&exhibit.request(&setup, settings), ORDERS).expect("nothing is freed").is_some()
}

#[test]
fn every_mutant_gets_its_verdict() {
    let museum = root().join("simulator/tests/museum");
    let (mut table, mut mutants, mut clean) = (String::new(), 0, 0);
    for path in files(&museum).into_iter().filter(|path| path.parent().is_some_and(|folder| folder.ends_with("clean")))
    {
        let name = path.file_stem().expect("a file").to_string_lossy().into_owned();
        let exhibit = Exhibit::read(&path).expect("readable");
        let ptx = ptx_beside(&path).expect("beside the kernel");
        // Scopes are named from sm_70 on.
        let ptx = ptx.replace(".target sm_50", ".target sm_70").replace(".target sm_60", ".target sm_70");
        let lines: Vec<&str> = ptx.lines().collect();
        for mutation in &MUTATIONS {
            let mut number = 0;
            for (at, line) in lines.iter().enumerate() {
                let Some(changed) = (mutation.change)(line) else { continue };
                number += 1;
                let text: String = lines
                    .iter()
                    .enumerate()
                    .map(|(i, &line)| if i == at { format!("{changed}\n") } else { format!("{line}\n") })
                    .collect();
                let Some(verdict) = verdict(&exhibit, &text) else { continue };
                mutants += 1;
                let _ = writeln!(table, "{name}: {} ({number}): {verdict}", mutation.name);
                if verdict == CLEAN {
                    clean += 1;
                    let lied = depends_on_the_order(&exhibit, &text);
                    assert!(!lied, "{name}: {} ({number}) is called clean", mutation.name);
                }
            }
        }
    }
    let path = root().join("simulator/tests/mutations.txt");
    if std::env::var_os("LABS_WRITE").is_some() {
        std::fs::write(&path, &table).expect("writable");
    }
    let expected = std::fs::read_to_string(&path).expect("mutations.txt");
    let differing: Vec<_> = table.lines().filter(|line| !expected.lines().any(|known| known == *line)).collect();
    assert!(differing.is_empty(), "another verdict:\n{}", differing.join("\n"));
    assert_eq!(table.lines().count(), expected.lines().count(), "mutants that are gone");
    assert!(mutants > 100 && clean * 2 < mutants, "{mutants} mutants, {clean} of them clean");
}

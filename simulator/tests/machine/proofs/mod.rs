//! Race freedom for all data: what is proved of the museum's kernels, of the labs' rungs and of their mutants, also with a barrier or a wait
//! less, and a second method for all that is proved, which shares nothing with the first (`second`).
mod second;

use crate::exhibit::{Argument, Element, Exhibit, Fill, Setup, files, ptx_beside, root};
use simulator::exec::launch::Settings;
use simulator::listeners::Listeners;
use simulator::lower::Tier;
use simulator::proof::{Proof, Verdict};
use simulator::sanitizer::Sanitizer;

/// The verdict on a launch; `None`: it does not load, or does not run to its end.
fn verdict(exhibit: &Exhibit, ptx: &str) -> Option<(Setup, Verdict)> {
    let setup = exhibit.set_up(ptx, Tier::Probed).ok()?;
    let listeners =
        Listeners { sanitizer: Some(Sanitizer::new()), proof: Some(Proof::default()), ..Listeners::default() };
    let outcome = exhibit.run(&setup, settings(), listeners.into_probe());
    let heard = Listeners::back(outcome.probe);
    let function = &setup.program.functions[setup.function.0 as usize];
    let undecided = heard.proof.as_ref().filter(|_| function.required_cluster.is_none()).map(Proof::undecided);
    let verdict = Verdict::of(function, &heard.sanitizer?, undecided);
    outcome.fault.is_none().then_some((setup, verdict))
}

fn settings() -> Settings {
    Settings { budget: 2_000_000, ..Settings::default() }
}

/// The texts that a kernel becomes with a barrier, or a wait for copies, less.
fn weakened(exhibit: &Exhibit, ptx: &str) -> Vec<String> {
    const ORDERS: [&str; 4] = ["bar.sync", "barrier.sync", "bar.warp.sync", "cp.async.wait_"];
    let lines: Vec<&str> = ptx.lines().collect();
    let begins = |line: &str| exhibit.note("kernel").is_none_or(|name| line.contains(&format!(".entry {name}(")));
    let first = lines.iter().position(|line| begins(line)).unwrap_or(0);
    let last =
        lines.iter().skip(first + 1).position(|line| exhibit.note("kernel").is_some() && line.contains(".entry "));
    let own = first..last.map_or(lines.len(), |last| first + 1 + last);
    let orders = |at: &usize| ORDERS.iter().any(|name| lines[*at].trim_start().starts_with(name));
    let without = |at: usize| [&lines[..at], &lines[at + 1..]].concat().join("\n");
    own.filter(orders).map(without).collect()
}

/// How much of a search is done.
#[derive(Clone, Copy)]
struct Effort {
    /// The most weakened texts of a kernel.
    weakened: usize,
    /// The second method's runs of other data and order.
    runs: u64,
}

const EACH_COMMIT: Effort = Effort { weakened: 1, runs: 2 };
const EXHAUSTIVE: Effort = Effort { weakened: usize::MAX, runs: 4 };

/// Counts of verdicts.
#[derive(Debug, Default)]
struct Counts {
    proved: usize,
    refuted: usize,
    not_decided: usize,
    not_run: usize,
}

impl Counts {
    /// Judges a kernel; what is proved must stand before the second method.
    fn judge(&mut self, exhibit: &Exhibit, ptx: &str, effort: Effort) -> Option<Verdict> {
        let Some((setup, verdict)) = verdict(exhibit, ptx) else {
            self.not_run += 1;
            return None;
        };
        match verdict {
            Verdict::Proved => {
                second::check(exhibit, &setup, settings(), effort.runs)
                    .unwrap_or_else(|why| panic!("{}: {why}", exhibit.name));
                self.proved += 1;
            }
            Verdict::Refuted => self.refuted += 1,
            Verdict::NotDecided(_) => self.not_decided += 1,
        }
        Some(verdict)
    }
}

#[test]
fn nothing_of_the_museum_is_proved_wrongly() {
    let [whole, weak] = of_the_museum(EACH_COMMIT);
    assert!(whole.proved > 30 && weak.refuted > 50, "{whole:?} {weak:?}");
}

#[test]
#[ignore = "the same with each barrier of each kernel; next: .ci/run"]
fn exhaustive_museum_is_proved_rightly() {
    let [whole, weak] = of_the_museum(EXHAUSTIVE);
    assert!(whole.proved > 30 && weak.refuted > 200, "{whole:?} {weak:?}");
}

/// The verdicts on the museum's kernels, and on what they become with a barrier or a wait less.
fn of_the_museum(effort: Effort) -> [Counts; 2] {
    let (mut whole, mut weak) = (Counts::default(), Counts::default());
    for path in files(&root().join("simulator/tests/museum")) {
        let exhibit = Exhibit::read(&path).expect("readable");
        let ptx = ptx_beside(&path).expect("beside the kernel");
        let verdict = whole.judge(&exhibit, &ptx, effort);
        let finds = exhibit.note("finds").unwrap_or("nothing");
        assert!(!(verdict == Some(Verdict::Proved) && finds.contains("race")), "{} is proved", exhibit.name);
        assert!(!(verdict == Some(Verdict::Refuted) && finds == "nothing"), "{} is refuted", exhibit.name);
        for text in weakened(&exhibit, &ptx).iter().take(effort.weakened) {
            weak.judge(&exhibit, text, effort);
        }
    }
    println!("museum: {whole:?}\nwith a barrier or a wait less: {weak:?}");
    [whole, weak]
}

/// Kernels of a rung, each with a small launch. Pointers are to memory of a size, numbers are one that divides nothing.
fn launches(source: &kernels::Source, ptx: &str) -> Vec<Exhibit> {
    const BYTES: u64 = 1 << 16;
    let module = simulator::ptx::parse(ptx).expect("it is stored as it was made");
    // Kernels for 8-byte elements are as those for 4.
    let entries = module.functions.iter().filter(|function| function.is_entry && !function.name.contains("f64"));
    let launch = |function: &simulator::ptx::tree::Function| {
        let argument = |bytes: u64| match bytes {
            8 => Some(Argument::Memory { bytes: BYTES, element: Element::Float, fill: Fill::Iota(BYTES / 4) }),
            4 => Some(Argument::Number(23u32.to_le_bytes().into())),
            _ => None,
        };
        let arguments = function.parameters.iter().map(|parameter| argument(parameter.bytes()?));
        let threads = function.max_threads.map_or(256, |edges| edges.iter().product());
        let block = match threads {
            64 => [8, 8, 1],
            256 => [16, 16, 1],
            1024 => [32, 32, 1],
            other => [other, 1, 1],
        };
        Some(Exhibit {
            name: format!("{} of {}", function.name, source.path),
            source: format!("// kernel: {}\n", function.name),
            cooperative: false,
            grid: [2, 2, 1],
            block,
            shared_bytes: 16 << 10,
            arguments: arguments.collect::<Option<_>>()?,
        })
    };
    entries.filter_map(launch).collect()
}

#[test]
fn nothing_of_the_rungs_is_proved_wrongly() {
    let [whole, weak, mutants] = of_the_rungs(EACH_COMMIT);
    assert!(mutants.refuted > 20, "{mutants:?}");
    assert!(whole.proved > 40 && weak.refuted > 30, "{whole:?} {weak:?}");
}

#[test]
#[ignore = "the same with each barrier of each rung; next: .ci/run"]
fn exhaustive_rungs_are_proved_rightly() {
    let [whole, weak, mutants] = of_the_rungs(EXHAUSTIVE);
    assert!(mutants.refuted > 20, "{mutants:?}");
    assert!(whole.proved > 40 && weak.refuted > 100, "{whole:?} {weak:?}");
}

/// The verdicts on the labs' rungs, on what they become with a barrier or a wait less, and on their mutants.
fn of_the_rungs(effort: Effort) -> [Counts; 3] {
    let (mut whole, mut weak, mut mutants) = (Counts::default(), Counts::default(), Counts::default());
    let target = kernels::Target::Ptx { major: 9, minor: 0 };
    for source in kernels::MUTANTS.iter().map(kernels::Mutant::source) {
        let image = kernels::compile(&source, target).expect("its PTX is kept");
        let ptx = image.ptx().expect("PTX was asked for");
        for exhibit in launches(&source, ptx) {
            mutants.judge(&exhibit, ptx, effort);
        }
    }
    for source in kernels::pristine_sources() {
        let Ok(image) = kernels::compile(&source, target) else { continue };
        let ptx = image.ptx().expect("PTX was asked for").to_owned();
        for exhibit in launches(&source, &ptx) {
            if whole.judge(&exhibit, &ptx, effort).is_none() {
                continue;
            }
            for text in weakened(&exhibit, &ptx).iter().take(effort.weakened) {
                weak.judge(&exhibit, text, effort);
            }
        }
    }
    println!("rungs: {whole:?}\nwith a barrier or a wait less: {weak:?}\nmutants: {mutants:?}");
    [whole, weak, mutants]
}

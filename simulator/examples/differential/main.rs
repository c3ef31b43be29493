//! Random kernels, run by the simulator and by implementations that are not ours: the host's C++ compiler, and the card where
//! there is one.
//!
//! ```text
//! cargo run --release -p simulator --example differential -- --seconds 60
//! cargo run --release -p simulator --example differential -- --language ptx --seed 1234 --count 1
//! ```
//!
//! A kernel is CUDA C++, the same text for NVRTC and for the host's compiler, or PTX with the C++ that the manual's formulas
//! make of it. Every kernel's whole output is compared. What differs is shrunk and printed, with the command that shows it
//! again; the exit code is 1.
mod arguments;
mod card;
mod corpus;
mod cuda;
mod host;
mod kernel;
mod ptx;
mod random;
mod round;
mod shrink;
mod simulated;
#[cfg(test)]
mod tests;

use arguments::Arguments;
use card::Card;
use host::Host;
use kernel::{Kernel, Language};
use round::{Difference, Parties};
use simulated::Manner;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The counts of a run.
#[derive(Default)]
struct Tally {
    cuda: AtomicU64,
    ptx: AtomicU64,
    differing: AtomicU64,
    stop: AtomicBool,
}

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("differential: {error}");
            return ExitCode::from(2);
        }
    };
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("differential: {error}");
            ExitCode::from(2)
        }
    }
}

/// A folder of this process's own, gone when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Result<Folder, String> {
        let path = std::env::temp_dir().join(format!("differential-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns whether all agreed.
fn run(arguments: &Arguments) -> Result<bool, String> {
    let folder = Folder::new("run")?;
    let Some(host) = Host::new(&folder.0)? else {
        println!("no C++ compiler here (CXX, c++ and g++ were tried): only the kept kernels are compared");
        return kept();
    };
    let card = arguments.card.then(Card::new).transpose()?;
    let parties = Parties::new(host, card);
    println!(
        "seed {}, host's compiler, simulator{}",
        arguments.seed,
        parties.card.as_ref().map_or(String::new(), |card| format!(", {}", card.name()))
    );
    let languages: Vec<Language> = arguments
        .languages
        .iter()
        .copied()
        .filter(|&language| language == Language::Ptx || !parties.architectures.is_empty())
        .collect();
    if languages.is_empty() {
        return Err("nothing to run: CUDA C++ alone was asked for, and there is no NVRTC".into());
    }
    if arguments.show {
        for &language in &languages {
            let kernel = parties.kernel(language, arguments.seed);
            println!("{}\n// ---- host\n{}", kernel.text(kernel::device, "k0"), kernel.text(kernel::host, "k0"));
        }
        return Ok(true);
    }
    if let Some(path) = &arguments.record {
        let kernels: Vec<Kernel> = (arguments.seed..arguments.seed + arguments.count.min(1000))
            .map(|seed| parties.kernel(languages[0], seed))
            .collect();
        let bytes = corpus::record(&parties, languages[0], &kernels)?;
        return std::fs::write(path, bytes).map(|()| true).map_err(|error| format!("{path}: {error}"));
    }
    let (tally, next, began) = (Tally::default(), AtomicU64::new(0), Instant::now());
    let failure = Mutex::new(None);
    std::thread::scope(|scope| {
        for job in 0..arguments.jobs {
            let (parties, tally, next, failure, languages) = (&parties, &tally, &next, &failure, &languages);
            scope.spawn(move || {
                let worker = Worker { arguments, parties, tally, name: format!("round{job}") };
                while !tally.stop.load(Ordering::Relaxed) && began.elapsed() < Duration::from_secs(arguments.seconds) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let from = index * arguments.per_module;
                    if from >= arguments.count {
                        break;
                    }
                    let language = languages[index as usize % languages.len()];
                    let seeds =
                        arguments.seed + from..arguments.seed + (from + arguments.per_module).min(arguments.count);
                    if let Err(error) = worker.round(language, seeds, index) {
                        *failure.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(error);
                        tally.stop.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    if let Some(error) = failure.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        return Err(error);
    }
    let count = |number: &AtomicU64| number.load(Ordering::Relaxed);
    println!(
        "{} kernels in {:.0} s: {} of CUDA C++, {} of PTX; {} differ",
        count(&tally.cuda) + count(&tally.ptx),
        began.elapsed().as_secs_f64(),
        count(&tally.cuda),
        count(&tally.ptx),
        count(&tally.differing)
    );
    Ok(count(&tally.differing) == 0)
}

/// The kernels that are kept with their outputs.
fn kept() -> Result<bool, String> {
    let mut count = 0;
    for (name, deflated) in corpus::FILES {
        for manner in Manner::all() {
            count += corpus::check(deflated, manner).map_err(|error| format!("{name}: {error}"))?;
        }
    }
    println!("{count} kept kernels, none differs");
    Ok(true)
}

struct Worker<'a> {
    arguments: &'a Arguments,
    parties: &'a Parties,
    tally: &'a Tally,
    name: String,
}

impl Worker<'_> {
    fn round(&self, language: Language, seeds: std::ops::Range<u64>, index: u64) -> Result<(), String> {
        let kernels: Vec<Kernel> = seeds.map(|seed| self.parties.kernel(language, seed)).collect();
        let all = Manner::all();
        // One kernel alone is one that is looked at: in every manner.
        let manners = match kernels.len() {
            1 => all,
            _ => vec![all[index as usize / self.arguments.languages.len() % all.len()]],
        };
        for manner in manners {
            let differences = self.parties.round(language, &kernels, manner, &self.name)?;
            for difference in &differences {
                let earlier = self.tally.differing.fetch_add(1, Ordering::Relaxed);
                self.tell(language, manner, difference, earlier < self.arguments.shrink);
                if earlier + 1 >= self.arguments.most {
                    self.tally.stop.store(true, Ordering::Relaxed);
                    return Ok(());
                }
            }
        }
        let tally = if language == Language::Cuda { &self.tally.cuda } else { &self.tally.ptx };
        tally.fetch_add(kernels.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Prints the seed, and what is left of the kernel once it is shrunk.
    fn tell(&self, language: Language, manner: Manner, difference: &Difference, shrunk: bool) {
        let name = if language == Language::Cuda { "cuda" } else { "ptx" };
        println!(
            "\n== {}\n== {manner:?}; again: --language {name} --seed {} --count 1",
            difference.what, difference.kernel.seed
        );
        let plain = |kernel: &Kernel| {
            if let Some(what) = self.parties.without_optimisation(language, kernel, &self.name) {
                println!("== the card without its assembler's optimisations: {what}");
            }
        };
        plain(&difference.kernel);
        if !shrunk {
            return;
        }
        let who = difference.what.split(':').next().unwrap_or_default();
        let differs = |kernel: &Kernel| {
            let found = self.parties.round(language, std::slice::from_ref(kernel), manner, &self.name);
            found.ok()?.into_iter().find(|found| found.what.starts_with(who))
        };
        let smallest = shrink::shrink(&difference.kernel, |kernel| differs(kernel).is_some());
        let what = differs(&smallest).map_or_else(|| difference.what.clone(), |difference| difference.what);
        println!(
            "== shrunk, {what}\n{}{}",
            smallest.text(kernel::device, "k0"),
            match language {
                Language::Cuda => String::new(),
                Language::Ptx => format!("// ---- the host's\n{}", smallest.text(kernel::host, "k0")),
            },
        );
        plain(&smallest);
    }
}

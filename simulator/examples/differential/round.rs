//! A round: some kernels in one module, by all who can run them, and what they disagree on.
use crate::card::Card;
use crate::host::Host;
use crate::kernel::{self, Kernel, Language, Launch};
use crate::simulated::{Manner, Module};
use crate::{cuda, ptx};

/// Who runs kernels, and how they are made.
pub struct Parties {
    pub host: Host,
    pub card: Option<Card>,
    pub table: ptx::Table,
    /// For NVRTC: `compute_80`, `compute_90`, …; empty where there is no NVRTC.
    pub architectures: Vec<&'static str>,
}

/// Runs a kernel of a loaded module, by its name, with a seed of the simulator's schedule.
type Run<'a> = Box<dyn Fn(&str, &Launch, u64) -> Result<Vec<u64>, String> + 'a>;

/// A kernel that two parties do not agree on.
pub struct Difference {
    pub kernel: Kernel,
    pub what: String,
}

impl Parties {
    /// With NVRTC where it is; where it is not, that is printed.
    pub fn new(host: Host, card: Option<Card>) -> Parties {
        let architectures = match kernels::compiler() {
            Ok(_) => cuda::ARCHITECTURES.to_vec(),
            Err(error) => {
                println!("no CUDA C++: {error}; `just nvrtc` installs the compiler. PTX goes on");
                Vec::new()
            }
        };
        Parties { host, card, table: ptx::Table::new(), architectures }
    }

    pub fn kernel(&self, language: Language, seed: u64) -> Kernel {
        match language {
            Language::Cuda => cuda::kernel(seed),
            Language::Ptx => ptx::kernel(seed, &self.table),
        }
    }

    /// PTX of a module, whose kernels are called `k0`, `k1` and so on.
    ///
    /// # Errors
    /// NVRTC's message if it refuses a kernel.
    pub fn device_text(&self, language: Language, kernels: &[Kernel]) -> Result<String, String> {
        let texts: String =
            kernels.iter().enumerate().map(|(i, kernel)| kernel.text(kernel::device, &format!("k{i}"))).collect();
        match language {
            Language::Ptx => Ok(format!("{}{texts}", ptx::HEADER)),
            Language::Cuda => {
                let seed = kernels.first().map_or(0, |kernel| kernel.seed);
                let architecture = self.architectures[(seed / 7) as usize % self.architectures.len()];
                let options = ["--std=c++17", "--fmad=false", "-w", "--gpu-architecture"].map(str::to_owned);
                let options: Vec<String> =
                    options[..3].iter().cloned().chain([format!("{}={architecture}", options[3])]).collect();
                let source = format!("{}{texts}", cuda::PRELUDE);
                kernels::compile_text(&source, "random.cu", &options)
                    .map_err(|error| error.to_string())?
                    .ok_or_else(|| "NVRTC is gone".to_owned())
            }
        }
    }

    /// Runs the kernels; `name` is that of files which nobody else writes at the time.
    ///
    /// # Errors
    /// A generated program that a compiler refuses: that is the generator's fault.
    pub fn round(
        &self,
        language: Language,
        kernels: &[Kernel],
        manner: Manner,
        name: &str,
    ) -> Result<Vec<Difference>, String> {
        let launches: Vec<Launch> = kernels.iter().map(Kernel::launch).collect();
        let last = kernels.last().map_or(0, |kernel| kernel.seed);
        let note = |who: &str, seed: u64| self.host.note(name, format_args!("{language:?} {who} {seed} of {last}"));
        note("compilers", kernels.first().map_or(0, |kernel| kernel.seed));
        let text = self.device_text(language, kernels)?;
        let wanted = self.host.run(language, kernels, &launches, name)?;
        let mut found = Vec::new();
        let mut differs = |kernel: &Kernel, who: &str, what: String| {
            found.push(Difference { kernel: kernel.clone(), what: format!("{who}: {what}") });
        };
        for who in ["simulator", "card"].into_iter().take(1 + usize::from(self.card.is_some())) {
            note(who, kernels.first().map_or(0, |kernel| kernel.seed));
            let loaded = match &self.card {
                Some(card) if who == "card" => card
                    .load(&text)
                    .map(|module| -> Run { Box::new(move |name, launch, _| card.run(&module, name, launch)) }),
                _ => Module::load(&text, manner).map(|module| -> Run {
                    Box::new(move |name, launch, schedule| module.run(name, launch, schedule))
                }),
            };
            let run = match loaded {
                Ok(run) => run,
                Err(error) if kernels.len() == 1 => {
                    differs(&kernels[0], who, error);
                    continue;
                }
                Err(_) => {
                    for kernel in kernels {
                        found.extend(self.round(language, std::slice::from_ref(kernel), manner, name)?);
                    }
                    return Ok(found);
                }
            };
            for (index, (kernel, launch)) in kernels.iter().zip(&launches).enumerate() {
                note(who, kernel.seed);
                let schedule = if kernel.seed.is_multiple_of(2) { 0 } else { kernel.seed };
                match run(&format!("k{index}"), launch, schedule) {
                    Ok(got) => self
                        .difference(language, kernel, launch, (&wanted[index], &got), name)?
                        .into_iter()
                        .for_each(|what| differs(kernel, who, what)),
                    // A card's fault spoils what comes after it.
                    Err(error) if who == "card" => return Err(format!("card, seed {}: {error}", kernel.seed)),
                    Err(error) => differs(kernel, who, error),
                }
            }
        }
        Ok(found)
    }

    /// The first word that differs from the host's. `None` also where the host's compiler has what was got when it does not optimise, which is
    /// told: GCC 12.2 with `-O1 -fwrapv` runs a loop once that counts down from `n & 12`, where n is 12.
    fn difference(
        &self,
        language: Language,
        kernel: &Kernel,
        launch: &Launch,
        (wanted, got): (&[u64], &[u64]),
        name: &str,
    ) -> Result<Option<String>, String> {
        let Some(what) = first_difference(wanted, got) else { return Ok(None) };
        let (kernels, launches) = (std::slice::from_ref(kernel), std::slice::from_ref(launch));
        if language == Language::Cuda && self.host.run_at("-O0", language, kernels, launches, name)?[0] == got {
            println!("== host's compiler, seed {}: {what}; without optimisation it agrees", kernel.seed);
            return Ok(None);
        }
        Ok(Some(what))
    }

    /// The card's results for a kernel when nothing is optimised; `None` without a card.
    pub fn without_optimisation(&self, language: Language, kernel: &Kernel, name: &str) -> Option<String> {
        let card = self.card.as_ref()?;
        let (kernels, launch) = (std::slice::from_ref(kernel), kernel.launch());
        let run = || -> Result<Option<String>, String> {
            let text = self.device_text(language, kernels)?;
            let wanted = self.host.run(language, kernels, std::slice::from_ref(&launch), name)?;
            let got = card.run(&card.load_plain(&text)?, "k0", &launch)?;
            Ok(first_difference(&wanted[0], &got))
        };
        Some(run().map_or_else(|error| error, |difference| difference.unwrap_or_else(|| "agrees".to_owned())))
    }
}

fn first_difference(wanted: &[u64], got: &[u64]) -> Option<String> {
    let count = wanted.iter().zip(got).filter(|(a, b)| a != b).count();
    let at = wanted.iter().zip(got).position(|(a, b)| a != b)?;
    let (thread, word) = (at / kernel::WORDS_OUT, at % kernel::WORDS_OUT);
    Some(format!(
        "{count} words differ, the first of thread {thread}, word {word}: {:#018x}, the host's compiler has {:#018x}",
        got[at], wanted[at]
    ))
}

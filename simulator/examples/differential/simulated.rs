//! Kernels on the simulator, without the driver: at a vector level and with the listeners that the seed chooses.
use crate::kernel::Launch;
use simulator::counters::Counters;
use simulator::exec::executable::Executable;
use simulator::exec::launch::{self, Request, Settings};
use simulator::exec::op::Level;
use simulator::lower::image::{function_address, image, variables};
use simulator::lower::{Options, Tier, lower};
use simulator::memory::{Kind, Memory};
use simulator::probe::Probe;
use simulator::program::FunctionId;
use simulator::sanitizer::Sanitizer;
use std::collections::HashMap;

/// How a module runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    Bare(Level),
    Counted(Level),
    Sanitized,
}

impl Manner {
    /// All that this host has.
    pub fn all() -> Vec<Manner> {
        let levels = [Level::Base, Level::Avx2, Level::Avx512].into_iter().filter(|&level| level <= Level::detect());
        let mut all: Vec<Manner> = levels.flat_map(|level| [Manner::Bare(level), Manner::Counted(level)]).collect();
        all.push(Manner::Sanitized);
        all
    }
}

/// A module, ready to run.
pub struct Module {
    program: Executable,
    memory: Memory,
    manner: Manner,
}

impl Module {
    /// # Errors
    /// The message of the parser or the lowering if it refuses the text.
    pub fn load(text: &str, manner: Manner) -> Result<Module, String> {
        let tree = simulator::ptx::parse(text).map_err(|error| format!("refused: {error:?}"))?;
        let memory = Memory::new(1 << 28).map_err(|error| error.to_string())?;
        let mut places = HashMap::new();
        for variable in variables(&tree) {
            let bytes = variable.bytes().unwrap_or(0).max(1);
            let place = memory.allocate(bytes, Kind::Global, variable.name).map_err(|error| format!("{error:?}"))?;
            places.insert(variable.name, place);
        }
        let addresses = |name: &str| places.get(name).copied().or_else(|| function_address(&tree, name));
        for variable in variables(&tree) {
            let bytes = image(variable, &addresses).map_err(|error| format!("{error:?}"))?;
            memory.write(places[variable.name], &bytes).map_err(|error| format!("{error:?}"))?;
        }
        let (tier, level) = match manner {
            Manner::Bare(level) => (Tier::Bare, level),
            Manner::Counted(level) => (Tier::Probed, level),
            Manner::Sanitized => (Tier::Probed, Level::detect()),
        };
        let options = Options { addresses: &addresses, tier, level };
        let program = lower(&tree, &options).map_err(|refused| format!("refused: {refused:?}"))?;
        Ok(Module { program, memory, manner })
    }

    /// The results of the kernel of that name.
    ///
    /// # Errors
    /// A fault, or a finding: the kernels are correct.
    pub fn run(&self, name: &str, launch: &Launch, schedule_seed: u64) -> Result<Vec<u64>, String> {
        let functions = &self.program.functions;
        let function = functions.iter().position(|function| function.name == name).ok_or("no such kernel")?;
        let memory = &self.memory;
        let bytes = |words: &[u64]| -> Vec<u8> { words.iter().flat_map(|word| word.to_le_bytes()).collect() };
        let place = |words: &[u64], name: &str| {
            let bytes = bytes(words);
            let at = memory.allocate(bytes.len() as u64, Kind::Device, name).map_err(|error| format!("{error:?}"))?;
            memory.write(at, &bytes).map_err(|error| format!("{error:?}"))?;
            Ok::<u64, String>(at)
        };
        let (input, output) = (place(&launch.input, "in")?, place(&vec![0; launch.output_words], "out")?);
        let (parameters, shape) = (bytes(&[input, output]), ([launch.blocks, 1, 1], [launch.threads, 1, 1]));
        let request = Request {
            function: FunctionId(function as u32),
            settings: Settings { threads: 1, budget: 20_000_000, schedule_seed, ..Settings::default() },
            resident_blocks: launch.blocks,
            ..Request::new(&self.program, memory, shape, &parameters)
        };
        let probe: Option<Box<dyn Probe>> = match self.manner {
            Manner::Bare(_) => None,
            Manner::Counted(_) => Some(Box::new(Counters::new(4, 32))),
            Manner::Sanitized => Some(Box::new(Sanitizer::default())),
        };
        let outcome = launch::run(&request, probe);
        if let Some(fault) = outcome.fault {
            return Err(format!("fault: {fault:?}"));
        }
        if self.manner == Manner::Sanitized {
            let sanitizer = outcome.probe.and_then(|probe| probe.concrete::<Sanitizer>());
            let sanitizer = sanitizer.ok_or("no sanitizer came back")?;
            if let Some(finding) = sanitizer.findings().next() {
                return Err(format!("finding: {finding:?}"));
            }
        }
        let mut left = vec![0; launch.output_words * 8];
        memory.read(output, &mut left).map_err(|error| format!("{error:?}"))?;
        for address in [input, output] {
            memory.free(address).map_err(|error| format!("{error:?}"))?;
        }
        Ok(left.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default())).collect())
    }
}

//! A loaded module: text in, code and variables out.
use super::known_times::{KnownTimes, Shape};
use super::tried::Tried;
use crate::interface::Cause;
use crate::objects::images::assembler;
use crate::objects::images::fat_binary::IN_PLACE_OF_CODE;
use clock::cards::Device;
use clock::compiler::codes::Codes;
use cuda::CUresult;
use machine::exec::executable::Executable;
use machine::host::Level;
use machine::link;
use machine::lower::{self, Tier};
use machine::memory::{Kind, Memory};
use machine::program::Function;
use ptx::{self, tree};
use rustc_hash::{FxHashMap, FxHashSet};
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use watch::diagnostics;
use watch::mends::Known;
use watch::proof::Why;

/// The shape of a launch, and its arguments byte by byte: launches that are alike but for the data in memory.
pub type SameLaunch = (Shape, Vec<u8>);

/// Launches of which it is remembered what is undecided.
const MOST_UNDECIDED: usize = 1 << 12;

/// A module's code, and its variables in a device's memory.
pub struct Loaded {
    pub text: String,
    pub globals: Vec<Global>,
    /// The architecture that the text is for, as `.target` counts it: what the interface calls the version of a kernel's PTX.
    pub target: u32,
    pub constant_bytes: u32,
    memory: Arc<Memory>,
    programs: [OnceLock<Arc<Executable>>; 3],
    pub times: KnownTimes,
    /// The machine code that the clock assumes for its functions.
    pub codes: Codes,
    /// The undecided parts of launches by their shapes and arguments: the same again is the same for all data.
    undecided: Mutex<FxHashMap<SameLaunch, Option<Why>>>,
    /// The trials of launches, by their shape and time: the same again gives the same.
    pub tried: Mutex<FxHashMap<(Shape, u64), Vec<Tried>>>,
    /// The mends that were tried on its launches.
    pub mends: Known,
    /// The kernels whose instructions the certificate of the run has.
    certified: Mutex<FxHashSet<usize>>,
}

/// Resources of a kernel as a compiler told them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    pub registers: u32,
    pub local_bytes: u32,
}

/// A variable of a module.
pub struct Global {
    pub name: String,
    pub address: u64,
    pub bytes: u64,
}

impl Loaded {
    /// Parses a module, gives its variables memory, and lowers it, so that all it asks too much of is told at load.
    pub fn new(text: String, card: &Device, memory: Arc<Memory>) -> Result<Arc<Loaded>, Cause> {
        let refused = |refused: link::Refused| Cause::NotLinked(refused.to_string());
        let plain = text.strip_suffix(IN_PLACE_OF_CODE).map(str::to_owned);
        let (is_of_newer, text) = (plain.is_some(), plain.unwrap_or(text));
        let text = link::with_the_drivers(&text).map_err(refused)?.unwrap_or(text);
        let loaded = {
            let module = parse(&text)?;
            let target = assembler::check_module(&module, card, is_of_newer)?;
            let globals = place_globals(&module, &memory)?;
            Loaded {
                globals,
                constant_bytes: assembler::constant_bytes(&module) as u32,
                target,
                memory,
                programs: [const { OnceLock::new() }; 3],
                times: KnownTimes::default(),
                codes: Codes::default(),
                undecided: Mutex::default(),
                tried: Mutex::default(),
                mends: Known::default(),
                certified: Mutex::default(),
                text,
            }
        };
        assembler::check_program(&*loaded.program(Tier::Bare)?)?;
        Ok(Arc::new(loaded))
    }

    /// The code of a tier, lowered when it is first asked for.
    pub fn program(&self, tier: Tier) -> Result<Arc<Executable>, Cause> {
        let slot = &self.programs[tier as usize];
        if let Some(program) = slot.get() {
            return Ok(program.clone());
        }
        let program = self.lowered(&self.text, tier)?;
        Ok(slot.get_or_init(|| Arc::new(program)).clone())
    }

    /// The code of a text that differs from the module's in a few instructions.
    pub fn lowered(&self, text: &str, tier: Tier) -> Result<Executable, Cause> {
        let module = parse(text)?;
        let addresses =
            |name: &str| self.globals.iter().find(|global| global.name == name).map(|global| global.address);
        let options = lower::Options { addresses: &addresses, tier, level: Level::detect() };
        lower::lower(&module, &options).map_err(|refused| {
            let mut files = Vec::new();
            for &(index, path) in &module.files {
                let index = index as usize;
                if index < 1 << 16 {
                    files.resize(files.len().max(index + 1), String::new());
                    files[index] = path.to_owned();
                }
            }
            refused_module(&refused, &files)
        })
    }

    /// The SHA-256 of its text, in hexadecimal, as `sha256sum` prints it.
    pub fn sha256(&self) -> String {
        Sha256::digest(self.text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The undecided part of the race freedom of a launch that was listened to, if one of its shape and arguments was.
    pub fn known_undecided(&self, launch: &SameLaunch) -> Option<Option<Why>> {
        self.undecided.lock().unwrap_or_else(PoisonError::into_inner).get(launch).copied()
    }

    /// Remembers that. Constants are arguments that the host may change.
    pub fn learn_undecided(&self, launch: SameLaunch, undecided: Option<Why>) {
        let mut known = self.undecided.lock().unwrap_or_else(PoisonError::into_inner);
        if self.constant_bytes == 0 && known.len() < MOST_UNDECIDED {
            known.insert(launch, undecided);
        }
    }

    /// True for the first launch of a kernel, by its number in the program.
    pub fn is_first_launch(&self, index: usize) -> bool {
        self.certified.lock().unwrap_or_else(PoisonError::into_inner).insert(index)
    }

    /// A kernel by name: its number in the program.
    pub fn kernel(&self, name: &str) -> Result<usize, Cause> {
        let program = self.program(Tier::Bare)?;
        program.functions.iter().position(|f| f.is_entry && f.name == name).ok_or_else(|| Cause::NoSymbol {
            name: name.to_owned(),
            known: known(program.functions.iter().filter(|f| f.is_entry).map(|f| f.name.as_str())),
        })
    }

    /// The names of all kernels.
    pub fn kernels(&self) -> Result<Vec<String>, Cause> {
        let program = self.program(Tier::Bare)?;
        Ok(program.functions.iter().filter(|f| f.is_entry).map(|f| f.name.clone()).collect())
    }

    /// Resources of a kernel, where whoever compiled it left them in the text: lines such as
    /// `//resources sm_89 naive: 32 registers, 0 shared, 356 constant, 0 local, …`.
    pub fn resources(&self, kernel: &str) -> Option<Resources> {
        let line = self.text.lines().filter_map(|line| line.strip_prefix("//resources ")).find(|line| {
            line.split_once(' ').and_then(|(_, rest)| rest.split_once(':')).is_some_and(|(name, _)| name == kernel)
        })?;
        let number_before = |words: &str| -> Option<u32> {
            let before = &line[..line.find(words)?];
            before.trim_end().rsplit([' ', ',']).next()?.parse().ok()
        };
        Some(Resources { registers: number_before(" registers")?, local_bytes: number_before(" local").unwrap_or(0) })
    }

    /// The symbol of a function.
    pub fn name_of(&self, index: usize) -> &str {
        let program = self.programs[Tier::Bare as usize].get();
        program.and_then(|program| program.functions.get(index)).map_or("", |function| &function.name)
    }

    pub fn facts<T>(&self, index: usize, of: impl FnOnce(&Function) -> T) -> Result<T, Cause> {
        let program = self.program(Tier::Bare)?;
        program.functions.get(index).map(of).ok_or_else(|| Cause::Defect("a kernel without code".into()))
    }

    /// A variable by name.
    pub fn global(&self, name: &str) -> Result<&Global, Cause> {
        self.globals.iter().find(|global| global.name == name).ok_or_else(|| Cause::NoSymbol {
            name: name.to_owned(),
            known: known(self.globals.iter().map(|global| global.name.as_str())),
        })
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        for global in &self.globals {
            // A fault or the end of the context may have taken it before.
            let _ = self.memory.free(global.address);
        }
    }
}

fn known<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.take(8).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn parse(text: &str) -> Result<tree::Module<'_>, Cause> {
    ptx::parse(text).map_err(|error| Cause::BadPtx { line: error.line, column: error.column, message: error.message })
}

/// A module that cannot be run, in words.
fn refused_module(refused: &[lower::Refused], files: &[String]) -> Cause {
    let diagnosis = diagnostics::refusals(refused, files, &diagnostics::read_source);
    Cause::Diagnosed(CUresult::CUDA_ERROR_INVALID_PTX, Box::new(diagnosis))
}

/// A variable that cannot be placed, as a refusal.
fn refused_variable(name: &str, reason: lower::Reason) -> lower::Refused {
    lower::Refused {
        location: tree::Location::default(),
        function: String::new(),
        instruction: name.to_owned(),
        reason,
    }
}

/// Memory and first values of the variables of module scope.
fn place_globals(module: &tree::Module, memory: &Memory) -> Result<Vec<Global>, Cause> {
    let mut globals = Vec::new();
    for variable in &module.variables {
        let kind = match variable.space {
            tree::Space::Global => Kind::Global,
            tree::Space::Const => Kind::Constant,
            _ => continue,
        };
        let bytes = variable
            .bytes()
            .ok_or_else(|| refused_module(&[refused_variable(variable.name, lower::Reason::TooLarge)], &[]))?;
        let address = memory.allocate(bytes, kind, variable.name).map_err(|refused| Cause::OutOfMemory {
            asked: bytes,
            free: refused.free_bytes,
            total: memory.total_bytes(),
            card: "device",
        })?;
        globals.push(Global { name: variable.name.to_owned(), address, bytes });
    }
    let functions: Vec<&str> = module.functions.iter().filter(|f| f.body.is_some()).map(|f| f.name).collect();
    let addresses = |name: &str| {
        let global = globals.iter().find(|global| global.name == name).map(|global| global.address);
        let function =
            || functions.iter().position(|f| *f == name).map(|at| machine::memory::FUNCTION_WINDOW + at as u64);
        global.or_else(function)
    };
    for variable in &module.variables {
        let Some(global) = globals.iter().find(|global| global.name == variable.name) else { continue };
        let image = lower::image::image(variable, &addresses)
            .map_err(|reason| refused_module(&[refused_variable(variable.name, reason)], &[]))?;
        memory.write(global.address, &image).map_err(|_| Cause::Defect("a variable without memory".into()))?;
    }
    Ok(globals)
}

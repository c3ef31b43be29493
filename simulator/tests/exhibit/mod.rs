//! An exhibit: a kernel file that says in its comments how it is launched, run without a driver.
//!
//! ```text
//! // kernel: NAME                                                    where the file has several
//! // launch: [cooperative] grid X [Y [Z]] block X [Y [Z]] [shared BYTES]
//! // arg: TYPE name[COUNT] [= iota [HOW MANY] | zeros | freed]     memory of the device; without a value never written
//! // arg: TYPE* name = null | host | of 0                          of: the memory of the argument of that number
//! // arg: int name = 5                                             a number; `long`: of 8 bytes
//! // arg: tiles[ROWS][COLUMNS] of 0                                a tensor map: a matrix of int, whose memory is the argument of
//!                                                                  that number, in tiles of 8 rows and 8 columns
//! // arg: texture[ROWS][COLUMNS] of 0                              a texture object, or a surface object: of int, whose rows are the
//! // arg: surface[ROWS][COLUMNS] of 0                              memory of the argument of that number
//! ```
pub mod schedules;

use simulator::diagnostics::{self, Diagnosis, Scene};
use simulator::exec::context::Facts;
use simulator::exec::executable::Executable;
use simulator::exec::launch::{Outcome, Request, Settings, run};
use simulator::exec::op::Level;
use simulator::exec::texture_object::{self, Format, Texture};
use simulator::fault::Fault;
use simulator::lower::{Options, Tier, image, lower};
use simulator::memory::{Kind, Memory};
use simulator::mends::{Known, Trial};
use simulator::probe::Probe;
use simulator::program::FunctionId;
use simulator::ptx::parse;
use simulator::sanitizer::Sanitizer;
use simulator::search::snapshot::Snapshot;
use simulator::tensor::{self, MOST_DIMENSIONS, Swizzle, TensorMap};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A kernel file and how it is launched.
pub struct Exhibit {
    /// As the compiler is given it: from the workspace's root.
    pub name: String,
    pub source: String,
    pub cooperative: bool,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared_bytes: u32,
    pub arguments: Vec<Argument>,
}

/// The argument of one parameter of the kernel.
pub enum Argument {
    Memory {
        bytes: u64,
        element: Element,
        fill: Fill,
    },
    Number(Vec<u8>),
    /// The memory of the argument of this number, once more.
    Same(usize),
    /// Rows and columns of a matrix that lies in the memory of the argument of this number.
    Tiles {
        rows: u64,
        columns: u64,
        of: usize,
    },
    /// Likewise rows and columns of what a texture or surface object reads.
    Texture {
        rows: u64,
        columns: u64,
        of: usize,
        is_surface: bool,
    },
}

/// Rows and columns of a tile.
pub const TILE: u32 = 8;

#[derive(Clone, Copy, PartialEq)]
pub enum Element {
    Integer,
    Float,
    Double,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Fill {
    Nothing,
    Zeros,
    /// 0, 1, 2, … in so many elements.
    Iota(u64),
    Freed,
}

/// Makes a program of a kernel's PTX.
type Lower = dyn Fn(&str) -> Option<Executable>;

/// A loaded kernel with its arguments in memory.
pub struct Setup {
    pub program: Executable,
    pub function: FunctionId,
    pub memory: Memory,
    pub parameters: Vec<u8>,
    /// Its PTX, what makes a program of another, and the memory that it finds: for mends.
    text: String,
    lower: Box<Lower>,
    before: Snapshot,
}

/// A module's code, with its variables at these addresses.
fn lowered(text: &str, variables: &[(String, u64)], tier: Tier) -> Result<Executable, String> {
    let address = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|&(_, address)| address);
    let options = Options { addresses: &address, tier, level: Level::detect() };
    let module = parse(text).map_err(|error| format!("{error:?}"))?;
    lower(&module, &options).map_err(|refused| format!("{refused:?}"))
}

const FACTS: Facts = Facts {
    multiprocessors: 24,
    warps_per_multiprocessor: 48,
    reserved_shared_bytes: 1024,
    shared_unit_bytes: 128,
    stack_bytes: 1024,
    clock_khz: 1_830_000,
    grid_id: 1,
    in_lock_step: false,
};

/// The workspace's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a member of the workspace").to_path_buf()
}

/// All `.cu` files in the folders of a folder, sorted.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    kernels_in(folder, "cu")
}

/// All files with an ending in the folders of a folder, sorted.
pub fn kernels_in(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries(folder).flat_map(|class| entries(&class).collect::<Vec<_>>()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == ending));
    found.sort();
    found
}

/// The packed PTX beside a `.cu` file.
pub fn ptx_beside(path: &Path) -> Result<String, String> {
    kernels::read_ptx(&path.with_extension("ptx.z")).map_err(|error| error.to_string())
}

impl Exhibit {
    /// Reads a `.cu` file.
    pub fn read(path: &Path) -> Result<Self, String> {
        let source = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let name = path.strip_prefix(root()).map_err(|error| error.to_string())?.display().to_string();
        let launch = note(&source, "launch").ok_or("no `// launch:` line")?;
        let mut words = launch.split_whitespace().peekable();
        let (mut cooperative, mut grid, mut block, mut shared_bytes) = (false, [1; 3], [1; 3], 0);
        while let Some(word) = words.next() {
            let mut numbers = std::iter::from_fn(|| words.next_if(|w| w.parse::<u32>().is_ok())?.parse().ok());
            match word {
                "cooperative" => cooperative = true,
                "grid" => numbers.by_ref().zip(&mut grid).for_each(|(number, edge)| *edge = number),
                "block" => numbers.by_ref().zip(&mut block).for_each(|(number, edge)| *edge = number),
                "shared" => shared_bytes = numbers.next().ok_or("shared: how many bytes?")?,
                other => return Err(format!("launch: `{other}`?")),
            }
        }
        let arguments = source.lines().filter_map(|line| line.strip_prefix("// arg: ")).map(argument);
        let arguments = arguments.collect::<Result<_, _>>()?;
        Ok(Self { name, source, cooperative, grid, block, shared_bytes, arguments })
    }

    /// A note in the file's comments: `// key: value`.
    pub fn note(&self, key: &str) -> Option<&str> {
        note(&self.source, key)
    }

    /// Loads the kernel's PTX and puts its arguments into memory.
    pub fn set_up(&self, ptx: &str, tier: Tier) -> Result<Setup, String> {
        let memory = Memory::new(1 << 30).map_err(|error| error.to_string())?;
        let module = parse(ptx).map_err(|error| format!("{error:?}"))?;
        let mut variables: Vec<(String, u64)> = Vec::new();
        for variable in image::variables(&module) {
            let bytes = variable.bytes().unwrap_or(0);
            let address = memory.allocate(bytes, Kind::Global, variable.name).map_err(|error| format!("{error:?}"))?;
            variables.push((variable.name.to_owned(), address));
        }
        let address = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|&(_, address)| address);
        for variable in image::variables(&module) {
            let all = |name: &str| address(name).or_else(|| image::function_address(&module, name));
            let bytes = image::image(variable, &all).map_err(|why| format!("{why:?}"))?;
            let at = address(variable.name).unwrap_or_default();
            memory.write(at, &bytes).map_err(|error| format!("{error:?}"))?;
        }
        let lower = move |text: &str| lowered(text, &variables, tier);
        let program = lower(ptx)?;
        let is_it = |name: &str| self.note("kernel").is_none_or(|wanted| wanted == name);
        let function = program.functions.iter().position(|f| f.is_entry && is_it(&f.name)).ok_or("no kernel")?;
        let parameters = self.parameters(&program, function, &memory)?;
        let before = Snapshot::take(&memory).map_err(|error| format!("{error:?}"))?;
        let lower = Box::new(move |text: &str| lower(text).ok());
        Ok(Setup {
            program,
            function: FunctionId(function as u32),
            memory,
            parameters,
            text: ptx.to_owned(),
            lower,
            before,
        })
    }

    fn parameters(&self, program: &Executable, function: usize, memory: &Memory) -> Result<Vec<u8>, String> {
        let function = &program.functions[function];
        if function.parameters.len() != self.arguments.len() {
            return Err(format!("{} parameters, {} arguments", function.parameters.len(), self.arguments.len()));
        }
        let mut buffer = vec![0u8; function.parameter_bytes as usize];
        let mut addresses: Vec<u64> = Vec::new();
        for (slot, argument) in function.parameters.iter().zip(&self.arguments) {
            let mut allocated = 0;
            let value = match argument {
                Argument::Number(bytes) => bytes.clone(),
                &Argument::Same(of) => addresses.get(of).ok_or("the memory of what?")?.to_le_bytes().to_vec(),
                Argument::Memory { bytes, element, fill } => {
                    allocated = memory.allocate(*bytes, Kind::Device, "").map_err(|error| format!("{error:?}"))?;
                    fill_memory(memory, allocated, *bytes, *element, *fill)?;
                    allocated.to_le_bytes().to_vec()
                }
                &Argument::Tiles { rows, columns, of } => {
                    tiles(rows, columns, *addresses.get(of).ok_or("tiles of what?")?)
                }
                &Argument::Texture { rows, columns, of, is_surface } => {
                    let object = texture(rows, columns, *addresses.get(of).ok_or("a texture of what?")?, is_surface);
                    let bytes = object.encode();
                    let address =
                        memory.allocate(bytes.len() as u64, Kind::Global, "").map_err(|e| format!("{e:?}"))?;
                    memory.write(address, &bytes).map_err(|error| format!("{error:?}"))?;
                    address.to_le_bytes().to_vec()
                }
            };
            addresses.push(allocated);
            let to = slot.offset as usize..(slot.offset + slot.bytes) as usize;
            buffer.get_mut(to).filter(|to| to.len() == value.len()).ok_or("argument size")?.copy_from_slice(&value);
        }
        Ok(buffer)
    }

    /// Runs the kernel.
    pub fn run(&self, setup: &Setup, settings: Settings, probe: Option<Box<dyn Probe>>) -> Outcome {
        run(&self.request(setup, settings), probe)
    }

    /// The request to [`run`].
    pub fn request<'s>(&self, setup: &'s Setup, settings: Settings) -> Request<'s> {
        Request {
            function: setup.function,
            cluster: setup.program.functions[setup.function.0 as usize].required_cluster.unwrap_or([1; 3]),
            dynamic_shared_bytes: self.shared_bytes,
            cooperative: self.cooperative,
            settings,
            resident_blocks: 24,
            facts: FACTS,
            ..Request::new(&setup.program, &setup.memory, (self.grid, self.block), &setup.parameters)
        }
    }

    /// The diagnoses of the sanitizer and the executor after a run, once the host has read all memory; after a fault it cannot.
    pub fn judge(&self, setup: &Setup, sanitizer: &Sanitizer, fault: Option<&Fault>) -> Vec<Diagnosis> {
        if fault.is_none() {
            setup.memory.live().iter().for_each(|a| setup.memory.read_by_host(a.address, a.bytes));
        }
        let read = setup.memory.take_exposed();
        let late = sanitizer.pending().filter(|(stored, _)| read.contains(stored)).map(|(_, finding)| finding);
        let request = self.request(setup, Settings { budget: 1 << 24, ..Settings::default() });
        let (text, lower, known) = (setup.text.as_str(), &*setup.lower, &Known::default());
        let before = Some(&setup.before);
        let mut trial = Trial { request: &request, text, lower, known, before, after: None, spent: (0, 0) };
        self.word(setup, |scene| {
            let findings =
                sanitizer.findings().chain(late).map(|finding| diagnostics::tried(finding, scene, &mut trial));
            let mut all: Vec<Diagnosis> = findings.chain(fault.map(|fault| diagnostics::fault(fault, scene))).collect();
            // As the driver does: a line that the compiler made several stores of is told once.
            let mut told = HashSet::new();
            all.retain(|diagnosis| told.insert(diagnosis.message.clone()));
            all
        })
    }

    /// Words what happened.
    pub fn word(&self, setup: &Setup, tell: impl FnOnce(&Scene) -> Vec<Diagnosis>) -> Vec<Diagnosis> {
        let launch = self.request(setup, Settings::default()).launch();
        tell(&Scene { launch: &launch, sources: &diagnostics::read_source })
    }
}

fn note<'s>(source: &'s str, key: &str) -> Option<&'s str> {
    source.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "))
}

/// The bytes of a tensor map.
fn tiles(rows: u64, columns: u64, address: u64) -> Vec<u8> {
    let mut map = TensorMap {
        element: tensor::Element::S32,
        rank: 2,
        address,
        extents: [1; MOST_DIMENSIONS],
        strides: [0; MOST_DIMENSIONS],
        box_extents: [1; MOST_DIMENSIONS],
        element_strides: [1; MOST_DIMENSIONS],
        swizzle: Swizzle::None,
        fills_nan: false,
    };
    (map.extents[0], map.extents[1], map.strides[1]) = (columns, rows, 4 * columns);
    map.box_extents[..2].fill(TILE);
    map.encode().to_vec()
}

/// A texture or surface object over rows of int.
fn texture(rows: u64, columns: u64, address: u64, is_surface: bool) -> Texture {
    let extents = [columns as u32, rows as u32, 0];
    let place = texture_object::Level { address, extents, pitch: 4 * columns, slice: 4 * columns * rows };
    Texture { reads_integers: true, is_surface, is_tiled: true, ..Texture::of(place, Format::S32, 1) }
}

fn argument(text: &str) -> Result<Argument, String> {
    let number = |part: &str| part.parse::<u64>().map_err(|_| format!("arg: `{text}`?"));
    for kind in ["tiles[", "texture[", "surface["] {
        let Some((shape, of)) = text.strip_prefix(kind).and_then(|text| text.split_once("] of ")) else { continue };
        let (rows, columns) = shape.split_once("][").ok_or_else(|| format!("arg: `{text}`?"))?;
        let (rows, columns, of) = (number(rows)?, number(columns)?, number(of)? as usize);
        return Ok(match kind {
            "tiles[" => Argument::Tiles { rows, columns, of },
            _ => Argument::Texture { rows, columns, of, is_surface: kind == "surface[" },
        });
    }
    let (declaration, value) = text.split_once('=').map_or((text, ""), |(a, b)| (a.trim(), b.trim()));
    let (kind, name) = declaration.trim().rsplit_once(' ').ok_or_else(|| format!("arg: `{text}`?"))?;
    if kind == "long" {
        return Ok(Argument::Number(number(value)?.to_le_bytes().into()));
    }
    let element = match kind.trim_end_matches('*') {
        "float" => Element::Float,
        "double" => Element::Double,
        _ => Element::Integer,
    };
    if kind.ends_with('*') {
        return match value {
            "null" => Ok(Argument::Number(0u64.to_le_bytes().into())),
            "host" => Ok(Argument::Number(0x7ffd_1234_5680u64.to_le_bytes().into())),
            other => {
                let of = other.strip_prefix("of ").ok_or_else(|| format!("arg: `{other}`?"))?;
                Ok(Argument::Same(number(of)? as usize))
            }
        };
    }
    let Some((_, count)) = name.split_once('[') else {
        let bytes = match element {
            Element::Integer => value.parse::<i32>().map(|v| v.to_le_bytes().to_vec()).map_err(|e| e.to_string()),
            Element::Float => value.parse::<f32>().map(|v| v.to_le_bytes().to_vec()).map_err(|e| e.to_string()),
            Element::Double => value.parse::<f64>().map(|v| v.to_le_bytes().to_vec()).map_err(|e| e.to_string()),
        };
        return bytes.map(Argument::Number);
    };
    let count: u64 = count.trim_end_matches(']').parse().map_err(|_| format!("arg: `{text}`?"))?;
    let bytes = count * if element == Element::Double { 8 } else { 4 };
    let mut words = value.split_whitespace();
    let fill = match words.next() {
        None => Fill::Nothing,
        Some("zeros") => Fill::Zeros,
        Some("iota") => Fill::Iota(words.next().and_then(|w| w.parse().ok()).unwrap_or(count)),
        Some("freed") => Fill::Freed,
        Some(other) => return Err(format!("arg: `{other}`?")),
    };
    Ok(Argument::Memory { bytes, element, fill })
}

impl Fill {
    /// The values that are written to so many bytes before the launch, from their start.
    pub fn values(self, element: Element, bytes: u64) -> Vec<u8> {
        match self {
            Fill::Nothing | Fill::Freed => Vec::new(),
            Fill::Zeros => vec![0; bytes as usize],
            Fill::Iota(count) => (0..count)
                .flat_map(|i| match element {
                    Element::Integer => (i as u32).to_le_bytes().to_vec(),
                    Element::Float => (i as f32).to_le_bytes().to_vec(),
                    Element::Double => (i as f64).to_le_bytes().to_vec(),
                })
                .collect(),
        }
    }
}

fn fill_memory(memory: &Memory, address: u64, bytes: u64, element: Element, fill: Fill) -> Result<(), String> {
    if fill == Fill::Freed {
        return memory.free(address).map(|_| ()).map_err(|error| format!("{error:?}"));
    }
    let values = fill.values(element, bytes);
    if values.is_empty() { Ok(()) } else { memory.write(address, &values).map_err(|error| format!("{error:?}")) }
}

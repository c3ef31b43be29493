//! This program in ptxas's place, for callers that run it by a path of a variable: Triton's JIT, JAX's compiler (`CUDA_ROOT`). The simulator runs PTX, so the file that
//! machine code was to go into gets the PTX itself. Text that the simulator refuses goes through as well: the driver refuses it by name when it is
//! loaded, and so `sim` knows of it.
use simulator::driver::registers_of;
use simulator::exec::op::Level;
use simulator::lower::{Options, Tier, lower};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The variables by which Triton finds the assembler: for cards before Blackwell (from 3.9 on, before Hopper), and for later ones.
pub const VARIABLES: [(&str, &str); 2] =
    [("TRITON_PTXAS_PATH", "triton/ptxas"), ("TRITON_PTXAS_BLACKWELL_PATH", "triton/ptxas-blackwell")];

/// As ptxas ends where it cannot assemble.
pub const FAILED: u8 = 255;

/// The release of CUDA that is answered, which decides the version of PTX that Triton writes. Tritons of CUDA 12 know no later one; those that
/// call the second assembler do.
fn release(name: &OsStr) -> &'static str {
    if name == "ptxas-blackwell" { "13.0" } else { "12.9" }
}

/// The name by which this program was started, if it is one of ptxas's.
pub fn name(program: &OsStr) -> Option<&OsStr> {
    Path::new(program).file_name().filter(|name| VARIABLES.iter().any(|(_, path)| Path::new(path).ends_with(name)))
}

/// Does what the arguments ask for, and answers what ptxas prints: on standard output for a question, else on standard error.
///
/// # Errors
/// The fault of the call or of its input.
pub fn run(name: &OsStr, arguments: &[OsString]) -> Result<Printed, String> {
    let words: Vec<_> = arguments.iter().map(|word| word.to_string_lossy()).collect();
    let has = |flags: [&str; 2]| words.iter().any(|word| flags.contains(&&**word));
    if has(["--version", "-V"]) {
        let release = release(name);
        // Triton keeps what it has assembled by this text: a card's machine code and the simulator's PTX never meet.
        let own = concat!("in its place: sim ", env!("CARGO_PKG_VERSION"));
        return Ok(Printed::Answer(format!(
            "ptxas: NVIDIA (R) Ptx optimizing assembler\n{own}\nCuda compilation tools, release {release}, V{release}.0\n"
        )));
    }
    let value = |flags: [&str; 2]| {
        let at = words.iter().position(|word| flags.contains(&&**word));
        let joined = || words.iter().position(|word| flags.iter().any(|flag| word.starts_with(&format!("{flag}="))));
        match at {
            Some(at) => Some((at + 1, words.get(at + 1)?.to_string())),
            None => joined().and_then(|at| Some((at, words[at].split_once('=')?.1.to_owned()))),
        }
    };
    let output = value(["-o", "--output-file"]);
    // Values of options are no files, so their many names need not be known.
    let inputs: Vec<_> = (0..arguments.len())
        .filter(|at| output.as_ref().is_none_or(|(taken, _)| taken != at))
        .map(|at| PathBuf::from(&arguments[at]))
        .filter(|path| !path.as_os_str().as_encoded_bytes().starts_with(b"-") && path.is_file())
        .collect();
    let [input] = &inputs[..] else {
        return Err(format!(
            "{} files of PTX among the arguments; this program in ptxas's place takes one\n  next: ptxas FILE.ptx -o FILE.cubin",
            inputs.len()
        ));
    };
    let text = std::fs::read_to_string(input).map_err(|error| format!("{}: {error}", input.display()))?;
    if !text.contains(".version") {
        return Err(format!("{}, line 1; fatal   : no PTX: `.version` is missing", input.display()));
    }
    let output = output.map_or_else(|| PathBuf::from("elf.o"), |(_, path)| path.into());
    // XLA hands the driver the bytes of the file, and a driver reads text up to a NUL.
    std::fs::write(&output, format!("{text}\0")).map_err(|error| format!("{}: {error}", output.display()))?;
    let gpu = value(["--gpu-name", "-arch"]).map_or_else(|| "sm_52".to_owned(), |(_, gpu)| gpu);
    Ok(Printed::Information(if has(["-v", "--verbose"]) { information(&text, &gpu) } else { String::new() }))
}

/// The texts of a call that succeeded, by where they go.
pub enum Printed {
    /// To standard output.
    Answer(String),
    /// To standard error.
    Information(String),
}

/// The registers of each kernel, as the simulated driver answers them. The simulator keeps all of them in registers, so nothing is spilled.
fn information(text: &str, gpu: &str) -> String {
    let options = Options { addresses: &|_| Some(0), tier: Tier::Bare, level: Level::of_host() };
    let refused = |why: String| format!("ptxas info    : the simulator refuses this when it is loaded: {why}\n");
    let module = match simulator::ptx::parse(text) {
        Ok(module) => module,
        Err(error) => return refused(format!("line {}: {}", error.line, error.message)),
    };
    match lower(&module, &options) {
        Ok(program) => program
            .functions
            .iter()
            .filter(|function| function.is_entry)
            .map(|function| {
                let (name, registers) = (&function.name, registers_of(function));
                format!(
                    "ptxas info    : Compiling entry function '{name}' for '{gpu}'\n\
                     ptxas info    : Function properties for {name}\n    \
                     {} bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
                     ptxas info    : Used {registers} registers, {} bytes smem\n",
                    function.local_bytes, function.shared_bytes
                )
            })
            .collect(),
        Err(why) => why.iter().map(|why| refused(format!("`{}` in `{}`", why.instruction, why.function))).collect(),
    }
}

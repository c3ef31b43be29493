//! Kernels by the host's C++ compiler: a program made of them is run with their inputs, and gives their outputs.
use crate::kernel::{self, Kernel, Language, Launch};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Files that are written beside the kernels.
const FILES: [(&str, &str); 7] = [
    ("launch.h", include_str!("host/launch.h")),
    ("ptx.h", include_str!("host/ptx.h")),
    ("cuda.h", include_str!("host/cuda.h")),
    ("both.h", include_str!("host/both.h")),
    ("runtime.cpp", include_str!("host/runtime.cpp")),
    ("floats.cpp", include_str!("host/floats.cpp")),
    ("integers.cpp", include_str!("host/integers.cpp")),
];

/// Strict arithmetic: nothing fused, nothing assumed about overflow or about the rounding mode. Without the last, GCC 12
/// makes −x of 0 − x where x comes from an integer, which is −0 for 0.
const STRICT: [&str; 6] =
    ["-std=c++17", "-w", "-fwrapv", "-ffp-contract=off", "-fno-strict-aliasing", "-frounding-math"];

/// The compiler and a folder with what does not change, compiled.
pub struct Host {
    compiler: String,
    folder: PathBuf,
}

impl Host {
    /// `None` where there is no C++ compiler: `CXX`, `c++` and `g++` are tried.
    ///
    /// # Errors
    /// A folder that cannot be written, a compiler that does not compile.
    pub fn new(folder: &Path) -> Result<Option<Host>, String> {
        let named = std::env::var("CXX").ok();
        let works = |name: &String| {
            let mut command = Command::new(name);
            command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        let Some(compiler) = named.into_iter().chain(["c++".into(), "g++".into()]).find(works) else { return Ok(None) };
        for (name, text) in FILES {
            std::fs::write(folder.join(name), text).map_err(|error| format!("{name}: {error}"))?;
        }
        let host = Host { compiler, folder: folder.to_owned() };
        for name in ["runtime", "floats", "integers"] {
            host.compile(&["-O2", "-c", &format!("{name}.cpp"), "-o", &format!("{name}.o")])?;
        }
        Ok(Some(host))
    }

    /// Leaves in `{name}.at` what is being run: whoever finds the process dead or hanging reads the seed there.
    pub fn note(&self, name: &str, what: std::fmt::Arguments) {
        let _ = std::fs::write(self.folder.join(format!("{name}.at")), format!("{what}\n"));
    }

    fn compile(&self, arguments: &[&str]) -> Result<(), String> {
        let mut command = Command::new(&self.compiler);
        let output = command.current_dir(&self.folder).args(STRICT).args(arguments).output();
        let output = output.map_err(|error| format!("{}: {error}", self.compiler))?;
        match output.status.success() {
            true => Ok(()),
            false => Err(format!("{} failed:\n{}", self.compiler, String::from_utf8_lossy(&output.stderr))),
        }
    }

    /// The outputs of all kernels. `name` is that of files which nobody else writes at the time.
    ///
    /// # Errors
    /// The compiler's message, or that of a program that fails.
    pub fn run(
        &self,
        language: Language,
        kernels: &[Kernel],
        launches: &[Launch],
        name: &str,
    ) -> Result<Vec<Vec<u64>>, String> {
        // PTX's twin does its work in functions that are compiled already.
        let level = if language == Language::Cuda { "-O1" } else { "-O0" };
        self.run_at(level, language, kernels, launches, name)
    }

    /// [`run`](Self::run) at a level of optimisation.
    ///
    /// # Errors
    /// As there.
    pub fn run_at(
        &self,
        level: &str,
        language: Language,
        kernels: &[Kernel],
        launches: &[Launch],
        name: &str,
    ) -> Result<Vec<Vec<u64>>, String> {
        let mut text = match language {
            Language::Cuda => "#include \"cuda.h\"\n".to_owned(),
            Language::Ptx => "#include \"ptx.h\"\n".to_owned(),
        };
        for (index, kernel) in kernels.iter().enumerate() {
            text.push_str(&kernel.text(kernel::host, &format!("k{index}")));
        }
        let names: Vec<String> = (0..kernels.len()).map(|index| format!("k{index}")).collect();
        let _ = writeln!(text, "Entry kernels[] = {{{}}};", names.join(", "));
        let source = format!("{name}.cpp");
        std::fs::write(self.folder.join(&source), text).map_err(|error| format!("{source}: {error}"))?;
        self.compile(&[level, &source, "runtime.o", "floats.o", "integers.o", "-o", name])?;
        let output = self.execute(name, launches)?;
        let mut words = output.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default()));
        let outputs: Vec<Vec<u64>> =
            launches.iter().map(|launch| words.by_ref().take(launch.output_words).collect()).collect();
        let whole = outputs.iter().zip(launches).all(|(output, launch)| output.len() == launch.output_words);
        if whole { Ok(outputs) } else { Err("the host's program ended before its outputs did".into()) }
    }

    fn execute(&self, name: &str, launches: &[Launch]) -> Result<Vec<u8>, String> {
        let failed = |error: std::io::Error| format!("{name}: {error}");
        let mut input = (launches.len() as u32).to_le_bytes().to_vec();
        for (index, launch) in launches.iter().enumerate() {
            let head =
                [index as u32, launch.blocks, launch.threads, launch.input.len() as u32, launch.output_words as u32];
            input.extend(head.iter().flat_map(|number| number.to_le_bytes()));
            input.extend(launch.input.iter().flat_map(|word| word.to_le_bytes()));
        }
        let mut command = Command::new(self.folder.join(name));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let mut pipe = child.stdin.take().ok_or("no pipe")?;
        let writer = std::thread::spawn(move || pipe.write_all(&input));
        let output = child.wait_with_output().map_err(failed)?;
        let _ = writer.join();
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr))),
        }
    }
}

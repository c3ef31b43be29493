//! Programs under `sim`: this test program itself, started with other words, and the libraries that it loads there.
use libtest_mimic::Failed;
use std::ffi::{OsStr, c_int};
use std::process::Command;

/// Calls a function of a library by its name. Its arguments are numbers and addresses.
macro_rules! call {
    ($library:ident.$function:ident($($argument:expr),*)) => {{
        #[allow(clippy::unnecessary_cast, reason = "an argument may be a word already")]
        let words = [$($argument as usize),*];
        $library.call(stringify!($function), &words)
    }};
}

/// Calls a function of a library, which answers that it succeeded.
macro_rules! done {
    ($library:ident.$function:ident($($argument:expr),*)) => {
        assert_eq!(call!($library.$function($($argument),*)), 0, stringify!($function))
    };
}

pub struct Loaded(libloading::Library);

impl Loaded {
    /// The library of a name, as the loader finds it, or of a path.
    pub fn new(file: impl AsRef<OsStr>) -> Loaded {
        let file = file.as_ref();
        // SAFETY: loading it runs no code of ours.
        Loaded(unsafe { libloading::Library::new(file) }.unwrap_or_else(|error| panic!("{}: {error}", file.display())))
    }

    /// A function that takes or answers more than numbers and addresses.
    pub fn function<F: Copy>(&self, name: &str) -> F {
        // SAFETY: each caller names a function with its own signature.
        unsafe { *self.0.get::<F>(name).unwrap_or_else(|error| panic!("{name}: {error}")) }
    }

    /// Calls a function whose arguments are numbers and addresses: each takes a word, and what is missing nobody reads.
    pub fn call(&self, name: &str, arguments: &[usize]) -> c_int {
        type W = usize;
        type Function = unsafe extern "C" fn(W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W) -> c_int;
        let mut all = [0; 16];
        all[..arguments.len()].copy_from_slice(arguments);
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = all;
        // SAFETY: the caller's arguments are those of the function, with room where it writes.
        unsafe { self.function::<Function>(name)(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) }
    }
}

/// This program under `sim` with flags, started with words.
pub fn under_sim(flags: &[&str], words: &[&OsStr]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sim"));
    command.args(flags).arg(std::env::current_exe().expect("a path")).args(words);
    command
}

/// The words on stderr of a command that ends well.
pub fn said(command: &mut Command) -> Result<String, Failed> {
    let output = command.output()?;
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(told) } else { Err(told.into()) }
}

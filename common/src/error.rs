//! Errors, in six families, and the exit code that follows.
//!
//! The family is the first thing a reader sees: it says whose turn it is. Wording of faults *inside* a kernel is the simulator's
//! (its text arrives through `cuGetErrorString`) and of compile errors the `kernels` crate's; this module only passes them on.

use cudarc::driver::{DriverError, sys::CUresult};
use kernels::KernelError;
use std::fmt;
use std::process::ExitCode;
use std::sync::OnceLock;

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A `.cu` file is wrong.
    YourKernel,
    /// The host program is wrong.
    YourHostCode,
    /// A flag, a variable or a file that one of them names is wrong.
    CommandLine,
    /// The program is right, and this machine does not let it do what it has to: a full disk, a missing library.
    ThisMachine,
    /// The program may be right; the simulator cannot run it.
    NotModelled,
    /// The program asks for more than the device or the tool has.
    LimitReached,
}

impl Family {
    /// Key and title.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Family::YourKernel => ("kernel", "your kernel"),
            Family::YourHostCode => ("host", "your host code"),
            Family::CommandLine => ("command_line", "your command line"),
            Family::ThisMachine => ("machine", "this machine"),
            Family::NotModelled => ("not_modelled", "not modelled by the simulator"),
            Family::LimitReached => ("limit", "limit reached"),
        }
    }

    /// The identifier that the simulated driver gives in JSON, and a report's findings have.
    pub const fn key(self) -> &'static str {
        self.names().0
    }

    /// The family of a key of the driver's.
    pub fn of_key(key: &str) -> Option<Family> {
        Family::OF_DRIVER.into_iter().find(|family| family.key() == key)
    }

    /// The title as every report prints it.
    pub const fn title(self) -> &'static str {
        self.names().1
    }
}

/// An error with its family and the one thing to do next.
#[derive(Debug)]
pub struct LabError {
    /// Whose turn it is.
    pub family: Family,
    /// The description of what happened, with the numbers.
    pub message: String,
    /// One command or change that leads on.
    pub next: String,
}

impl LabError {
    /// An error of the command line, or of what it names.
    pub fn usage(message: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(Family::CommandLine, message, next)
    }

    /// An error of the host program.
    pub fn host(message: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(Family::YourHostCode, message, next)
    }

    /// An error for something that this machine does not let the program do.
    pub fn machine(message: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(Family::ThisMachine, message, next)
    }

    /// More asked for than there is.
    pub fn limit(message: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(Family::LimitReached, message, next)
    }

    /// Any family.
    pub fn new(family: Family, message: impl Into<String>, next: impl Into<String>) -> Self {
        LabError { family, message: message.into(), next: next.into() }
    }
}

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.family.title(), self.message)?;
        if !self.next.is_empty() {
            write!(f, "\n  next: {}", self.next)?;
        }
        Ok(())
    }
}

impl std::error::Error for LabError {}

/// How a run ended, where it ended with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All results right, nothing found.
    Passed,
    /// A wrong result or a finding of the sanitizer.
    Failed,
}

/// Ends a lab's `main`: runs it, prints an error on standard error, and gives the exit code (0 passed, 1 wrong result, 2 no answer).
pub fn conclude(lab: impl FnOnce() -> anyhow::Result<Verdict>) -> ExitCode {
    match lab() {
        Ok(Verdict::Passed) => ExitCode::SUCCESS,
        Ok(Verdict::Failed) => ExitCode::from(1),
        Err(error) if reader_left(&error) => ExitCode::from(READER_LEFT),
        Err(error) => {
            eprintln!("{}", describe(&error));
            ExitCode::from(2)
        }
    }
}

/// The exit code of a program whose reader left before the end: 128 and the number of SIGPIPE, as a shell has it. It is no success, since what
/// would have been told next may have been a failure.
pub const READER_LEFT: u8 = 141;

/// Returns whether all that went wrong is that nobody reads on, as after `head`: the reader has what it wanted, so nothing is said of it.
pub fn reader_left(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    causes.any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}

/// The text of an error: the cause that names its family first, then what it interrupted, outermost last.
pub fn describe(error: &anyhow::Error) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut titled: Option<usize> = None;
    for cause in error.chain() {
        let text = match cause.downcast_ref::<DriverError>() {
            Some(driver) => describe_driver_error(driver),
            None => cause.to_string(),
        };
        // `thiserror` sources that repeat in their parent's text are said once.
        if !texts.last().is_some_and(|last| last.contains(&text)) {
            texts.push(text);
            if titled.is_none() && names_its_family(cause) {
                titled = Some(texts.len() - 1);
            }
        }
    }
    let title = titled.unwrap_or(0);
    let details = texts[title + 1..].iter().map(|text| format!("\n  {text}"));
    let interrupted = texts[..title].iter().rev().map(|text| format!("\n  while: {text}"));
    let rest: String = details.chain(interrupted).collect();
    format!("error: {}{rest}", texts[title])
}

/// True of errors whose text begins with their family.
fn names_its_family(cause: &(dyn std::error::Error + 'static)) -> bool {
    cause.is::<LabError>() || cause.is::<DriverError>() || cause.is::<KernelError>()
}

/// Answers the family of this thread's last failed call, if that call failed with this code.
type Classifier = Box<dyn Fn(CUresult) -> Option<Family> + Send + Sync>;

/// The classifier of the driver that is loaded; a card's own driver has none.
static CLASSIFIER: OnceLock<Classifier> = OnceLock::new();

/// A driver that knows the families of its failures has been loaded: their texts are whole.
pub(crate) fn classify_driver_errors(by: Classifier) {
    // A second load is of the same library, and its classifier the same.
    let _ = CLASSIFIER.set(by);
}

/// A driver's error in the driver's own words; the simulator answers here with its whole diagnosis.
pub fn describe_driver_error(error: &DriverError) -> String {
    let text = match error.error_string() {
        Ok(text) => text.to_string_lossy().into_owned(),
        Err(_) => format!("{:?}", error.0),
    };
    if CLASSIFIER.get().and_then(|family_of| family_of(error.0)).is_some() {
        return text;
    }
    let (family, next) = match error.0 {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => (Family::LimitReached, "choose a smaller --size"),
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
        | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
        | CUresult::CUDA_ERROR_LAUNCH_FAILED
        | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
        | CUresult::CUDA_ERROR_ASSERT => (
            Family::YourKernel,
            "run the same with --device sim: the simulator names the line, the thread and the address",
        ),
        CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
        | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
        | CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE => (Family::LimitReached, "choose a smaller block or grid"),
        _ => (Family::YourHostCode, ""),
    };
    LabError::new(family, format!("{text} ({})", code_name(error.0)), next).to_string()
}

impl Family {
    /// The families that the simulated driver has as well, in the order of the documentation. The others are of what happens before a driver is called.
    pub const OF_DRIVER: [Family; 4] =
        [Family::YourKernel, Family::YourHostCode, Family::NotModelled, Family::LimitReached];
}

/// The name that the CUDA documentation lists.
fn code_name(code: CUresult) -> String {
    format!("{code:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_family_then_message_then_next() {
        let error = LabError::limit("needs 3 GiB, 1 GiB is free", "--size 512");
        assert_eq!(error.to_string(), "limit reached: needs 3 GiB, 1 GiB is free\n  next: --size 512");
    }

    #[test]
    fn the_family_comes_first_then_what_was_interrupted() {
        let error = anyhow::Error::from(LabError::host("size 0", "")).context("loading").context("gemm naive");
        assert_eq!(describe(&error), "error: your host code: size 0\n  while: loading\n  while: gemm naive");
    }

    #[test]
    fn an_error_without_a_family_keeps_its_order() {
        let error = anyhow::anyhow!("no such file").context("writing x.json");
        assert_eq!(describe(&error), "error: writing x.json\n  no such file");
    }
}

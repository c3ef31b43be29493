//! Parts of a module that cannot be run, each with its reason.
use ptx::isa::{Refusal, Since};
use ptx::tree::{Location, Module};

/// Something in a module that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub location: Location,
    /// Function that it stands in.
    pub function: String,
    /// The opcode, such as `wgmma.fence.sync.aligned`; empty where the function as a whole is refused.
    pub instruction: String,
    pub reason: Reason,
}

/// Reason something cannot be run; `diagnostics` words it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The PTX manual has it, this simulator does not.
    NotModelled,
    /// The PTX manual has no such form.
    NoSuchForm,
    /// The PTX manual has it since a later `.version` than the module's.
    NeedsVersion((u32, u32)),
    /// The PTX manual has it for later targets than the module's: the number after `sm_`.
    NeedsTarget(u32),
    /// Operands of a kind or number that the instruction does not have.
    Operands,
    /// A name that nothing declares.
    UnknownSymbol(String),
    /// A function without a body that the device runtime does not provide either.
    UnknownFunction(String),
    /// More shared, local or parameter memory, or registers, than any device has.
    TooLarge,
    /// An initialiser of a kind that a variable's type cannot hold.
    Initialiser(String),
}

impl From<Refusal> for Reason {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NotModelled => Reason::NotModelled,
            Refusal::NoSuchForm => Reason::NoSuchForm,
        }
    }
}

/// Checks that a module's version and target have something.
///
/// # Errors
/// The version or the target that they do not reach.
pub fn available(module: &Module, since: Since) -> Result<(), Reason> {
    refuse_if!(module.version < since.version, Reason::NeedsVersion(since.version));
    // A target that is no number is refused elsewhere.
    let digits = module.target.trim_start_matches("sm_").trim_end_matches(|c: char| c.is_ascii_alphabetic());
    match digits.parse::<u32>() {
        Ok(target) if target < since.target => Err(Reason::NeedsTarget(since.target)),
        _ => Ok(()),
    }
}

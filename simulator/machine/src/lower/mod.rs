//! The tree of a module to flat code, in ordered passes.
//!
//! For the module: which function is which ([`module`]), where shared variables lie ([`shared`]). For each function:
//! basic blocks ([`flow`]) in convergence order ([`order`]), live ranges ([`liveness`]), rows and local memory
//! ([`frame`]), ops and block ends ([`code`], [`operands`], [`places`], [`symbols`], [`ends`]), all of it inside the frame ([`rows`]). For the whole again: what a function
//! may do through its calls ([`effects`]).
mod bulk;
mod code;
mod dominators;
mod effects;
mod ends;
mod flow;
mod fragments;
mod frame;
pub mod image;
mod liveness;
mod local_arrays;
mod matrix_operands;
mod module;
mod operands;
mod order;
mod places;
mod products;
mod rows;
mod shared;
mod symbols;
mod warp_operands;

use crate::exec::executable::Executable;
use crate::exec::op::Level;
use ptx::isa::Refusal;
use ptx::tree::{Location, Module};

/// What a module is lowered for.
pub struct Options<'a> {
    /// The address of a module's `.global` or `.const` variable.
    pub addresses: &'a dyn Fn(&str) -> Option<u64>,
    pub tier: Tier,
    pub level: Level,
}

/// Whether memory and control ops tell a probe what they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    Bare,
    Probed,
}

/// Something in a module that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub location: Location,
    /// Function that it stands in.
    pub function: String,
    /// The opcode, such as `wgmma.fence.sync.aligned`; empty where the function as a whole is refused.
    pub instruction: String,
    pub why: Why,
}

/// Why something cannot be run; `diagnostics` words it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
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

impl From<Refusal> for Why {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NotModelled => Why::NotModelled,
            Refusal::NoSuchForm => Why::NoSuchForm,
        }
    }
}

/// Whether the device runtime provides a function of this name, so that no module need define it.
pub fn is_provided(function: &str) -> bool {
    ends::builtin(function).is_some()
}

/// Lowers a module.
///
/// # Errors
/// Everything in it that cannot be run, each instruction once, with the place of its first use.
pub fn lower(module: &Module, options: &Options) -> Result<Executable, Vec<Refused>> {
    module::lower(module, options)
}

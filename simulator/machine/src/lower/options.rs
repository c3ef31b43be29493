//! What a module is lowered for.
use crate::exec::op::Level;

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

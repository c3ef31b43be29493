//! The options that a module is lowered with.
use crate::exec::op::Level;

/// The options that a module is lowered with.
pub struct Options<'a> {
    /// The address of a module's `.global` or `.const` variable.
    pub addresses: &'a dyn Fn(&str) -> Option<u64>,
    pub tier: Tier,
    pub level: Level,
}

/// The choice between ops that tell a probe what they do and ops that do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    Bare,
    Probed,
}

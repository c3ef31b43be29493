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
    /// As `Probed`, and a block begins with each operation that threads communicate by, so that another warp can run ahead of it.
    Stepped,
}

impl Tier {
    /// True if ops tell a probe what they do.
    pub fn is_probed(self) -> bool {
        self != Tier::Bare
    }
}

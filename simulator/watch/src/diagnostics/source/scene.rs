//! The scene of a message: the launch, and the sources of its program.
use machine::probe::Launch;

/// Everything that a message may look at.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    pub launch: &'a Launch<'a>,
    /// The text of a source file by the path that the compiler was given; see [`read_source`](crate::diagnostics::read_source).
    pub sources: &'a dyn Fn(&str) -> Option<String>,
}

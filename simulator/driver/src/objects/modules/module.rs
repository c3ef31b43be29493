//! Modules.
use super::loaded::Loaded;
use std::sync::Arc;

/// A loaded module.
pub struct Module {
    pub context: usize,
    pub loaded: Arc<Loaded>,
}

//! Contexts.
use crate::interface::Cause;
use rustc_hash::{FxHashMap, FxHashSet};
use std::thread::ThreadId;

/// A context: what belongs to one application on one device.
#[derive(Default)]
pub struct Context {
    pub device: usize,
    pub primary: bool,
    pub flags: u32,
    /// A device fault; every later call answers it.
    pub fault: Option<Cause>,
    /// The stream that handles 0 and 1 name.
    pub legacy: usize,
    /// The streams that handle 2 names, one per thread.
    pub per_thread: FxHashMap<ThreadId, usize>,
    pub limits: FxHashMap<u32, usize>,
    pub cache_config: u32,
    pub shared_config: u32,
    pub peers: FxHashSet<usize>,
    /// Its creator, and those that attached themselves to it.
    pub users: usize,
    /// How often it has ended, as a primary one does and begins anew by the same handle.
    pub ends: u16,
}

//! Handles: the application holds numbers instead of pointers, and they are looked up, so a wrong one is an error.
use crate::interface::Cause;
use cuda::layout::Raw;
use rustc_hash::FxHashMap;

/// The legacy default stream, which calls without a stream use.
pub const LEGACY: Raw = std::ptr::null_mut();
/// `CU_STREAM_PER_THREAD`
pub const PER_THREAD: Raw = 2 as Raw;

/// All live objects of one kind.
pub struct Handles<T> {
    kind: &'static str,
    /// Handles of different kinds lie in different ranges, so that one is never taken for the other.
    base: usize,
    next: usize,
    live: FxHashMap<usize, T>,
}

impl<T> Handles<T> {
    /// An empty set; `kind` names it in messages, `range` is unique to it.
    pub fn new(kind: &'static str, range: usize) -> Self {
        Handles { kind, base: (0x10 + range) << 40, next: 0, live: FxHashMap::default() }
    }
    /// Takes an object in and answers its handle; handles are never used twice.
    pub fn insert(&mut self, object: T) -> usize {
        self.next += 1;
        let handle = self.base + self.next * 16;
        self.live.insert(handle, object);
        handle
    }
    /// The object of a handle.
    pub fn get(&self, handle: usize) -> Result<&T, Cause> {
        self.live.get(&handle).ok_or_else(|| self.stale(handle))
    }
    /// The object of a handle, to change it.
    pub fn get_mut(&mut self, handle: usize) -> Result<&mut T, Cause> {
        match self.live.get_mut(&handle) {
            Some(object) => Ok(object),
            None => Err(stale(self.kind, self.base, self.next, handle)),
        }
    }
    /// Takes an object out; its handle is stale from then on.
    pub fn remove(&mut self, handle: usize) -> Result<T, Cause> {
        self.live.remove(&handle).ok_or_else(|| stale(self.kind, self.base, self.next, handle))
    }
    /// Handles and objects in the order of their making.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        let mut all: Vec<_> = self.live.iter().map(|(&handle, object)| (handle, object)).collect();
        all.sort_unstable_by_key(|&(handle, _)| handle);
        all.into_iter()
    }
    fn stale(&self, handle: usize) -> Cause {
        stale(self.kind, self.base, self.next, handle)
    }
}

fn stale(kind: &'static str, base: usize, next: usize, handle: usize) -> Cause {
    let was_given_out = handle > base && handle <= base + next * 16 && handle.is_multiple_of(16);
    if was_given_out { Cause::DestroyedHandle(kind) } else { Cause::NoHandle(kind) }
}

//! The machine code of a program's functions, kept from launch to launch: making it takes longer than a small launch, and clients launch the
//! same kernels thousands of times.
use super::code::Code;
use crate::cards::Architecture;
use crate::constants::MOST_CODES;
use machine::program::Function;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Of one program.
#[derive(Default)]
pub struct Codes {
    known: Mutex<FxHashMap<Key, Arc<Code>>>,
}

/// The compute capability that the code is made for, a function of the program, and by site, ascending, the low bits of the addresses that it had:
/// the code depends on how they are aligned.
type Key = ((u32, u32), u32, Box<[(u32, u8)]>);

impl Codes {
    /// The code of a function. `low` are the low bits that the addresses of any lane had, by site, ascending; a site that is not there was
    /// not heard of, and may have any.
    pub fn of(&self, a: &Architecture, functions: &[Function], function: u32, low: &[(u32, u8)]) -> Arc<Code> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (a.compute_capability, function, low.into());
        if let Some(code) = known().get(&key) {
            return Arc::clone(code);
        }
        let of_site = |site: u32| low.binary_search_by_key(&site, |own| own.0).map_or(15, |at| low[at].1);
        let code = Arc::new(Code::new(a, &functions[function as usize], &of_site));
        let mut known = known();
        if known.len() >= MOST_CODES {
            known.clear();
        }
        known.insert(key, Arc::clone(&code));
        code
    }
}

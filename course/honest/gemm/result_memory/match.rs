//! By cases.

use super::Memory;

pub fn result_memory(copies: usize) -> Memory {
    match copies {
        0 => Memory::Pageable,
        1.. => Memory::Pinned,
    }
}

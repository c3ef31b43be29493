//! By what each choice costs: locking takes time once, a copy from pageable memory takes more each time.

use super::Memory;

/// In thousandths of a copy.
fn cost(memory: Memory, copies: usize) -> usize {
    match memory {
        Memory::Pageable => 2000 * copies,
        Memory::Pinned => 1 + 1000 * copies,
    }
}

pub fn result_memory(copies: usize) -> Memory {
    [Memory::Pageable, Memory::Pinned].into_iter().min_by_key(|&memory| cost(memory, copies)).unwrap()
}

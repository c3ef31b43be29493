use crate::strategies::Memory::{self, Pageable, Pinned};

pub fn result_memory(copies: usize) -> Memory {
    if copies == 0 {
        return Pageable;
    }
    Pinned
}

//! Instructions by which threads communicate, and those that order what others see.
use ptx::isa::{self, Class, Operands, Space};
use ptx::tree::Opcode;

/// Atomics, and accesses that other threads may watch, to memory that blocks share; and naps, which are taken while others do something.
pub fn is_ordered(opcode: &Opcode) -> bool {
    let row = isa::row(opcode.row);
    if row.class == Class::Control && row.operands == Operands::Source && opcode.modifiers.is_empty() {
        return true;
    }
    if !matches!(opcode.space, Space::Global | Space::Generic) {
        return false;
    }
    match row.operands {
        _ if row.class == Class::Atomic => true,
        // Copies that reduce are atomic, element by element.
        Operands::Bulk => {
            opcode.modifiers.iter().any(|m| matches!(*m, "add" | "min" | "max" | "inc" | "dec" | "and" | "or" | "xor"))
        }
        Operands::Load | Operands::Store => is_strong(opcode),
        _ => false,
    }
}

/// Returns whether threads communicate by an operation: atomics, accesses that others may watch, `mbarrier` objects.
pub fn communicates(opcode: &Opcode) -> bool {
    let row = isa::row(opcode.row);
    match row.class {
        Class::Atomic => true,
        Class::Async => matches!(row.operands, Operands::Update | Operands::Reduce),
        _ => matches!(row.operands, Operands::Load | Operands::Store) && is_strong(opcode),
    }
}

/// Returns whether a load or a store is one that other threads may watch.
pub fn is_strong(opcode: &Opcode) -> bool {
    opcode.modifiers.iter().any(|m| matches!(*m, "volatile" | "relaxed" | "acquire" | "release" | "mmio"))
}

/// Returns whether an instruction makes other accesses come before or after it for other threads.
pub fn orders_memory(opcode: &Opcode) -> bool {
    let row = isa::row(opcode.row);
    let fences = row.class == Class::Barrier && row.operands == Operands::Nothing;
    fences || opcode.modifiers.iter().any(|m| matches!(*m, "acquire" | "release" | "acq_rel"))
}

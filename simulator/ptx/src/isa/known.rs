//! Results that follow from operands that are known: as much of it as the loops need by which threads wait.
use super::definition::Definition;
use super::opcode::Opcode;

impl Definition {
    /// Returns whether a form of it works on the phases of an `mbarrier` for which threads alone arrive, and for which they ask by parity.
    pub fn counts_threads(&self, modifiers: &[&str]) -> bool {
        const ROWS: [&str; 5] = [
            "mbarrier.arrive",
            "mbarrier.init",
            "mbarrier.inval",
            "mbarrier.test_wait.parity",
            "mbarrier.try_wait.parity",
        ];
        const OTHERS: [&str; 4] = ["expect_tx", "relaxed", "noComplete", "shared::cluster"];
        ROWS.contains(&self.name) && !modifiers.iter().any(|word| OTHERS.contains(word))
    }

    /// Returns whether it reads or moves the stack pointer.
    pub fn uses_stack(&self) -> bool {
        matches!(self.name, "alloca" | "stacksave" | "stackrestore")
    }

    /// Returns whether it makes an `mbarrier`, or ends one.
    pub fn begins_phases(&self) -> bool {
        matches!(self.name, "mbarrier.init" | "mbarrier.inval")
    }
}

impl Opcode<'_> {
    /// The result for sources of which some are known.
    pub fn result(&self, sources: &[Option<u64>]) -> Option<u64> {
        let known = |index: usize| sources.get(index).copied().flatten();
        match (self.definition().name, &self.modifiers[..]) {
            _ if self.types.iter().any(|ty| ty.is_float()) => None,
            ("mov", []) => known(0),
            ("selp", []) => known(if known(2)? != 0 { 0 } else { 1 }),
            ("setp", ["eq"]) => Some((known(0)? == known(1)?).into()),
            ("setp", ["ne"]) => Some((known(0)? != known(1)?).into()),
            _ => None,
        }
    }
}

//! Since when an instruction is there: the PTX version and the target that a module must name to have it.
//!
//! Numbers are from the "PTX ISA notes" and "target ISA notes" of the manual's section on the instruction; those of sm_75 and
//! later were compared with what ptxas 13 refuses.
use super::definition::Definition;

/// The least `.version` and `.target` of a module that may use something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since {
    /// Major and minor, compared as a pair.
    pub version: (u32, u32),
    /// The number after `sm_`.
    pub target: u32,
}

impl Since {
    /// Every module has it.
    pub const ALWAYS: Since = Since { version: (1, 0), target: 0 };

    /// Since PTX 7.8 (`version`) on sm_90 (`target`).
    pub const fn new(version: f64, target: u32) -> Since {
        let tenths = (version * 10.0 + 0.5) as u32;
        Since { version: (tenths / 10, tenths % 10), target }
    }

    /// The later of both.
    fn and(self, other: Since) -> Since {
        Since { version: self.version.max(other.version), target: self.target.max(other.target) }
    }
}

/// Words of an opcode that are younger than PTX 2.0, whatever instruction they stand in.
const WORDS: &[(&str, f64, u32)] = &include!("words.txt");

/// The version and the target that a module must name to have an opcode.
pub fn since(definition: &Definition, opcode: &str) -> Since {
    let younger = WORDS.iter().chain(definition.newer).filter(|(pattern, ..)| fits(opcode, pattern));
    younger.fold(definition.since, |since, &(_, version, target)| since.and(Since::new(version, target)))
}

/// Returns whether an opcode has the words of a pattern, in this order, and none of those that have a `!` there.
pub(super) fn fits(opcode: &str, pattern: &str) -> bool {
    let words = || opcode.split('.').skip(1);
    let mut rest = words();
    pattern.split('.').all(|wanted| match wanted.strip_prefix('!') {
        Some(other) => words().all(|word| word != other),
        None => rest.any(|word| word == wanted),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{find, row};
    use super::*;

    #[test]
    fn the_youngest_part_of_an_opcode_decides() {
        let since = |opcode: &str| {
            let since = since(row(find(opcode).unwrap().0), opcode);
            (since.version, since.target)
        };
        assert_eq!(since("add.f32"), ((1, 0), 0));
        assert_eq!(since("add.rn.bf16"), ((7, 8), 90));
        assert_eq!(since("add.rn.sat.f32.f16"), ((8, 6), 100));
        assert_eq!(since("fma.rn.bf16"), ((7, 0), 80));
        assert_eq!(since("cvt.rn.bf16.f32"), ((7, 0), 80));
        assert_eq!(since("cvt.f32.bf16"), ((7, 1), 80));
        assert_eq!(since("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"), ((6, 5), 75));
        assert_eq!(since("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64"), ((7, 8), 90));
        assert_eq!(since("ld.global.relaxed.gpu.f32"), ((6, 0), 70));
        let small = |types: &str| since(&format!("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.{types}.f32"));
        assert_eq!(small("e4m3.e4m3"), ((8, 4), 89));
        assert_eq!(small("e4m3.e2m1"), ((8, 7), 120));
        assert_eq!(small("e3m2.e2m3"), ((8, 7), 120));
    }
}

//! An opcode's facts for the clock and other readers of a lowered module: found once, when the module is lowered.
use super::fidelity::Difference;
use super::types::{Space, Type};
use super::unit::Unit;
use super::work::Work;

/// Which part of a product of integers it makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// `.wide`
    Whole,
    /// `.hi`
    Upper,
    /// `.lo`
    Lower,
}

/// Facts of one opcode.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// How a machine carries it out.
    pub work: Work,
    /// The first state space named, or generic.
    pub(super) space: Space,
    pub(super) first: Option<Type>,
    /// The type that says what is computed, compared or accessed.
    pub last: Option<Type>,
    /// True if it says that others may access the same memory meanwhile.
    pub(super) strong: bool,
    pub(super) vector: bool,
    /// `.cta`
    pub(super) of_block_scope: bool,
    /// True if it names the window of a cluster's shared memory.
    pub(super) in_cluster: bool,
    pub(super) in_shared: bool,
    pub(super) in_global: bool,
    /// `.nc`
    pub(super) read_only: bool,
    /// `.add` and `.exch`
    pub(super) adds: bool,
    pub(super) exchanges: bool,
    pub(super) half: Option<Half>,
    /// True if the half is all that it says beside its type.
    pub(super) plain_half: bool,
    /// `.eq` and `.ne`
    pub is_equality: bool,
    /// `.l`
    pub(super) to_the_left: bool,
    /// Rows of A and columns of B of a product of four warps.
    pub(super) rows: u32,
    pub(super) columns: u32,
    /// Registers of 32 bits that a result takes; a predicate takes none.
    pub words: u32,
    /// The machine instructions that it becomes where it stands alone.
    pub units: &'static [Unit],
    /// How its values differ from a card's, if they do.
    pub difference: Option<&'static Difference>,
}

impl Facts {
    /// Facts of no instruction: of a site that an end without one has.
    pub const NONE: Facts = Facts {
        work: Work::Control,
        space: Space::Generic,
        first: None,
        last: None,
        strong: false,
        vector: false,
        of_block_scope: false,
        in_cluster: false,
        in_shared: false,
        in_global: false,
        read_only: false,
        adds: false,
        exchanges: false,
        half: None,
        plain_half: false,
        is_equality: false,
        to_the_left: false,
        rows: 0,
        columns: 0,
        words: 1,
        units: &[Unit::Control],
        difference: None,
    };

    /// Returns whether it accesses shared memory.
    pub fn is_shared(&self) -> bool {
        self.in_shared
    }

    /// Returns whether it loads one word of 32 bits from the block's shared memory, which nobody else changes meanwhile.
    pub fn is_shared_word(&self) -> bool {
        let word = matches!(self.last, Some(Type::B32 | Type::U32 | Type::S32 | Type::F32));
        self.loads() && self.space == Space::Shared && word && !self.vector && !self.strong && !self.in_cluster
    }

    /// Returns whether it loads a constant, which instructions have as an operand if its address is one.
    pub fn is_constant(&self) -> bool {
        self.loads() && self.space == Space::Const
    }

    /// Returns whether it loads a parameter of the kernel or of a call.
    pub fn is_parameter(&self) -> bool {
        self.loads() && self.space == Space::Param
    }

    /// Returns whether it loads a parameter of 32 bits or less for one of 64: compilers name a signed type only there. The upper word is computed.
    pub fn is_widened_parameter(&self) -> bool {
        let narrow = matches!(self.last, Some(Type::S8 | Type::S16 | Type::S32));
        self.is_parameter() && narrow && !self.vector
    }

    /// Returns whether it loads.
    pub fn loads(&self) -> bool {
        self.work == Work::Load
    }

    /// Returns whether it loads what others may store meanwhile.
    pub fn loads_strongly(&self) -> bool {
        self.loads() && self.strong
    }

    /// Returns whether it loads, as a compiler may do sooner or later, from memory that is not the multiprocessor's.
    pub fn loads_from_afar(&self) -> bool {
        self.loads() && !self.strong && matches!(self.space, Space::Generic | Space::Global)
    }

    /// Returns whether it loads global memory that nobody writes to while the kernel runs.
    pub fn is_unwritten(&self) -> bool {
        self.loads() && self.space == Space::Global && self.read_only
    }

    /// Returns whether it loads through the cache for data that nobody writes while the kernel runs, which hears of no write.
    pub fn is_read_only(&self) -> bool {
        self.work == Work::LoadUniform || self.loads() && self.read_only
    }

    /// Returns whether it stores where other threads may load.
    pub fn stores_for_others(&self) -> bool {
        self.work == Work::Store && !matches!(self.space, Space::Local | Space::Param)
    }

    /// Returns whether other blocks may see it, or it may see them, in an order that the text does not say: atomics, and loads and stores that
    /// say so, but in shared memory.
    pub fn is_ordered_among_blocks(&self, atomic: bool) -> bool {
        let watched = self.strong && matches!(self.work, Work::Load | Work::LoadUniform | Work::Store);
        (!self.in_shared || self.in_global) && (atomic || watched)
    }

    /// Returns whether its scope is the block: it orders or changes memory for the threads of one block only.
    pub fn is_of_block_scope(&self) -> bool {
        self.of_block_scope
    }

    /// Returns whether it moves a value.
    pub fn moves(&self) -> bool {
        self.work == Work::Move
    }

    /// Returns whether it is a sum.
    pub fn is_sum(&self) -> bool {
        self.work == Work::Add
    }

    /// Returns whether it makes a predicate of a comparison.
    pub fn compares(&self) -> bool {
        self.work == Work::Compare
    }

    /// Returns whether it asks for a barrier's phase, in a loop until it has ended.
    pub fn polls(&self) -> bool {
        self.work == Work::Poll
    }

    /// Which half of a product of 32-bit integers it makes, the upper one or not: both together are one instruction of a machine.
    pub fn half_of_product(&self) -> Option<bool> {
        let integers = matches!(self.last, Some(Type::U32 | Type::S32)) && self.work == Work::Multiply;
        match self.half {
            Some(Half::Upper) if integers && self.plain_half => Some(true),
            Some(Half::Lower) if integers && self.plain_half => Some(false),
            _ => None,
        }
    }

    /// Returns whether it is an atomic sum.
    pub fn adds_in_memory(&self) -> bool {
        self.work == Work::Update && self.adds
    }

    /// Returns whether it is an atomic sum of floats.
    pub fn adds_floats_in_memory(&self) -> bool {
        self.adds_in_memory() && self.last.is_some_and(Type::is_float)
    }

    /// Returns whether a card has no instruction for it in shared memory, and swaps in a loop: sums of floats and of 64 bits.
    pub fn swaps_in_shared(&self) -> bool {
        self.adds_in_memory() && self.last.is_some_and(|ty| ty.is_float() || ty.bytes() == 8)
    }

    /// Returns whether it is an atomic sum of integers, which a warp can add up by itself.
    pub fn adds_integers_in_memory(&self) -> bool {
        self.adds_in_memory() && matches!(self.last, Some(Type::U32 | Type::S32 | Type::U64))
    }

    /// Returns whether it is an atomic that puts a value in the place of another, whatever that is.
    pub fn is_exchange(&self) -> bool {
        self.work == Work::Update && self.exchanges
    }

    /// Bytes of shared memory that a product of matrices reads that four warps do together: B's, and A's where these are not in registers.
    pub fn shared_bytes_of_product(&self, a_in_registers: bool) -> u32 {
        // 32 bytes of each row of A and each column of B, whatever their type.
        const ALONG_K: u32 = 32;
        (if a_in_registers { 0 } else { self.rows } + self.columns) * ALONG_K
    }

    /// How many of a division's first instructions need the divisor alone.
    pub fn of_the_divisor(&self) -> Option<usize> {
        match (self.work, self.last) {
            (Work::Divide, Some(Type::U32)) => Some(7),
            (Work::Divide, Some(Type::S32)) => Some(8),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::opcode::Opcode;
    use super::*;

    fn facts(text: &str) -> Facts {
        Opcode::parse(text).unwrap().facts()
    }

    #[test]
    fn every_float_that_is_added_in_memory_is_one() {
        for text in ["red.global.add.noftz.bf16x2", "atom.global.add.noftz.bf16", "atom.add.f64", "red.add.noftz.f16x2"]
        {
            assert!(facts(text).adds_floats_in_memory(), "{text}");
        }
        for text in ["red.global.add.u32", "atom.global.max.s32", "add.f32", "atom.exch.b32"] {
            assert!(!facts(text).adds_floats_in_memory(), "{text}");
        }
    }

    #[test]
    fn a_word_of_shared_memory_is_one_however_the_window_is_written() {
        for text in ["ld.shared.u32", "ld.shared::cta.u32", "ld.weak.shared.f32", "ld.shared.b32"] {
            assert!(facts(text).is_shared_word(), "{text}");
        }
        for text in ["ld.shared.v2.u32", "ld.volatile.shared.u32", "ld.shared::cluster.u32", "ld.shared.u64", "ld.u32"]
        {
            assert!(!facts(text).is_shared_word(), "{text}");
        }
    }

    #[test]
    fn a_load_of_what_nobody_writes_may_say_that_it_is_weak() {
        for text in ["ld.global.nc.f32", "ld.weak.global.nc.f32", "ld.global.nc.L1::no_allocate.v4.u32"] {
            assert!(facts(text).is_unwritten(), "{text}");
        }
        for text in ["ld.global.f32", "ld.f32", "st.global.f32"] {
            assert!(!facts(text).is_unwritten(), "{text}");
        }
    }

    #[test]
    fn a_scope_is_not_a_window() {
        for text in ["atom.global.cta.add.u32", "ld.acquire.cta.global.u32", "fence.acq_rel.cta", "membar.cta"] {
            assert!(facts(text).is_of_block_scope(), "{text}");
        }
        for text in ["ld.shared::cta.u32", "atom.global.add.u32", "red.gpu.global.add.u32"] {
            assert!(!facts(text).is_of_block_scope(), "{text}");
        }
    }

    #[test]
    fn a_copy_accesses_both_of_its_spaces() {
        assert!(facts("cp.async.bulk.global.shared::cta.bulk_group").is_shared());
        assert!(facts("cp.async.ca.shared.global").is_shared());
        assert!(!facts("cvta.to.global.u64").is_shared());
    }

    #[test]
    fn what_a_thread_stores_for_itself_is_not_for_others() {
        let texts =
            ["st.global.u32", "st.volatile.global.u32", "st.local.u32", "st.volatile.local.u32", "st.param.b64"];
        assert_eq!(texts.map(|text| facts(text).stores_for_others()), [true, true, false, false, false]);
    }

    #[test]
    fn a_product_of_four_warps_reads_its_operands_in_shared_memory() {
        let product = facts("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16");
        assert_eq!([false, true].map(|registers| product.shared_bytes_of_product(registers)), [6144, 4096]);
    }
}

//! What an opcode's text says of how a machine carries it out, beside its units.

/// Whether it accesses shared memory.
pub fn is_shared(text: &str) -> bool {
    text.contains(".shared")
}

/// Whether it loads through the cache for data that nobody writes while the kernel runs, which hears of no write.
pub fn is_read_only(text: &str) -> bool {
    text.starts_with("ldu.") || text.starts_with("ld.") && text.split('.').any(|part| part == "nc")
}

/// Whether lanes that meet at it know what the others have done: of instructions that keep a warp together, votes, comparisons and sums
/// across lanes order no memory. Shuffles do not either, but cooperative groups' tiles of several warps rely on them.
pub fn orders_lanes(text: &str) -> bool {
    !["vote.", "match.", "redux.", "elect."].iter().any(|start| text.starts_with(start))
}

/// Whether it loads one word of 32 bits from shared memory.
pub fn is_shared_word(text: &str) -> bool {
    text.starts_with("ld.shared.") && text.ends_with("32") && !text.contains(".v")
}

/// Whether it loads a constant, which instructions have as an operand if its address is one.
pub fn is_constant(text: &str) -> bool {
    text.starts_with("ld.const")
}

/// Whether it loads a parameter of the kernel or of a call.
pub fn is_parameter(text: &str) -> bool {
    text.starts_with("ld.param")
}

/// Whether it loads a parameter of 32 bits or less for one of 64: compilers name a signed type only there. The upper word is computed.
pub fn is_widened_parameter(text: &str) -> bool {
    text.starts_with("ld.param.s") && !text.ends_with("64")
}

/// Whether it moves a value.
pub fn moves(text: &str) -> bool {
    text.starts_with("mov.")
}

/// Whether it is a sum.
pub fn is_sum(text: &str) -> bool {
    text.starts_with("add.")
}

/// Which half of a product of 32-bit integers it makes, the upper one or not: both together are one instruction of a machine.
pub fn half_of_product(text: &str) -> Option<bool> {
    match text {
        "mul.hi.u32" | "mul.hi.s32" => Some(true),
        "mul.lo.u32" | "mul.lo.s32" => Some(false),
        _ => None,
    }
}

/// Whether it makes a predicate of a comparison.
pub fn compares(text: &str) -> bool {
    text.starts_with("setp")
}

/// Whether it takes a predicate as an operand among others, not to be switched off by it.
pub fn takes_predicates(text: &str) -> bool {
    text.starts_with("selp") || text.starts_with("setp")
}

/// Whether it asks for a barrier's phase, in a loop until it has ended.
pub fn polls(text: &str) -> bool {
    text.starts_with("mbarrier.test_wait") || text.starts_with("mbarrier.try_wait")
}

/// Whether it loads what others may store meanwhile.
pub fn loads_strongly(text: &str) -> bool {
    text.starts_with("ld.") && text.split('.').any(|part| matches!(part, "volatile" | "relaxed" | "acquire"))
}

/// Whether it stores where other threads may load.
pub fn stores_for_others(text: &str) -> bool {
    text.starts_with("st.") && !text.starts_with("st.local") && !text.starts_with("st.param")
}

/// Whether it waits for groups of copies or of products of four warps, but for the latest few.
pub fn awaits_groups(text: &str) -> bool {
    text.starts_with("cp.async.wait_group") || text.starts_with("wgmma.wait_group")
}

/// Whether it arrives at a barrier as soon as the thread's copies so far are there.
pub fn arrives_with_copies(text: &str) -> bool {
    text.starts_with("cp.async.mbarrier")
}

/// Whether it is an atomic sum.
pub fn adds_in_memory(text: &str) -> bool {
    matches!(text.split('.').next(), Some("atom" | "red")) && text.split('.').any(|part| part == "add")
}

/// Whether it is an atomic sum of floats.
pub fn adds_floats_in_memory(text: &str) -> bool {
    adds_in_memory(text) && text.rsplit('.').next().is_some_and(|kind| kind.starts_with('f'))
}

/// Whether it loads.
pub fn loads(text: &str) -> bool {
    text.starts_with("ld.")
}

/// Whether it loads, as a compiler may do sooner or later, from memory that is not the multiprocessor's.
pub fn loads_from_afar(text: &str) -> bool {
    let elsewhere = [".shared", ".param", ".const", ".local", ".volatile", ".relaxed", ".acquire", ".mmio"];
    loads(text) && !elsewhere.iter().any(|part| text.contains(part))
}

/// Whether it loads what nobody writes to while the kernel runs.
pub fn is_unwritten(text: &str) -> bool {
    text.starts_with("ld.global.") && text.contains(".nc")
}

/// Whether it is an atomic sum of integers, which a warp can add up by itself.
pub fn adds_integers_in_memory(text: &str) -> bool {
    adds_in_memory(text) && ["u32", "s32", "u64"].contains(&text.rsplit('.').next().unwrap_or_default())
}

/// Whether an opcode, as the text has it, names an atomic that puts a value in the place of another, whatever that is.
pub fn is_exchange(opcode: &str) -> bool {
    opcode.split('.').any(|part| part == "exch")
}

/// Whether it is a product of matrices that four warps do together.
pub fn is_of_four_warps(text: &str) -> bool {
    text.starts_with("wgmma")
}

/// Bytes of shared memory that a product of matrices reads that four warps do together: B's, and A's where these are not in registers.
pub fn shared_bytes_of_product(text: &str, a_in_registers: bool) -> u32 {
    // 32 bytes of each row of A and each column of B, whatever their type.
    const ALONG_K: u32 = 32;
    let is_number = |digit: char| digit.is_ascii_digit();
    let shape = text.split('.').find(|part| part.starts_with('m') && part[1..].starts_with(is_number));
    let mut sizes = shape.into_iter().flat_map(|shape| shape.split(|letter: char| !letter.is_ascii_digit()).skip(1));
    let mut size = || sizes.next().and_then(|size| size.parse::<u32>().ok()).unwrap_or(0);
    let (rows, columns) = (size(), size());
    (if a_in_registers { 0 } else { rows } + columns) * ALONG_K
}

/// Registers of 32 bits that a result takes; a predicate takes none. `element_bytes`: of the last type.
pub fn words_of_result(text: &str, element_bytes: u32) -> u32 {
    let mut parts = text.split('.');
    let bits = |part: &str| part.trim_start_matches(|letter: char| letter.is_ascii_lowercase()).parse::<u32>().ok();
    match parts.next() {
        Some("setp") => 0,
        // The first type is the result's.
        Some("cvt") => parts.filter_map(bits).find(|bits| bits.is_multiple_of(8)).unwrap_or(32).div_ceil(32),
        Some("ld") if is_widened_parameter(text) => 2,
        Some("mul" | "mad") if text.contains(".wide") => element_bytes.div_ceil(2),
        _ => element_bytes.div_ceil(4).max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_of_four_warps_reads_its_operands_in_shared_memory() {
        let text = "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16";
        assert_eq!([false, true].map(|registers| shared_bytes_of_product(text, registers)), [6144, 4096]);
    }

    #[test]
    fn a_result_takes_the_registers_of_its_type() {
        let words = [
            ("add.s32", 4),
            ("add.s64", 8),
            ("setp.lt.s64", 8),
            ("cvt.u64.u32", 4),
            ("cvt.rn.f32.s64", 8),
            ("mul.wide.s32", 4),
            ("ld.param.u32", 4),
            ("ld.param.s32", 4),
            ("ld.param.s64", 8),
        ];
        assert_eq!(words.map(|(text, bytes)| words_of_result(text, bytes)), [1, 2, 0, 2, 1, 2, 1, 2, 2]);
    }
}

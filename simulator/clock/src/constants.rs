//! Every number of the model of time that is no row of a card, each with its unit, the cards that it is used for, and its source.
//!
//! A row is `NAME: type = value, "unit", cards, "source";`, and one without any of these does not compile. A number that differs from card to
//! card belongs in [`crate::cards`]. The tags of the sources are those of that table, and four more: `[g]` the CUDA C++ Programming Guide, `[o]`
//! NVIDIA's occupancy calculator, `[w]` NVIDIA's white paper, `[b]` published microbenchmarks, `[m]` measured by this project, on the card and with
//! the kernels that the row names, `[e]` an estimate; `[p]` read off the machine code that NVIDIA's `ptxas` 13.0 makes for `sm_90`; `[f]` fitted:
//! the value with which the clock comes nearest to the named kernels; `[s]` chosen, so that the model's own time, memory or rounding stays in
//! bounds: no property of a card; `[?]` not noted when the number was chosen. Sets of kernels (`calibration.cu`, `stores.cu` …) are described in
//! `docs/measurements/clock.md`.

/// The cards for which a constant is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cards {
    /// Every card.
    All,
    /// Cards before Volta (compute capability below 7.0), which have the model that fits on a page.
    BeforeVolta,
    /// Volta and later cards (from 7.0 on), whose multiprocessor is played through.
    FromVolta,
    /// Turing and later cards (from 7.5 on), which have registers of a warp.
    FromTuring,
    /// Hopper and later cards (from 9.0 on).
    FromHopper,
    /// Hopper's, and Blackwell's of compute capability 10: their tensor units multiply for four warps at once.
    HopperAndBlackwell100,
    /// Cards whose number of L2 slices is known: the row has `l2_slices` above 0.
    WithKnownSlices,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// The room that uses it; `card` where several do.
    pub room: &'static str,
    pub name: &'static str,
    /// As the table has it.
    pub value: &'static str,
    pub unit: &'static str,
    pub cards: Cards,
    /// A tag in brackets, and where the number is from.
    pub source: &'static str,
}

macro_rules! table {
    ($($room:ident { $($(#[$doc:meta])* $name:ident: $type:ty = $value:expr, $unit:literal, $cards:ident, $source:literal;)* })*) => {
        $($(
            $(#[$doc])*
            #[doc = concat!("\n\nUnit: ", $unit, ". Cards: [`Cards::", stringify!($cards), "`]. Source: \\", $source, ".")]
            pub const $name: $type = $value;
        )*)*
        /// All rows, in the order of the table.
        pub static CONSTANTS: &[Constant] = &[$($(
            Constant {
                room: stringify!($room),
                name: stringify!($name),
                value: stringify!($value),
                unit: $unit,
                cards: Cards::$cards,
                source: $source,
            },
        )*)*];
    };
}

table! {
    card {
        /// Threads of a warp.
        WARP_LANES: u32 = 32, "lanes", All, "[g]";
        /// The most threads of a block.
        MOST_THREADS_OF_BLOCK: u32 = 1024, "threads", All, "[g]";
        /// A cache line.
        LINE_BYTES: u64 = 128, "bytes", All, "[g]";
        /// The part of a cache line that is fetched by itself.
        SECTOR_BYTES: u64 = 32, "bytes", All, "[g]";
        /// Sectors of a line.
        SECTORS_OF_LINE: u64 = 4, "sectors", All, "[g] 128 bytes by 32";
        /// Ways of a set of the first-level cache.
        L1_WAYS: usize = 4, "lines", FromVolta, "[?]";
    }

    streams {
        /// From the first instruction of the driver's own copy kernel to its last, without any bytes.
        COPY_START_CYCLES: f64 = 1_100.0, "cycles", All, "[m] H200: copies within the device of 256 KiB to 16 MiB in series: 1.00, 1.2, 2.1 and 5.3 µs";
        /// The part of L2's rate that this kernel reaches.
        COPY_SHARE_OF_L2: f64 = 0.88, "share", All, "[m] H200: the same copies";
        /// Time that its launch takes beside a kernel's, where no graph has prepared it.
        COPY_LAUNCH_NS: u64 = 400, "nanoseconds", All, "[m] H200: the same copies";
        /// The room for blocks that this kernel takes of the card.
        COPY_SHARE_OF_ROOM: f64 = 0.5, "share", All, "[?]";
        /// Latency of a copy to the device, in parts of the card's mean of both ways.
        SHARE_OF_LATENCY_IN: f64 = 1.2, "share of copy_latency_ns", All, "[m] H200: 2.7 µs in and 1.8 out; H100: 3.6 and 2.9";
        /// Latency of a copy from the device, in the same parts.
        SHARE_OF_LATENCY_OUT: f64 = 0.8, "share of copy_latency_ns", All, "[m] H200: 2.7 µs in and 1.8 out; H100: 3.6 and 2.9";
        /// Rate of a copy between two places of the host.
        HOST_BYTES_PER_S: f64 = 10e9, "bytes per second", All, "[?]";
        /// The least that the second of two ways over the bus gets, in parts of one way's rate: a card whose rate for both ways is one way's still goes on.
        LEAST_SHARE_OF_SECOND_WAY: f64 = 0.1, "share of pinned_bytes_per_s", All, "[s]";
        /// Time of the first copy of a stream after the copy engine was idle, unless it is the stream that the engine had last.
        TURN_NS: u64 = 1_400, "nanoseconds", All, "[m] H200: ten copies of 64 KiB to 1 MiB in ten streams take 14 µs more than in one, 13 out; in two streams in turns as long as in one";
        /// A kernel that has room for less than this part of its blocks does not start: it waits for more.
        LEAST_ROOM: f64 = 1.0 / 256.0, "share of its blocks", All, "[s]";
        /// Shares, and rates, that are no more than a rounding error.
        NOTHING: f64 = 1e-6, "share", All, "[s]";
        /// Times that are: the clock may stand at hours, and others were placed by where this kernel's predecessors would end before that was
        /// rounded to whole nanoseconds, so that they have not left it a unit for what is left by that.
        NO_TIME_NS: f64 = 2.0, "nanoseconds", All, "[s]";
        /// The time over which utilisation is told.
        UTILISATION_NS: u64 = 1_000_000_000, "nanoseconds", All, "[s]";
        /// The slots in which utilisation is added up.
        UTILISATION_SLOT_NS: u64 = 10_000_000, "nanoseconds", All, "[s]";
    }

    analytic {
        /// The power of the mean by which the terms of a kernel's time are joined: cubic.
        POWER_OF_TERMS: i32 = 3, "power", All, "[?]";
        /// The same of a kernel that was played through and the bus beside it.
        POWER_BESIDE_PLAYED: i32 = 6, "power", FromVolta, "[?]";
        /// From a block's place being free to its first instruction.
        BLOCK_START_CYCLES: f64 = 150.0, "cycles", All, "[?]";
        /// Accesses to memory, one after the other, by which the code and the parameters of a launch come.
        COLD_ACCESSES: f64 = 2.0, "accesses", BeforeVolta, "[e] no such card was measured";
        /// From the first instruction of a block's warp to that of its next warp.
        WARP_START_CYCLES: u64 = 7, "cycles", FromVolta, "[m] H200: 8192 and 65536 empty blocks of 1024 threads take 179 and 188 cycles a multiprocessor each, of which it holds two";
        /// Blocks that the whole card starts.
        BLOCK_STARTS_PER_CLOCK: f64 = 0.84, "blocks per clock", All, "[m] H200: 65536 empty blocks, of 32 or of 256 threads";
        /// Bytes that L2 moves in the time of one sector's atomic.
        ATOMIC_BYTES: f64 = 88.0, "bytes", All, "[m] H200: additions at random places of 1 and 16 MiB (`stores.cu`: `red_16m`)";
        /// The same beside them for an atomic whose result is asked for.
        ANSWER_BYTES: f64 = 32.0, "bytes", All, "[m] H200: additions, exchanges and comparisons at the same places (`stores.cu`: `add_16m`, `exch_16m`, `cas_16m`)";
        /// Requests that L1 answers, of those that the load/store units hand on.
        L1_SHARE_OF_REQUESTS: f64 = 0.8, "share", All, "[m] H200, whose units take a warp per clock: the two loads per multiply-add of a naive product take 2.5 clocks where all hit";
        /// Bytes that the lanes of a warp get of a load of a word each, the same word or not.
        WARP_WORDS_BYTES: f64 = 128.0, "bytes", All, "[g] 32 lanes by 4 bytes";
        /// The part of the rate of copies over the bus that kernels get which only read the host's memory, or only write it.
        ONE_WAY_SHARE: f64 = 0.85, "share of pinned_bytes_per_s", All, "[m] two H200s: ten products of 128";
        /// The multiprocessors that reach memory's rate are one in so many.
        MULTIPROCESSORS_PER_SATURATING: f64 = 4.0, "multiprocessors", All, "[?]";
        /// Loads of a warp that are in flight together.
        LOADS_IN_FLIGHT: f64 = 4.0, "loads", All, "[?]";
        /// Wavefronts of shared memory that are in flight together.
        WAVEFRONTS_IN_FLIGHT: f64 = 8.0, "wavefronts", All, "[?]";
        /// A barrier of a block, in the chain of one warp.
        BARRIER_OF_CHAIN_CYCLES: f64 = 20.0, "cycles", All, "[?]";
        /// The part of an instruction's latency that counts in the chain of one warp.
        SHARE_OF_CHAIN: f64 = 0.5, "share", All, "[?]";
        /// An arrival at a barrier of the grid, in the way of the polls of those who wait.
        GRID_ARRIVAL_CYCLES: f64 = 7.5, "cycles", All, "[m] H200: 256 to 2624 blocks";
        /// A barrier of the grid beside the arrivals: stores have to be there, the block's warps meet before and after it, and those who wait see
        /// late that all have come.
        GRID_BARRIER_CYCLES: f64 = 800.0, "cycles", All, "[m] H200: gemv's `cooperative` rung in blocks of 64 to 1024 threads";
        /// The same for each thread of a block.
        GRID_BARRIER_CYCLES_PER_THREAD: f64 = 3.1, "cycles per thread", All, "[m] H200: the same rung";
    }

    compiler {
        /// Instructions of the machine by which every kernel begins: its stack's place and the description of its memory.
        SETUP: usize = 2, "instructions", FromVolta, "[p] 40 kernels";
        /// The same for the place of shared arrays.
        SETUP_OF_SHARED: usize = 3, "instructions", FromHopper, "[p] 40 kernels";
        /// Codes that are kept for a program, at the most: kernels are launched with a few alignments each.
        MOST_CODES: usize = 256, "codes", FromVolta, "[s]";
        /// Turns of a loop with a short body that a compiler unrolls.
        UNROLLED: usize = 4, "turns", FromVolta, "[p] `calibration.cu`";
        /// The most instructions of such a body.
        MOST_UNROLLED: usize = 30, "instructions", FromVolta, "[p] `calibration.cu`";
        /// The same of a body with accesses to memory.
        MOST_UNROLLED_WITH_LOADS: usize = 64, "instructions", FromVolta, "[p] `calibration.cu`";
        /// The same of a body with parts under guards, none of which accesses memory: with accesses there it unrolls none.
        MOST_UNROLLED_WITH_GUARDS: usize = 42, "instructions", FromVolta, "[p] `calibration.cu`";
        /// Instructions that a branch may lead around for loads to go past them, at the most.
        MOST_PASSED: usize = 64, "instructions", FromVolta, "[?]";
        /// Comparisons that a loop makes anew with the same result and a compiler makes before it, at the most: there are seven predicates.
        MOST_COMPARED: usize = 5, "comparisons", FromVolta, "[m] H200, `rounds.cu`: `rounds` and `trips`";
        /// Issues between two accesses, where something else can be issued.
        ISSUES_BETWEEN_ACCESSES: u32 = 2, "issues", FromVolta, "[?]";
        /// Issues after which a compiler takes a word of shared memory for there.
        ISSUES_OF_SHARED: u32 = 24, "issues", FromVolta, "[p] `ptxas` puts a store of a loaded word so far after the load";
        /// The same of global memory.
        ISSUES_OF_GLOBAL: u32 = 30, "issues", FromVolta, "[p] `ptxas` puts a store of a loaded word so far after the load";
        /// The same of special functions, shuffles and constants.
        ISSUES_OF_SPECIAL: u32 = 20, "issues", FromVolta, "[?]";
        /// The same of fp64 arithmetic and products of matrices.
        ISSUES_OF_FP64: u32 = 8, "issues", FromVolta, "[?]";
        /// The same of other arithmetic.
        ISSUES_OF_ARITHMETIC: u32 = 4, "issues", FromVolta, "[?]";
        /// Registers for loads under way, beyond which a compiler takes a value before it loads more from shared memory.
        MOST_OPEN_OF_SHARED: usize = 16, "registers of 32 bits", FromVolta, "[f] products of lab-gemm on an H200, n = 256 and 512";
        /// The most registers of a thread.
        MOST_REGISTERS: u32 = 255, "registers", FromVolta, "[g]";
        /// Registers are given out by so many.
        REGISTER_UNIT: u32 = 8, "registers", FromVolta, "[o] 256 for a warp";
        /// Registers of addresses that a compiler takes apart, of the stack, and of intermediate values.
        REGISTERS_OF_COMPILER: u32 = 6, "registers", FromVolta, "[p] 25 to 30 of 32 registers are for known and for loaded values in 14 loops of `calibration.cu` and of gemv's rungs";
        /// Registers that are left for loads under way in any case.
        LEAST_OPEN: u32 = 8, "registers of 32 bits", FromVolta, "[?]";
        /// Registers that are used for loads under way where nothing says how many blocks are asked for, at the most.
        MOST_OPEN: u32 = 16, "registers of 32 bits", FromVolta, "[?]";
        /// The part of the values that are the same in all lanes which a compiler keeps in registers of the warp.
        SHARE_OF_WARP_REGISTERS: f64 = 0.5, "share", FromTuring, "[p] `rounds.cu`: 14 loads of a naive product are under way in 30 registers";
        /// Machine instructions of a block that is issued under a guard, at the most: outside of loops, and where it loads from global memory.
        MOST_GUARDED: usize = 19, "instructions", FromVolta, "[p] chains of 1 to 40 multiply-adds or integers, alone and after one or two loads, with a store, with exchanges";
        /// The same in a loop.
        MOST_GUARDED_OF_LOOP: usize = 8, "instructions", FromVolta, "[p] the same bodies";
        /// The same of either of two blocks.
        MOST_OF_EITHER: usize = 9, "instructions", FromVolta, "[p] the same bodies";
        /// The same of either of two blocks in a loop.
        MOST_OF_EITHER_IN_LOOP: usize = 7, "instructions", FromVolta, "[p] the same bodies";
    }

    trials {
        /// The gain, of the time that is left, from which on a trial is told.
        LEAST_GAIN: f64 = 0.03, "share", All, "[s]";
        /// The gain by work that is spread evenly from which on nothing else bounds a launch.
        MOSTLY_IDLE: f64 = 1.5, "times", All, "[s]";
        /// Trials that are told.
        MOST_TOLD: usize = 3, "trials", All, "[s]";
        /// Things of which one cause is tried, those with the most work in vain.
        MOST_TRIALS: usize = 3, "things", All, "[s]";
    }

    multiprocessor {
        // The amount that is played.
        /// Instructions of all warps over those that were followed, up to which the end of a block is taken to have been seen.
        MOST_WEIGHT_OF_A_WHOLE: f64 = 1.02, "ratio", FromVolta, "[s]";
        /// Issued instructions from one mark of the time to the next.
        INSTRUCTIONS_PER_MARK: u64 = 32, "instructions", FromVolta, "[s]";
        /// Where the middle of a block that is played in part begins, by its marks: at its end some warps are through before others.
        MIDDLE_BEGINS: f64 = 0.4, "share", FromVolta, "[s]";
        /// Where it ends.
        MIDDLE_ENDS: f64 = 0.85, "share", FromVolta, "[s]";
        /// Instructions of whole blocks that are played, at the most.
        MOST_INSTRUCTIONS_OF_BLOCKS: u64 = 100_000, "instructions", FromVolta, "[s]";
        /// Waves of resident blocks that are played, at the most.
        MOST_WAVES: u64 = 8, "waves", FromVolta, "[s]";
        /// Schedulers of a multiprocessor, at the most.
        MOST_SCHEDULERS: usize = 4, "schedulers", FromVolta, "[w]";
        /// One in so many of a launch's instructions is played, so that the clock takes less time than the launch did.
        PLAYED_OF_ALL: u64 = 40, "instructions", FromVolta, "[s]";
        /// Instructions of resident warps that are played, at the least.
        LEAST_PLAYED: u64 = 30_000, "instructions", FromVolta, "[s]";
        /// The same, at the most.
        MOST_PLAYED: u64 = 200_000, "instructions", FromVolta, "[s]";
        /// Instructions of each warp that are played, at the least.
        LEAST_OF_WARP: u64 = 200, "instructions", FromVolta, "[s]";
        /// Blocks whose instructions lie no further from the mean do about as much.
        ALIKE: f64 = 0.02, "share", FromVolta, "[s]";
        /// Accesses among which that of an instruction is looked for that stands in a block that is run later.
        MOST_AHEAD: usize = 256, "accesses", FromVolta, "[s]";

        // Issuing.
        /// Result of a single-precision operation, or of an integer product.
        FP32_LATENCY: u64 = 4, "cycles", FromVolta, "[m] H200, `calibration.cu`";
        /// Result of a logical operation, a shift or a comparison.
        INTEGER_LATENCY: u64 = 4, "cycles", FromVolta, "[m] H200, `calibration.cu`";
        /// Result of an integer addition.
        ADD_LATENCY: u64 = 5, "cycles", FromVolta, "[m] H200, `calibration.cu`";
        /// Result of a special function.
        SPECIAL_LATENCY: u64 = 20, "cycles", FromVolta, "[m] H200, `calibration.cu`";
        /// Result of the check that decides whether a division takes its slow path.
        CHECK_LATENCY: u64 = 2, "cycles", FromVolta, "[?]";
        /// Result of a double-precision operation.
        FP64_LATENCY: u64 = 8, "cycles", FromVolta, "[m] H200, `calibration.cu`";
        /// Result of a half-precision operation.
        FP16_LATENCY: u64 = 8, "cycles", FromVolta, "[m] H200, `calibration.cu`";
        /// Result of a shuffle.
        SHUFFLE_LATENCY: u64 = 25, "cycles", FromVolta, "[m] H200, `calibration.cu`";
        /// Result of a product of matrices, after the time that its unit is busy with it.
        TENSOR_LATENCY: u64 = 25, "cycles", FromVolta, "[m] H200, `calibration.cu`: `mma_chain_one_warp`, 33 in all";
        /// The part of the rate of products of four warps that products of one warp get.
        WARP_SHARE_OF_TENSOR: f64 = 0.53, "share", HopperAndBlackwell100, "[m] H200, `calibration.cu`: `mma_four`";
        /// Warps that multiply together where four do.
        WARPS_OF_GROUP: u32 = 4, "warps", HopperAndBlackwell100, "[g]";
        /// Two words of constants, for one scheduler.
        CONSTANT_CYCLES: f64 = 4.0, "cycles", FromHopper, "[m] H200: a chain of multiply-adds by 64 constants, all warps there, has 6.1 cycles for two of them (`stores.cu`: `const_only`)";
        /// Until such words are there.
        CONSTANT_LATENCY: u64 = 10, "cycles", FromHopper, "[?]";
        /// Time of the scheduler's unit for a branch.
        CONTROL_CYCLES: f64 = 2.0, "cycles", FromVolta, "[?]";
        /// Result of an instruction of control.
        CONTROL_LATENCY: u64 = 6, "cycles", FromVolta, "[?]";
        /// An access of a warp whose lanes are all switched off, to global or local memory.
        SWITCHED_OFF_LATENCY: u64 = 4, "cycles", FromVolta, "[?]";
        /// From one pipe to another.
        CROSSING_CYCLES: u64 = 1, "cycles", FromVolta, "[m] H200, `calibration.cu`: an instruction that has its operand from the other pipe takes 5.1 cycles, not 4.2";
        /// More from a comparison to an instruction under its result, branches among them.
        GUARD_CYCLES: u64 = 9, "cycles", FromVolta, "[p] 13 cycles lie between them";
        /// From a branch to the next instruction.
        BRANCH_CYCLES: u64 = 7, "cycles", FromVolta, "[?]";
        /// More, where the lanes that go on are not those that came.
        PARTING_CYCLES: u64 = 16, "cycles", FromVolta, "[?]";
        /// Time of the place where registers are read, for each register that a load's data are written to.
        ARRIVAL_PORT_CYCLES: f64 = 0.5, "cycles per register", FromVolta, "[m] H200: 64 multiply-adds beside 4 loads of 16 bytes from shared memory take a scheduler 80 cycles, beside 16 loads of a word 102; part of the former are operands that lie in one bank";
        /// Accesses that a scheduler's queue to the load/store units holds. The units take from all queues in the order of the accesses' coming, so
        /// that no scheduler keeps the others from them.
        QUEUE_HOLDS: usize = 6, "accesses", FromVolta, "[f] products of lab-gemm on an H200: the warps of `naive` end together at n = 256";
        /// The first instructions of a launch come so much later than those of later blocks, if there are more than a few.
        COLD_CYCLES: f64 = 300.0, "cycles", FromVolta, "[m] H200, `calibration.cu`";
        /// The most instructions of a launch whose code comes with it.
        SHORT_CODE: usize = 8, "instructions", FromVolta, "[?]";

        // Barriers.
        /// From the last arrival at a barrier until its warps go on.
        BARRIER_CYCLES: u64 = 10, "cycles", FromVolta, "[m] H200: rounds of a barrier by blocks of 2, 8 and 32 warps";
        /// Time of the load/store units for each arrival.
        BARRIER_TURN_CYCLES: f64 = 0.6, "cycles", FromVolta, "[m] H200, `rounds.cu`: rounds of a barrier and a sum in shared memory take longer than either, where many blocks have them";
        /// Each arrival of a warp of the multiprocessor.
        ARRIVAL_CYCLES: f64 = 2.15, "cycles", FromVolta, "[m] H200, `rounds.cu`: rounds of a barrier by blocks of 2, 8 and 32 warps";
        /// Each time that a block's warps are let go.
        RELEASE_CYCLES: f64 = 0.8, "cycles", FromVolta, "[m] H200, `rounds.cu`: rounds of a barrier by blocks of 2, 8 and 32 warps";
        /// Time by which the last of a block's warps comes later to a barrier, for each instruction of the busiest scheduler since the barrier
        /// before: schedulers do not go on alike.
        APART_CYCLES_PER_INSTRUCTION: f64 = 0.06, "cycles per instruction", FromVolta, "[m] H200: slabs of 16 steps of a 128 × 128 product have 100 to 250 cycles of 2800 between the first warp's coming and the last one's";
        /// From one bulk copy of a thread to its next instruction: around it `ptxas` puts a loop through the lanes that are there.
        TRANSFER_ISSUE_CYCLES: u64 = 54, "cycles", FromHopper, "[m] H200, `bulk.cu`: 256 copies, of which only the last is waited for";
        /// From the issue of an arrival until its barrier in shared memory has it.
        PHASE_ARRIVAL_CYCLES: u64 = 20, "cycles", FromVolta, "[f] `bulk.cu` on an H200: an arrival and the wait for it take 64 cycles of one warp, 89 from one warp to another";

        // Shared memory and L1.
        /// Each pass of an access to shared memory but the first, until its data are there.
        SHARED_PASS_CYCLES: f64 = 2.0, "cycles", FromVolta, "[m] H200, `calibration.cu`";
        /// A request to L1, however little it asks for.
        L1_CYCLES: f64 = 1.25, "cycles", FromVolta, "[m] H200: a naive product, whose two loads per multiply-add all hit, takes 2.5 clocks for them";
        /// A line of a request that is looked up in L1.
        TAG_CYCLES: f64 = 0.4, "cycles per line", FromVolta, "[m] H200, `calibration.cu`";
        /// The same of local memory.
        LOCAL_TAG_CYCLES: f64 = 0.8, "cycles per line", FromVolta, "[m] H200, `calibration.cu`: `table_in_local`, `local_chain_full`";
        /// So much later a sector of local memory that is stored in part can be read.
        PARTLY_STORED_CYCLES: f64 = 340.0, "cycles", FromVolta, "[m] H200, `calibration.cu`: `local_chain`, whose loads follow the stores at once";
        /// An atomic on shared memory, at the least.
        SHARED_ATOMIC_CYCLES: f64 = 2.0, "cycles", FromVolta, "[m] H200, `calibration.cu`";
        /// Turns of such an atomic for each lane of a bank that adds a value of its own.
        SHARED_ATOMIC_TURNS: f64 = 2.0, "turns", FromVolta, "[m] H200, `calibration.cu`";
        /// A round of the loop that a sum of floats in shared memory is: load, sum, compare-and-swap.
        SWAP_CYCLES: f64 = 96.0, "cycles", FromVolta, "[m] H200, `shared-atomics.cu`: f32, a warp by itself; f64 and 64-bit integers take 112";
        /// Turns of the load/store units for such a round.
        SWAP_TURNS: f64 = 3.4, "turns", FromVolta, "[m] H200, `shared-atomics.cu`: 32 warps with words of their own";
        /// The same round where other warps of the block swap the same word.
        SWAP_AGAIN_CYCLES: f64 = 60.0, "cycles", FromVolta, "[m] H200, `shared-atomics.cu`: 27 to 88, the more warps the less";
        /// Bytes of shared memory: a word of each of 32 banks.
        SHARED_BYTES_PER_CLOCK: f64 = 128.0, "bytes per clock", FromVolta, "[g]";

        // L2 and memory.
        /// Work that waits for L2 and memory at the most, before the load/store units wait.
        BELOW_CYCLES: f64 = 400.0, "cycles", FromVolta, "[m] H200, `calibration.cu`";
        /// The most that one multiprocessor gets of L2.
        L2_SECTORS_PER_CLOCK: f64 = 2.0, "sectors per clock", FromVolta, "[m] H200, `calibration.cu`";
        /// A sector that is written whole takes L2 as long as so many that are read. Copies of as much take no longer than their stores.
        L2_TURNS_PER_WRITTEN: f64 = 2.0, "turns", WithKnownSlices, "[m] H200: fills of 1 to 16 MiB by one wave of blocks and by four, 2250 bytes a clock";
        /// The most that one multiprocessor gets of memory.
        MEMORY_BYTES_PER_CLOCK: f64 = 40.0, "bytes per clock", FromVolta, "[m] H200, `calibration.cu`";
        /// The time of its share of memory's rate for which a multiprocessor has not asked and which it still gets.
        UNASKED_CYCLES: f64 = 600.0, "cycles", FromVolta, "[m] H200: copies and tiles, which ask for much at a time";
        /// Bytes of a piece in which memory is read.
        MEMORY_PIECE_BYTES: f64 = 64.0, "bytes", FromVolta, "[?]";
        /// A piece by itself costs memory as much as so many among others.
        MEMORY_TURNS_PER_PIECE: f64 = 1.15, "turns", FromVolta, "[m] H200, `calibration.cu`";
        /// The same where the others of its request lie in other pages of the memory.
        MEMORY_TURNS_ANYWHERE: f64 = 1.4, "turns", FromVolta, "[m] H200, `calibration.cu`";
        /// A sector that a store fills with one word and no more: its rest is read before.
        MEMORY_TURNS_SPARSE: f64 = 2.1, "turns", FromVolta, "[?] it came to the clock with the sets `forty_programs.cu` and `parts.cu`";
        /// Lines of such a page.
        PAGE_LINES: u64 = 32, "lines", FromVolta, "[?]";
        /// Cost of a store of part of a sector where nothing has to come from memory, of its cost otherwise.
        PARTIAL_SHARE: f64 = 0.63, "share", FromVolta, "[m] H200: stores of words 2 to 33 words apart";
        /// Part of memory's time that reads alone or stores alone save of that of both together.
        ONE_WAY_GAIN: f64 = 0.065, "share", WithKnownSlices, "[m] H200, `parts.cu`: reading alone 4.35 TB/s, writing alone 4.6, copying 4.2";
        /// The last of n lines comes so much later from L2 than one alone would, times the logarithm of n.
        L2_SPREAD_CYCLES: f64 = 16.0, "cycles", FromVolta, "[m] H200, `calibration.cu`";
        /// The same from memory.
        MEMORY_SPREAD_CYCLES: f64 = 140.0, "cycles", FromVolta, "[m] H200, `calibration.cu`";
        /// An atomic on global memory, for each lane that names the same word.
        ATOMIC_TURN_CYCLES: f64 = 5.2, "cycles", FromVolta, "[m] H200, `calibration.cu`: `add_near_3`, `atomic_warp`";
        /// Data come so much later from an L2 that is always busy than from an idle one: requests of others of the card meet in one slice.
        L2_LOADED_CYCLES: f64 = 100.0, "cycles", WithKnownSlices, "[m] H200: loops of one load that do not fill it, sums of 32 MiB";
        /// The same of memory.
        MEMORY_LOADED_CYCLES: f64 = 500.0, "cycles", WithKnownSlices, "[m] H200: loops of one load that do not fill it, scaling of 32 MiB";
        /// More, where memory is always written: it turns from reading to writing and back.
        MEMORY_WRITTEN_CYCLES: f64 = 1600.0, "cycles", WithKnownSlices, "[m] H200: copies and scaling of 64 to 128 MiB";
        /// The time over which it counts how busy L2 and memory have been: about that of an access to memory.
        BUSY_CYCLES: f64 = 1000.0, "cycles", FromVolta, "[?]";
        /// Lines of neighbours in one slice of L2.
        GROUP_LINES: u64 = 4, "lines", FromVolta, "[m] H200: see GROUP_BYTES";
        /// The part of the slices that loads find busy if all ask for one.
        HOT_SHARE: f64 = 0.75, "share", WithKnownSlices, "[m] H200: tables of 16 and 64 KiB";
        /// Lines that come between two stores to a line for the second one surely to go on with the first: at the most.
        SURELY_JOINED: f64 = 16.0, "lines", FromVolta, "[m] H200, `parts.cu`: two to six words side by side take half of the time that they would take one by one, seven nine tenths, eight all of it; schedulers whose stores wait take turns";
        /// From so many lines on it never does.
        NOT_JOINED: f64 = 30.0, "lines", FromVolta, "[m] H200, `parts.cu`: the same stores";
        /// Lines that are remembered.
        MOST_JOINED: usize = 32, "lines", FromVolta, "[s]";
        /// From so many times the time of the blocks alone on, atomics hold them up.
        HELD_UP: f64 = 1.2, "ratio", FromVolta, "[?]";

        // Bulk copies and products of four warps.
        /// The most bytes that L2 brings a multiprocessor.
        TRANSFER_BYTES_PER_CLOCK: f64 = 111.0, "bytes per clock", FromHopper, "[m] H200, `bulk.cu`: 32 KiB by one block, and by one on each multiprocessor";
        /// The same of each of them where all ask for the same lines.
        TOGETHER_BYTES_PER_CLOCK: f64 = 95.0, "bytes per clock", FromHopper, "[m] H200, `bulk.cu`: 32 KiB by one block on each multiprocessor";
        /// Time that the first bytes of a bulk copy take less than a load: they do not come through L1.
        TRANSFER_LESS_CYCLES: f64 = 27.0, "cycles", FromHopper, "[m] H200, `bulk.cu`: 16 bytes that are waited for take 331 cycles from one copy to the next, with all that their thread does between";
        /// The part of L2's rate that copies to it have.
        STORED_SHARE: f64 = 0.4, "share", FromHopper, "[m] H200, `bulk.cu`: a KiB and eight of them by one thread of each multiprocessor, which waits until they are written";
        /// Time that their thread waits less for them than for a load.
        STORED_LESS_CYCLES: f64 = 220.0, "cycles", FromHopper, "[m] H200, `bulk.cu`: the same copies";
        /// A card lowers its clock where warps multiply by fours.
        SLOWED_BY_PRODUCTS: f64 = 1.09, "ratio", FromVolta, "[m] H200: a product of 64 x 128 x 16 takes 64.0 cycles, at 1.815 GHz instead of 1.98, and after some milliseconds on all multiprocessors at 1.57";
    }

    listeners {
        // The amount that is followed.
        /// Blocks that are followed, at the most.
        MOST_BLOCKS: u64 = 8, "blocks", FromVolta, "[s]";
        /// The same, at the least.
        LEAST_BLOCKS: u64 = 2, "blocks", FromVolta, "[s]";
        /// Warps of these, at the most, where there are more than two such blocks.
        MOST_WARPS: u64 = 64, "warps", FromVolta, "[s]";
        /// Instructions of all of them.
        MOST_INSTRUCTIONS: u32 = 160_000, "instructions", FromVolta, "[s]";
        /// Instructions of each warp, at the least.
        LEAST_INSTRUCTIONS_OF_WARP: u32 = 64, "instructions", FromVolta, "[s]";
        /// Blocks whose instructions are counted one by one.
        MOST_COUNTED: usize = 1 << 18, "blocks", FromVolta, "[s]";
        /// Slots of the table in which lines of an access are found: twice as many as it has at the most.
        LINE_SLOTS: usize = 128, "slots", FromVolta, "[s]";
        /// Parts of a launch by the order of its blocks.
        SPANS: u64 = 64, "parts", WithKnownSlices, "[s]";
        /// Blocks that are followed with all their lines, at the least, where there are as many.
        LEAST_WHOLE: u64 = 8, "blocks", All, "[s]";
        /// Threads up to which a launch is followed as a whole.
        SMALL_LAUNCH: u64 = 1 << 13, "threads", All, "[s]";
        /// Threads up to which its samples are not the smallest.
        MEDIUM_LAUNCH: u64 = 1 << 20, "threads", All, "[s]";
        /// One in two to this power of a medium launch's lines is followed, and likewise of its blocks.
        MEDIUM_SAMPLES: (u32, u32) = (3, 3), "powers of two", All, "[s]";
        /// The same of a larger launch.
        LARGE_SAMPLES: (u32, u32) = (4, 5), "powers of two", All, "[s]";
        /// Steps by which the sample of lines is finer where only a part of a launch is run.
        FINER: u32 = 3, "powers of two", All, "[s]";
        /// Lines that such a sample may have: a line takes this host up to 80 bytes for each wave that touches it.
        MOST_FOLLOWED: u64 = 1 << 22, "lines", All, "[s]";
        /// How much seldomer than others the blocks that are followed with all their lines may access memory and still speak for them.
        MOST_APART: u64 = 4, "ratio", All, "[s]";
        /// The part of L2 that lines come back to before others have pushed them out.
        KEPT_OF_L2: f64 = 0.9, "share", All, "[?]";
        /// Stretches of time while it doubles.
        STRETCHES_PER_DOUBLING: u32 = 3, "stretches", All, "[s]";

        // A block's share of L1.
        /// How many times its capacity a block's share remembers at first, to tell what would still be there. Its warps run one after the other:
        /// the second asks for what the first one loaded at the same time, thousands of lines ago.
        SHARE_SPAN: usize = 8, "capacities", All, "[s]";
        /// The most sets that it grows to.
        SHARE_MOST_SETS: usize = 1 << 15, "sets", All, "[s]";
        /// Lines of a set.
        SHARE_WAYS: usize = 4, "lines", All, "[s]";
        /// Warps of a block.
        SHARE_MOST_WARPS: usize = 32, "warps", All, "[g] 1024 threads";
        /// Blocks are counted in so many bits beside the number of a line, which has the others.
        SHARE_BLOCK_BITS: u32 = 24, "bits", All, "[s]";

        // Atomics in L2.
        /// Neighbours that lie in one slice.
        GROUP_BYTES: u64 = 512, "bytes", WithKnownSlices, "[m] H200: additions to 2, 8, 32, 64 and 256 lines after each other";
        /// Sectors that are told apart: with more, everything has work, and it bounds the memory this takes.
        MOST_SECTORS: usize = 1 << 20, "sectors", All, "[s]";
        /// A turn, which is that of a lane of many that name one word.
        ONE_WORD: u64 = 100, "hundredths of a turn", WithKnownSlices, "[m] H200: one lane, eight and 32 of them in a sector";
        /// A step of several words, of whole numbers or where there is but one.
        STEP: u64 = 73, "hundredths of a turn", WithKnownSlices, "[m] H200: one lane, eight and 32 of them in a sector";
        /// A sector's coming there. Neighbours come line by line, as one.
        COMING: u64 = 22, "hundredths of a turn", WithKnownSlices, "[m] H200: one lane, eight and 32 of them in a sector";
        /// The same where a step adds to several words after each other.
        COMING_OF_WORDS: u64 = 6, "hundredths of a turn", WithKnownSlices, "[m] H200: eight lanes to a sector, 32 to a line, of whole numbers";
        /// Waits for the float before that each sector has where a step adds to several words, by how many sectors after each other an access goes
        /// to: while it is at the others, the first is ready again. From three sectors on it is next to nothing, but not nothing: that floats are
        /// added is known by it.
        WAITS_OF_SECTORS: [u64; 4] = [112, 55, 1, 1], "hundredths of atomic_float_turns", WithKnownSlices, "[m] H200: 8, 16 and 32 lanes side by side";
        /// The same of each step where several lanes name each of several words.
        WAITS_OF_STEPS: u64 = 40, "hundredths of atomic_float_turns", WithKnownSlices, "[f] between the waits of `add_lanes_4` and of lab-gemv's `atomic`";
        /// Accesses of warps that are on their way at once, one of several lanes to a word being as many: blocks do not wait for what they add, and
        /// are followed by others. Accesses of resident blocks are on their way in any case.
        UNDER_WAY: f64 = 12_000.0, "accesses", WithKnownSlices, "[f] lab-gemv's `atomic` and `shared_atomic` on an H200: 1024 columns, four and eight waves of blocks";

        // Blocks that wait for blocks.
        /// Events of a launch that are kept; of a launch with more nothing is known.
        MOST_EVENTS: usize = 1 << 20, "events", All, "[s]";
        /// Until all see what a block has stored.
        FENCE_CYCLES: f64 = 1700.0, "cycles", All, "[m] H200: products whose blocks hand sums over, `last_round` and `producer_warp`";
        /// From a store to the end of a load that waits for it.
        SEEN_CYCLES: f64 = 1000.0, "cycles", All, "[m] H200: the same products";
        /// L2 with one multiprocessor, of which the others wait.
        ALONE_BYTES_PER_CLOCK: f64 = 46.0, "bytes per clock", All, "[m] H200: the same products";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_says_where_it_is_from() {
        const TAGS: [&str; 10] = ["[g]", "[o]", "[w]", "[b]", "[m]", "[e]", "[p]", "[f]", "[s]", "[?]"];
        assert!(CONSTANTS.len() > 150, "only {} rows", CONSTANTS.len());
        for own in CONSTANTS {
            let tag = TAGS.iter().find(|tag| own.source.starts_with(**tag));
            let tag = tag.unwrap_or_else(|| panic!("{}: `{}` begins with no tag", own.name, own.source));
            assert!(!own.unit.is_empty(), "{} has no unit", own.name);
            let says = own.source.len() > tag.len();
            assert!(
                says || !matches!(*tag, "[m]" | "[p]" | "[f]" | "[b]"),
                "{}: {tag} names no kernels or card",
                own.name
            );
        }
    }
}

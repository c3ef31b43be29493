//! The rows, by name: `"name": Class, Work, Operands [widths], semantics, "doc", what else it has;`
use super::definition::Synchronises::{Block, Lanes, LanesUnderSync};
use super::definition::{Class, Definition, ProductStep, define};
use super::operands::{Operands, Width::*};
use super::work::Work;

/// Hands the rows to a macro: to the one below for what an instruction is, and to one in `exec` for what it does.
#[macro_export]
#[doc(hidden)]
macro_rules! instructions {
    ($with:ident) => {
        $with! {
            "abs": Integer, Sign, Value [T, T], integer::abs,
                "The absolute value.", newer(&[("f16", 6.5, 53), ("f16x2", 6.5, 53)]);
            "activemask": Warp, Integer, Value [B32], warp_ops::activemask,
                "The lanes of the warp that execute this instruction now.", since(6.2, 30);
            "add": Integer, Add, Value [T, U, T], integer::add,
                "The sum; `.cc` writes the carry.", flops(1),
                newer(&[("bf16", 7.8, 90), ("bf16x2", 7.8, 90), ("f32.f16", 8.6, 100), ("f32.bf16", 8.6, 100)]);
            "addc": Integer, Integer, Value [T, T, T], integer::addc, "The sum with the carry.", carry();
            "alloca": Memory, Memory, Unmodelled [], unmodelled, "Takes local memory from the stack.";
            "and": Logic, And, Value [T, T, T], logic::and, "Bitwise and.";
            "applypriority": Memory, Memory, Reduce [B64], fence::hint,
                "Hints how long a cache line should stay.", since(7.4, 80);
            "atom": Atomic, Update, Update [T, T, Maybe(&T)], atomic::atom,
                "Reads, changes and writes a memory location as one step, and gives the old value.",
                newer(&[("f64", 5.0, 60), ("f16x2", 6.2, 60), ("f16", 6.3, 70), ("b16", 6.3, 70),
                    ("bf16", 7.8, 90), ("bf16x2", 7.8, 90), ("b128", 8.3, 90), ("v2", 8.1, 90),
                    ("v4", 8.1, 90), ("v8", 8.1, 90)]);
            "bar": Barrier, Barrier, Meet [], control,
                "Waits for, or tells, the threads of a block.", synchronises(Block), aligned();
            "bar.warp.sync": Warp, Barrier, Members [], warp_ops::bar_warp_sync,
                "Waits for the lanes of the mask.", synchronises(Lanes), noun("__syncwarp()"), since(6.0, 30);
            "barrier": Barrier, Barrier, Meet [], control,
                "Waits for, or tells, the threads of a block.", synchronises(Block), since(6.0, 30);
            "barrier.cluster": Barrier, Barrier, MeetCluster [], control,
                "Waits for, or tells, the threads of a cluster.", since(7.8, 90);
            "bfe": Integer, Integer, Value [T, T, U32, U32], bits::bfe,
                "Extracts a bit field, with its sign for signed types.";
            "bfi": Integer, Integer, Value [T, T, T, U32, U32], bits::bfi, "Inserts a bit field.";
            "bfind": Integer, CountBits, Value [U32, T], bits::bfind,
                "The position of the highest bit that is not the sign's.";
            "bmsk": Integer, Integer, Value [T, U32, U32], bits::bmsk,
                "A mask of bits from a start and a length.", since(7.6, 70);
            "bra": Control, Control, Branch [], control, "Continues at a label.";
            "brev": Integer, CountBits, Value [T, T], bits::brev, "The bits in reverse order.";
            "brkpt": Control, Control, Trap [], control, "Suspends for a debugger.";
            "brx.idx": Control, Control, Switch [], control,
                "Continues at the label that an index chooses.", since(6.0, 30);
            "call": Control, Control, Call [], control, "Calls a function.";
            "clusterlaunchcontrol.query_cancel": Async, Memory, Unmodelled [], unmodelled,
                "Asks what an asynchronous cancellation gave.";
            "clusterlaunchcontrol.try_cancel": Async, Memory, Unmodelled [], unmodelled,
                "Asks to cancel a cluster that is not launched yet.";
            "clz": Integer, CountBits, Value [U32, T], bits::clz, "The number of leading zero bits.";
            "cnot": Logic, Integer, Value [T, T], logic::cnot, "1 where the source is 0, else 0.";
            "copysign": Float, Float, Value [T, T, T], float::copysign, "The second source with the sign of the first.";
            "cos": Special, Sine, Value [T, T], special::cos, "An approximate cosine.", flops(1);
            "cp.async": Async, Copy, Copy [], async_copy::copy,
                "Copies 4, 8 or 16 bytes from global to shared memory without waiting.", since(7.0, 80);
            "cp.async.bulk": Async, Memory, Bulk [], bulk_copy::copy,
                "Copies a range of memory without waiting (TMA).", since(8.0, 90),
                newer(&[("cp_mask", 8.6, 100)]),
                unmodelled(&["cp_mask", "ignore_oob"]);
            "cp.async.bulk.commit_group": Async, Memory, Nothing [], bulk_copy::commit_group,
                "Closes a group of bulk copies.", since(8.0, 90);
            "cp.async.bulk.prefetch": Async, Memory, Bulk [], fence::hint,
                "Prefetches a range into the cache.", since(8.0, 90);
            "cp.async.bulk.prefetch.tensor": Async, Memory, Bulk [], fence::hint,
                "Prefetches a tensor's tile into the cache.", since(8.0, 90);
            "cp.async.bulk.tensor": Async, Memory, Bulk [], tensor_copy::copy,
                "Copies a tensor's tile without waiting (TMA).", since(8.0, 90),
                unmodelled(&["im2col", "im2col::w", "im2col::w::128", "im2col_no_offs", "tile::gather4", "tile::scatter4", "cta_group::1", "cta_group::2"]);
            "cp.async.bulk.wait_group": Async, Memory, Source [B32], bulk_copy::wait_group,
                "Waits for groups of bulk copies.", since(8.0, 90);
            "cp.async.commit_group": Async, CloseGroup, Nothing [], async_copy::commit_group,
                "Closes a group of the copies so far.", since(7.0, 80);
            "cp.async.mbarrier.arrive": Async, ArriveWithCopies, Reduce [], mbarrier::copy_arrive,
                "Lets an mbarrier hear when the copies so far are done.", since(7.0, 80);
            "cp.async.wait_all": Async, AwaitAll, Nothing [], async_copy::wait_all,
                "Waits for all copies.", since(7.0, 80);
            "cp.async.wait_group": Async, AwaitGroups, Source [B32], async_copy::wait_group,
                "Waits until at most so many groups of copies are under way.", since(7.0, 80);
            "cp.reduce.async.bulk": Async, Memory, Bulk [], bulk_copy::reduce,
                "Adds a range of memory to another without waiting.", since(8.0, 90);
            "cp.reduce.async.bulk.tensor": Async, Memory, Bulk [], tensor_copy::reduce,
                "Adds a tile to a tensor without waiting.", since(8.0, 90),
                unmodelled(&["im2col_no_offs"]);
            "createpolicy": Memory, Integer, Value [T, Maybe(&B32)], fence::policy, "Makes a cache policy.", since(7.4, 80),
                unmodelled(&["range", "cvt"]);
            "cvt": Convert, Convert, Value [T, U, Maybe(&U), Maybe(&B32)], convert::cvt,
                "Converts a value from one type to another.",
                newer(&[("relu", 7.0, 80), ("f16x2.f32", 7.0, 80), ("f32.bf16", 7.1, 80),
                    ("rn.tf32", 7.8, 90), ("rz.tf32", 7.8, 90)]),
                unmodelled(&["e2m1x4", "e2m3x4", "e3m2x4", "e4m3x4", "e5m2x4"]);
            "cvt.pack": Convert, Convert, Value [B32, U, U, Maybe(&B32)], convert::pack,
                "Converts two integers, saturates, and packs them.", since(6.5, 72),
                newer(&[("s4", 6.5, 75), ("u4", 6.5, 75), ("s2", 6.5, 75), ("u2", 6.5, 75)]);
            "cvta": Convert, Renaming, Value [T, T], moves::cvta,
                "An address of a state space as a generic one, or back.";
            "discard": Memory, Memory, Reduce [B64], fence::hint,
                "Says that a cache line's data are not needed.", since(7.4, 80);
            "div": Integer, Divide, Value [T, T, T], integer::div, "The quotient.", flops(1);
            "dp2a": Integer, SmallProduct, Value [U32, U32, U32, U32], integer::dp2a,
                "The dot product of two 16-bit and two 8-bit values, added to the third source.", since(5.0, 61);
            "dp4a": Integer, SmallProduct, Value [U32, U32, U32, U32], integer::dp4a,
                "The dot product of four 8-bit values each, added to the third source.", since(5.0, 61);
            "elect": Warp, ChooseLanes, Elect [], warp_ops::elect,
                "Chooses one lane of the mask.", synchronises(LanesUnderSync), since(8.0, 90);
            "ex2": Special, Approximate, Value [T, T], special::ex2,
                "An approximate power of 2.", flops(1),
                newer(&[("f16", 7.0, 75), ("f16x2", 7.0, 75), ("bf16", 7.8, 90), ("bf16x2", 7.8, 90)]);
            "exit": Control, Control, Exit [], control, "Ends the thread.";
            "fence": Barrier, Renaming, Nothing [], fence::fence,
                "Orders the memory accesses before it and after it.", since(6.0, 70);
            "fma": Float, Float, Value [T, U, U, T], float::fma,
                "A product plus a third source, rounded once.", flops(2),
                newer(&[("f32.f16", 8.6, 100), ("f32.bf16", 8.6, 100)]),
                unmodelled(&["oob"]);
            "fns": Integer, Integer, Value [B32, B32, B32, B32], bits::fns,
                "The position of the n-th set bit from a start.", since(6.0, 30);
            "getctarank": Convert, Integer, Value [B32, T], cluster_address::rank,
                "The rank in its cluster of the block that an address belongs to.", since(7.8, 90),
                unmodelled(&["u32.!shared::cluster"]);
            "griddepcontrol": Control, Control, Nothing [], fence::dependents,
                "Orders dependent grids; without dependent launches nothing waits.", since(7.8, 90);
            "isspacep": Compare, Renaming, Value [Pred, B64], compare::isspacep,
                "Whether a generic address lies in a state space.",
                unmodelled(&["const"]);
            "istypep": Compare, Integer, Unmodelled [], unmodelled, "Whether a value is a texture, sampler or surface.";
            "ld": Memory, Load, Load [], load::select,
                "Loads from memory.", newer(&[("b128", 8.3, 70), ("mmio", 8.2, 70), ("v8.b32", 8.8, 100), ("v8.f32", 8.8, 100), ("v8.s32", 8.8, 100),
                    ("v8.u32", 8.8, 100)]);
            "ldmatrix": Matrix, Memory, MatrixLoad [], matrix_memory::load,
                "Loads 8×8 matrices from shared memory, spread over a warp.", synchronises(Lanes), since(6.5, 75),
                unmodelled(&["b8", "b8x16"]);
            "ldu": Memory, LoadUniform, Load [], load::select,
                "Loads read-only data at an address that is the same for the warp.";
            "lg2": Special, Approximate, Value [T, T], special::lg2, "An approximate logarithm to base 2.", flops(1);
            "lop3": Logic, Integer, TruthTable [T, T, T, T, B32, Maybe(&Pred)], logic::lop3,
                "Any bitwise function of three sources, by its truth table.", since(4.3, 50);
            "mad": Integer, MultiplyAdd, Value [Wide, T, T, Wide], integer::mad,
                "A product's half, or the whole, plus a third source.", flops(2);
            "mad24": Integer, SmallProduct, Value [T, T, T, T], integer::mad24,
                "A product of 24-bit values plus a third source.";
            "madc": Integer, Integer, Value [T, T, T, T], integer::madc,
                "A product's half plus a third source plus the carry.", carry();
            "mapa": Convert, Integer, Value [T, T, B32], cluster_address::mapa,
                "The address of shared memory of another block of the cluster.", since(7.8, 90),
                unmodelled(&["u32.!shared::cluster"]);
            "match": Warp, ChooseLanes, Match [], warp_ops::matching,
                "The lanes of the mask that hold the same value.", synchronises(LanesUnderSync), noun("a match"),
                since(6.0, 70);
            "max": Integer, Extreme, Value [T, T, T, Maybe(&T)], integer::max,
                "The larger value.",
                newer(&[("f16", 7.0, 80), ("f16x2", 7.0, 80), ("NaN", 7.0, 80), ("abs", 7.2, 86),
                    ("xorsign", 7.2, 86), ("relu", 8.0, 90)]);
            "mbarrier.arrive": Async, Memory, Update [B64, Maybe(&B32)], mbarrier::arrive,
                "Arrives at an mbarrier and gives its phase.", since(7.0, 80), newer(&[("expect_tx", 8.0, 90)]);
            "mbarrier.arrive_drop": Async, Memory, Update [B64, Maybe(&B32)], mbarrier::arrive_drop,
                "Arrives at an mbarrier for the last time.", since(7.0, 80), newer(&[("expect_tx", 8.0, 90)]);
            "mbarrier.complete_tx": Async, Memory, Reduce [B32], mbarrier::complete_tx,
                "Completes transactions of an mbarrier.", since(8.0, 90);
            "mbarrier.expect_tx": Async, Memory, Reduce [B32], mbarrier::expect_tx,
                "Announces transactions to an mbarrier.", since(8.0, 90);
            "mbarrier.init": Async, Memory, Reduce [B32], mbarrier::init,
                "Makes an mbarrier for a number of arrivals.", since(7.0, 80);
            "mbarrier.inval": Async, Memory, Reduce [], mbarrier::inval, "Ends an mbarrier's life.", since(7.0, 80);
            "mbarrier.pending_count": Async, Memory, Value [B32, B64], mbarrier::pending_count,
                "The arrivals that a phase waits for.", since(7.0, 80);
            "mbarrier.test_wait": Async, Poll, Update [Pred, B64], mbarrier::test_wait,
                "Whether a phase of an mbarrier is complete.", since(7.0, 80);
            "mbarrier.test_wait.parity": Async, Poll, Update [Pred, B32], mbarrier::test_wait_parity,
                "Whether the phase of a parity of an mbarrier is complete.", since(7.1, 80);
            "mbarrier.try_wait": Async, Poll, Update [Pred, B64, Maybe(&B32)], mbarrier::test_wait,
                "Whether a phase of an mbarrier is complete, after some waiting.", since(7.8, 90);
            "mbarrier.try_wait.parity": Async, Poll, Update [Pred, B32, Maybe(&B32)], mbarrier::test_wait_parity,
                "Whether the phase of a parity of an mbarrier is complete, after some waiting.", since(7.8, 90);
            "membar": Barrier, Renaming, Nothing [], fence::fence, "Orders the memory accesses before it and after it.";
            "min": Integer, Extreme, Value [T, T, T, Maybe(&T)], integer::min,
                "The smaller value.",
                newer(&[("f16", 7.0, 80), ("f16x2", 7.0, 80), ("NaN", 7.0, 80), ("abs", 7.2, 86),
                    ("xorsign", 7.2, 86), ("relu", 8.0, 90)]);
            "mma": Matrix, Matrix, Multiply [], matrix::mma,
                "A matrix product plus a third matrix, spread over a warp.", synchronises(Lanes),
                noun("a matrix instruction"), since(6.4, 70),
                newer(&[("m8n8k4.f64", 7.0, 80), ("m8n8k16", 6.5, 75), ("m8n8k32", 6.5, 75),
                    ("m8n8k128", 6.5, 75), ("m16n8k8", 6.5, 75), ("m16n8k8.tf32", 7.0, 80),
                    ("m16n8k4", 7.0, 80), ("m16n8k16", 7.0, 80), ("m16n8k32", 7.0, 80), ("m16n8k64", 7.0, 80),
                    ("m16n8k128", 7.0, 80), ("m16n8k256", 7.0, 80), ("m16n8k4.f64", 7.8, 90),
                    ("m16n8k8.f64", 7.8, 90), ("m16n8k16.f64", 7.8, 90), ("and", 7.1, 80),
                    ("kind::f8f6f4.e2m1", 8.7, 120), ("kind::f8f6f4.e2m3", 8.7, 120),
                    ("kind::f8f6f4.e3m2", 8.7, 120)]),
                unmodelled(&["sp", "sp::ordered_metadata", "block_scale", "e2m1", "e2m3", "e3m2"]);
            "mov": Move, Move, Move [T, T], moves::mov,
                "Copies a value, an address or a special register; packs and unpacks vectors.";
            "movmatrix": Matrix, Matrix, Vote [B32, B32], warp_ops::movmatrix,
                "Transposes an 8×8 matrix spread over a warp.", synchronises(LanesUnderSync), since(7.8, 75);
            "mul": Integer, Multiply, Value [Wide, T, T], integer::mul,
                "A product's half, or the whole.", flops(1), newer(&[("bf16", 7.8, 90), ("bf16x2", 7.8, 90)]);
            "mul24": Integer, SmallProduct, Value [T, T, T], integer::mul24, "A product of 24-bit values.";
            "multimem.ld_reduce": Memory, Memory, Unmodelled [], unmodelled,
                "Loads and reduces through a multicast address.";
            "multimem.red": Memory, Memory, Unmodelled [], unmodelled, "Reduces through a multicast address.";
            "multimem.st": Memory, Memory, Unmodelled [], unmodelled, "Stores through a multicast address.";
            "nanosleep": Control, Control, Source [B32], fence::nanosleep,
                "Sleeps for about so many nanoseconds.", since(6.3, 70);
            "neg": Integer, Sign, Value [T, T], integer::neg, "The value with the other sign.";
            "not": Logic, Logic, Value [T, T], logic::not, "Bitwise complement.";
            "or": Logic, Logic, Value [T, T, T], logic::or, "Bitwise or.";
            "pmevent": Control, Control, Source [B32], fence::hint, "Triggers a performance monitor event.";
            "popc": Integer, CountBits, Value [U32, T], bits::popc, "The number of set bits.";
            "prefetch": Memory, Memory, Reduce [], fence::hint, "Brings a cache line in.";
            "prefetchu": Memory, Memory, Reduce [], fence::hint, "Brings a cache line in, to the uniform cache.";
            "prmt": Logic, Integer, Value [B32, B32, B32, B32], bits::prmt, "Picks four of eight bytes.";
            "rcp": Special, Reciprocal, Value [T, T], special::rcp, "The reciprocal.", flops(1);
            "red": Atomic, Update, Reduce [T], atomic::red,
                "Reads, changes and writes a memory location as one step.",
                newer(&[("f64", 5.0, 60), ("f16x2", 6.2, 60), ("f16", 6.3, 70), ("bf16", 7.8, 90),
                    ("bf16x2", 7.8, 90), ("v2", 8.1, 90), ("v4", 8.1, 90), ("v8", 8.1, 90)]);
            "red.async": Async, Update, Bulk [], bulk_copy::red,
                "Changes shared memory of another block of the cluster.", since(8.1, 90),
                unmodelled(&["mmio"]);
            "redux": Warp, AddLanes, Vote [T, T], warp_ops::redux,
                "The sum, extreme or bitwise combination of a value over the lanes of the mask.",
                synchronises(LanesUnderSync), noun("a reduction of the warp"), since(7.0, 80),
                newer(&[("f32", 8.6, 100)]);
            "rem": Integer, Divide, Value [T, T, T], integer::rem, "The remainder.";
            "ret": Control, Control, Return [], control, "Returns from a function.";
            "rsqrt": Special, Approximate, Value [T, T], special::rsqrt, "The reciprocal of the square root.", flops(1);
            "sad": Integer, Integer, Value [T, T, T, T], integer::sad, "The absolute difference plus a third source.";
            "selp": Compare, Select, Value [T, T, T, Pred], compare::selp, "One of two values, by a predicate.";
            "set": Compare, Set, Value [T, U, U, Maybe(&Pred)], compare::set,
                "Compares and gives a value.", newer(&[("bf16", 7.8, 90)]);
            "setmaxnreg": Control, Control, Source [B32], fence::hint,
                "Changes the number of registers of a warp.", synchronises(Lanes), since(8.0, 90);
            "setp": Compare, Compare, Set [Pred, T, T, Maybe(&Pred)], compare::setp,
                "Compares and gives predicates.", newer(&[("bf16", 7.8, 90), ("bf16x2", 7.8, 90)]);
            "shf": Logic, FunnelShift, Value [T, T, T, U32], logic::shf, "Shifts a pair of registers.", since(3.1, 32);
            "shfl": Warp, Shuffle, Shuffle [], warp_ops::shfl,
                "Copies a register of another lane.", synchronises(LanesUnderSync), noun("a shuffle"),
                newer(&[("sync", 6.0, 30)]);
            "shl": Logic, ShiftLeft, Value [T, T, U32], logic::shl, "Shifts to the left.";
            "shr": Logic, Integer, Value [T, T, U32], logic::shr,
                "Shifts to the right, with the sign for signed types.";
            "sin": Special, Sine, Value [T, T], special::sin, "An approximate sine.", flops(1);
            "slct": Compare, Integer, Value [T, T, T, U], compare::slct, "One of two values, by the sign of the third.";
            "sqrt": Special, SquareRoot, Value [T, T], special::sqrt, "The square root.", flops(1);
            "st": Memory, Store, Store [], store::select,
                "Stores to memory.", newer(&[("b128", 8.3, 70), ("mmio", 8.2, 70), ("v8.b32", 8.8, 100), ("v8.f32", 8.8, 100), ("v8.s32", 8.8, 100),
                    ("v8.u32", 8.8, 100)]);
            "st.async": Async, Memory, Bulk [], bulk_copy::store,
                "Stores to shared memory of another block of the cluster.", since(8.1, 90),
                unmodelled(&["mmio"]);
            "st.bulk": Memory, Memory, Unmodelled [], unmodelled, "Fills a range of shared memory.";
            "stackrestore": Memory, Memory, Unmodelled [], unmodelled, "Sets the stack pointer back.";
            "stacksave": Memory, Memory, Unmodelled [], unmodelled, "The stack pointer.";
            "stmatrix": Matrix, Memory, MatrixStore [], matrix_memory::store,
                "Stores 8×8 matrices, spread over a warp, to shared memory.", synchronises(Lanes), since(7.8, 90),
                unmodelled(&["b8"]);
            "sub": Integer, Subtract, Value [T, U, T], integer::sub,
                "The difference; `.cc` writes the borrow.", flops(1),
                newer(&[("bf16", 7.8, 90), ("bf16x2", 7.8, 90), ("f32.f16", 8.6, 100), ("f32.bf16", 8.6, 100)]);
            "subc": Integer, Integer, Value [T, T, T], integer::subc, "The difference with the borrow.", carry();
            "suld": Memory, Memory, Texture [], surface::load, "Loads from a surface.";
            "suq": Memory, Memory, Texture [], texture::ask, "Asks a surface's property.",
                unmodelled(&["channel_data_type", "channel_order", "memory_layout"]);
            "sured": Memory, Memory, Unmodelled [], unmodelled, "Reduces in a surface.";
            "sust": Memory, Memory, Bulk [], surface::store, "Stores to a surface.",
                unmodelled(&["p"]);
            "szext": Integer, Integer, Value [T, T, U32], bits::szext,
                "Extends the sign, or zeros, from a bit position.", since(7.6, 70);
            "tanh": Special, Tangent, Value [T, T], special::tanh,
                "An approximate hyperbolic tangent.", flops(1), since(7.0, 75),
                newer(&[("bf16", 7.8, 90), ("bf16x2", 7.8, 90)]);
            "tcgen05": Matrix, Matrix, Unmodelled [], unmodelled,
                "Tensor-memory matrix operations of the fifth generation.";
            "tensormap.cp_fenceproxy": Async, Memory, Unmodelled [], unmodelled,
                "Copies a tensor map with a proxy fence.";
            "tensormap.replace": Async, Memory, Unmodelled [], unmodelled, "Changes a field of a tensor map.";
            "testp": Compare, Integer, Value [Pred, T], float::testp,
                "Whether a value is of a class: finite, NaN, normal, subnormal.";
            "tex": Memory, Memory, Texture [], texture::fetch, "Reads a texture.",
                unmodelled(&["f16", "f16x2", "2dms", "a2dms"]);
            "tld4": Memory, Memory, Texture [], texture::gather, "Reads four texels.";
            "trap": Control, Control, Trap [], control, "Stops the grid with an error.";
            "txq": Memory, Memory, Texture [], texture::ask, "Asks a texture's property.",
                unmodelled(&["channel_data_type", "channel_order", "memory_layout", "normalized_coords", "num_samples", "force_unnormalized_coords", "filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2"]);
            "vabsdiff": Integer, Integer, Unmodelled [], unmodelled,
                "A video instruction: absolute difference.", since(2.0, 20);
            "vabsdiff2": Integer, Video, Value [B32, B32, B32, B32, B32], video::vabsdiff2,
                "A video instruction: absolute differences of two halves.", since(3.0, 30);
            "vabsdiff4": Integer, Video, Value [B32, B32, B32, B32, B32], video::vabsdiff4,
                "A video instruction: absolute differences of four bytes.", since(3.0, 30);
            "vadd": Integer, Integer, Unmodelled [], unmodelled,
                "A video instruction: sum.", since(2.0, 20);
            "vadd2": Integer, Video, Value [B32, B32, B32, B32, B32], video::vadd2,
                "A video instruction: sums of two halves.", since(3.0, 30);
            "vadd4": Integer, Video, Value [B32, B32, B32, B32, B32], video::vadd4,
                "A video instruction: sums of four bytes.", since(3.0, 30);
            "vavrg2": Integer, Video, Value [B32, B32, B32, B32, B32], video::vavrg2,
                "A video instruction: averages of two halves.", since(3.0, 30);
            "vavrg4": Integer, Video, Value [B32, B32, B32, B32, B32], video::vavrg4,
                "A video instruction: averages of four bytes.", since(3.0, 30);
            "vmad": Integer, Integer, Unmodelled [], unmodelled,
                "A video instruction: product plus a third source.", since(2.0, 20);
            "vmax": Integer, Integer, Unmodelled [], unmodelled,
                "A video instruction: larger value.", since(2.0, 20);
            "vmax2": Integer, Video, Value [B32, B32, B32, B32, B32], video::vmax2,
                "A video instruction: larger values of two halves.", since(3.0, 30);
            "vmax4": Integer, Video, Value [B32, B32, B32, B32, B32], video::vmax4,
                "A video instruction: larger values of four bytes.", since(3.0, 30);
            "vmin": Integer, Integer, Unmodelled [], unmodelled,
                "A video instruction: smaller value.", since(2.0, 20);
            "vmin2": Integer, Video, Value [B32, B32, B32, B32, B32], video::vmin2,
                "A video instruction: smaller values of two halves.", since(3.0, 30);
            "vmin4": Integer, Video, Value [B32, B32, B32, B32, B32], video::vmin4,
                "A video instruction: smaller values of four bytes.", since(3.0, 30);
            "vote": Warp, Vote, Vote [T, Pred], warp_ops::vote,
                "Combines a predicate over the lanes of the mask.", synchronises(LanesUnderSync), noun("a vote"),
                newer(&[("sync", 6.0, 30)]);
            "vset": Compare, Integer, Unmodelled [], unmodelled,
                "A video instruction: comparison.", since(2.0, 20);
            "vset2": Compare, Video, Value [B32, B32, B32, B32, B32], video::vset2,
                "A video instruction: comparisons of two halves.", since(3.0, 30);
            "vset4": Compare, Video, Value [B32, B32, B32, B32, B32], video::vset4,
                "A video instruction: comparisons of four bytes.", since(3.0, 30);
            "vshl": Integer, Integer, Unmodelled [], unmodelled,
                "A video instruction: shift to the left.", since(2.0, 20);
            "vshr": Integer, Integer, Unmodelled [], unmodelled,
                "A video instruction: shift to the right.", since(2.0, 20);
            "vsub": Integer, Video, Value [B32, B32, B32, B32, B32], video::vsub,
                "A video instruction: difference.", since(2.0, 20),
                unmodelled(&["sat", "min", "max"]);
            "vsub2": Integer, Video, Value [B32, B32, B32, B32, B32], video::vsub2,
                "A video instruction: differences of two halves.", since(3.0, 30);
            "vsub4": Integer, Video, Value [B32, B32, B32, B32, B32], video::vsub4,
                "A video instruction: differences of four bytes.", since(3.0, 30);
            "wgmma.commit_group": Matrix, FourWarpsClose, Nothing [], warpgroup::commit_group,
                "Closes a group of the products of four warps so far.", synchronises(Lanes), since(8.0, 90);
            "wgmma.fence": Matrix, FourWarpsFence, Nothing [], warpgroup::fence,
                "Orders registers and shared memory before the products of four warps.", synchronises(Lanes),
                since(8.0, 90), product(ProductStep::Fence);
            "wgmma.mma_async": Matrix, FourWarps, WarpgroupMultiply [], warpgroup::multiply,
                "A matrix product of four warps without waiting.", synchronises(Lanes),
                noun("a matrix instruction"), since(8.0, 90), product(ProductStep::Multiply),
                unmodelled(&["b1"]);
            "wgmma.mma_async.sp": Matrix, FourWarps, Unmodelled [], unmodelled,
                "A product of four warps with a sparse matrix without waiting.";
            "wgmma.wait_group": Matrix, FourWarpsAwait, Source [B32], warpgroup::wait_group,
                "Waits for groups of products of four warps.", synchronises(Lanes), since(8.0, 90),
                product(ProductStep::Wait);
            "wmma.load": Matrix, Matrix, FragmentLoad [], wmma_memory::load,
                "Loads a matrix, spread over a warp.", synchronises(Lanes), noun("a matrix instruction"),
                since(6.0, 70),
                newer(&[("s8", 6.3, 72), ("u8", 6.3, 72), ("s4", 6.3, 75), ("u4", 6.3, 75), ("b1", 6.3, 75),
                    ("f64", 7.0, 80)]);
            "wmma.mma": Matrix, Matrix, Multiply [], matrix::wmma,
                "A matrix product plus a third matrix, spread over a warp.", synchronises(Lanes),
                noun("a matrix instruction"), since(6.0, 70),
                newer(&[("s8", 6.3, 72), ("u8", 6.3, 72), ("s4", 6.3, 75), ("u4", 6.3, 75), ("b1", 6.3, 75),
                    ("and", 7.1, 80), ("f64", 7.0, 80)]);
            "wmma.store": Matrix, Matrix, FragmentStore [], wmma_memory::store,
                "Stores a matrix that is spread over a warp.", synchronises(Lanes), noun("a matrix instruction"),
                since(6.0, 70), newer(&[("f64", 7.0, 80)]);
            "xor": Logic, Logic, Value [T, T, T], logic::xor, "Bitwise exclusive or.";
        }
    };
}
macro_rules! definitions {
    ($($name:literal: $class:ident, $work:ident, $operands:ident [$($width:expr),*], $($semantics:ident)::+,
        $doc:literal $(, $attribute:ident($($argument:expr),*))*;)*) => {
        /// Every instruction of PTX ISA 8.8, sorted by name.
        pub const INSTRUCTIONS: &[Definition] =
            &[$(define($name, Class::$class, Work::$work, Operands::$operands, &[$($width),*], $doc)
                $(.$attribute($($argument),*))*),*];
    };
}
instructions!(definitions);

//! A lowered module, without the ops themselves: its functions, their basic blocks and where they lead, the
//! instructions of the text that they came from, and what lies in which memory. Whoever runs it (`exec`), counts or judges
//! it, or speaks of it reads it here.
use ptx::isa::machine::Unit;
use ptx::isa::{Class, Facts, Printed, RowId, Type, Work};
pub use ptx::tree::Location;
use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A lowered module. Addresses of module variables are already in it.
pub struct Program {
    /// Shared, so that whoever listens to a launch may keep them.
    pub functions: Arc<Vec<Function>>,
    /// `.file` paths by index.
    pub files: Vec<String>,
    /// `.shared` and `extern .shared` variables of module scope are laid out per function.
    pub target: String,
}

/// A register's place: byte offset from the frame's base in the warp's register file.
///
/// 8- and 16-bit registers are `[u16; 32]`, 32-bit ones `[u32; 32]`, 64-bit ones `[u64; 32]`, 128-bit ones
/// `[u128; 32]`, each aligned to 64 bytes. A predicate is one `u32` with a bit per lane. Constants have rows of their
/// own, filled when a frame is entered, so that an operand is always a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Row(pub u32);

/// Index into [`Program::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionId(pub u32);

/// Index into [`Function::blocks`]. Blocks are numbered in convergence order: every block of a region stands before the
/// block where the region's paths meet (its immediate post-dominator), loops are contiguous, and so running the
/// lowest-numbered group of lanes first makes lanes meet where hardware lets them meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// A place for what a listener derives from a function, so that it is derived once and not at each launch. The machine does not look inside.
#[derive(Default)]
pub struct Derived(OnceLock<Box<dyn Any + Send + Sync>>);

impl Derived {
    /// The value, made by the first who asks for it. `None`: that one made a value of another type.
    pub fn of<T: Any + Send + Sync + Default>(&self) -> Option<&T> {
        self.0.get_or_init(|| Box::<T>::default()).downcast_ref()
    }
}

/// An entry or a device function.
pub struct Function {
    pub name: String,
    pub is_entry: bool,
    pub blocks: Vec<BasicBlock>,
    /// Rows of operands beyond d, a, b, c; see [`Op::more`](crate::exec::op::Op).
    pub rows: Vec<Row>,
    /// One per instruction of the text, block after block. An instruction may need several ops: all have its site.
    pub sites: Vec<Site>,
    /// Registers of the text that instructions name: see [`Site::writes`].
    pub registers: Vec<u32>,
    /// See [`Site::pointers`].
    pub pointers: Vec<Pointer>,
    /// Facts that the machine does not need: see [`Derived`].
    pub derived: Derived,
    /// Bytes of a frame in the register file, a multiple of 64.
    pub frame_bytes: u32,
    /// Constant rows: written (for the entering lanes) when a frame is entered.
    pub constants: Vec<Constant>,
    pub parameters: Vec<Slot>,
    pub returns: Vec<Slot>,
    /// Bytes of the parameter buffer of an entry.
    pub parameter_bytes: u32,
    /// Bytes of local memory per lane that a frame of this function takes: its parameters (device functions), the
    /// `.param` variables of its calls, then its `.local` variables.
    pub local_bytes: u32,
    /// True if it takes more of it as it runs: the stack lies behind.
    pub has_stack: bool,
    /// Static shared bytes of an entry with all functions it can reach.
    pub shared_bytes: u32,
    /// Where dynamic shared memory begins: the next multiple of 16 (or more where an `extern` array asks it) after the
    /// static part.
    pub dynamic_shared_start: u32,
    pub shared_symbols: Vec<Symbol>,
    pub local_symbols: Vec<Symbol>,
    pub max_threads: Option<[u32; 3]>,
    pub required_threads: Option<[u32; 3]>,
    /// Blocks of a cluster that the kernel is compiled for, and whether it must be launched with clusters.
    pub required_cluster: Option<[u32; 3]>,
    pub explicit_cluster: bool,
    /// The most blocks of a cluster that it may be launched with.
    pub max_cluster: Option<u32>,
    pub min_blocks: Option<u32>,
    /// Live virtual registers at the widest point, in 32-bit units, and no more than `.maxnreg`: an estimate of the hardware
    /// registers per thread.
    pub register_estimate: u32,
    /// The same without values that an assembler makes again from parameters and constants: it hardly ever takes fewer.
    pub fewest_registers: u32,
    /// True if the order of blocks can show in the result (atomics on global memory, volatile or ordered accesses, also
    /// in functions it can call): such a launch runs on one host core in a defined order.
    pub order_matters: bool,
    /// Products of four warps that lack something, whatever the values: sites and what is wrong there.
    pub hazards: Vec<(u32, Hazard)>,
    /// The first site, in the order of the text, by which data decide what it accesses, as far as the text tells; known where the
    /// function is lowered for listeners.
    pub data_dependence: Option<(u32, ByData)>,
    /// True if it has loads through the cache for data that nobody writes.
    pub loads_read_only: bool,
    /// The pointers of those loads, and those that it writes to global memory with, also in functions that it can call. The latter are
    /// known where it has such loads, fetches texels, or is lowered for listeners.
    pub read_only: Pointers,
    pub written: Pointers,
    /// The handles of the textures that it fetches texels of, likewise.
    pub fetched: Pointers,
    /// True if it comes to the barrier of its cluster.
    pub meets_cluster: bool,
    /// True if it waits on other blocks (grid barrier through `%envreg`).
    pub reads_envreg: bool,
    /// True if it uses the shared memory that the system keeps for itself (`%reserved_smem_offset_…`), as
    /// cooperative groups do for tiles of more than a warp.
    pub reads_reserved_shared: bool,
}

impl Function {
    /// The registers of the text that an instruction writes.
    pub fn writes(&self, site: &Site) -> &[u32] {
        &self.registers[site.registers as usize..][..site.writes as usize]
    }

    /// The registers of the text that an instruction reads, its guard among them.
    pub fn reads(&self, site: &Site) -> &[u32] {
        &self.registers[site.registers as usize + site.writes as usize..][..site.reads as usize]
    }

    /// One more than the highest number of its registers.
    pub fn registers_end(&self) -> usize {
        self.registers.iter().max().map_or(0, |&register| register as usize + 1)
    }

    /// Bytes of local memory per lane, its stack too.
    pub fn local_bytes_with(&self, stack_bytes: u32) -> u32 {
        self.local_bytes + if self.has_stack { stack_bytes } else { 0 }
    }

    /// Bytes of a block's shared memory, static and dynamic, with what lies between them.
    pub fn shared_bytes_with(&self, dynamic_bytes: u32) -> u32 {
        match dynamic_bytes {
            0 => self.shared_bytes,
            bytes => self.dynamic_shared_start + bytes,
        }
    }
}

/// A pointer that a function is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointer {
    /// The 8 bytes at an offset in the parameter buffer.
    Parameter(u32),
    /// The address of a variable of the module.
    Variable(u64),
    /// The array of shared memory with this begin and end.
    Shared(u32, u32),
}

/// The pointers that addresses are made from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pointers {
    /// Offsets in the parameter buffer.
    pub parameters: Vec<u32>,
    /// Addresses of variables of the module.
    pub variables: Vec<u64>,
    /// True if there are others, such as one that came out of memory.
    pub others: bool,
}

impl Pointers {
    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == Pointers::default()
    }
}

/// A hazard of a product of four warps, seen in the text alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hazard {
    /// Its registers were written since the last `wgmma.fence`, or there was none.
    NoFence,
    /// Its result is read before a `wgmma.wait_group`.
    NotWaitedFor,
}

/// The way in which data may decide which memory a function accesses, or in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByData {
    Address,
    /// A branch, a guard, a barrier, or the lanes that meet at an instruction.
    Condition,
    /// Unknown: it calls another function.
    Call,
    /// Unknown: transfers and products that lie between their issue and a wait.
    Asynchronous,
    /// Unknown: a texture or a surface.
    Texture,
}

/// A value that a frame starts with.
pub struct Constant {
    pub row: Row,
    /// 2, 4, 8 or 16 bytes repeated in 32 lanes; 0: a predicate mask.
    pub bytes: u8,
    pub bits: u128,
    /// True if `bits` is an offset in the frame's local memory, whose place depends on the depth of calls: the frame's
    /// base is added on entry (for a generic address the window is in `bits`).
    pub local: bool,
}

/// A parameter or return value.
#[derive(Clone, Debug)]
pub struct Slot {
    pub name: String,
    pub offset: u32,
    pub bytes: u32,
    pub align: u32,
}

/// A named range of shared or local memory, for messages.
#[derive(Clone, Debug)]
pub struct Symbol {
    pub name: String,
    pub offset: u32,
    pub bytes: u32,
    pub element: Type,
}

/// A site's instruction, for lines, counters and messages.
#[derive(Clone, Debug)]
pub struct Site {
    pub at: Location,
    /// Its row in the table of instructions; `None` where a function begins with an end of no instruction.
    pub row: Option<RowId>,
    pub class: Class,
    /// The opcode as the text has it, such as `ld.global.f32`: to be shown, and asked for nothing.
    pub text: Printed,
    pub opcode: Facts,
    /// Floating-point operations per lane (an fma has 2).
    pub flops: u16,
    /// The cost of its matrix product on tensor units, in multiply-adds of 16-bit elements of a warp.
    pub tensor_fmas: u32,
    /// Bytes of its last type: of one element of an access.
    pub element_bytes: u32,
    /// True if it loads through the cache for data that nobody writes while the kernel runs (`ld.global.nc`).
    pub read_only: bool,
    /// True if it accesses the parameters of a call: traffic that hardware keeps in registers.
    pub call_parameter: bool,
    /// Where its registers begin in [`Function::registers`], and how many it writes and then reads.
    pub registers: u32,
    pub writes: u16,
    pub reads: u16,
    /// True if it may be skipped: it has a guard.
    pub guarded: bool,
    /// The constant part of the address that it names, in bytes; of one that names none, its first constant.
    pub offset: i64,
    /// Where the one array of shared memory lies that its address is made from; empty: none, several, or nobody listens.
    pub shared_array: Range<u32>,
    /// The pointers in [`Function::pointers`] that its address is made from, a bit for each; the last two: others, none. Empty: nobody listens.
    pub pointers: u64,
    /// True if it reads a special register.
    pub special: bool,
    /// True if that register may differ from thread to thread of a warp.
    pub by_thread: bool,
}

impl Site {
    /// The machine instructions that it becomes where it stands alone.
    pub fn units(&self) -> &'static [Unit] {
        match self.opcode.work {
            // Registers hold them.
            Work::Load | Work::LoadUniform | Work::Store if self.call_parameter => &[Unit::Nothing],
            _ => self.opcode.units,
        }
    }
}

/// A basic block: a run of ops with one way in and one end.
pub struct BasicBlock {
    /// Indices in the [function's ops](crate::exec::executable::Executable).
    pub ops: Range<u32>,
    /// Its instructions, the end's among them: what counters count when the block runs.
    pub sites: Range<u32>,
    pub end: End,
    /// The site of the end; of an implicit jump to the next block the last one before it.
    pub site: u32,
    /// Where the paths that part here meet again; `None` where they never do.
    pub rejoin: Option<BlockId>,
    /// True if it signals to other thread blocks before it stores anything else that they see: its first write to memory that they
    /// share is strong, in a module that orders memory by such writes.
    pub signals: bool,
    /// True if it begins with an operation that threads communicate by, in a program that is lowered in steps.
    pub is_step: bool,
    /// True if warps may go through it together: its ops keep no order among warps.
    pub together: bool,
    /// True if it begins a loop that is not to be unrolled.
    pub not_unrolled: bool,
}

/// How a block ends.
#[derive(Clone, Debug)]
pub enum End {
    Jump(BlockId),
    Branch {
        when: Row,
        negated: bool,
        taken: BlockId,
        next: BlockId,
    },
    /// `brx.idx`
    Switch {
        index: Row,
        targets: Vec<BlockId>,
    },
    Exit,
    Return,
    Call(Box<Call>),
    Barrier(Box<Barrier>),
    /// `barrier.cluster`: arrives at the barrier of the cluster's threads, or waits for the phase that was arrived at.
    Cluster {
        waits: bool,
        /// True if it orders memory: all but `.relaxed`.
        orders: bool,
        next: BlockId,
    },
    /// An op that waits until the lanes it names are here: `shfl.sync`, `vote.sync`, `match.sync`, `redux.sync`,
    /// `bar.warp.sync`, `mma.sync`, `ldmatrix`. `members` is the row of the member mask (`None`: all live lanes).
    Converge {
        op: u32,
        members: Option<Row>,
        next: BlockId,
    },
    Trap,
    /// Runs off the end of the function.
    Fall,
}

impl End {
    /// The blocks of the same function that may be next.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            End::Jump(next) | End::Converge { next, .. } | End::Cluster { next, .. } => vec![*next],
            End::Branch { taken, next, .. } => vec![*taken, *next],
            End::Switch { targets, .. } => targets.clone(),
            End::Call(call) => vec![call.next],
            End::Barrier(barrier) => vec![barrier.next],
            End::Exit | End::Return | End::Trap | End::Fall => Vec::new(),
        }
    }
}

/// A call of a device function.
#[derive(Clone, Debug)]
pub struct Call {
    pub target: Target,
    /// Pairs (offset in the caller's local frame, bytes), in the order of the callee's parameters.
    pub arguments: Vec<(u32, u32)>,
    pub returns: Vec<(u32, u32)>,
    pub next: BlockId,
}

/// The target of a call.
#[derive(Clone, Debug)]
pub enum Target {
    Function(FunctionId),
    /// A register with a function's address: [`FunctionId`] plus [`FUNCTION_WINDOW`](crate::memory::FUNCTION_WINDOW).
    Register(Row),
    /// `vprintf`, `malloc`, `cudaLaunchDeviceV2` and their kin: provided by the simulator.
    Builtin(Builtin),
}

/// Functions that CUDA's device runtime provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    Vprintf,
    AssertFail,
    Malloc,
    Free,
    /// Room for the parameters of a kernel that a kernel launches, and the launch: with the shape in the first (V2) or in the second.
    ParameterBufferV2,
    LaunchDeviceV2,
    ParameterBuffer,
    LaunchDevice,
    /// The thread's last error of these, taken or left.
    GetLastError,
    PeekAtLastError,
}

impl Builtin {
    /// Returns whether what it gives or leaves depends on which block comes first.
    pub fn order_matters(self) -> bool {
        matches!(self, Builtin::Malloc) || self.launches()
    }

    /// Returns whether it launches a kernel, or begins to.
    pub fn launches(self) -> bool {
        use Builtin::{LaunchDevice, LaunchDeviceV2, ParameterBuffer, ParameterBufferV2};
        matches!(self, ParameterBuffer | LaunchDevice | ParameterBufferV2 | LaunchDeviceV2)
    }
}

/// `bar`/`barrier` in every form. Ids and counts may come from registers.
#[derive(Clone, Debug)]
pub struct Barrier {
    pub kind: BarrierKind,
    pub id: Row,
    /// Threads expected; `None`: all of the block.
    pub count: Option<Row>,
    pub aligned: bool,
    /// `red`: source predicate, its negation, destination row.
    pub predicate: Option<(Row, bool)>,
    pub dst: Row,
    pub next: BlockId,
}

/// The kind of a barrier instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierKind {
    Sync,
    Arrive,
    RedPopc,
    RedAnd,
    RedOr,
}

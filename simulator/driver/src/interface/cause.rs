//! Why a call failed: the cause as data, its `CUresult`, and the only wording of the driver's own errors.
use cuda::CUresult;
use watch::diagnostics::{Diagnosis, Family};

/// Every reason for which the driver refuses or fails a call.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Cause {
    #[error("cuInit has not been called, or failed")]
    NotInitialised,
    #[error(
        "the driver was started before this process was made by fork, and does not work in it: call cuInit in the child only, \
         or start processes anew (in Python: multiprocessing.set_start_method(\"spawn\"))"
    )]
    Forked,
    #[error("there is no device {0}; {1} simulated")]
    NoDevice(i32, usize),
    /// A variable that the simulator reads, with its value and what it could be.
    #[error("{0}")]
    Environment(String),
    /// Why there is no such card.
    #[error("{0}")]
    NoProfile(String),
    #[error("no context is current on this thread: create or retain one and make it current")]
    NoContext,
    #[error("the {0} was destroyed before this call")]
    DestroyedHandle(&'static str),
    #[error("this is not the handle of a {0}")]
    NoHandle(&'static str),
    /// As the two above, for calls that say "invalid value" of a handle.
    #[error("this is not the handle of a live {0}")]
    NoSuchArgument(&'static str),
    #[error("`{0}` is a null pointer")]
    Null(&'static str),
    #[error("`{0}` has a value that the interface does not define: {1}")]
    NoSuchValue(&'static str, i64),
    #[error("{0} is {1}; allowed: {2}")]
    OutOfRange(&'static str, u64, String),
    #[error("{asked} bytes asked for, {free} of {total} bytes of the {card} are free")]
    OutOfMemory { asked: u64, free: u64, total: u64, card: &'static str },
    #[error("the host has no room for {0} bytes of page-locked memory")]
    OutOfHostMemory(u64),
    #[error("{what}: the address {address:#x} is in no live allocation; {described}")]
    NoAllocation { what: &'static str, address: u64, described: String },
    #[error("{what}: {bytes} bytes from offset {offset} on, past the end of {described}")]
    PastEnd { what: &'static str, offset: u64, bytes: u64, described: String },
    #[error("`{0}` is not the start of an allocation: {1}; free what was allocated, once")]
    NotAnAllocation(&'static str, String),
    #[error("{0} is wanted, and this address lies in {1}")]
    OtherMemory(&'static str, &'static str),
    #[error("the address {0:#x} lies in no range of cuMemAddressReserve that is as long as the call says")]
    NotReserved(u64),
    #[error("nothing is mapped from {0:#x} on, or only a part of what is mapped there was named")]
    NotMapped(u64),
    #[error("something is mapped at {0:#x} already, or the address is no multiple of the granularity")]
    AlreadyMapped(u64),
    #[error("no {0} bytes of address space are left")]
    NoAddresses(u64),
    #[error("the host cannot make {0}: {1}")]
    OfHost(&'static str, String),
    #[error("the memory of process {0} cannot be shown here: {1}")]
    NotShown(u32, String),
    #[error("the handle is this process's own: it has the memory's address already")]
    OwnHandle,
    #[error("the interface has no function `{0}`")]
    NoFunction(String),
    #[error("this host range, or part of it, is registered already")]
    AlreadyRegistered,
    #[error("this host pointer was not registered")]
    NotRegistered,
    #[error("PTX text, line {line}, column {column}: {message}")]
    BadPtx { line: u32, column: u32, message: String },
    #[error("the simulator runs PTX; this image is {0}")]
    NotPtx(String),
    #[error("the image is a fat binary that contradicts itself: {0}")]
    BadImage(&'static str),
    #[error("PTX {}.{} is newer than the newest that the simulator knows, {}.{}", version.0, version.1, newest.0, newest.1)]
    PtxTooNew { version: (u32, u32), newest: (u32, u32) },
    #[error(
        "the PTX is for {target}; the {card} is sm_{of_card}: compile for that, or for an older architecture{hint}"
    )]
    WrongTarget { target: String, card: &'static str, of_card: u32, hint: String },
    #[error("the assembler refuses the module: {0}")]
    NotAssembled(String),
    /// In the device linker's words, which clients know.
    #[error("{0}")]
    NotLinked(String),
    #[error("Undefined reference to '{name}' in '{user}'{machine_code}")]
    Undefined { name: String, user: String, machine_code: String },
    #[error("the link is complete: nothing can be added to it")]
    LinkComplete,
    #[error("the file `{0}` cannot be read: {1}")]
    NoFile(String, String),
    #[error("`{name}` is not in the module; it has: {known}")]
    NoSymbol { name: String, known: String },
    #[error("the block has {threads} threads; {why} {limit}")]
    BlockTooLarge { threads: u64, limit: u32, why: &'static str },
    #[error("the block is {got:?}, but the kernel is compiled for exactly {required:?} (__cluster_dims__, .reqntid)")]
    WrongBlock { got: [u32; 3], required: [u32; 3] },
    #[error("clusters of {got:?} blocks: {why}")]
    BadCluster { got: [u32; 3], why: String },
    #[error("{axis} of the {what} is {got}; allowed: 1 to {limit}")]
    BadExtent { what: &'static str, axis: char, got: u32, limit: u32 },
    #[error("the block needs {asked} bytes of shared memory ({fixed} static); {limit} are allowed{hint}")]
    SharedTooLarge { asked: u64, fixed: u32, limit: u32, hint: &'static str },
    #[error("{registers} registers for each of {threads} threads are more than the {limit} of a multiprocessor")]
    TooManyRegisters { registers: u32, threads: u32, limit: u32 },
    #[error("the kernel `{kernel}` takes {wanted} parameters; {got}")]
    Parameters { kernel: String, wanted: usize, got: String },
    #[error("a cooperative launch needs all {blocks} blocks resident at once; this device holds {resident}")]
    TooManyCooperative { blocks: u64, resident: u64 },
    #[error("the {0} has no {1}")]
    DeviceLacks(&'static str, &'static str),
    /// With what a card's driver answers, which is not the same for all of the three.
    #[error("no context of OpenGL, EGL or VDPAU is current: there is none beside a simulated card")]
    NoGraphics(CUresult),
    #[error("the event has not been recorded, or was made without timing")]
    NoTime,
    #[error("work is still pending")]
    NotReady,
    #[error("peer access to this device is on already")]
    PeerAlreadyOn,
    #[error("peer access to this device is not on")]
    PeerNotOn,
    #[error("the stream is not capturing")]
    NotCapturing,
    #[error("the stream is capturing already")]
    Capturing,
    #[error("{0} is not allowed while a stream is capturing; the capture is invalid now")]
    NotWhileCapturing(&'static str),
    #[error("the capture was invalidated by an earlier call")]
    CaptureInvalidated,
    #[error("the event was recorded in a capture and has no state outside of the graph")]
    CapturedEvent,
    #[error("two captures would be joined into one")]
    CaptureMerge,
    #[error("the capture was not begun on this stream")]
    CaptureUnmatched,
    #[error("streams that joined the capture were not joined back to the stream it began on")]
    CaptureUnjoined,
    #[error("the legacy default stream cannot be captured; use a stream of your own")]
    CaptureImplicit,
    #[error("the capture was begun by another thread")]
    CaptureWrongThread,
    #[error("a graph with conditional nodes cannot be {0}")]
    ConditionalGraph(&'static str),
    #[error("the graph's dependencies form a cycle")]
    GraphCycle,
    #[error("the new graph has another shape than the one that was instantiated")]
    GraphShape,
    #[error("{0} is not modelled; docs/fidelity.md says what is, and LABS_SIM_LOG=1 tells of each call that fails")]
    NotModelled(&'static str),
    /// A kernel that went wrong, or a module that cannot be run, in the words of [`watch::diagnostics`].
    #[error("{}", .1.message)]
    Diagnosed(CUresult, Box<Diagnosis>),
    /// A panic in the executor.
    #[error("the simulator has a defect: {what} panicked at {at} ({words}); please report it")]
    Panicked { what: String, at: String, words: String },
    #[error("the simulator has a defect ({0}); please report it")]
    Defect(String),
}

/// Objects of which every call that takes their handle documents "invalid value", and none "invalid handle".
const VALUES: &[&str] = &["module", "graph", "node", "executable graph", "memory pool", "memory without an address"];

impl Cause {
    /// For calls that document "invalid value" where others document "invalid handle".
    pub fn into_argument(self) -> Cause {
        match self {
            Cause::DestroyedHandle(kind) | Cause::NoHandle(kind) => Cause::NoSuchArgument(kind),
            other => other,
        }
    }

    /// The documented result of the call.
    pub fn code(&self) -> CUresult {
        use CUresult::*;
        match self {
            Cause::NotInitialised | Cause::Forked => CUDA_ERROR_NOT_INITIALIZED,
            Cause::NoDevice(..) => CUDA_ERROR_INVALID_DEVICE,
            Cause::Environment(_) | Cause::NoProfile(..) => CUDA_ERROR_NO_DEVICE,
            Cause::NoContext => CUDA_ERROR_INVALID_CONTEXT,
            Cause::DestroyedHandle("context") => CUDA_ERROR_CONTEXT_IS_DESTROYED,
            Cause::NoHandle("context") => CUDA_ERROR_INVALID_CONTEXT,
            Cause::DestroyedHandle(kind) | Cause::NoHandle(kind) if VALUES.contains(kind) => CUDA_ERROR_INVALID_VALUE,
            Cause::DestroyedHandle(_) | Cause::NoHandle(_) => CUDA_ERROR_INVALID_HANDLE,
            Cause::NoSuchArgument("context") => CUDA_ERROR_INVALID_CONTEXT,
            Cause::NoSuchArgument(_)
            | Cause::Null(_)
            | Cause::NoSuchValue(..)
            | Cause::OutOfRange(..)
            | Cause::NoAllocation { .. }
            | Cause::PastEnd { .. }
            | Cause::NotAnAllocation(..)
            | Cause::OtherMemory(..)
            | Cause::BlockTooLarge { .. }
            | Cause::WrongBlock { .. }
            | Cause::BadExtent { .. }
            | Cause::SharedTooLarge { .. }
            | Cause::Parameters { .. }
            | Cause::NotReserved(_)
            | Cause::NotMapped(_)
            | Cause::AlreadyMapped(_)
            | Cause::GraphCycle => CUDA_ERROR_INVALID_VALUE,
            Cause::BadCluster { .. } => CUDA_ERROR_INVALID_CLUSTER_SIZE,
            Cause::OutOfMemory { .. } | Cause::OutOfHostMemory(_) => CUDA_ERROR_OUT_OF_MEMORY,
            Cause::NoAddresses(_) => CUDA_ERROR_OUT_OF_MEMORY,
            Cause::OfHost(..) => CUDA_ERROR_OPERATING_SYSTEM,
            Cause::NotShown(..) => CUDA_ERROR_MAP_FAILED,
            Cause::OwnHandle => CUDA_ERROR_INVALID_CONTEXT,
            Cause::AlreadyRegistered => CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
            Cause::NotRegistered => CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
            Cause::BadPtx { .. } | Cause::NotAssembled(_) => CUDA_ERROR_INVALID_PTX,
            Cause::BadImage(_) => CUDA_ERROR_INVALID_IMAGE,
            Cause::NotLinked(_) => CUDA_ERROR_INVALID_SOURCE,
            Cause::LinkComplete => CUDA_ERROR_ILLEGAL_STATE,
            Cause::PtxTooNew { .. } => CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
            Cause::NotPtx(_) | Cause::WrongTarget { .. } | Cause::Undefined { .. } => CUDA_ERROR_NO_BINARY_FOR_GPU,
            Cause::NoFile(..) => CUDA_ERROR_FILE_NOT_FOUND,
            Cause::NoSymbol { .. } | Cause::NoFunction(_) => CUDA_ERROR_NOT_FOUND,
            Cause::TooManyRegisters { .. } => CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
            Cause::TooManyCooperative { .. } => CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
            Cause::ConditionalGraph(_) | Cause::DeviceLacks(..) | Cause::NotModelled(_) => CUDA_ERROR_NOT_SUPPORTED,
            Cause::NoGraphics(code) => *code,
            Cause::NoTime => CUDA_ERROR_INVALID_HANDLE,
            Cause::NotReady => CUDA_ERROR_NOT_READY,
            Cause::PeerAlreadyOn => CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
            Cause::PeerNotOn => CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
            Cause::NotCapturing | Cause::Capturing => CUDA_ERROR_ILLEGAL_STATE,
            Cause::NotWhileCapturing(_) => CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            Cause::CaptureInvalidated => CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
            Cause::CapturedEvent => CUDA_ERROR_CAPTURED_EVENT,
            Cause::CaptureMerge => CUDA_ERROR_STREAM_CAPTURE_MERGE,
            Cause::CaptureUnmatched => CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
            Cause::CaptureUnjoined => CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
            Cause::CaptureImplicit => CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
            Cause::CaptureWrongThread => CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
            Cause::GraphShape => CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
            Cause::Diagnosed(code, _) => *code,
            Cause::Panicked { .. } => CUDA_ERROR_LAUNCH_FAILED,
            Cause::Defect(_) => CUDA_ERROR_UNKNOWN,
        }
    }

    /// Kinds of handles that a card may lack as well, so that programs ask for them and go on without.
    pub const OTHER_SHAREABLE_HANDLES: &'static str = "a shareable handle other than a POSIX file descriptor";

    /// True if a limit of the simulator's own ended a kernel.
    pub fn is_limit_of_a_kernel(&self) -> bool {
        matches!(self, Cause::Diagnosed(_, diagnosis) if diagnosis.family == Family::Limit)
    }

    /// True if a launch asks for what the card or the kernel does not allow.
    pub fn is_impossible_launch(&self) -> bool {
        use Cause::*;
        let of_room = matches!(self, TooManyRegisters { .. } | SharedTooLarge { .. } | TooManyCooperative { .. });
        of_room || matches!(self, BlockTooLarge { .. } | WrongBlock { .. } | BadExtent { .. } | BadCluster { .. })
    }

    /// True if the image is for other cards: the reader wants to know then where that image lies.
    pub fn is_of_other_cards(&self) -> bool {
        matches!(self, Cause::NotPtx(_) | Cause::WrongTarget { .. } | Cause::PtxTooNew { .. })
    }

    /// True if the simulator refuses what a card might take, or an image cannot be loaded: clients show little of either.
    pub fn is_refusal(&self) -> bool {
        use Cause::*;
        let of_image = matches!(
            self,
            BadPtx { .. }
                | BadImage(_)
                | PtxTooNew { .. }
                | WrongTarget { .. }
                | NotAssembled(_)
                | NotLinked(_)
                | Undefined { .. }
        );
        let of_module = matches!(self, Diagnosed(CUresult::CUDA_ERROR_INVALID_PTX, _));
        of_image || of_module || self.family() == Family::NotModelled
    }

    /// Whose fault it is.
    pub fn family(&self) -> Family {
        match self {
            Cause::NotModelled(_) | Cause::NotPtx(_) | Cause::Panicked { .. } | Cause::Defect(_) => Family::NotModelled,
            Cause::OutOfMemory { .. } | Cause::OutOfHostMemory(_) | Cause::TooManyRegisters { .. } => Family::Limit,
            Cause::NotAssembled(_) | Cause::NotLinked(_) | Cause::Undefined { .. } => Family::Kernel,
            Cause::Diagnosed(_, diagnosis) => diagnosis.family,
            _ => Family::Host,
        }
    }

    /// The whole text for the reader; a kernel's diagnosis has its title already.
    pub fn text(&self, call: &str) -> String {
        match self {
            Cause::Diagnosed(_, diagnosis) => diagnosis.message.clone(),
            // Whichever call happens to be the first is not to blame.
            Cause::Environment(text) => format!("{}: {text}", self.family().title()),
            other => format!("{}: {call}: {other}", self.family().title()),
        }
    }
}

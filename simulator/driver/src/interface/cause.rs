//! Why a call failed: the cause as data, its `CUresult`, and the only wording of the driver's own errors.
use cuda::CUresult;
use watch::diagnostics::{Diagnosis, Family};

/// Causes by rows: the cause, the documented result of a call that it fails, and the words.
macro_rules! causes {
    ($($(#[$doc:meta])* $cause:ident $(($($of:ty),*))? $({ $($field:ident: $type:ty),* })?: $code:ident $words:tt;)*) => {
        /// Every reason for which the driver refuses or fails a call.
        #[derive(Clone, Debug, thiserror::Error)]
        pub enum Cause {
            $($(#[$doc])* #[error $words] $cause $(($($of),*))? $({ $($field: $type),* })?),*
        }

        impl Cause {
            /// The result of the cause's row.
            fn usual_code(&self) -> CUresult {
                match self {
                    $(Cause::$cause { .. } => CUresult::$code),*
                }
            }
        }
    };
}

causes! {
    NotInitialised: CUDA_ERROR_NOT_INITIALIZED ("cuInit has not been called, or failed");
    Forked: CUDA_ERROR_NOT_INITIALIZED (
        "the driver was started before this process was made by fork, and does not work in it: call cuInit in the child only, \
         or start processes anew (in Python: multiprocessing.set_start_method(\"spawn\"))"
    );
    NoDevice(i32, usize): CUDA_ERROR_INVALID_DEVICE ("there is no device {0}; {1} simulated");
    /// A variable that the simulator reads, with its value and what it could be.
    Environment(String): CUDA_ERROR_NO_DEVICE ("{0}");
    /// Why there is no such card.
    NoProfile(String): CUDA_ERROR_NO_DEVICE ("{0}");
    NoContext: CUDA_ERROR_INVALID_CONTEXT ("no context is current on this thread: create or retain one and make it current");
    DestroyedHandle(&'static str): CUDA_ERROR_INVALID_HANDLE ("the {0} was destroyed before this call");
    NoHandle(&'static str): CUDA_ERROR_INVALID_HANDLE ("this is not the handle of a {0}");
    /// As the two above, for calls that say "invalid value" of a handle.
    NoSuchArgument(&'static str): CUDA_ERROR_INVALID_VALUE ("this is not the handle of a live {0}");
    Null(&'static str): CUDA_ERROR_INVALID_VALUE ("`{0}` is a null pointer");
    NoSuchValue(&'static str, i64): CUDA_ERROR_INVALID_VALUE ("`{0}` has a value that the interface does not define: {1}");
    OutOfRange(&'static str, u64, String): CUDA_ERROR_INVALID_VALUE ("{0} is {1}; allowed: {2}");
    OutOfMemory { asked: u64, free: u64, total: u64, card: &'static str }: CUDA_ERROR_OUT_OF_MEMORY ("{asked} bytes asked for, {free} of {total} bytes of the {card} are free");
    OutOfHostMemory(u64): CUDA_ERROR_OUT_OF_MEMORY ("the host has no room for {0} bytes of page-locked memory");
    NoAllocation { what: &'static str, address: u64, described: String }: CUDA_ERROR_INVALID_VALUE ("{what}: the address {address:#x} is in no live allocation; {described}");
    PastEnd { what: &'static str, offset: u64, bytes: u64, described: String }: CUDA_ERROR_INVALID_VALUE ("{what}: {bytes} bytes from offset {offset} on, past the end of {described}");
    NotAnAllocation(&'static str, String): CUDA_ERROR_INVALID_VALUE ("`{0}` is not the start of an allocation: {1}; free what was allocated, once");
    OtherMemory(&'static str, &'static str): CUDA_ERROR_INVALID_VALUE ("{0} is wanted, and this address lies in {1}");
    NotReserved(u64): CUDA_ERROR_INVALID_VALUE ("the address {0:#x} lies in no range of cuMemAddressReserve that is as long as the call says");
    NotMapped(u64): CUDA_ERROR_INVALID_VALUE ("nothing is mapped from {0:#x} on, or only a part of what is mapped there was named");
    AlreadyMapped(u64): CUDA_ERROR_INVALID_VALUE ("something is mapped at {0:#x} already, or the address is no multiple of the granularity");
    NoAddresses(u64): CUDA_ERROR_OUT_OF_MEMORY ("no {0} bytes of address space are left");
    OfHost(&'static str, String): CUDA_ERROR_OPERATING_SYSTEM ("the host cannot make {0}: {1}");
    NotShown(u32, String): CUDA_ERROR_MAP_FAILED ("the memory of process {0} cannot be shown here: {1}");
    OwnHandle: CUDA_ERROR_INVALID_CONTEXT ("the handle is this process's own: it has the memory's address already");
    NoFunction(String): CUDA_ERROR_NOT_FOUND ("the interface has no function `{0}`");
    AlreadyRegistered: CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED ("this host range, or part of it, is registered already");
    NotRegistered: CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED ("this host pointer was not registered");
    BadPtx { line: u32, column: u32, message: String }: CUDA_ERROR_INVALID_PTX ("PTX text, line {line}, column {column}: {message}");
    NotPtx(String): CUDA_ERROR_NO_BINARY_FOR_GPU ("the simulator runs PTX; this image is {0}");
    BadImage(&'static str): CUDA_ERROR_INVALID_IMAGE ("the image is a fat binary that contradicts itself: {0}");
    PtxTooNew { version: (u32, u32), newest: (u32, u32) }: CUDA_ERROR_UNSUPPORTED_PTX_VERSION ("PTX {}.{} is newer than the newest that the simulator knows, {}.{}", version.0, version.1, newest.0, newest.1);
    WrongTarget { target: String, card: &'static str, of_card: u32, hint: String }: CUDA_ERROR_NO_BINARY_FOR_GPU ("the PTX is for {target}; the {card} is sm_{of_card}: compile for that, or for an older architecture{hint}");
    NotAssembled(String): CUDA_ERROR_INVALID_PTX ("the assembler refuses the module: {0}");
    /// In the device linker's words, which clients know.
    NotLinked(String): CUDA_ERROR_INVALID_SOURCE ("{0}");
    Undefined { name: String, user: String, machine_code: String }: CUDA_ERROR_NO_BINARY_FOR_GPU ("Undefined reference to '{name}' in '{user}'{machine_code}");
    LinkComplete: CUDA_ERROR_ILLEGAL_STATE ("the link is complete: nothing can be added to it");
    NoFile(String, String): CUDA_ERROR_FILE_NOT_FOUND ("the file `{0}` cannot be read: {1}");
    NoSymbol { name: String, known: String }: CUDA_ERROR_NOT_FOUND ("`{name}` is not in the module; it has: {known}");
    BlockTooLarge { threads: u64, limit: u32, why: &'static str }: CUDA_ERROR_INVALID_VALUE ("the block has {threads} threads; {why} {limit}");
    WrongBlock { got: [u32; 3], required: [u32; 3] }: CUDA_ERROR_INVALID_VALUE ("the block is {got:?}, but the kernel is compiled for exactly {required:?} (__cluster_dims__, .reqntid)");
    BadCluster { got: [u32; 3], why: String }: CUDA_ERROR_INVALID_CLUSTER_SIZE ("clusters of {got:?} blocks: {why}");
    BadExtent { what: &'static str, axis: char, got: u32, limit: u32 }: CUDA_ERROR_INVALID_VALUE ("{axis} of the {what} is {got}; allowed: 1 to {limit}");
    SharedTooLarge { asked: u64, fixed: u32, limit: u32, hint: &'static str }: CUDA_ERROR_INVALID_VALUE ("the block needs {asked} bytes of shared memory ({fixed} static); {limit} are allowed{hint}");
    TooManyRegisters { registers: u32, threads: u32, limit: u32 }: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES ("{registers} registers for each of {threads} threads are more than the {limit} of a multiprocessor");
    Parameters { kernel: String, wanted: usize, got: String }: CUDA_ERROR_INVALID_VALUE ("the kernel `{kernel}` takes {wanted} parameters; {got}");
    TooManyCooperative { blocks: u64, resident: u64 }: CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE ("a cooperative launch needs all {blocks} blocks resident at once; this device holds {resident}");
    DeviceLacks(&'static str, &'static str): CUDA_ERROR_NOT_SUPPORTED ("the {0} has no {1}");
    /// With what a card's driver answers, which is not the same for all of the three.
    NoGraphics(CUresult): CUDA_ERROR_NOT_SUPPORTED ("no context of OpenGL, EGL or VDPAU is current: there is none beside a simulated card");
    NoTime: CUDA_ERROR_INVALID_HANDLE ("the event has not been recorded, or was made without timing");
    NotReady: CUDA_ERROR_NOT_READY ("work is still pending");
    PeerAlreadyOn: CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED ("peer access to this device is on already");
    PeerNotOn: CUDA_ERROR_PEER_ACCESS_NOT_ENABLED ("peer access to this device is not on");
    NotCapturing: CUDA_ERROR_ILLEGAL_STATE ("the stream is not capturing");
    Capturing: CUDA_ERROR_ILLEGAL_STATE ("the stream is capturing already");
    NotWhileCapturing(&'static str): CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED ("{0} is not allowed while a stream is capturing; the capture is invalid now");
    CaptureInvalidated: CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ("the capture was invalidated by an earlier call");
    CapturedEvent: CUDA_ERROR_CAPTURED_EVENT ("the event was recorded in a capture and has no state outside of the graph");
    CaptureMerge: CUDA_ERROR_STREAM_CAPTURE_MERGE ("two captures would be joined into one");
    CaptureUnmatched: CUDA_ERROR_STREAM_CAPTURE_UNMATCHED ("the capture was not begun on this stream");
    CaptureUnjoined: CUDA_ERROR_STREAM_CAPTURE_UNJOINED ("streams that joined the capture were not joined back to the stream it began on");
    CaptureImplicit: CUDA_ERROR_STREAM_CAPTURE_IMPLICIT ("the legacy default stream cannot be captured; use a stream of your own");
    CaptureWrongThread: CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD ("the capture was begun by another thread");
    ConditionalGraph(&'static str): CUDA_ERROR_NOT_SUPPORTED ("a graph with conditional nodes cannot be {0}");
    GraphCycle: CUDA_ERROR_INVALID_VALUE ("the graph's dependencies form a cycle");
    GraphShape: CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE ("the new graph has another shape than the one that was instantiated");
    NotModelled(&'static str): CUDA_ERROR_NOT_SUPPORTED ("{0} is not modelled; docs/fidelity.md says what is, and LABS_SIM_LOG=1 tells of each call that fails");
    /// A kernel that went wrong, or a module that cannot be run, in the words of [`watch::diagnostics`].
    Diagnosed(CUresult, Box<Diagnosis>): CUDA_ERROR_LAUNCH_FAILED ("{1}");
    /// A panic in the executor.
    Panicked { what: String, at: String, words: String }: CUDA_ERROR_LAUNCH_FAILED ("the simulator has a defect: {what} panicked at {at} ({words}); please report it");
    Defect(String): CUDA_ERROR_UNKNOWN ("the simulator has a defect ({0}); please report it");
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
            Cause::DestroyedHandle("context") => CUDA_ERROR_CONTEXT_IS_DESTROYED,
            Cause::NoHandle("context") | Cause::NoSuchArgument("context") => CUDA_ERROR_INVALID_CONTEXT,
            Cause::DestroyedHandle(kind) | Cause::NoHandle(kind) if VALUES.contains(kind) => CUDA_ERROR_INVALID_VALUE,
            Cause::NoGraphics(code) | Cause::Diagnosed(code, _) => *code,
            other => other.usual_code(),
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

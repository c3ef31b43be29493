//! Why a call failed: the cause as data, its `CUresult`, and the only wording of the driver's own errors.
use cuda::CUresult;
use watch::diagnostics::{Diagnosis, Family};

/// Causes by rows, which are those of `causes.txt`: the cause, the documented result of a call that it fails, and the words.
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

include!("causes.txt");

/// How a call ends that answers nothing by itself.
pub type Outcome = Result<(), Cause>;

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

//! Every exported function: its name and C signature, and what answers it. Names without an implementation are in [`without`].
#![allow(non_snake_case, reason = "the interface's names")]
use crate::answers::{
    self, Branch, Handle, Memory, Memory2, Pci, Pci1, Process, Process1, Utilisation, driver_version, of, ordinal, out,
    out_text, process, process_1, processes, uuid_of,
};
use crate::simulator::{self, Card, card, cards};
use crate::status;
use std::ffi::{c_char, c_int, c_uint};

macro_rules! exports {
    ($($name:ident($($argument:ident: $type:ty),*) => $body:expr;)*) => {
        $(
            /// As NVIDIA's management library defines it.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $type),*) -> u32 {
                // SAFETY: the caller keeps the promises that the interface asks of it; what can be checked is checked.
                #[allow(unused_unsafe)]
                status::call(&mut || -> status::Outcome { unsafe { $body } })
            }
        )*
    };
}

/// The first card, which tells what all have in common: there is at least one.
fn any() -> status::Outcome<Card> {
    card(0)
}

cuda::c_functions! {
    nvmlErrorString(code: u32) -> *const c_char => status::words(code);
}

cuda::nvml!(exports);

/// Names that have no implementation, since what they tell of is not modelled. The caller's arguments are left alone: the C
/// convention lets the caller clear them away.
pub mod without {
    #![allow(non_snake_case)]
    macro_rules! absent {
        ($($name:ident)*) => {
            $(
                /// Not modelled.
                #[unsafe(no_mangle)]
                pub extern "C" fn $name() -> u32 {
                    crate::status::NOT_SUPPORTED.0
                }
            )*
        };
    }

    cuda::without_nvml!(absent);
}

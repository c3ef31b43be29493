//! A driver as its clients call it: the addresses of the table's functions, and a method for each.
use core::ffi::CStr;

/// The end of a call that is no success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSuccess {
    /// The driver lacks the function.
    Absent,
    /// The driver's result.
    Result(u32),
}

/// A function's name for the loader. `text` ends with NUL.
pub const fn named(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("the macro ends every name with NUL"),
    }
}

/// Makes a struct `Driver` of the rows of [`functions!`](crate::functions): `functions!(client)`. Its methods return the caller's `Outcome`, a result whose
/// error is made from a [`NoSuccess`].
#[macro_export]
macro_rules! client {
    ($($name:ident $arguments:tt $([$($other:ident $(: $stream:ident)?),*])? $($age:ident)?;)*) => {
        /// The driver's functions; 0 where it lacks one.
        pub struct Driver { $($name: usize),* }

        impl Driver {
            fn find(address: &dyn Fn(&core::ffi::CStr) -> usize) -> Driver {
                Driver { $($name: address($crate::client::named(concat!(stringify!($name), "\0")))),* }
            }
            $($crate::client_function! { $name $arguments })*
        }
    };
}

/// Calls the driver's function, if the driver has it.
#[doc(hidden)]
#[macro_export]
macro_rules! client_function {
    ($name:ident ($($argument:ident: $type:ty),*)) => {
        pub unsafe fn $name(&self, $($argument: $type),*) -> Outcome {
            if self.$name == 0 {
                return Err($crate::client::NoSuccess::Absent.into());
            }
            // SAFETY: the driver's function of this name has these arguments.
            let function: unsafe extern "C" fn($($type),*) -> u32 = unsafe { core::mem::transmute(self.$name) };
            // SAFETY: the pointer is as this function's caller has to give it.
            match unsafe { function($($argument),*) } {
                0 => Ok(()),
                code => Err($crate::client::NoSuccess::Result(code).into()),
            }
        }
    };
}

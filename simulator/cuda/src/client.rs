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

/// The driver of a library over it, loaded and started when the first call needs it: functions `loaded` and `driver` beside the struct of
/// [`client!`]. `Failure` is the library's own: where there is no driver, where that lacks a function, and made from a driver's result.
#[macro_export]
macro_rules! client_of {
    ($library:literal; $no_driver:expr, $no_function:expr, $result:path) => {
        static DRIVER: std::sync::OnceLock<Result<Driver, Failure>> = std::sync::OnceLock::new();

        /// The driver, if a call needed it already.
        pub fn loaded() -> Option<&'static Driver> {
            DRIVER.get().and_then(|driver| driver.as_ref().ok())
        }

        /// The driver, started.
        pub fn driver() -> Result<&'static Driver, Failure> {
            DRIVER.get_or_init(load).as_ref().map_err(Clone::clone)
        }

        fn load() -> Result<Driver, Failure> {
            // SAFETY: loading a library runs its initialisers, which the user asked for by running a CUDA program.
            let library = [c"libcuda.so.1", c"libcuda.so"].iter().find_map(|name| unsafe {
                let library = libc::dlopen(name.as_ptr(), libc::RTLD_NOW);
                (!library.is_null()).then_some(library)
            });
            let Some(library) = library else {
                const WHY: &str = "there is no CUDA driver (libcuda.so.1); `sim` runs a program on a simulated one";
                eprintln!(concat!("[", $library, "] {}"), WHY);
                return Err($no_driver);
            };
            // SAFETY: an open library, which is never closed, and a name that ends in NUL.
            let driver = Driver::find(&|name| unsafe { libc::dlsym(library, name.as_ptr()) } as usize);
            // SAFETY: it has no conditions.
            unsafe { driver.cuInit(0)? };
            Ok(driver)
        }

        impl From<$crate::client::NoSuccess> for Failure {
            fn from(end: $crate::client::NoSuccess) -> Failure {
                match end {
                    $crate::client::NoSuccess::Absent => $no_function,
                    $crate::client::NoSuccess::Result(code) => $result(code),
                }
            }
        }
    };
}

//! The numbers that functions of the driver and of the runtime return, their names and their words. A number means the same in both
//! interfaces, so that the runtime passes a result of the driver's on as it is.
use core::ffi::CStr;

macro_rules! define {
    (
        both { $($number:literal $name:ident $runtime_name:ident $words:literal;)* }
        driver { $($driver_number:literal $driver_name:ident $driver_words:literal;)* }
        runtime { $($of_runtime:literal $alone:ident $runtime_words:literal;)* }
    ) => {
        /// The result of a function of the driver, with the interface's names and numbers.
        #[allow(non_camel_case_types, missing_docs, reason = "the interface's names; the words are in the table")]
        #[repr(u32)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum CUresult { $($name = $number,)* $($driver_name = $driver_number),* }

        static DRIVER: &[Row] = &[
            $(($number, ended(concat!(stringify!($name), "\0")), $words),)*
            $(($driver_number, ended(concat!(stringify!($driver_name), "\0")), $driver_words)),*
        ];
        static RUNTIME: &[Row] = &[
            $(($number, ended(concat!(stringify!($runtime_name), "\0")), $words),)*
            $(($of_runtime, ended(concat!(stringify!($alone), "\0")), $runtime_words)),*
        ];

        #[cfg(test)]
        mod tests {
            use super::*;
            use cudarc::driver::sys;

            #[test]
            fn numbers_are_those_of_the_interface() {
                $(assert_eq!(CUresult::$name as u32, sys::CUresult::$name as u32, stringify!($name));)*
                $(assert_eq!(CUresult::$driver_name as u32, sys::CUresult::$driver_name as u32, stringify!($driver_name));)*
            }

            #[test]
            fn every_number_stands_in_a_table_once() {
                for table in [DRIVER, RUNTIME] {
                    for (number, name, _) in table {
                        assert_eq!(table.iter().filter(|row| row.0 == *number || row.1 == *name).count(), 1, "{name:?}");
                    }
                }
            }
        }
    };
}

/// Number, name, words.
type Row = (u32, &'static CStr, &'static CStr);

/// Name and words of a result of the driver's; `None` for a number that the interface does not define.
pub fn driver_words(code: u32) -> Option<(&'static CStr, &'static CStr)> {
    found(DRIVER, code)
}

/// Name and words of a result of the runtime's, as CUDA 13.0's `driver_types.h` lists them.
pub fn runtime_words(code: u32) -> Option<(&'static CStr, &'static CStr)> {
    found(RUNTIME, code)
}

fn found(table: &[Row], code: u32) -> Option<(&'static CStr, &'static CStr)> {
    table.iter().find(|row| row.0 == code).map(|&(_, name, words)| (name, words))
}

const fn ended(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("the macro ends every text with NUL"),
    }
}

results!(define);

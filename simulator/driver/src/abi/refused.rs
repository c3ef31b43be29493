//! Names that the driver's library has beside those of the table, whose functions are not there: programs that load the driver while
//! they run look up all names that they might use, and give up if one is missing. They are found by name alone, and are refused when called.
#![allow(non_snake_case)]
use crate::abi::absent::absent;

cuda::names_beside_the_driver!(absent);

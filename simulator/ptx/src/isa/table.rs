//! The definitions of the rows in `instructions.txt`. The build script makes of them a macro, `instructions!`, which hands them to another: to
//! the one below for what an instruction is, and to one in `exec` for what it does.
use super::definition::Synchronises::{Block, Lanes, LanesUnderSync};
use super::definition::{Class, Definition, ProductStep, define};
use super::operands::{Operands, Width::*};
use super::work::Work;
include!(concat!(env!("OUT_DIR"), "/instructions.rs"));

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

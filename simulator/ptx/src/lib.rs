//! PTX text to a tree that keeps every `.loc`.
//!
//! One pass over the bytes without tokens in between: a kernel's text is mostly instructions, and an instruction is an
//! opcode that was seen before and a few register names. Every loop consumes text, nesting is counted and not recursed
//! into, and constant expressions have a depth limit: the time is linear in the text, whatever it holds.
//!
//! # Invariants
//!
//! - `ptx` runs nothing and knows no other crate of the simulated card (`the_picture_in_contributing_is_the_code_s`, in
//!   `common/tests/rooms`).
//! - Only this crate looks at an opcode's text: others match its facts, types and modifiers
//!   (`no_other_crate_matches_names_of_instructions`).
//!
//! # Example
//!
//! ```
#![doc = include_str!("../examples/instructions.rs")]
//! ```
#![allow(rustdoc::private_intra_doc_links, reason = "the comments are for maintainers, who see the private rooms")]
#![allow(missing_docs, reason = "types and functions carry comments; a field or variant whose name says all does not")]

/// Returns the error from the function where the condition holds.
#[macro_export]
macro_rules! refuse_if {
    ($condition:expr, $error:expr) => {
        if $condition {
            return Err($error);
        }
    };
}

pub mod isa;

mod body;
mod cursor;
mod expression;
mod module;
pub mod names;
mod opcode;
mod operand;
mod registers;
mod special;
pub mod tree;
mod variable;

pub use cursor::ParseError;
pub use expression::constant_bits;

/// Parses one module. The text may end in NUL bytes, as images handed to the driver do.
///
/// # Errors
/// The first place where the text is not PTX that this parser knows.
pub fn parse(text: &str) -> Result<tree::Module<'_>, ParseError> {
    module::module(&mut cursor::Cursor::new(text))
}

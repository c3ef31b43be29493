//! The compiler's part: from a function of the text to the machine code that `ptxas` would make of it, as far as its time depends on that.
pub mod code;
pub mod codes;
pub mod draft;
pub mod facts;
mod hoist;
mod invariant;
mod issue_order;
#[cfg(test)]
mod issued;
pub mod local;
mod pressure;
pub mod regions;
pub mod uniform;

//! The proof that every exercise works: solutions pass, starters and the rungs' mutants fail for their reason, a hand-out holds no solution.

pub mod check;
pub mod leaks;
pub mod reference;
pub mod samples;

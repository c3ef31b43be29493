//! Findings as data, and the words of a broken rule beside the rule. Names no other room.
pub mod finding;
pub mod found;
pub mod leaks;
pub mod misuse;
pub mod sites;
pub mod undefined_values;

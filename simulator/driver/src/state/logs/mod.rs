//! Records of a run for those who ask: launches, findings, refusals, calls that failed.
pub mod calls;
pub mod certificate;
pub mod journal;
pub mod launches;
pub mod records;
pub mod refusals;

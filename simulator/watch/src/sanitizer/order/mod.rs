//! Happens-before: who has learnt of whose accesses, by barriers, fences, signals and copies. Names no memory that an access touches.
pub mod barrier;
pub mod by_lane;
pub mod copies;
pub mod fences;
pub mod geometry;
pub mod knowledge;
pub mod proxy_fences;
pub mod published;
pub mod signals;
pub mod strictly_after;
pub mod transfer_party;
pub mod transfers;
pub mod vector_clock;
pub mod warps;

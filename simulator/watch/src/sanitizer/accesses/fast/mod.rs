//! Short ways of accesses that a whole warp makes and that meet nobody. Each gives up where the long way ([`super::race`]) has to judge.
pub mod ascending;
pub mod scattered;
pub mod warp_access;

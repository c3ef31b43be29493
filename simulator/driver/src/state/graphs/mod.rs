//! Captures and graphs by handle, and their nodes as work.
pub mod captures;
pub mod nodes;
pub mod work;

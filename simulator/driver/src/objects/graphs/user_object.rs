//! User objects: something of the application's that graphs keep alive.
use super::operation::HostFunction;

/// A counted object with the function that ends it.
pub struct UserObject {
    pub end: HostFunction,
    pub references: u32,
}

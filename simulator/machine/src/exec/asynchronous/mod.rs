//! Copies that are issued in one place and done in another, and the barriers in shared memory that count them.
pub(crate) mod async_copy;
pub(crate) mod bulk;
pub(crate) mod bulk_copy;
mod bulk_reduce;
pub(crate) mod copies;
pub(crate) mod mbarrier;
pub(crate) mod phase;
pub(crate) mod tensor_copy;
pub(crate) mod transfers;

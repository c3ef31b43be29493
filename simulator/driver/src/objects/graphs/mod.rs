//! Graphs and what they are made from.
pub mod capture;
pub mod conditional;
pub mod graph;
pub mod operation;
pub mod user_object;
pub mod work;

pub use capture::Capture;
pub use graph::{Bodies, Executable, Graph, Node, Step};
pub use operation::{Chosen, Condition, Fill, HostFunction, Seq, Sides, Transfer, ValueWait};
pub use user_object::UserObject;
pub use work::{Answered, Work};

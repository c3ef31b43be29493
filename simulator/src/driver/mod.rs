//! The driver's C surface: every function of `libcuda.so`, and the machines behind it.
//!
//! [`table`] lists the exported functions, one row each: name, C signature, implementation. A row's function goes through
//! [`surface`], which keeps panics inside and remembers why a call failed; the implementation locks the [`state`] and
//! works on handles that are looked up, never dereferenced, so a stale or invented handle is an error and not a crash.
//! Work on streams waits in [`queue`] until something asks for its result; [`execute`] does it and [`crate::timeline`]
//! tells when a card would have done it. [`engine`] is the only file that knows the rooms which run kernels.
//!
//! To add a driver function, add its row to [`table`] and its function to the file of its subject.
#![allow(unsafe_code)]

mod absent;
mod assembler;
mod attributes;
mod bridge;
mod capture;
mod cause;
mod context;
mod copy;
mod device;
mod engine;
mod event;
mod execute;
mod function;
mod graph;
mod handles;
mod host_memory;
mod image;
mod journal;
mod launch;
mod layout;
mod listeners;
mod lookup;
mod managed;
mod memory;
mod module;
mod node;
mod occupancy;
mod pointer;
mod pool;
mod queue;
mod records;
mod result;
mod run;
mod state;
mod stream;
mod surface;
mod table;

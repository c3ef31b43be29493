//! A CUDA driver with no GPU behind it: the crates of the simulated card under one name.
//!
//! There are three ways to use it:
//!
//! - **As a driver.** This crate builds `libsimulator.so`, which answers as `libcuda.so`. A program that loads it finds the driver API, and its
//!   kernels' PTX is run on the host.
//! - **By `sim`**, a program beside it: `sim ./program` puts that driver, a runtime library and NVML in NVIDIA's place for one command.
//! - **As a library**, as below: PTX in, counters and findings out, with no driver between.
//!
//! Arrows go one way: [`ptx`] (text to tree) → [`lower`] (tree to flat code) → [`exec`] (flat code on lanes of 32) → [`counters`],
//! [`sanitizer`] and [`clock`], which listen to it → [`driver`], the C surface.
//!
//! # Bank conflicts of a kernel
//!
//! Each of 32 threads stores to a row of its own in a tile of 32 columns: all want the same bank. With rows of 33 words none does.
//!
//! ```
//! use simulator::counters::Counters;
//! use simulator::exec::{launch, launch::Request, op::Level};
//! use simulator::listeners::Listeners;
//! use simulator::lower::{Options, Tier, lower};
//! use simulator::memory::Memory;
//! use simulator::ptx;
//!
//! fn conflicts(words_of_a_row: u32) -> u64 {
//!     let text = format!("
//!         .version 8.0 .target sm_80 .address_size 64
//!         .visible .entry store_a_column() {{
//!             .shared .align 4 .b8 tile[4224];
//!             .reg .u32 %r<4>;
//!             mov.u32 %r1, %tid.x;
//!             mov.u32 %r2, tile;
//!             mad.lo.u32 %r3, %r1, {}, %r2;
//!             st.shared.u32 [%r3], %r1;
//!             ret;
//!         }}", 4 * words_of_a_row);
//!     let module = ptx::parse(&text).expect("PTX");
//!     let options = Options { addresses: &|_| None, tier: Tier::Probed, level: Level::of_host() };
//!     let program = lower(&module, &options).expect("instructions of the table");
//!     let memory = Memory::new(1 << 20).expect("addresses");
//!     let request = Request::new(&program, &memory, ([1; 3], [32, 1, 1]), &[]);
//!     // Banks of 4 bytes, 32 of them.
//!     let wanted = Listeners { counters: Some(Counters::new(4, 32)), ..Listeners::default() };
//!     let heard = Listeners::back(launch::run(&request, wanted.into_probe()).probe);
//!     heard.counters.expect("they were asked for").totals(&program).memory.shared_conflicts
//! }
//!
//! assert_eq!(conflicts(32), 31);
//! assert_eq!(conflicts(33), 0);
//! ```
//!
//! Each crate below has a README and an example of its own; `simulator/README.md` says which does what.

pub use clock::{self, cards, occupancy};
pub use driver::{self, listeners};
pub use machine::{exec, fault, host, link, lower, memory, probe, program, tensor};
pub use ptx::{self, isa};
pub use watch::{counters, diagnostics, mends, proof, sampling, sanitizer, search};

//! `--search`: what the driver says of the orders of kernels' warps, in words.
use crate::arguments::Arguments;
use serde::{Deserialize, Serialize};
use simulator::diagnostics::kernel_name;
use std::fmt::Write as _;

/// The search through the orders of one kernel's warps, as the driver told it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Searched {
    kernel: String,
    /// The blocks whose warps were put in order, of how many, and the warps of each.
    blocks: Vec<u64>,
    of: u64,
    warps: u64,
    /// The orders that were run, and whether every other one commutes with one of them; else why not.
    orders: u64,
    complete: bool,
    why: Option<String>,
    /// An order in which something goes wrong, and its switches between warps: those left, and those it was found with.
    wrong: Option<String>,
    switches: Option<[usize; 2]>,
    /// An order that leaves other values in memory, and where.
    differs: Option<(String, String)>,
}

/// The results of all searches, with the commands that replay what they found.
pub fn text(all: &[Searched], arguments: &Arguments) -> String {
    let command: Vec<_> = arguments.command.iter().map(|word| word.to_string_lossy()).collect();
    let replay = |order: &str| format!("LABS_SIM_ORDER={order} sim --sanitize -- {}", command.join(" "));
    let mut text = String::new();
    for Searched { kernel, blocks, of, warps, orders, complete, why, wrong, switches, differs } in all {
        let orders = if *orders == 1 { "one order".to_owned() } else { format!("{orders} orders") };
        let (part, each) = (blocks.len(), if *warps == 1 { "one warp".to_owned() } else { format!("{warps} warps") });
        let blocks = if *of == 1 {
            format!("its block of {each}")
        } else {
            format!("{part} of its {of} blocks, each of {each}")
        };
        let head = format!("== search: `{}`", kernel_name(kernel));
        let _ = match (wrong, why) {
            (Some(order), _) => {
                let [left, found] = switches.unwrap_or_default();
                let switches = match left {
                    0 => "no switch".to_owned(),
                    1 => "one switch".to_owned(),
                    _ => format!("{left} switches"),
                };
                let of = if found > left { format!(" of the {found} it was found with") } else { String::new() };
                let replay = replay(order);
                writeln!(
                    text,
                    "{head}: in another order of the warps of {blocks}, this is found; it takes {switches} between warps{of}; {replay}"
                )
            }
            (None, Some(why)) => {
                writeln!(text, "{head}: not complete, because {why}; nothing goes wrong in {orders} of {blocks}")
            }
            (None, None) => writeln!(
                text,
                "{head}: no order of the warps of {blocks} goes wrong ({orders}; all others commute with these)"
            ),
        };
        debug_assert!(!complete || wrong.is_none() && why.is_none());
        if let Some((order, place)) = differs {
            let _ = writeln!(
                text,
                "{head}: the order shows in the result ({place}), which is no fault if it may; {}",
                replay(order)
            );
        }
    }
    text
}

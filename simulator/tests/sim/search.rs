//! `--search`: orders of a block's warps, complete up to those that commute.

use crate::{Ended, SIM, ended, place, sim, written};
use serde_json::Value;
use std::process::Command;

/// The search of one kernel of `fixtures/orders.cu`: how the command ended, and the result as data.
fn searched(kernel: &str, warps: u32, blocks: u32) -> (Ended, Value) {
    searched_up_to(kernel, warps, blocks, 1000)
}

fn searched_up_to(kernel: &str, warps: u32, blocks: u32, most: u32) -> (Ended, Value) {
    let path = place(&format!("search-{kernel}-{warps}-{blocks}.json"));
    let flags = ["--sanitize", &format!("--search={most}"), "--json", &path];
    let ended = sim(&flags, &[&format!("orders/{kernel}/{warps}/{blocks}")]);
    (ended, written(&path)["search"][0].clone())
}

/// A search finds a fault in another order of `kernel`, with as few `switches` as these, and finds it again where that order is asked for.
fn assert_found(kernel: &str, warps: u32, switches: &str, words: &str) {
    let (Ended { code, said, printed }, json) = searched(kernel, warps, 1);
    assert_eq!(code, Some(1), "{kernel}: {said}");
    assert!(!printed.is_empty() && said.contains(words), "{kernel}: right in the natural order: {said}");
    let order = json["wrong"].as_str().unwrap_or_else(|| panic!("{kernel}: an order: {json}"));
    assert_eq!((&json["complete"], &json["why"]), (&false.into(), &Value::Null), "{json}");
    assert!(said.contains(&format!("; it takes {switches}; LABS_SIM_ORDER=")), "{kernel}: {said}");
    assert!(order.len() < 200 && said.contains(&format!("LABS_SIM_ORDER={order} sim --sanitize -- ")), "{said}");
    let mut again = Command::new(SIM);
    let own = std::env::current_exe().expect("a path");
    again.args(["--sanitize", "--"]).arg(own).args(["--as-program", &format!("orders/{kernel}/{warps}/1")]);
    let Ended { said, .. } = ended(again.env("LABS_SIM_ORDER", order));
    assert!(said.contains(words), "{kernel}: replayed: {said}");
}

pub fn an_order_that_goes_wrong_is_found_and_replayed() {
    let (trap, lock) =
        ("`lost_update` stopped itself with a trap", "`crossed_locks` cannot go on: every thread waits for another");
    assert_found("lost_update", 4, "one switch between warps", trap);
    assert_found("crossed_locks", 2, "2 switches between warps of the 10 it was found with", lock);
    assert_found("crossed_locks", 4, "2 switches between warps of the 18 it was found with", lock);
    let race = "two warps of a block of `flag_not_looked_at` race for `value`";
    assert_found("flag_not_looked_at", 2, "no switch between warps", race);
}

pub fn a_kernel_that_is_right_in_every_order_is_told_as_such() {
    for (kernel, warps, blocks, orders) in
        [("sums", 4, 1, 1), ("sums", 32, 3, 2), ("tickets", 2, 1, 8), ("tickets", 3, 1, 288)]
    {
        let (Ended { code, said, .. }, json) = searched(kernel, warps, blocks);
        assert_eq!((code, &json["complete"], &json["wrong"]), (Some(0), &true.into(), &Value::Null), "{said}");
        assert_eq!((json["orders"].as_u64(), json["differs"].is_null()), (Some(orders), true), "{kernel}: {json}");
        assert!(said.contains("goes wrong"), "{said}");
    }
}

pub fn an_order_that_shows_is_no_fault() {
    let (Ended { code, said, .. }, json) = searched("last_one", 3, 1);
    assert_eq!((code, &json["complete"], &json["orders"]), (Some(0), &true.into(), &6.into()), "{said}");
    assert!(json["differs"][1].as_str().is_some_and(|place| place.contains("byte 0 of ")), "{json}");
    assert!(said.contains("the order shows in the result"), "{said}");
}

pub fn a_search_that_is_given_up_says_so() {
    let (Ended { code, said, .. }, json) = searched_up_to("tickets", 8, 1, 50);
    assert_eq!((code, &json["complete"]), (Some(0), &false.into()), "{said}");
    assert!(json["why"].as_str().is_some_and(|why| why.contains("given up after 50 orders")), "{json}");
    assert!(said.contains("not complete, because it was given up after") && !said.contains("no order"), "{said}");
}

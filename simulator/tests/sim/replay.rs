//! `--replay`: a launch as a page that plays it.

use crate::{Ended, place, says, sim};
use serde_json::Value;

/// The recording in the page that `sim` writes of a word of the program.
fn recorded(word: &str) -> Value {
    let path = place(&format!("replay-{word}.html"));
    let Ended { said, .. } = sim(&["--replay", &path], &[word]);
    assert!(said.contains("wrote ") && said.contains("open it in a browser"), "{said}");
    let page = std::fs::read_to_string(&path).expect("the page");
    assert!(page.len() < 1 << 20, "{} bytes", page.len());
    let (_, data) = page.split_once("id=\"data\">").expect("its data");
    serde_json::from_str(data.split_once("</script>").expect("its end").0).expect("JSON")
}

/// The source line of a step.
fn line(recording: &Value, step: &Value) -> u64 {
    recording["places"][step[2].as_u64().expect("a place") as usize][1].as_u64().expect("a line")
}

pub fn a_race_is_recorded_with_both_accesses_and_turned_round() {
    let recording = recorded("racy");
    let orders = recording["orders"].as_array().expect("orders");
    let finding = &orders[0]["findings"][0];
    assert!(finding["message"].as_str().is_some_and(|text| text.contains("race for `")), "{finding}");
    let steps = orders[0]["steps"].as_array().expect("steps");
    let [first, second] = [0, 1].map(|party| &steps[finding["steps"][party].as_u64().expect("a step") as usize]);
    assert_eq!([first, second].map(|step| step[4].clone()), [second[4].clone(), second[4].clone()], "one array");
    assert_ne!(first[1], second[1], "two warps");
    let [one, other] = [first, second].map(|step| line(&recording, step));
    let told = finding["message"].as_str().expect("text");
    assert!(told.contains(&format!(".cu:{one}")) && told.contains(&format!(".cu:{other}")), "{one} {other}: {told}");
    // With the warps the other way round what was the second access comes first.
    assert_eq!(orders.len(), 2, "another order");
    // A tile and the matrices by their names; both factors are one matrix.
    let names: Vec<_> = recording["arrays"].as_array().expect("arrays").iter().map(|a| a["name"].as_str()).collect();
    assert!(["a", "c", "tile_a"].iter().all(|name| names.contains(&Some(name))), "{names:?}");
}

pub fn a_right_launch_has_its_values_and_no_finding() {
    let recording = recorded("right");
    let [order] = &recording["orders"].as_array().expect("orders")[..] else { panic!("one order: {recording}") };
    assert_eq!(order["findings"], Value::Array(Vec::new()));
    // Row 0 of ones times a column of ones, 30 of each: what is stored in c is 30.
    let mut arrays = recording["arrays"].as_array().expect("arrays").iter();
    let c = arrays.position(|array| array["name"] == "c").expect("c is stored to");
    let stores = order["steps"].as_array().expect("steps").iter().filter(|step| step[0] == 1 && step[4] == c);
    let values: Vec<&str> = stores.filter_map(|step| step[7].as_str()).collect();
    assert!(!values.is_empty() && values.iter().all(|value| *value == "0000f041"), "{values:?}");
}

pub fn a_launch_that_stops_ends_with_the_element_outside() {
    let recording = recorded("stray");
    let order = &recording["orders"][0];
    let last = order["steps"].as_array().and_then(|steps| steps.last()).expect("a step");
    assert_eq!(last[0], 8, "{last}");
    let array = &recording["arrays"][last[4][0].as_u64().expect("an array") as usize];
    assert!(last[4][1].as_u64() >= array["bytes"].as_u64(), "{last} {array}");
    assert!(order["findings"][0]["message"].as_str().is_some_and(|text| text.contains("past the end of")), "{order}");
}

pub fn without_a_launch_there_is_no_page() {
    let said = says(2, &["--replay", &place("replay-none.html")], &[]);
    assert!(said.contains("--replay: no launch was recorded") && said.contains("next: "), "{said}");
}

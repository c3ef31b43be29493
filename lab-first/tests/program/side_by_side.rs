//! Several cards, or a run of before, in one command.

use super::LAB;

const RUN: [&str; 4] = ["--variant", "barrier,shuffle", "--size", "256"];

#[test]
fn two_cards_stand_side_by_side_on_the_screen_in_json_and_on_a_page() {
    let path = std::env::temp_dir().join(format!("side-by-side-{}.html", std::process::id()));
    let both = ["--device", "sim:h200,sim:rtx4060"];
    let output = LAB.run(&[&both[..], &RUN, &["--html", path.to_str().unwrap()]].concat());
    let screen = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let parts = ["h200 and rtx4060 side by side", "132 → 24 multiprocessors", "times ±"];
    assert!(parts.iter().all(|part| screen.contains(part)), "{screen}");
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(page.contains("132 → 24 multiprocessors") && page.contains("h200 and rtx4060 side by side"));
    let document = LAB.json(&[&both[..], &RUN].concat());
    let runs = document["runs"].as_array().expect("runs");
    for (run, card) in runs.iter().zip(["h200", "rtx4060"]) {
        let alone = LAB.json(&[&["--device", &format!("sim:{card}")], &RUN[..]].concat());
        assert_eq!(run["label"], card);
        assert!(alone.get("runs").is_none());
        assert_eq!(run["rows"][1]["counters"]["l2_bytes"], alone["rows"][1]["counters"]["l2_bytes"]);
    }
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_run_stands_beside_one_of_before_and_a_file_that_is_none_is_refused() {
    let path = std::env::temp_dir().join(format!("before-{}.json", std::process::id()));
    let file = path.to_str().unwrap();
    let said = |arguments: &[&str]| String::from_utf8_lossy(&LAB.run(arguments).stdout).into_owned();
    said(&[&["--device", "sim", "--json", file], &RUN[..]].concat());
    let alike = said(&[&["--device", "sim", "--against", file], &RUN[..]].concat());
    assert!(alike.contains("alike to 0.5 %: barrier 256 f32; shuffle 256 f32") && !alike.contains(" × "), "{alike}");
    let other = said(&["--device", "sim", "--against", file, "--size", "128"]);
    assert!(other.contains("not in every run, but in sim: "), "{other}");
    let text = std::fs::read_to_string(&path).unwrap();
    for (bad, word) in [("{}", "missing field"), (&text.replace("\"first\"", "\"gemm\""), "it is of lab-gemm")] {
        std::fs::write(&path, bad).unwrap();
        LAB.assert_refuses(&["--device", "sim", "--against", file], &["--against", word, "--json PATH"]);
    }
    std::fs::remove_file(&path).unwrap();
}

/// No finding is told as well as a finding; one result has no plural, and a page no page after it.
#[test]
fn small_words_are_right_where_there_is_one_of_something() {
    let page = std::env::temp_dir().join(format!("one-{}.html", std::process::id()));
    let said = |more: &[&str]| {
        let one = ["--device", "sim", "--variant", "shuffle", "--size", "64"];
        String::from_utf8_lossy(&LAB.run(&[&one[..], more].concat()).stdout).into_owned()
    };
    let [plain, sanitized] = [said(&[]), said(&["--sanitize"])];
    assert!(
        plain.contains("the result agrees with") && plain.contains("next: ") && !plain.contains("no findings"),
        "{plain}"
    );
    assert!(sanitized.contains("no findings: the sanitizer saw no race"), "{sanitized}");
    let with_page = said(&["--html", page.to_str().unwrap(), "--all"]);
    assert!(with_page.contains("wrote ") && !with_page.contains("next: "), "{with_page}");
    std::fs::remove_file(&page).unwrap();
}

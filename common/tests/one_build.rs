//! Whatever members a command names, the simulator is built once.
//!
//! Cargo gives a dependency all the features that the chosen members ask of it. Where two choices differ in a dependency of the simulator,
//! going from one to the other (`cargo test -p exercises`, then `cargo test -p lab-gemm`) builds the simulator anew, which takes a minute.

use std::collections::BTreeSet;
use std::process::Command;

/// Every member that has the simulator below it, and all of them together.
const CHOICES: &[&[&str]] = &[
    &["--package", "calibration"],
    &["--package", "common"],
    &["--package", "course"],
    &["--package", "exercises"],
    &["--package", "lab-first"],
    &["--package", "lab-gemm"],
    &["--package", "lab-gemv"],
    &["--package", "lab-patterns"],
    &["--package", "lab-streams"],
    &["--package", "lab-transpose"],
    &["--workspace"],
];

/// "name version features" of each package below the chosen members, along edges of these kinds.
fn packages(choice: &[&str], edges: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .args(["tree", "--locked", "--prefix", "none", "--format", "{p} {f}", "--edges", edges])
        .args(choice)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "cargo tree {choice:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let packages = text.lines().map(|line| line.trim_end_matches("(*)").trim().to_owned());
    // A blank line stands between two trees.
    packages.filter(|line| !line.is_empty()).collect()
}

#[test]
fn every_choice_of_members_shares_one_build_of_the_simulator() {
    let alone = packages(&["--package", "simulator", "--package", "features"], "normal,build");
    assert!(alone.iter().any(|package| package.starts_with("serde v")), "{alone:?}");
    for edges in ["normal,build", "normal,build,dev"] {
        for choice in CHOICES {
            let chosen = packages(choice, edges);
            let others: Vec<&String> = alone.difference(&chosen).collect();
            assert!(
                others.is_empty(),
                "`cargo … {}` ({edges}) builds the simulator on other features than `-p simulator -p features`, which has {others:#?}: \
                 name the features that are missing in simulator/features/Cargo.toml, or hold the dependency that asks for them back in Cargo.lock",
                choice.join(" ")
            );
        }
    }
}

/// A package that a build script or a derive macro needs is built for this machine, with the debugging information of other packages if one of the
/// chosen members uses it as well, unless the profile says something of its own.
#[test]
fn what_builds_use_does_not_depend_on_the_choice() {
    let manifest =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml")).expect("the workspace");
    for profile in ["dev", "release"] {
        let said = format!("[profile.{profile}.build-override]\ndebug = ");
        assert!(manifest.contains(&said), "Cargo.toml has to say {said:?}");
    }
}

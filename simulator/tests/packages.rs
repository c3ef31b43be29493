//! The files that `cargo package` would publish of each crate: sources, an example, a README, and no test's kernels.

use std::path::Path;
use std::process::Command;

/// Crates whose interface is of use by itself, and the whole.
const CRATES: [&str; 9] = ["ptx", "machine", "clock", "watch", "cuda", "driver", "cudart", "views", "simulator"];

/// Names that may stand at the top of a package, beside what Cargo adds.
const PARTS: [&str; 7] = ["src", "examples", "tests", "README.md", "Cargo.toml", "build.rs", "link.rs"];
const OF_CARGO: [&str; 3] = [".cargo_vcs_info.json", "Cargo.lock", "Cargo.toml.orig"];
const MOST_BYTES: u64 = 1_500_000;

#[test]
fn a_package_has_what_a_user_needs_and_no_more() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    for name in CRATES {
        let mut cargo = Command::new(env!("CARGO"));
        let output =
            cargo.args(["package", "--list", "--allow-dirty", "--offline", "-p", name]).current_dir(root).output();
        let output = output.expect("cargo starts");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("text");
        let folder = if name == "simulator" { root.join("simulator") } else { root.join("simulator").join(name) };
        let mut bytes = 0;
        for file in text.lines() {
            let top = file.split('/').next().unwrap_or_default();
            assert!(PARTS.contains(&top) || OF_CARGO.contains(&top), "{name}: {file}");
            bytes += std::fs::metadata(folder.join(file)).map_or(0, |file| file.len());
        }
        assert!(text.lines().any(|file| file == "README.md"), "{name} has no README.md");
        assert!(text.contains("src/lib.rs") && bytes < MOST_BYTES, "{name}: {bytes} bytes");
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        assert!(manifest.contains("\ndescription = "), "{name} has no description");
    }
}

/// The packages of the workspace, as Cargo knows them.
fn packages() -> Vec<serde_json::Value> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--offline", "--no-deps", "--format-version", "1", "--manifest-path"]);
    let output = cargo.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).output().expect("cargo starts");
    let mut metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    metadata["packages"].as_array_mut().map(std::mem::take).expect("a list")
}

/// Cargo builds a package from what registries have, so each crate that a public one needs has to be public too (`just packages` builds them).
#[test]
fn a_public_crate_needs_no_other() {
    let is_public = |name: &serde_json::Value| name.as_str().is_some_and(|name| CRATES.contains(&name));
    for package in packages().iter().filter(|package| is_public(&package["name"])) {
        let name = &package["name"];
        assert!(package["publish"].is_null(), "{name} is not to be published");
        for needed in package["dependencies"].as_array().expect("a list") {
            let is_local = needed["path"].is_string() && needed["kind"] != "dev";
            assert!(!is_local || is_public(&needed["name"]) && needed["req"] != "*", "{name} needs {needed}");
        }
    }
}

/// `cargo binstall` looks for the archive under the name that `just release` gives it, and for the program at its place in there.
#[test]
fn binstall_finds_the_program_in_the_archive_of_a_release() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output =
        Command::new("python3").arg(folder.join("release.py")).arg("--names").output().expect("python3 starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).expect("text");
    let (archive, program) = names.trim().split_once('\n').expect("two lines");
    let packages = packages();
    let package = packages.iter().find(|package| package["name"] == "simulator").expect("the whole");
    let binstall = &package["metadata"]["binstall"];
    // As it fills them in for this machine.
    let filled = |key: &str| {
        let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
        let version = package["version"].as_str().expect("a version");
        let known = [("{ version }", version), ("{ target }", &target), ("{ bin }", "sim"), ("{ binary-ext }", "")];
        let text = binstall[key].as_str().unwrap_or_else(|| panic!("no {key}")).to_owned();
        known.iter().fold(text, |text, (name, value)| text.replace(name, value))
    };
    assert_eq!(filled("pkg-url").rsplit('/').next(), Some(archive));
    assert_eq!(filled("bin-dir"), program);
    assert_eq!(Some(filled("pkg-fmt").as_str()), archive.rsplit('.').next());
    let has_program = |target: &serde_json::Value| target["name"] == "sim" && target["kind"][0] == "bin";
    let targets = package["targets"].as_array().expect("a list");
    assert!(targets.iter().any(has_program), "`sim` is no program of the package");
}

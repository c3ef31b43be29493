//! How `sim` is called: flags, variables, signals, and `sim init`.

use crate::{Ended, SIM, called, ended, sim_where};
use std::path::Path;
use std::process::{Command, Stdio};

/// A signal that asks `sim` to end asks its command.
pub fn signals_reach_the_command() {
    use std::io::{BufRead, BufReader};
    let own = std::env::current_exe().expect("a path");
    let mut command = Command::new(SIM);
    command.arg(own).args(["--as-program", "sleep"]).stdout(Stdio::piped());
    let mut child = command.spawn().expect("sim starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    assert_eq!(line, "ready\n");
    // SAFETY: a child that was not waited for.
    unsafe { libc::kill(child.id() as i32, libc::SIGTERM) };
    assert_eq!(child.wait().expect("it ends").code(), Some(128 + libc::SIGTERM));
}

pub fn a_misspelt_variable_is_named() {
    let Ended { code, said, .. } = sim_where("LABS_SIM_PROFIL", "h200", &["right"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(
        said,
        "[simulator] LABS_SIM_PROFIL is set, and nothing reads it; the nearest name is LABS_SIM_PROFILE\n"
    );
}

pub fn any_version_of_the_interface() {
    for (asked, answered) in [("12", "12090"), ("12.9", "12090"), ("12.4", "12040"), ("13", "13000"), ("13.4", "13040")]
    {
        assert_eq!(sim_where("LABS_SIM_DRIVER", asked, &["version"]).printed, answered, "{asked}");
    }
}

/// Written once, and never over what is there; Cargo's own programs start under it.
pub fn a_runner_for_cargo() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runner");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("src")).expect("a folder");
    let init = || ended(Command::new(SIM).args(["init", "cargo"]).current_dir(&folder));
    let Ended { code, said, .. } = init();
    assert!(code == Some(2) && said.contains("has no Cargo.toml"), "{said}");
    std::fs::write(folder.join("Cargo.toml"), "[package]\nname = \"under\"\nedition = \"2021\"\n[workspace]\n")
        .expect("a file");
    let program = "fn main() { println!(\"{:?}\", std::env::var_os(\"LABS_SIM_REFUSALS\").is_some()) }\n";
    std::fs::write(folder.join("src/main.rs"), program).expect("a file");
    let Ended { code, printed, .. } = init();
    let config = folder.join(".cargo/config.toml");
    let written = std::fs::read_to_string(&config).expect("written");
    assert!(code == Some(0) && printed.contains(&written) && written.contains("runner = "), "{printed}");
    assert!(init().printed.contains("has the runner already"));
    let mut cargo = Command::new(env!("CARGO"));
    let path = std::env::join_paths(
        std::iter::once(Path::new(SIM).parent().expect("a folder").to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    cargo.args(["run", "--quiet", "--offline"]).current_dir(&folder).env("PATH", path.expect("a path"));
    cargo.env("CARGO_TARGET_DIR", folder.join("target"));
    let Ended { code, printed, said } = ended(&mut cargo);
    assert_eq!((code, printed.as_str()), (Some(0), "true\n"), "{said}");
    std::fs::write(&config, "[build]\njobs = 1\n").expect("a file");
    let Ended { code, said, .. } = init();
    assert!(code == Some(2) && said.contains("stays as it is") && said.contains("runner = "), "{said}");
    // CMake's, with the sanitizer: whoever configures without it is not concerned.
    std::fs::write(folder.join("CMakeLists.txt"), "project(under)\n").expect("a file");
    let Ended { code, .. } = ended(Command::new(SIM).args(["init", "cmake", "--sanitize"]).current_dir(&folder));
    let written = std::fs::read_to_string(folder.join("sim.cmake")).expect("written");
    assert!(code == Some(0) && written.matches("\"sim;--sanitize;--\"").count() == 2, "{written}");
}

pub fn wrong_calls() {
    for (words, why) in [
        (&["--frobnicate", "true"][..], "there is no flag `--frobnicate`"),
        (&[], "which command?"),
        (&["--leaks", "true"], "--leaks goes with"),
        (&["--counters", "--json", "/nowhere/at/all", "true"], "--json /nowhere/at/all cannot be written: "),
        (&["--card", "/nowhere/card.json", "true"], "--card /nowhere/card.json: "),
        (&["init"], "for which runner?"),
    ] {
        let Ended { code, said, printed } = called(words);
        assert_eq!((code, printed.as_str()), (Some(2), ""), "{words:?}: {said}");
        assert!(said.contains(why) && said.contains("\n  next: "), "{words:?}: {said}");
    }
    for (name, value) in [
        ("LABS_SIM_PROFILE", "foo"),
        ("LABS_SIM_BUDGET", "abc"),
        ("LABS_SIM_BUDGET", "0"),
        ("LABS_SIM_DEVICES", "17"),
        ("LABS_SIM_SCHEDULE_SEED", "x"),
        ("LABS_SIM_COUNTERS", "yes"),
    ] {
        let Ended { code, said, printed } = ended(Command::new(SIM).args(["echo", "it ran"]).env(name, value));
        assert_eq!((code, printed.as_str()), (Some(2), ""), "{name}={value}: {said}");
        assert!(said.contains(&format!("{name}={value}: ")) && said.contains("next: unset "), "{said}");
    }
    let Ended { code, said, .. } = called(&["--counters", "/nowhere/at/all"]);
    assert_eq!(code, Some(127));
    assert!(said.contains("/nowhere/at/all cannot be started: ") && said.contains("\n  next: "), "{said}");
    let Ended { code, said, printed } = called(&["--help"]);
    assert!(code == Some(0) && said.is_empty() && printed.starts_with("usage: sim "), "{printed}{said}");
    let Ended { code, printed, .. } = called(&["--version"]);
    let version = format!("sim {}\nvector instructions: base", env!("CARGO_PKG_VERSION"));
    assert!(code == Some(0) && printed.starts_with(&version), "{printed}");
}

/// A reader that leaves before the first byte, as `head` may: no panic, no word, no failure.
pub fn an_answer_whose_reader_left_is_no_failure() {
    for flag in ["--help", "--version"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(SIM);
        let output =
            command.arg(flag).stdout(writer).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
        assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""), "{flag}");
    }
}

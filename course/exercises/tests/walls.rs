//! The walls around a student's machine code: a program of any system calls, built without the ban on `unsafe`, reaches nobody. And
//! each limit of a box is told as the work's own doing.

use exercises::confine::Limits;
use exercises::confine::spaces::hand_over;
use exercises::process::{Answer, Workers};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

const LIMITS: Limits = Limits { memory_bytes: 256 << 20, cpu_seconds: 1, file_bytes: 0 };

fn workers() -> Workers {
    Workers { program: env!("CARGO_BIN_EXE_exercises").into(), confined: true, wall: Some(Duration::from_secs(20)) }
}

/// A program in a folder that the boxes can read.
fn built(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("main.rs");
    std::fs::write(&source, text).expect("written");
    let program = folder.path().join("program");
    let mut command = Command::new("rustc");
    let output = command.args(["--edition=2024", "-Awarnings", "-o"]).arg(&program).arg(&source).output();
    let output = output.expect("rustc starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    hand_over(folder.path()).expect("handed over");
    (folder, program)
}

fn feed(program: &Path, input: &str) -> Answer<String> {
    workers().feed(program, input, LIMITS).expect("a question")
}

struct Neighbour(Child);

impl Drop for Neighbour {
    fn drop(&mut self) {
        // It is asleep unless a test has failed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn no_call_leads_out_of_a_box() {
    let (_folder, program) = built(include_str!("walls/calls.rs"));
    let mut neighbour = Neighbour(Command::new("sleep").arg("600").spawn().expect("a neighbour"));
    let answer = feed(&program, &format!("{} {}\n", std::process::id(), neighbour.0.id()));
    let Answer::Given(text) = answer else { panic!("{answer:?}") };
    assert_eq!(text, "0 passed\n");
    assert!(neighbour.0.try_wait().expect("a child").is_none(), "the neighbour lives");
}

#[test]
fn each_limit_is_the_works_own_doing() {
    let exceeded = |text: &str, words: &str| {
        let (_folder, program) = built(text);
        let answer = feed(&program, "");
        assert!(matches!(&answer, Answer::Exceeded(why) if why.contains(words)), "{words}: {answer:?}");
    };
    exceeded("fn main() { loop { std::hint::black_box(1); } }", "processor time");
    exceeded("fn main() { std::hint::black_box(vec![1_u8; 1 << 30]); }", "memory");
    exceeded("fn main() { loop { println!(\"{}\", \"x\".repeat(1 << 16)); } }", "printed more than");
    exceeded("fn main() { std::thread::sleep(std::time::Duration::MAX) }", "never comes");
    for (text, words) in [
        ("fn main() { std::process::exit(7) }", "7"),
        ("fn main() { std::process::abort() }", "signal"),
        ("fn main() { panic!(\"mine\") }", "mine"),
    ] {
        let (_folder, program) = built(text);
        let answer = feed(&program, "");
        assert!(matches!(&answer, Answer::Died(why) if why.contains(words)), "{words}: {answer:?}");
    }
}

#[test]
fn a_worker_that_does_not_begin_is_the_machines_affair() {
    let missing = feed(Path::new("/nowhere/program"), "");
    assert!(matches!(missing, Answer::Machine(_) | Answer::Died(_)), "{missing:?}");
    let workers = Workers { program: "/nowhere/worker".into(), ..workers() };
    let answer = workers.feed(Path::new("/nowhere/program"), "", LIMITS).expect("a question");
    assert!(matches!(answer, Answer::Machine(_)), "{answer:?}");
}

//! The walls around a student's machine code: a program of any system calls, built without the ban on `unsafe`, reaches nobody. And
//! each limit of a box is told as the work's own doing.

use exercises::confine::Limits;
use exercises::confine::spaces::hand_over;
use exercises::judge::{Attempt, Judge};
use exercises::process::{Answer, Told, Workers};
use exercises::table::Course;
use exercises::technique::References;
use exercises::worker::Build;
use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_setfd};
use std::fs::{File, Permissions};
use std::io::Write;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
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

/// The text that the program printed, where it came to its end.
fn feed(program: &Path, input: &str) -> Answer<String> {
    let Told { end, printed, .. } = workers().feed(program, input, LIMITS).expect("a question");
    match end {
        Answer::Given(()) => Answer::Given(printed),
        Answer::Exceeded(why) => Answer::Exceeded(why),
        Answer::Died(why) => Answer::Died(why),
        Answer::Machine(why) => Answer::Machine(why),
    }
}

struct Neighbour(Child);

impl Drop for Neighbour {
    fn drop(&mut self) {
        // It is asleep unless a test has failed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Descriptors that a program inherits if nothing is done about it: a channel to the grader, a socket, an open file, one with a high number.
fn left_open(file: &File) -> Vec<OwnedFd> {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    let (one, other) = UnixStream::pair().expect("a socket");
    let own = file.try_clone().expect("the file again");
    let high = fcntl_dupfd_cloexec(file, 1000).expect("the file as a descriptor of a high number");
    let all: Vec<OwnedFd> = vec![reader.into(), writer.into(), one.into(), other.into(), own.into(), high];
    all.iter().for_each(|descriptor| fcntl_setfd(descriptor, FdFlags::empty()).expect("inherited"));
    all
}

/// The lines that a program of `walls/calls.rs` says with one first word: `passed`, `refused`, `wrong`.
fn told<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    text.lines().filter_map(|line| line.strip_prefix(word)?.strip_prefix(": ")).collect()
}

/// The program tells how the kernel refuses each call, so that a mistake in a call does not count as a wall. The same program outside of a
/// box shows that the calls pass where there is no wall.
#[test]
#[cfg(target_arch = "x86_64")]
fn no_call_leads_out_of_a_box() {
    let (folder, program) = built(include_str!("walls/calls.rs"));
    // Everybody may read it, so only the box is in the way.
    let readable = folder.path().join("readable");
    std::fs::write(&readable, "the grader's").expect("written");
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("a folder for everybody");
    let descriptors = left_open(&File::open(&readable).expect("open"));
    let mut neighbour = Neighbour(Command::new("sleep").arg("600").spawn().expect("a neighbour"));
    let others = format!("{} {} {}", std::process::id(), neighbour.0.id(), readable.display());
    let input = |place| format!("{place} {others}\n");

    let answer = feed(&program, &input("box"));
    let Answer::Given(inside) = answer else { panic!("{answer:?}") };
    let refused = told(&inside, "refused");
    assert_eq!(refused.len(), inside.lines().count(), "each call is refused by its wall:\n{inside}");
    assert!(neighbour.0.try_wait().expect("a child").is_none(), "the neighbour lives");

    let mut command = Command::new(&program);
    command.current_dir(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut outside = command.spawn().expect("the program starts");
    outside.stdin.take().expect("piped").write_all(input("outside").as_bytes()).expect("read");
    let outside = outside.wait_with_output().expect("ended");
    let outside = String::from_utf8(outside.stdout).expect("text");
    let passed = told(&outside, "passed");
    assert_eq!(passed.len(), outside.lines().count(), "nothing refuses it outside of a box:\n{outside}");
    for descriptor in descriptors {
        let one = format!("descriptor {}", descriptor.as_raw_fd());
        assert!(passed.contains(&one.as_str()), "{one} is inherited outside of a box:\n{outside}");
    }
    let both = passed.iter().filter(|name| refused.contains(name)).count();
    assert!(both > 30 && passed.last() == Some(&"execve"), "{both} calls of both:\n{outside}");
}

/// A program that ends in the way that its input names: one, because each takes rustc longer to build than the box to end.
const ENDS: &str = r#"fn main() {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    match line.trim() {
        "computes" => loop { std::hint::black_box(1); },
        "takes memory" => drop(std::hint::black_box(vec![1_u8; 1 << 30])),
        "prints" => loop { println!("{}", "x".repeat(1 << 16)); },
        "sleeps" => std::thread::sleep(std::time::Duration::MAX),
        "looks" => {
            let file = std::path::Path::new("/etc/passwd");
            println!("{} {} {}", file.metadata().is_ok(), std::fs::read(file).is_ok(), file.with_file_name("").read_dir().is_ok());
        }
        "exits" => std::process::exit(7),
        "aborts" => std::process::abort(),
        "panics" => panic!("mine"),
        other => println!("no such end: {other}"),
    }
}
"#;

#[test]
fn each_limit_is_the_works_own_doing() {
    let (_folder, program) = built(ENDS);
    for (end, words) in [("computes", "processor time"), ("takes memory", "memory"), ("prints", "printed more than")] {
        let answer = feed(&program, end);
        assert!(matches!(&answer, Answer::Exceeded(why) if why.contains(words)), "{end}: {answer:?}");
    }
    // Half of its time on the clock without a step is enough to tell.
    let patience = Workers { wall: Some(Duration::from_secs(6)), ..workers() };
    let answer = patience.feed(&program, "sleeps", LIMITS).expect("a question").end;
    assert!(matches!(&answer, Answer::Exceeded(why) if why.contains("never comes")), "sleeps: {answer:?}");
    for (end, words) in [("exits", "7"), ("aborts", "signal"), ("panics", "mine")] {
        let answer = feed(&program, end);
        assert!(matches!(&answer, Answer::Died(why) if why.contains(words)), "{end}: {answer:?}");
    }
    // As docs/course/verdict.md says: neither Landlock nor seccomp hides that a file is there.
    let answer = feed(&program, "looks");
    assert!(matches!(&answer, Answer::Given(printed) if printed == "true false false\n"), "looks: {answer:?}");
    assert!(matches!(feed(&program, "no end"), Answer::Given(printed) if printed == "no such end: no end\n"));
}

#[test]
fn a_worker_that_does_not_begin_is_the_machines_affair() {
    let missing = feed(Path::new("/nowhere/program"), "");
    assert!(matches!(missing, Answer::Machine(_) | Answer::Died(_)), "{missing:?}");
    let workers = Workers { program: "/nowhere/worker".into(), ..workers() };
    let answer = workers.feed(Path::new("/nowhere/program"), "", LIMITS).expect("a question");
    assert!(matches!(answer.end, Answer::Machine(_)), "{answer:?}");
}

/// The kernels' compiler lives in its worker, so that whatever kills the compiler kills that.
#[test]
fn a_worker_that_is_killed_is_the_machines_affair_and_the_next_one_judges() {
    let course = Course::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).expect("course.toml");
    let exercise = course.find("first", "map").expect("its row");
    for (at, task) in ["compile", "run"].into_iter().enumerate() {
        let folder = tempfile::tempdir().expect("a folder");
        let (program, flag) = (folder.path().join("worker"), folder.path().join("was_killed"));
        let real = env!("CARGO_BIN_EXE_exercises");
        let kill = format!("case \"$*\" in *{task}) mkdir {} 2>/dev/null && kill -9 $$;; esac", flag.display());
        std::fs::write(&program, format!("#!/bin/sh\n{kill}\nexec {real} \"$@\"\n")).expect("written");
        std::fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("a program");
        let workers = Workers { program, confined: false, ..workers() };
        let judge = Judge { workers, references: References::read(&course.root).expect("figures") };
        let attempt = || judge.attempt(exercise, &course.text(exercise).expect("a solution"), "", at as u64);
        let first = attempt();
        assert!(matches!(&first, Attempt::Machine(why) if why.contains("signal: 9")), "{task}: {first:?}");
        let second = attempt();
        assert!(matches!(&second, Attempt::Judged(verdict) if verdict.passed()), "{task}: {second:?}");
    }
}

/// A text whose compiling never ends, and one that forges the words of a linker that was killed.
#[test]
fn a_limit_of_the_compiler_is_told_by_its_name_and_a_forged_kill_is_a_mistake() {
    let folder = tempfile::tempdir().expect("a folder");
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().expect("rustc starts").stdout;
    let sysroot = PathBuf::from(String::from_utf8(sysroot).expect("UTF-8").trim());
    let limits = Limits { memory_bytes: 640 << 20, file_bytes: 64 << 20, ..LIMITS };
    let build = |text: &str| {
        std::fs::write(folder.path().join("main.rs"), text).expect("written");
        hand_over(folder.path()).expect("handed over");
        let question =
            Build { folder: folder.path().to_owned(), compiler: sysroot.join("bin/rustc"), sysroot: sysroot.clone() };
        let answer: Answer<Answer<Option<String>>> = workers().ask("build", &question, limits).expect("an answer");
        answer.then(|end| end)
    };
    let bomb = "#[allow(long_running_const_eval)]\nconst N: u32 = { let mut n = 0; while n < 1 { n /= 2; } n };\nfn main() { println!(\"{N}\"); }";
    let answer = build(bomb);
    assert!(matches!(&answer, Answer::Exceeded(why) if why == "it took more than 1 s of processor time"), "{answer:?}");
    let answer = build("compile_error!(\"linking with `cc` failed: signal: 9 (SIGKILL)\");\nfn main() {}");
    assert!(matches!(&answer, Answer::Given(Some(log)) if log.contains("SIGKILL")), "{answer:?}");
}

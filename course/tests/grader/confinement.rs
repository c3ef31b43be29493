//! A machine without Landlock: the grader refuses it, and takes it with `--unconfined`, with what confinement is left.

use crate::submissions::{compiler, program, record, said, solution, submission, verdict};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, SeccompRule, apply_filter};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

/// Runs a command on such a machine: for this thread, and for all that it starts, there is no such system call.
fn without_landlock(run: impl FnOnce() -> Output + Send) -> Output {
    std::thread::scope(|scope| {
        let limited = scope.spawn(|| {
            let calls = [libc::SYS_landlock_create_ruleset, libc::SYS_landlock_restrict_self];
            let rules: BTreeMap<i64, Vec<SeccompRule>> = calls.into_iter().map(|call| (call, Vec::new())).collect();
            let answer = SeccompAction::Errno(u32::try_from(libc::ENOSYS).expect("a number"));
            let machine = std::env::consts::ARCH.try_into().expect("a machine that seccomp knows");
            let filter = SeccompFilter::new(rules, SeccompAction::Allow, answer, machine).expect("a filter");
            let filter: BpfProgram = filter.try_into().expect("a program");
            apply_filter(&filter).expect("applied");
            run()
        });
        limited.join().expect("no panic")
    })
}

#[test]
fn a_machine_that_cannot_confine_is_refused_unless_that_is_accepted() {
    if !compiler() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let streamed = "lab-streams/src/schedules/streamed.rs";
    let network = include_str!("../../../exploits/reads_the_solution/lab-streams/src/schedules/streamed.rs");
    let read = |line: &&str| !line.contains("panic!(\"{place}");
    let network: String = network.lines().filter(read).map(|line| format!("{line}\n")).collect();
    let paths = [
        submission(folder.path(), "right", &[(streamed, solution(streamed))]),
        submission(folder.path(), "network", &[(streamed, network)]),
    ];
    let out = folder.path().join("grades");
    let grade = |out: &Path, options: &[&str]| {
        without_landlock(|| {
            program().arg("grade").args(options).arg("--out").arg(out).args(&paths).output().expect("it starts")
        })
    };
    let refused = grade(&out, &[]);
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    let message = said(&refused);
    assert!(message.contains("files (Landlock): NO") && message.contains("--unconfined"), "{message}");
    assert!(!out.join("records/right.json").exists(), "nothing was graded");

    let accepted = grade(&out, &["--unconfined"]);
    assert!(accepted.status.success(), "{}", said(&accepted));
    assert!(said(&accepted).contains("files (Landlock): NO, system calls (seccomp): yes"), "{}", said(&accepted));
    let right = record(&out, "right");
    assert_eq!(verdict(&right, "streams/streamed")["points"], 18, "{}", verdict(&right, "streams/streamed"));
    assert_eq!((&right["confinement"]["files"], &right["confinement"]["calls"]), (&false.into(), &true.into()));
    // seccomp is still there: the network was refused, so the empty schedule after it came back.
    assert_eq!(verdict(&record(&out, "network"), "streams/streamed")["state"], "not_started");
}

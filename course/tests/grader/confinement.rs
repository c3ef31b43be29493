//! Machines without Landlock, or without namespaces: the grader refuses them, and takes them with `--unconfined`, with what confinement is left.

use crate::neighbours::{REFUSED, by_machine_code};
use crate::submissions::{ended, folder_for_kernels, program, record, said, solution, submission, verdict};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, SeccompRule, apply_filter};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

/// Runs a command on a machine that lacks some system calls: for this thread, and for all that it starts, they end with this error.
fn without(calls: &[i64], error: i32, run: impl FnOnce() -> Output + Send) -> Output {
    std::thread::scope(|scope| {
        let limited = scope.spawn(|| {
            let rules: BTreeMap<i64, Vec<SeccompRule>> = calls.iter().map(|&call| (call, Vec::new())).collect();
            let answer = SeccompAction::Errno(u32::try_from(error).expect("a number"));
            let machine = std::env::consts::ARCH.try_into().expect("a machine that seccomp knows");
            let filter = SeccompFilter::new(rules, SeccompAction::Allow, answer, machine).expect("a filter");
            let filter: BpfProgram = filter.try_into().expect("a program");
            apply_filter(&filter).expect("applied");
            run()
        });
        limited.join().expect("no panic")
    })
}

/// A kernel older than Landlock.
fn without_landlock(run: impl FnOnce() -> Output + Send) -> Output {
    without(&[libc::SYS_landlock_create_ruleset, libc::SYS_landlock_restrict_self], libc::ENOSYS, run)
}

/// A container as Docker makes it by default: no namespace of one's own.
fn without_namespaces(run: impl FnOnce() -> Output + Send) -> Output {
    without(&[libc::SYS_unshare, libc::SYS_setns], libc::EPERM, run)
}

#[test]
fn a_machine_that_cannot_confine_is_refused_unless_that_is_accepted() {
    let Some(folder) = folder_for_kernels() else { return };
    let streamed = "lab-streams/src/schedules/streamed.rs";
    let network = include_str!("../../exploits/reads_the_solution/lab-streams/src/schedules/streamed.rs");
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

    let told = ended(&grade(&out, &["--unconfined"]), 0);
    assert!(told.contains("files (Landlock): NO, system calls (seccomp): yes"), "{told}");
    let right = record(&out, "right");
    assert_eq!(verdict(&right, "streams/streamed")["points"], 18, "{}", verdict(&right, "streams/streamed"));
    assert_eq!((&right["confinement"]["files"], &right["confinement"]["calls"]), (&false.into(), &true.into()));
    // seccomp is still there: the network was refused, so the empty schedule after it came back.
    assert_eq!(verdict(&record(&out, "network"), "streams/streamed")["kind"], "does nothing");
}

#[test]
fn a_container_without_namespaces_grades_right_once_that_is_accepted() {
    let Some(folder) = folder_for_kernels() else { return };
    let (streamed, naive) = ("lab-streams/src/schedules/streamed.rs", "kernels/transpose/2_naive.cu");
    let endless = "pub fn streamed(_: usize, _: usize) -> crate::schedule::Schedule { loop {} }\n".to_owned();
    let endless = submission(folder.path(), "endless", &[(streamed, endless)]);
    let right = submission(folder.path(), "right", &[(streamed, solution(streamed)), (naive, solution(naive))]);
    let attackers = by_machine_code(folder.path());
    let paths = [&[endless][..], &attackers, &[right]].concat();
    let out = folder.path().join("grades");
    let grade = |options: &[&str]| {
        without_namespaces(|| {
            program().arg("grade").args(options).arg("--out").arg(&out).args(&paths).output().expect("it starts")
        })
    };
    let message = ended(&grade(&[]), 2);
    for wall in ["process ids: NO", "network: NO", "ipc: NO", "mounts: NO", "--unconfined"] {
        assert!(message.contains(wall), "{wall}: {message}");
    }
    assert!(!out.join("records/right.json").exists(), "nothing was graded");

    ended(&grade(&["--unconfined"]), 0);
    let right = record(&out, "right");
    let points = ["streams/streamed", "transpose/naive"].map(|exercise| verdict(&right, exercise)["points"].clone());
    assert_eq!(points, [18, 10].map(serde_json::Value::from), "{right}");
    assert_eq!(right["confinement"]["pids"], false);
    assert_eq!(right["confinement"]["calls"], true);
    let endless = record(&out, "endless");
    assert_eq!(verdict(&endless, "streams/streamed")["state"], "failed", "{endless}");
    // Without a pid namespace other processes can be named. seccomp still refuses each call.
    for path in attackers {
        let attacker = record(&out, path.file_name().and_then(|name| name.to_str()).expect("UTF-8"));
        let story = verdict(&attacker, "streams/streamed")["story"].as_str().expect("a story");
        assert!(story.contains(REFUSED), "{}: {story}", path.display());
    }
}

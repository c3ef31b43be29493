//! A class with attackers in it: every honest submission gets exactly what it gets alone, in both orders, one and two at a time, with a grader
//! that is killed in the middle, and with compilers that vanish.

use crate::submissions::{
    NAIVE, course, ended, folder_for_kernels, program, put, record, root, said, solution, submission, text, verdict,
};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

const SHARED: &str = "kernels/gemm/3_shared.cu";
const STREAMED: &str = "lab-streams/src/schedules/streamed.rs";
const SEED: &str = "7";

/// A kernel that no kept PTX is of, so that it is compiled.
fn own(file: &str) -> String {
    solution(file) + "\n__device__ int compiled_anew;\n"
}

/// Right work, wrong work and work that does not compile: names and files.
fn honest(folder: &Path) -> Vec<PathBuf> {
    let wrong = solution(NAIVE).replacen("T sum = 0;", "T sum = 1;", 1);
    vec![
        submission(folder, "right", &[(NAIVE, own(NAIVE)), (STREAMED, solution(STREAMED))]),
        submission(folder, "wrong", &[(NAIVE, wrong)]),
        submission(folder, "broken", &[(NAIVE, "int main(".to_owned())]),
    ]
}

/// Host code that does something before it answers rightly.
fn first(what: &str) -> String {
    let solved = solution(STREAMED);
    let (head, body) = solved.split_once("-> Schedule {").expect("a function");
    format!("{head}-> Schedule {{\n    let ring = _ring;\n    {what}\n{body}")
}

/// Host code that makes system calls from safe Rust by the hole of `exploits/implied_bounds`, and tells what became of them.
#[cfg(target_arch = "x86_64")]
fn machine_code(calls: &str) -> String {
    let exploit = include_str!("../../exploits/implied_bounds/lab-streams/src/schedules/streamed.rs");
    let (_, hole) = exploit.split_once("use crate::schedule::Schedule;").expect("its head");
    let (hole, _) = hole.split_once("pub fn streamed").expect("its attack");
    first(&format!("if ring > 0 {{ tell({calls}); }}")) + hole
}

/// The line that such host code says when none of its calls has reached anybody.
#[cfg(target_arch = "x86_64")]
pub const REFUSED: &str = "machine code ran: true; system calls that passed: []; errors of the others: {1}";

/// Attackers by machine code: on the limits of the processes nearby, on those processes, on the parent.
#[cfg(target_arch = "x86_64")]
pub fn by_machine_code(folder: &Path) -> Vec<PathBuf> {
    let all = "nearby().into_iter()";
    let attacks = [
        ("limits_nearby", format!("{all}.map(|id| (\"prlimit64\", limits(id))).collect()")),
        ("kills_nearby", format!("{all}.map(|id| (\"tgkill\", kills(id))).collect()")),
        ("kills_its_parent", format!("{all}.take(1).map(|id| (\"tgkill\", kills(id))).collect()")),
    ];
    attacks.iter().map(|(name, calls)| submission(folder, name, &[(STREAMED, machine_code(calls))])).collect()
}

/// The machine code is of one architecture; elsewhere the other attackers have to do.
#[cfg(not(target_arch = "x86_64"))]
pub const REFUSED: &str = "";
#[cfg(not(target_arch = "x86_64"))]
pub fn by_machine_code(_folder: &Path) -> Vec<PathBuf> {
    Vec::new()
}

/// An attacker, the exercise that it attacks with and the state of that: an attack that does not even compile is none.
type Attacker = (PathBuf, &'static str, &'static str);

/// The number of attackers, at the head of all, that need no limit to end.
const BRIEF: usize = 3;

fn attackers(folder: &Path) -> Vec<Attacker> {
    let bomb = "template <int A, int B> struct T { static const long v = T<A - 1, B>::v + T<A - 1, B + (1 << A)>::v; };
template <int B> struct T<0, B> { static const long v = B; };
__device__ long exploded = T<26, 0>::v;
";
    let marks = "let mut bloated = Schedule::new(vec![Lane::Default], 1);
    for _ in 0..60_000 {
        let mark = bloated.new_mark();
        bloated.push(0, 0, Some(0), crate::schedule::Action::Mark(mark));
    }
    if ring > 0 {
        return bloated;
    }";
    let hog = "__device__ float hog[1u << 28] = {1.0f};\n";
    let streamed =
        |name: &str, what: &str| (submission(folder, name, &[(STREAMED, first(what))]), "streams/streamed", "failed");
    let naive = |name: &str, text: String| (submission(folder, name, &[(NAIVE, text)]), "gemm/naive", "not_compiled");
    vec![
        streamed("aborts", "if ring > 0 { std::process::abort(); }"),
        streamed("marks", marks),
        naive("device_arrays", hog.to_owned() + &solution(NAIVE)),
        streamed("endless", "if ring > 0 { loop { std::hint::black_box(count); } }"),
        naive("template_bomb", bomb.to_owned() + &solution(NAIVE)),
    ]
}

fn grade(out: &Path, jobs: &str, paths: &[PathBuf]) -> Output {
    course(&["grade", "--seed", SEED, "--jobs", jobs, "--out", text(out)], paths)
}

/// The honest submissions' verdicts, each graded alone: the same for every class that they stand in.
static ALONE: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let graded = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).expect("UTF-8");
        let out = folder.path().join("alone").join(name);
        ended(&grade(&out, "1", std::slice::from_ref(path)), 0);
        record(&out, name)["verdicts"].clone()
    };
    honest(folder.path()).iter().map(graded).collect()
});

fn assert_as_alone(out: &Path, paths: &[PathBuf]) {
    for (path, alone) in paths.iter().zip(&*ALONE) {
        let name = path.file_name().and_then(|name| name.to_str()).expect("UTF-8");
        let record = record(out, name);
        assert_eq!(&record["verdicts"], alone, "{name}");
        assert!(out.join(format!("pages/{name}.html")).is_file() && record["complete"] == true, "{name}");
    }
}

#[test]
fn honest_submissions_get_what_they_get_alone_beside_attackers_in_both_orders() {
    let Some(folder) = folder_for_kernels() else { return };
    let class = folder.path().join("class");
    fs::create_dir(&class).expect("a folder");
    let honest = honest(&class);
    let attackers = attackers(&class);
    let by_machine_code = by_machine_code(&class);
    let bad = |attackers: &[Attacker]| {
        [attackers.iter().map(|attacker| attacker.0.clone()).collect(), by_machine_code.clone()].concat()
    };
    // An attack that lasts until a limit of time or memory ends it is worth its seconds once: beside the honest ones.
    let (brief, _) = attackers.split_at(BRIEF);
    let orders = [
        ("1", brief, [bad(brief), honest.clone()].concat()),
        ("2", &attackers[..], [honest.clone(), bad(&attackers)].concat()),
    ];
    for (jobs, attackers, paths) in orders {
        let out = folder.path().join(jobs);
        ended(&grade(&out, jobs, &paths), 0);
        assert_as_alone(&out, &honest);
        for (path, exercise, state) in attackers {
            let record = record(&out, path.file_name().and_then(|name| name.to_str()).expect("UTF-8"));
            let verdict = verdict(&record, exercise);
            assert_eq!(verdict["points"], 0, "{jobs} jobs: {verdict}");
            assert_eq!(&verdict["state"], state, "{jobs} jobs: {verdict}");
            assert!(!verdict["story"].as_str().expect("a story").is_empty() && verdict["kind"] != "", "{verdict}");
        }
        for path in &by_machine_code {
            let record = record(&out, path.file_name().and_then(|name| name.to_str()).expect("UTF-8"));
            let verdict = verdict(&record, "streams/streamed");
            assert_eq!(
                (&verdict["points"], &verdict["state"]),
                (&0.into(), &"failed".into()),
                "{jobs} jobs: {verdict}"
            );
            assert!(verdict["story"].as_str().expect("a story").contains(REFUSED), "{jobs} jobs: {verdict}");
        }
    }
}

/// Two exercises that sleep are more than the class's patience: the others are done before the second one, and the rest is told, not lost.
#[test]
fn a_submission_that_hangs_stops_no_other_and_its_own_time_is_bounded() {
    beside_one_that_hangs("2");
}

#[test]
#[ignore = "the same one at a time; next: .ci/run"]
fn exhaustive_hang_where_one_is_graded_at_a_time() {
    beside_one_that_hangs("1");
}

fn beside_one_that_hangs(jobs: &str) {
    let Some(folder) = folder_for_kernels() else { return };
    let sleeps = "std::thread::sleep(std::time::Duration::MAX);";
    let files = ["streamed", "pipelined", "mapped"].map(|name| {
        let file = format!("lab-streams/src/schedules/{name}.rs");
        let text = solution(&file).replacen("-> Schedule {", &format!("-> Schedule {{\n    {sleeps}"), 1);
        (file, text)
    });
    let files: Vec<(&str, String)> = files.iter().map(|(file, text)| (file.as_str(), text.clone())).collect();
    let slow = submission(folder.path(), "slow", &files);
    let quick: Vec<PathBuf> =
        ["a", "b"].map(|name| submission(folder.path(), name, &[(STREAMED, solution(STREAMED))])).to_vec();
    let out = folder.path().join("grades").join(jobs);
    let grade = |budget: &str| {
        let paths = [std::slice::from_ref(&slow), &quick[..]].concat();
        course(&["grade", "--seed", SEED, "--jobs", jobs, "--budget", budget, "--out", text(&out)], &paths)
    };
    // The first round has its first exercise, the second one its second.
    ended(&grade("4"), 1);
    let states = || {
        let record = record(&out, "slow");
        let of = |name| verdict(&record, &format!("streams/{name}")).clone();
        ["streamed", "mapped", "pipelined"].map(of)
    };
    let [first, second, third] = states();
    assert_eq!(
        (&first["state"], &second["state"], &third["state"]),
        (&"failed".into(), &"failed".into(), &"to_be_repeated".into())
    );
    assert!(first["story"].as_str().expect("a story").contains("never comes"), "{first}");
    assert!(third["story"].as_str().expect("a story").contains("more than 20 s"), "{third}");
    let written = |name: &str| fs::metadata(out.join(format!("records/{name}.json"))).and_then(|file| file.modified());
    for name in ["a", "b"] {
        assert_eq!(record(&out, name)["points"], 18, "{name}");
        assert!(written(name).expect("a time") < written("slow").expect("a time"), "{name} comes first");
    }
    ended(&grade("60"), 0);
    assert!(states().iter().all(|verdict| verdict["state"] == "failed"), "{:?}", states());
}

/// Starts a grader, waits until it judges `name` for the `time`th time, and kills it.
fn killed_during(out: &Path, name: &str, time: u64, paths: &[PathBuf]) {
    let mut command = program();
    command.args(["grade", "--seed", SEED, "--out", text(out)]).args(paths).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the program starts");
    let mark = out.join(format!("marks/{name}.json"));
    let begun = Instant::now();
    let judging = || {
        let mark: Option<Value> = fs::read_to_string(&mark).ok().and_then(|text| serde_json::from_str(&text).ok());
        mark.is_some_and(|mark| mark["begun"] == time && mark["exercise"].is_string())
    };
    while !judging() {
        assert!(
            begun.elapsed() < Duration::from_secs(120) && child.try_wait().expect("a state").is_none(),
            "not judged"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
}

#[test]
fn a_submission_that_the_grader_dies_of_is_put_off_and_the_class_ends_with_its_reports() {
    let Some(folder) = folder_for_kernels() else { return };
    let honest = honest(folder.path());
    let deadly = submission(folder.path(), "deadly", &[(STREAMED, first("loop { std::hint::black_box(count); }"))]);
    let out = folder.path().join("grades");
    let paths = [&honest[..1], &[deadly], &honest[1..]].concat();
    killed_during(&out, "deadly", 1, &paths);
    // The others come first now, and their reports are there when it dies again.
    killed_during(&out, "deadly", 2, &paths);
    assert_as_alone(&out, &honest);
    assert!(fs::read_to_string(out.join("class.csv")).expect("a table").contains("deadly"));

    let told = ended(&grade(&out, "1", &paths), 1);
    assert_as_alone(&out, &honest);
    let put_off = record(&out, "deadly");
    assert_eq!((&put_off["complete"], &put_off["points"]), (&false.into(), &0.into()));
    let streamed = verdict(&put_off, "streams/streamed");
    let story = streamed["story"].as_str().expect("a story");
    assert_eq!(streamed["state"], "to_be_repeated");
    assert!(story.contains("ended 2 times") && told.contains("deadly: to be repeated"), "{told}");

    // Nobody kills it any more: the next call comes to its end.
    ended(&grade(&out, "1", &paths), 0);
    assert_eq!(verdict(&record(&out, "deadly"), "streams/streamed")["state"], "failed");
    assert!(fs::read_dir(out.join("marks")).expect("a folder").next().is_none(), "no mark is left");
}

#[test]
fn a_simulator_or_a_compiler_that_vanishes_or_is_damaged_in_the_middle_costs_nobody_points() {
    let Some(folder) = folder_for_kernels() else { return };
    let beside = Path::new(env!("CARGO_BIN_EXE_course")).with_file_name("deps/libsimulator.so");
    let real = std::env::var_os("LABS_SIMULATOR").map_or(beside, PathBuf::from);
    assert!(real.is_file(), "{}: the simulator's library", real.display());
    let nvrtc = std::env::var_os("LABS_NVRTC").map_or_else(|| root().join(".nvrtc"), PathBuf::from);
    if !nvrtc.is_dir() {
        eprintln!(
            "NVRTC does not lie in one folder here (next: just nvrtc): it cannot be taken away, and nothing is tested"
        );
        return;
    }
    let [place, link] = ["libcuda.so", "nvrtc"].map(|name| folder.path().join(name));
    let back = || {
        for (place, real) in [(&place, &real), (&link, &nvrtc)] {
            let _ = fs::remove_file(place);
            symlink(real, place).expect("a link");
        }
    };
    back();
    let files = [(NAIVE, own(NAIVE)), (SHARED, own(SHARED)), (STREAMED, solution(STREAMED))];
    let paths = [submission(folder.path(), "a", &files), submission(folder.path(), "b", &files)];
    let both = &["gemm/shared", "streams/streamed"][..];
    type Damage<'a> = (&'a str, &'a [&'a str], &'a dyn Fn());
    let damages: [Damage; 3] = [
        ("gone", both, &|| fs::remove_file(&place).expect("taken away")),
        ("no compiler", &both[..1], &|| fs::remove_file(&link).expect("taken away")),
        // As one that is being copied: the begin of it.
        ("begin", both, &|| {
            let bytes = fs::read(&real).expect("a library");
            fs::remove_file(&place).expect("taken away");
            fs::write(&place, &bytes[..64 << 10]).expect("written");
        }),
    ];
    for (name, exercises, damage) in damages {
        back();
        let out = folder.path().join(name);
        // The first submission is judged before the damage, which once is enough.
        if let Ok(judged) = fs::read_to_string(folder.path().join("gone/records/a.json")) {
            put(&out, "records/a.json", &judged);
        }
        let grade = || {
            let mut command = program();
            command.args(["grade", "--seed", SEED, "--out", text(&out)]).args(&paths);
            command.env("LABS_SIMULATOR", &place).env("LABS_NVRTC", &link);
            command
        };
        let child = grade().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        let begun = Instant::now();
        while !out.join("records/b.json").is_file() {
            assert!(begun.elapsed() < Duration::from_secs(120), "nothing is judged");
            std::thread::sleep(Duration::from_millis(2));
        }
        damage();
        let output = child.wait_with_output().expect("ended");
        assert_eq!(output.status.code(), Some(1), "{name}: {}", said(&output));
        assert_eq!(record(&out, "a")["points"], 58, "{name}: what was judged before stays");
        let b = record(&out, "b");
        for exercise in exercises {
            assert_eq!(verdict(&b, exercise)["state"], "to_be_repeated", "{name}: {}", verdict(&b, exercise));
        }
        let page = fs::read_to_string(out.join("class.html")).expect("a page");
        let head = page.split("<h2>").next().expect("a head");
        assert!(head.contains("1 submission to be repeated") && head.contains(": b."), "{name}: {head}");
        let student = fs::read_to_string(out.join("pages/b.html")).expect("a page");
        assert!(!student.contains(text(folder.path())), "{name}: a path of this machine: {student}");
        let mut table = csv::Reader::from_path(out.join("class.csv")).expect("a table");
        let row = table.records().map(|row| row.expect("a row")).find(|row| &row[0] == "b").expect("its row");
        assert_eq!(&row[1], "", "{name}: no points are no zero: {row:?}");
        back();
        let output = grade().output().expect("the program starts");
        assert!(output.status.success(), "{name}: {}", said(&output));
        assert_eq!(
            (&record(&out, "b")["points"], &record(&out, "b")["complete"]),
            (&58.into(), &true.into()),
            "{name}"
        );
    }
}

#[test]
fn a_rustc_that_vanishes_or_has_lost_its_libraries_costs_nobody_points() {
    let Some(folder) = folder_for_kernels() else { return };
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().expect("rustc starts");
    let sysroot = PathBuf::from(String::from_utf8(sysroot.stdout).expect("UTF-8").trim());
    let link = folder.path().join("sysroot");
    put(folder.path(), "rustc", &format!("#!/bin/sh\necho '{}'\n", link.display()));
    fs::set_permissions(folder.path().join("rustc"), fs::Permissions::from_mode(0o755)).expect("a program");
    let path = submission(folder.path(), "student", &[(NAIVE, solution(NAIVE)), (STREAMED, solution(STREAMED))]);
    let out = folder.path().join("grades");
    let grade = || {
        let mut command = program();
        command.args(["grade", "--seed", SEED, "--out", text(&out)]).arg(&path);
        command.env("RUSTC", folder.path().join("rustc")).output().expect("the program starts")
    };
    let to_be_repeated = || {
        ended(&grade(), 1);
        let record = record(&out, "student");
        assert_eq!(verdict(&record, "gemm/naive")["points"], 15);
        assert_eq!(verdict(&record, "streams/streamed")["state"], "to_be_repeated");
        verdict(&record, "streams/streamed")["story"].as_str().expect("a story").to_owned()
    };
    assert!(to_be_repeated().contains("rustc"));

    // One that starts and finds nothing refuses every program, as if each had a mistake in it.
    let broken = "#!/bin/sh\necho \"error[E0463]: can't find crate for 'std'\" >&2\nexit 1\n";
    put(&link, "bin/rustc", broken);
    fs::set_permissions(link.join("bin/rustc"), fs::Permissions::from_mode(0o755)).expect("a program");
    let story = to_be_repeated();
    assert!(story.contains("a program that does nothing"), "{story}");

    fs::remove_dir_all(&link).expect("removed");
    symlink(sysroot, &link).expect("a link");
    ended(&grade(), 0);
    assert_eq!(record(&out, "student")["points"], 33);
}

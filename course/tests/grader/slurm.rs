//! A class on a cluster of one node: a real slurmctld, slurmd and munged, started for this test and ended by it.

use crate::submissions::{
    copy, ended, folder_for_kernels, points, program, put, record, root, said, solution, submission, verdict,
};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The daemons; ended when this is dropped.
struct Cluster {
    daemons: Vec<Child>,
    configuration: std::path::PathBuf,
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // slurmd before slurmctld before munged, as they depend on each other.
        for daemon in self.daemons.iter_mut().rev() {
            let _ = Command::new("kill").arg(daemon.id().to_string()).status();
            let _ = daemon.wait();
        }
    }
}

fn there(name: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).chain(["/usr/sbin".into()]).any(|folder| folder.join(name).is_file())
}

fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").expect("a name");
    name.trim().split('.').next().expect("a part").to_owned()
}

impl Cluster {
    /// `None` where the daemons are not installed or cannot run.
    fn start(folder: &Path) -> Option<Self> {
        let missing: Vec<&str> =
            ["munged", "slurmctld", "slurmd", "sbatch", "sinfo"].into_iter().filter(|name| !there(name)).collect();
        // slurmd starts jobs as their users, which takes root.
        let root = fs::read_to_string("/proc/self/status").is_ok_and(|status| status.contains("\nUid:\t0\t0"));
        if !missing.is_empty() || !root {
            let why = if root { format!("not installed: {}", missing.join(", ")) } else { "not root".to_owned() };
            assert!(
                std::env::var_os("LABS_REQUIRE_SLURM").is_none(),
                "LABS_REQUIRE_SLURM is set, and Slurm cannot be tested: {why}"
            );
            eprintln!("Slurm is not tested here: {why} (next: apt-get install slurmctld slurmd slurm-client munge)");
            return None;
        }
        let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
        for name in ["state", "spool"] {
            fs::create_dir(folder.join(name)).expect("a folder");
        }
        let key: Vec<u8> = (0..128).map(|_| rand::random()).collect();
        fs::write(folder.join("key"), key).expect("a key");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        fs::set_permissions(folder.join("key"), mode).expect("private");
        let host = host();
        let ports = [0, 1].map(|_| std::net::TcpListener::bind("127.0.0.1:0").expect("a port"));
        let [control, node] = ports.each_ref().map(|port| port.local_addr().expect("bound").port());
        drop(ports);
        let text = format!(
            "ClusterName=labs\nSlurmctldHost={host}(127.0.0.1)\nSlurmUser=root\nAuthType=auth/munge\nAuthInfo=socket={}\n\
             SlurmctldPort={control}\nSlurmdPort={node}\nStateSaveLocation={}\nSlurmdSpoolDir={}\nSlurmctldPidFile={}\nSlurmdPidFile={}\n\
             ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n\
             ReturnToService=2\nSwitchType=switch/none\nMpiDefault=none\nJobAcctGatherType=jobacct_gather/none\n\
             AccountingStorageType=accounting_storage/none\nNodeName={host} NodeAddr=127.0.0.1 CPUs={} RealMemory=8000 State=UNKNOWN\n\
             PartitionName=labs Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n",
            path("munge"),
            path("state"),
            path("spool"),
            path("slurmctld.pid"),
            path("slurmd.pid"),
            std::thread::available_parallelism().map_or(1, usize::from),
        );
        let configuration = folder.join("slurm.conf");
        fs::write(&configuration, text).expect("written");
        let mut cluster = Cluster { daemons: Vec::new(), configuration };
        let socket = format!("--socket={}", path("munge"));
        let files = ["key", "pid", "log", "seed"].map(|name| format!("--{name}-file={}", path(name)));
        let options: Vec<&str> = files.iter().map(String::as_str).chain(["--foreground", "--force", &socket]).collect();
        cluster.daemon("munged", &options);
        let begun = Instant::now();
        while !folder.join("munge").exists() {
            assert!(begun.elapsed() < Duration::from_secs(20), "munged does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
        cluster.daemon("slurmctld", &["-D", "-c"]);
        cluster.daemon("slurmd", &["-D", "-c"]);
        while !cluster.states().contains("idle") {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "no idle node: {}\n{}",
                cluster.states(),
                cluster.logs(folder)
            );
            std::thread::sleep(Duration::from_millis(200));
        }
        Some(cluster)
    }

    fn daemon(&mut self, name: &str, arguments: &[&str]) {
        let log = fs::File::create(self.configuration.with_file_name(format!("{name}.out"))).expect("a log");
        // Daemons lie outside of an ordinary user's search path.
        let mut command = Command::new(Path::new("/usr/sbin").join(name));
        command.args(arguments).env("SLURM_CONF", &self.configuration).stdin(Stdio::null());
        command.stdout(log.try_clone().expect("a log")).stderr(log);
        self.daemons.push(command.spawn().unwrap_or_else(|error| panic!("{name}: {error}")));
    }

    fn states(&self) -> String {
        let output = Command::new("sinfo").env("SLURM_CONF", &self.configuration).args(["-h", "-o", "%t"]).output();
        said(&output.expect("sinfo starts"))
    }

    fn logs(&self, folder: &Path) -> String {
        ["munged", "slurmctld", "slurmd"]
            .map(|name| fs::read_to_string(folder.join(format!("{name}.out"))).unwrap_or_default())
            .join("\n")
    }
}

#[test]
fn a_slurm_array_gives_the_grades_that_one_machine_gives() {
    let Some(folder) = folder_for_kernels() else { return };
    let Some(cluster) = Cluster::start(folder.path()) else { return };
    let naive = "kernels/gemm/2_naive.cu";
    let submissions = folder.path().join("it's a class");
    let exploit = submissions.join("symlink");
    copy(&root().join("course/exploits/symlink"), &exploit, folder.path());
    let paths = [
        submission(&submissions, "right", &[(naive, solution(naive))]),
        submission(&submissions, "wrong one", &[(naive, solution(naive).replacen("T sum = 0;", "T sum = 1;", 1))]),
        exploit,
    ];
    let here = folder.path().join("here");
    let expected = points(&here, &paths);
    let out = folder.path().join("cluster");
    let mut command = program();
    command.args(["grade", "--slurm", "--out"]).arg(&out).args(&paths).env("SLURM_CONF", &cluster.configuration);
    let output = command.output().expect("the program starts");
    let logs = |number: usize| fs::read_to_string(out.join(format!("slurm/{number}.log"))).unwrap_or_default();
    assert!(output.status.success(), "{}\n{}{}", said(&output), logs(1), cluster.logs(folder.path()));
    for (name, points) in &expected {
        let record = record(&out, name);
        let sum: u64 =
            record["verdicts"].as_array().expect("verdicts").iter().filter_map(|v| v["points"].as_u64()).sum();
        assert_eq!(sum, u64::from(*points), "{name}");
    }
    for file in ["class.csv", "class.html", "gradescope/right.json", "slurm/submissions.json"] {
        assert!(out.join(file).is_file(), "{file}");
    }
    // One job for each; the second class finds all of it complete.
    assert!((1..=3).all(|number| out.join(format!("slurm/{number}.log")).is_file()));
}

/// A stand-in for `sbatch` that runs the jobs here, one after the other, and lets those die whose numbers a file lists.
const SBATCH: &str = include_str!("sbatch.sh");

#[test]
fn a_dead_job_is_named_and_no_old_grade_is_told_for_it() {
    let Some(folder) = folder_for_kernels() else { return };
    let naive = "kernels/gemm/2_naive.cu";
    put(folder.path(), "bin/sbatch", SBATCH);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(folder.path().join("bin/sbatch"), mode).expect("a program");
    let right = || vec![(naive, solution(naive))];
    let mut paths = vec![submission(folder.path(), "anna", &right()), submission(folder.path(), "ben", &right())];
    // A name that is no line of a list.
    let odd = <std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(b"c\n\xff".to_vec());
    fs::rename(submission(folder.path(), "odd", &right()), folder.path().join(&odd)).expect("renamed");
    paths.push(folder.path().join(odd));
    let out = folder.path().join("grades");
    let path = format!("{}:{}", folder.path().join("bin").display(), std::env::var("PATH").expect("a path"));
    let grade = |dead: &str| {
        put(folder.path(), "dead", dead);
        let mut command = program();
        command.args(["grade", "--slurm", "--out"]).arg(&out).args(&paths);
        command.env("PATH", &path).env("DEAD", folder.path().join("dead")).output().expect("the program starts")
    };
    let points = || {
        let mut reader = csv::Reader::from_path(out.join("class.csv")).expect("a table");
        reader.records().map(|row| row.expect("a row")[1].to_owned()).collect::<Vec<_>>()
    };
    let told = ended(&grade("2\n"), 1);
    for part in ["ben: its job left no record", "slurm/2.log", "ben: to be repeated: every exercise"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(points(), ["15", "", "15"], "the others have their reports, and what is to be repeated is no zero");
    assert!(out.join("pages/ben.html").is_file() && record(&out, "ben")["complete"] == false);

    ended(&grade(""), 0);
    assert_eq!(points(), ["15", "15", "15"]);

    // Handed in again, and the job dies: what was reached before is of other files.
    submission(folder.path(), "anna", &[(naive, "#error\n".to_owned())]);
    let told = ended(&grade("1\n"), 1);
    assert!(told.contains("anna: its job left no record of the files that are handed in now"), "{told}");
    assert_eq!(points(), ["", "15", "15"]);
    ended(&grade(""), 0);
    assert_eq!(verdict(&record(&out, "anna"), "gemm/naive")["state"], "not_compiled");
}

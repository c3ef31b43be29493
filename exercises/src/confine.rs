//! Confinement of a process before it meets a student's code: Landlock for files, seccomp for the network and for new processes, resource
//! limits. A process confines itself; nothing that it does or starts afterwards can undo that.

use anyhow::Context;
use landlock::{
    ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, path_beneath_rules,
};
use rustix::process::{Resource, Rlimit, setrlimit};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a process still may.
#[derive(Clone, Debug, Default)]
pub struct Permissions {
    /// Files and folders that it may read and execute.
    pub read: Vec<PathBuf>,
    /// Folders that it may also write.
    pub write: Vec<PathBuf>,
    /// Whether it may start threads, other processes and programs.
    pub processes: Processes,
}

/// What a process may start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Processes {
    /// Threads of its own only.
    #[default]
    Threads,
    /// Itself again as another program, but neither threads nor processes.
    ReplaceOnly,
    /// Anything: a compiler driver that calls a linker.
    All,
}

/// Limits of one process.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// Address space in bytes; 0: unlimited.
    pub memory_bytes: u64,
    /// Processor time in seconds.
    pub cpu_seconds: u64,
    /// A written file's length in bytes.
    pub file_bytes: u64,
}

/// What confinement this machine gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// Landlock keeps files away.
    pub files: bool,
    /// seccomp refuses network and processes.
    pub calls: bool,
}

impl Confinement {
    /// Everything that untrusted host code needs.
    pub fn complete(self) -> bool {
        self.files && self.calls
    }
}

impl std::fmt::Display for Confinement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = |on: bool| if on { "yes" } else { "NO" };
        write!(f, "Landlock (files): {}, seccomp (network, processes): {}", word(self.files), word(self.calls))
    }
}

/// Folders without which no program starts: the loader's, the system's libraries, and harmless devices.
const SYSTEM: &[&str] = &[
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/libexec",
    "/etc/ld.so.cache",
    "/dev/null",
    "/dev/urandom",
    "/sys/devices/system/cpu",
    "/proc/cpuinfo",
];

/// Limits this process.
///
/// # Errors
/// The system's, for limits above its own.
pub fn limit(limits: Limits) -> anyhow::Result<()> {
    let to = |value: u64| Rlimit { current: Some(value), maximum: Some(value) };
    if limits.memory_bytes > 0 {
        setrlimit(Resource::As, to(limits.memory_bytes)).context("limiting the memory")?;
    }
    setrlimit(Resource::Cpu, to(limits.cpu_seconds)).context("limiting the processor time")?;
    setrlimit(Resource::Fsize, to(limits.file_bytes)).context("limiting the length of files")?;
    setrlimit(Resource::Core, to(0)).context("refusing core dumps")
}

/// Confines this thread and all that it starts from now on. What the kernel does not offer is left out, and the answer says so.
///
/// # Errors
/// A kernel that refuses what it offers.
pub fn seal(permissions: &Permissions) -> anyhow::Result<Confinement> {
    let abi = ABI::V5;
    let paths = SYSTEM.iter().map(PathBuf::from).chain(permissions.read.iter().cloned());
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(abi))?
        .handle_access(AccessNet::from_all(abi))?
        .create()?
        .add_rules(path_beneath_rules(paths, AccessFs::from_read(abi)))?
        .add_rules(path_beneath_rules(["/dev/null"], AccessFs::from_file(abi)))?
        .add_rules(path_beneath_rules(&permissions.write, AccessFs::from_all(abi)))?
        .restrict_self()
        .context("Landlock")?;
    let calls = refuse_calls(permissions.processes);
    Ok(Confinement { files: status.ruleset != RulesetStatus::NotEnforced, calls: calls.is_ok() })
}

/// System calls that nothing here needs and that lead out: to the network, to other processes, to the kernel's rarer doors.
const REFUSED: &[i64] = &[
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_io_uring_setup,
    libc::SYS_bpf,
    libc::SYS_userfaultfd,
    libc::SYS_perf_event_open,
    libc::SYS_keyctl,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_shmget,
    libc::SYS_msgget,
];
/// And these where nothing is to be started; signals could end processes of the same user.
const STARTING: &[i64] = &[
    libc::SYS_socketpair,
    libc::SYS_pidfd_getfd,
    libc::SYS_fork,
    libc::SYS_vfork,
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_pidfd_send_signal,
    libc::SYS_setsid,
    libc::SYS_setpgid,
];

fn refuse_calls(processes: Processes) -> anyhow::Result<()> {
    let mut refused: BTreeMap<i64, Vec<SeccompRule>> = REFUSED.iter().map(|&call| (call, Vec::new())).collect();
    if processes != Processes::All {
        refused.extend(STARTING.iter().map(|&call| (call, Vec::new())));
        let thread = libc::CLONE_THREAD as u64;
        let no_thread =
            SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(thread), 0).context("seccomp")?;
        let rules = match processes {
            Processes::ReplaceOnly => Vec::new(),
            _ => vec![SeccompRule::new(vec![no_thread])?],
        };
        refused.insert(libc::SYS_clone, rules);
        // The C library takes `clone` where `clone3`, whose arguments a filter cannot see, is unknown.
        apply(BTreeMap::from([(libc::SYS_clone3, Vec::new())]), libc::ENOSYS)?;
    }
    if processes == Processes::Threads {
        refused.insert(libc::SYS_execve, Vec::new());
        refused.insert(libc::SYS_execveat, Vec::new());
    }
    apply(refused, libc::EPERM)
}

fn apply(rules: BTreeMap<i64, Vec<SeccompRule>>, answer: i32) -> anyhow::Result<()> {
    let action = SeccompAction::Errno(u32::try_from(answer)?);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, std::env::consts::ARCH.try_into()?)?;
    let program: BpfProgram = filter.try_into()?;
    Ok(apply_filter(&program)?)
}

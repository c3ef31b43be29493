//! Confinement of a process before it meets a student's code. Four walls, each of which holds without the others: `spaces` (a user id and
//! namespaces of its own), `files` (Landlock), `calls` (an allow-list of system calls), and limits on memory, processor time and output.
//! A process confines itself; nothing that it does or starts afterwards can undo that.

mod calls;
mod files;
pub mod spaces;

pub use calls::Calls;
pub use files::Permissions;

use anyhow::Context;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};
use spaces::Spaces;

/// Limits of one box.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// Memory in bytes; 0: unlimited. For a student's machine code this is its address space, for all else what a process writes to.
    pub memory_bytes: u64,
    /// Processor time of a process in seconds.
    pub cpu_seconds: u64,
    /// A written file's length in bytes.
    pub file_bytes: u64,
}

/// The confinement that this machine gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// Landlock keeps files away.
    pub files: bool,
    /// seccomp refuses what is not on a list.
    pub calls: bool,
    /// Another user id than the grader's, or a user namespace.
    pub user: bool,
    /// A pid namespace: no other process can be named, and all of the box ends with its first process.
    pub pids: bool,
    /// A network namespace without any interface.
    pub network: bool,
    /// An ipc namespace: no shared memory, queue or semaphore of others.
    pub ipc: bool,
    /// A mount namespace.
    pub mounts: bool,
    /// The grader sees how much memory a box holds, and ends it at its limit.
    pub memory: bool,
}

impl Confinement {
    /// Everything that untrusted code needs.
    pub fn complete(self) -> bool {
        self.walls().iter().all(|(_, stands)| *stands)
    }

    fn walls(self) -> [(&'static str, bool); 8] {
        [
            ("files (Landlock)", self.files),
            ("system calls (seccomp)", self.calls),
            ("user id", self.user),
            ("process ids", self.pids),
            ("network", self.network),
            ("ipc", self.ipc),
            ("mounts", self.mounts),
            ("memory", self.memory),
        ]
    }
}

impl std::fmt::Display for Confinement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words = self.walls().map(|(name, stands)| format!("{name}: {}", if stands { "yes" } else { "NO" }));
        f.write_str(&words.join(", "))
    }
}

/// Processes and threads of one user namespace, or of all boxes' common user id.
const MOST_PROCESSES: u64 = 4096;

/// Limits this process and all that it starts. Where the machine's own limit is lower already, that one stays.
pub fn limit(limits: Limits, calls: Calls, spaces: Spaces) -> anyhow::Result<()> {
    let set = |resource: Resource, current: u64, maximum: u64| {
        let most = getrlimit(resource).maximum.unwrap_or(u64::MAX);
        setrlimit(resource, Rlimit { current: Some(current.min(most)), maximum: Some(maximum.min(most)) })
    };
    if limits.memory_bytes > 0 {
        // The other kinds reserve more than they touch: arenas of threads, a compiler's files. What counts there is what can be written.
        let resource = if calls == Calls::Program { Resource::As } else { Resource::Data };
        set(resource, limits.memory_bytes, limits.memory_bytes).context("limiting the memory")?;
    }
    // The signal at the first limit can be ignored, and the first process of a pid namespace does not get it; the second limit kills.
    set(Resource::Cpu, limits.cpu_seconds, limits.cpu_seconds + 1).context("limiting the processor time")?;
    set(Resource::Fsize, limits.file_bytes, limits.file_bytes).context("limiting the length of files")?;
    // Where the user id is the instructor's, their own processes would count.
    if spaces.user {
        set(Resource::Nproc, MOST_PROCESSES, MOST_PROCESSES).context("limiting the processes")?;
    }
    // No POSIX queue, no locked page, no real-time priority.
    for resource in [Resource::Core, Resource::Msgqueue, Resource::Memlock, Resource::Rtprio] {
        set(resource, 0, 0).context("refusing core dumps, queues, locked pages, priorities")?;
    }
    Ok(())
}

/// Confines this thread and all that it starts from now on. What the kernel does not offer is left out, and the answer says so.
///
/// # Errors
/// A kernel that refuses what it offers.
pub fn seal(permissions: &Permissions) -> anyhow::Result<Confinement> {
    if permissions.calls == Calls::Program || (permissions.read.is_empty() && permissions.execute.is_empty()) {
        spaces::drop_reach()?;
    }
    let files = files::seal(permissions)?;
    let calls = calls::allow_only(permissions.calls).is_ok();
    Ok(Confinement { files, calls, ..Confinement::default() })
}

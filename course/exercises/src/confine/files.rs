//! Landlock: the files that a box may read, write, execute.

use super::calls::Calls;
use anyhow::Context;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
    path_beneath_rules,
};
use std::path::{Path, PathBuf};

/// The permissions that a process still has.
#[derive(Clone, Debug, Default)]
pub struct Permissions {
    /// Files and folders that it may read.
    pub read: Vec<PathBuf>,
    /// Files and folders that it may read and execute.
    pub execute: Vec<PathBuf>,
    /// Folders that it may also write.
    pub write: Vec<PathBuf>,
    /// The system calls that its work takes.
    pub calls: Calls,
}

/// The newest that the crate knows; a kernel gives what it has of it.
const NEWEST: ABI = ABI::V9;

/// Where the system's libraries lie, and harmless devices.
const SYSTEM: &[&str] = &[
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/etc/ld.so.cache",
    "/dev/null",
    "/dev/urandom",
    "/sys/devices/system/cpu",
    "/proc/cpuinfo",
];

/// The libraries that a Rust program is linked to, where they lie beside the C library.
const OF_A_PROGRAM: &[&str] =
    &["libc.so.6", "libm.so.6", "libgcc_s.so.1", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1"];

/// Keeps all other files away. Says whether the kernel does.
pub fn seal(permissions: &Permissions) -> anyhow::Result<bool> {
    let mut execute = permissions.execute.clone();
    let mut read = permissions.read.clone();
    match permissions.calls {
        Calls::Data => read.extend(SYSTEM.iter().map(PathBuf::from)),
        Calls::Build => execute.extend(SYSTEM.iter().chain(&["/usr/libexec"]).map(PathBuf::from)),
        Calls::Program => {
            let loaded = loaded();
            let c = loaded.iter().find(|path| name(path).starts_with("libc.so") || name(path).starts_with("libc-"));
            let beside = c.and_then(|path| path.parent()).unwrap_or(Path::new("/usr/lib"));
            read.extend(OF_A_PROGRAM.iter().map(|library| beside.join(library)));
            read.push("/etc/ld.so.cache".into());
            execute.extend(loaded.into_iter().filter(|path| name(path).starts_with("ld-")));
        }
    }
    let reading: BitFlags<AccessFs> = AccessFs::ReadFile | AccessFs::ReadDir;
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rules(path_beneath_rules(read, reading))?
        .add_rules(path_beneath_rules(execute, reading | AccessFs::Execute))?
        .add_rules(path_beneath_rules(["/dev/null"], AccessFs::ReadFile | AccessFs::WriteFile))?
        .add_rules(path_beneath_rules(&permissions.write, AccessFs::from_all(NEWEST)))?
        .restrict_self()
        .context("Landlock")?;
    Ok(status.ruleset != RulesetStatus::NotEnforced)
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// The libraries of this process, and the loader.
fn loaded() -> Vec<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let paths = maps.lines().filter_map(|line| line.find('/').map(|at| PathBuf::from(&line[at..])));
    let mut paths: Vec<PathBuf> = paths.collect();
    paths.dedup();
    paths
}

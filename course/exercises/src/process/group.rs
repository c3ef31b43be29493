//! A control group around a box, where the grader may make one: the kernel's own limit on the memory of all its processes together, what they
//! keep in the kernel included. Elsewhere the limits of each process and the grader's look at the box have to do.

use std::fs::{create_dir, read_to_string, remove_dir, write};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Above a box's limit, at which the grader ends it: the worker's own files and the kernel's tables.
const MARGIN_BYTES: u64 = 64 << 20;

/// The group of one box, removed with this.
#[derive(Default)]
pub struct Group {
    folder: Option<PathBuf>,
}

impl Group {
    /// A group with a worker in it that has not begun. None where the kernel or its owner does not allow that.
    pub fn around(worker: &Child, memory_bytes: u64) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        if memory_bytes == 0 || !rustix::process::geteuid().is_root() {
            return Group::default();
        }
        let name = format!("labs-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let make = |(parent, limit): (PathBuf, &str)| {
            // The rest of the group is removed where a later step fails.
            let group = Group { folder: Some(parent.join(&name)) };
            let folder = group.folder.as_deref()?;
            create_dir(folder).ok()?;
            write(folder.join(limit), (memory_bytes + memory_bytes / 4 + MARGIN_BYTES).to_string()).ok()?;
            write(folder.join("cgroup.procs"), worker.id().to_string()).ok()?;
            Some(group)
        };
        parent().and_then(make).unwrap_or_default()
    }

    /// Returns whether the kernel has ended a process of the group for the group's memory.
    pub fn out_of_memory(&self) -> bool {
        let read = |file| {
            self.folder.as_ref().map_or(String::new(), |folder| read_to_string(folder.join(file)).unwrap_or_default())
        };
        let (older, newer) = (read("memory.oom_control"), read("memory.events"));
        let killed = |line: &str| line.strip_prefix("oom_kill ").is_some_and(|count| count.trim() != "0");
        older.lines().chain(newer.lines()).any(killed)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let Some(folder) = &self.folder else { return };
        // The last of its processes may be on its way out.
        for _ in 0..50 {
            if remove_dir(folder).is_ok() || !folder.exists() {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// This process's own group, in which one for a box can be made, and the file of its limit there.
fn parent() -> Option<(PathBuf, &'static str)> {
    let own = read_to_string("/proc/self/cgroup").ok()?;
    let found = own.lines().find_map(|line| {
        let mut words = line.splitn(3, ':').skip(1);
        let (controllers, path) = (words.next()?, words.next()?);
        let inside = |mount: &str| Path::new(mount).join(path.trim_start_matches('/'));
        match controllers.split(',').any(|one| one == "memory") {
            true => Some((inside("/sys/fs/cgroup/memory"), "memory.limit_in_bytes")),
            false => controllers.is_empty().then(|| (inside("/sys/fs/cgroup"), "memory.max")),
        }
    });
    let (folder, limit) = found?;
    // The second version counts for children where their parent says so.
    if limit == "memory.max" {
        write(folder.join("cgroup.subtree_control"), "+memory").ok()?;
    }
    Some((folder, limit))
}

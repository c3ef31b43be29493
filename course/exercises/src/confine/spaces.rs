//! A box's own user id and namespaces. A worker is started twice: the outer process makes the namespaces and waits; the inner one, the same
//! program again, is the first process in them, so all of the box ends with it, and it ends with the outer one.
//!
//! As root a box has the user id [`NOBODY`]. It keeps one capability until its files are found: reading what its own id may not, because
//! compilers often lie in root's home. Other users' boxes are in a user namespace; outside of it their id is still the user's, and what
//! that could reach is kept away by the other namespaces.

use anyhow::{Context, bail};
use nix::sched::{CloneFlags, unshare};
use rustix::process::{Pid, Signal, getegid, geteuid, getpid, getppid, kill_process, set_parent_process_death_signal};
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    configure_capability_in_ambient_set, set_capabilities, set_capabilities_secure_bits,
};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitCode};

/// The user and group id of boxes: nobody's, and not the one that network file systems give to unknown users.
pub const NOBODY: u32 = 65_533;

/// Which spaces of its own a box has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spaces {
    /// A user id, or a user namespace.
    pub user: bool,
    /// A pid namespace.
    pub pids: bool,
    /// A network namespace.
    pub network: bool,
    /// An ipc namespace.
    pub ipc: bool,
    /// A mount namespace.
    pub mounts: bool,
}

impl Spaces {
    /// As an argument of a command, and back.
    fn letters(self) -> String {
        let letters = [('u', self.user), ('p', self.pids), ('n', self.network), ('i', self.ipc), ('m', self.mounts)];
        letters.iter().filter(|(_, there)| *there).map(|(letter, _)| letter).collect()
    }

    fn of(letters: &str) -> Self {
        let there = |letter| letters.contains(letter);
        Spaces { user: there('u'), pids: there('p'), network: there('n'), ipc: there('i'), mounts: there('m') }
    }
}

/// Returns whether boxes get the id [`NOBODY`]: where this process is root, may change ids, and that id exists here.
fn changes_ids() -> bool {
    let needed = CapabilitySet::SETUID | CapabilitySet::SETGID | CapabilitySet::CHOWN;
    let may = capabilities(None).is_ok_and(|sets| sets.effective.contains(needed));
    let read = |file| std::fs::read_to_string(file).unwrap_or_default();
    let mapped = |file| {
        read(file).lines().any(|line| {
            let numbers: Vec<u64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            matches!(numbers[..], [first, _, count] if (first..first + count).contains(&u64::from(NOBODY)))
        })
    };
    let groups = read("/proc/self/setgroups").trim() != "deny";
    geteuid().is_root() && may && groups && mapped("/proc/self/uid_map") && mapped("/proc/self/gid_map")
}

/// Gives a folder and what is in it to the boxes, so that they can work in it: where they have another user id than this process.
pub fn hand_over(folder: &Path) -> anyhow::Result<()> {
    if !changes_ids() {
        return Ok(());
    }
    let give = |path: &Path| {
        std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)).with_context(|| format!("{}", path.display()))
    };
    give(folder)?;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() { hand_over(&entry.path())? } else { give(&entry.path())? }
    }
    Ok(())
}

/// The outer process: makes the namespaces that the kernel gives, starts `inner` in them, ends as that ended.
///
/// # Errors
/// A grader that has ended; a process that does not start.
pub fn outer(grader: u32, word: &str, work: &str) -> anyhow::Result<ExitCode> {
    end_with_parent(|| getppid().is_some_and(|parent| parent.as_raw_nonzero().get().unsigned_abs() == grader))?;
    // Nothing that the grader was started with reaches the box.
    close_fds::set_fds_cloexec(3, &[]);
    // One byte says that the grader is there and has put this process where it belongs.
    if rustix::io::read(std::io::stdin(), &mut [0_u8; 1])? != 1 {
        bail!("the grader has ended");
    }
    let changes_ids = changes_ids();
    let spaces = make(changes_ids);
    // Unsharing can reset this.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let mut command = Command::new("/proc/self/exe");
    command.args([word, "inner", &std::process::id().to_string(), &spaces.letters(), work]);
    if changes_ids {
        keep_reach()?;
        command.uid(NOBODY).gid(NOBODY);
    }
    let status = command.status().context("starting the inner process")?;
    if let Some(signal) = status.signal().and_then(Signal::from_named_raw) {
        // The first one may meet a handler.
        for _ in 0..2 {
            kill_process(getpid(), signal)?;
        }
    }
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)))
}

/// The inner process: ends with the outer one from now on. Says which spaces it is in.
///
/// # Errors
/// An outer process that has ended.
pub fn inner(outer: &str, letters: &str) -> anyhow::Result<Spaces> {
    // In a pid namespace the outer process has no number; the file system of processes, which is older than the namespace, tells it.
    let parent = || {
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)) == Some(outer)
    };
    end_with_parent(parent)?;
    let spaces = Spaces::of(letters);
    Ok(Spaces { pids: spaces.pids && getpid() == Pid::INIT, ..spaces })
}

fn end_with_parent(there: impl Fn() -> bool) -> anyhow::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if !there() {
        bail!("the process that started this one has ended");
    }
    Ok(())
}

/// Each namespace by itself, so that one that is refused costs no other.
fn make(changes_ids: bool) -> Spaces {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let rest = |spaces: Spaces| {
        let own = |flag| unshare(flag).is_ok();
        own(CloneFlags::CLONE_NEWUTS);
        own(CloneFlags::CLONE_NEWCGROUP);
        Spaces {
            pids: own(CloneFlags::CLONE_NEWPID),
            network: own(CloneFlags::CLONE_NEWNET),
            ipc: own(CloneFlags::CLONE_NEWIPC),
            mounts: own(CloneFlags::CLONE_NEWNS),
            ..spaces
        }
    };
    if changes_ids {
        return rest(Spaces { user: true, ..Spaces::default() });
    }
    if unshare(CloneFlags::CLONE_NEWUSER).is_err() {
        return rest(Spaces::default());
    }
    let put = |file: &str, text: String| std::fs::write(format!("/proc/self/{file}"), text).is_ok();
    // A process may give its own id one name inside, once it has given up changing groups.
    let mapped = put("setgroups", "deny".to_owned())
        && put("uid_map", format!("{NOBODY} {user} 1"))
        && put("gid_map", format!("{NOBODY} {group} 1"));
    rest(Spaces { user: mapped, ..Spaces::default() })
}

/// The capability with which a process of another id reads what root's files are in the way of.
const REACH: [CapabilitySet; 2] = [CapabilitySet::DAC_READ_SEARCH, CapabilitySet::DAC_OVERRIDE];

/// Lets the reach of root outlast the change of its id in what it starts next; all other capabilities end there.
fn keep_reach() -> anyhow::Result<()> {
    let sets = capabilities(None)?;
    let reach = REACH.into_iter().find(|&one| sets.permitted.contains(one));
    let Some(reach) = reach.filter(|_| sets.effective.contains(CapabilitySet::SETPCAP)) else { return Ok(()) };
    set_capabilities(None, CapabilitySets { inheritable: reach, ..sets })?;
    configure_capability_in_ambient_set(reach, true)?;
    set_capabilities_secure_bits(CapabilitiesSecureBits::NO_SETUID_FIXUP)?;
    Ok(())
}

/// Gives that up, and all other capabilities.
pub fn drop_reach() -> anyhow::Result<()> {
    clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
        .context("giving up capabilities")
}

//! seccomp: one list of allowed system calls for each kind of work; all others fail with EPERM. A process of another architecture's
//! calls is killed.

use anyhow::Context;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter,
};
use std::collections::BTreeMap;

/// System calls by the kind of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Calls {
    /// Trusted code that works on untrusted data: it reads files and starts threads.
    #[default]
    Data,
    /// A student's machine code: memory, the descriptors that it was given, its own end. It becomes the program with its last call.
    Program,
    /// A compiler driver that writes files and calls a linker.
    Build,
}

/// Constants of the crate `libc` by their names.
macro_rules! calls {
    ($($name:ident)*) => { &[$(libc::$name),*] };
}

/// The calls that every process needs: its memory, the descriptors that it has, the loader's files (Landlock says which), its clock, its end.
const ALWAYS: &[i64] = calls! {
    SYS_read SYS_readv SYS_pread64 SYS_write SYS_writev SYS_close SYS_lseek SYS_fstat SYS_newfstatat SYS_statx
    SYS_openat SYS_faccessat SYS_readlinkat SYS_getcwd SYS_ppoll SYS_munmap SYS_mprotect SYS_mremap SYS_madvise
    SYS_brk SYS_rt_sigaction SYS_rt_sigprocmask SYS_rt_sigreturn SYS_restart_syscall SYS_sigaltstack SYS_sched_yield
    SYS_getrandom SYS_clock_gettime SYS_clock_getres SYS_clock_nanosleep SYS_gettimeofday SYS_nanosleep SYS_getpid
    SYS_gettid SYS_getuid SYS_geteuid SYS_getgid SYS_getegid SYS_uname SYS_set_tid_address SYS_set_robust_list
    SYS_rseq SYS_exit SYS_exit_group
};

/// And what trusted code needs for files and for threads.
const DATA: &[i64] = calls! {
    SYS_getdents64 SYS_faccessat2 SYS_pwrite64 SYS_dup SYS_fcntl SYS_fadvise64 SYS_statfs SYS_fstatfs SYS_sysinfo
    SYS_getcpu SYS_getrusage SYS_membarrier
};

/// And what rustc, the compiler driver and the linker need: files of their own folder, processes.
const BUILD: &[i64] = calls! {
    SYS_execve SYS_wait4 SYS_waitid SYS_pipe2 SYS_dup3 SYS_recvfrom SYS_recvmsg SYS_sendto SYS_sendmsg SYS_shutdown
    SYS_getppid SYS_getpgid SYS_getsid SYS_ftruncate SYS_fallocate SYS_fsync SYS_fdatasync SYS_msync SYS_flock
    SYS_copy_file_range SYS_sendfile SYS_mkdirat SYS_unlinkat SYS_renameat2 SYS_linkat SYS_fchmod SYS_fchmodat
    SYS_utimensat SYS_umask SYS_chdir SYS_fchdir SYS_times SYS_readahead
};

/// The same calls by the names that this architecture has had before.
#[cfg(target_arch = "x86_64")]
const OLDER: [&[i64]; 3] = [
    calls! { SYS_open SYS_stat SYS_lstat SYS_access SYS_readlink SYS_poll SYS_time SYS_arch_prctl },
    &[],
    calls! {
        SYS_vfork SYS_fork SYS_pipe SYS_dup2 SYS_getpgrp SYS_mkdir SYS_rmdir SYS_unlink SYS_rename SYS_renameat
        SYS_link SYS_chmod SYS_getrlimit SYS_truncate SYS_utimes
    },
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: [&[i64]; 3] = [&[], &[], &[]];

/// An argument of a call: its number, how it is compared, with what. The last tells an integer, whose upper half is not the caller's to
/// choose, from a pointer.
type Argument = (u8, SeccompCmpOp, u64, SeccompCmpArgLen);

const NEW_NAMESPACES: u64 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u64;

/// Operations on a futex, without those that inherit priorities: waiting, waking, moving waiters.
const FUTEX: &[i32] = calls! {
    FUTEX_WAIT FUTEX_WAKE FUTEX_REQUEUE FUTEX_CMP_REQUEUE FUTEX_WAKE_OP
    FUTEX_WAIT_BITSET FUTEX_WAKE_BITSET
};

/// Refuses all calls but those of a kind of work, from this thread and all that it starts.
///
/// # Errors
/// A kernel without seccomp.
pub fn allow_only(calls: Calls) -> anyhow::Result<()> {
    let with = match calls {
        Calls::Program => 1,
        Calls::Data => 2,
        Calls::Build => 3,
    };
    let plain = [ALWAYS, DATA, BUILD].into_iter().zip(OLDER).take(with).flat_map(|(new, old)| new.iter().chain(old));
    let mut allowed: BTreeMap<i64, Vec<SeccompRule>> = plain.map(|&call| (call, Vec::new())).collect();
    for (call, alternatives) in looked_at(calls) {
        let rules: Vec<SeccompRule> = alternatives.into_iter().map(rule).collect::<anyhow::Result<_>>()?;
        allowed.insert(call, rules);
    }
    // The C library takes `clone` where `clone3`, whose arguments a filter cannot see, is unknown. The stricter of two filters counts.
    let unknown = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    allowed.insert(libc::SYS_clone3, Vec::new());
    let answer = |error: i32| anyhow::Ok(SeccompAction::Errno(u32::try_from(error)?));
    apply(unknown, SeccompAction::Allow, answer(libc::ENOSYS)?)?;
    apply(allowed, answer(libc::EPERM)?, SeccompAction::Allow)
}

/// Calls that are allowed with some arguments: each in one of several ways.
fn looked_at(calls: Calls) -> Vec<(i64, Vec<Vec<Argument>>)> {
    use SeccompCmpOp::{Eq, MaskedEq};
    let is = |number, value| (number, Eq, value, SeccompCmpArgLen::Dword);
    let has = |number, mask, value| (number, MaskedEq(mask), value, SeccompCmpArgLen::Dword);
    let none = |number| (number, Eq, 0, SeccompCmpArgLen::Qword);
    let one_of = |number, values: &[u64]| values.iter().map(|&value| vec![is(number, value)]).collect();
    let own = u64::from(std::process::id());
    let thread = libc::CLONE_THREAD as u64;
    let [abort, wake] = [libc::SIGABRT, libc::SIGUSR1].map(|signal| is(2, signal as u64));
    let only_reads = vec![is(0, 0), none(2)];
    let mut rows: Vec<(i64, Vec<Vec<Argument>>)> = vec![
        // Huge pages are the machine's, not the box's.
        (libc::SYS_mmap, vec![vec![has(3, libc::MAP_HUGETLB as u64, 0)]]),
        (libc::SYS_futex, FUTEX.iter().map(|&operation| vec![has(1, 127, operation as u64)]).collect()),
        (libc::SYS_sched_getaffinity, one_of(0, &[0, own])),
        (libc::SYS_prlimit64, vec![only_reads.clone()]),
        // The C library ends a process so.
        (libc::SYS_tgkill, vec![vec![is(0, own), abort.clone()]]),
    ];
    let names = [libc::PR_SET_NAME as u64, libc::PR_GET_NAME as u64, libc::PR_SET_VMA as u64];
    match calls {
        Calls::Program => {
            rows.push((libc::SYS_fcntl, one_of(1, &[libc::F_GETFD as u64, libc::F_GETFL as u64])));
            // With its last call the worker becomes the program. Landlock leaves it that file and the loader.
            rows.push((libc::SYS_execve, Vec::new()));
        }
        Calls::Data => {
            rows.push((libc::SYS_ioctl, one_of(1, &[libc::TCGETS])));
            rows.push((libc::SYS_prctl, one_of(0, &names)));
            rows.push((libc::SYS_clone, vec![vec![has(0, thread | NEW_NAMESPACES, thread)]]));
        }
        Calls::Build => {
            rows.push((libc::SYS_ioctl, one_of(1, &[libc::TCGETS, libc::FIONBIO, libc::FIOCLEX, libc::FIONREAD])));
            rows.push((libc::SYS_prctl, one_of(0, &names)));
            rows.push((libc::SYS_clone, vec![vec![has(0, NEW_NAMESPACES, 0)]]));
            // A compiler driver raises its own stack; rustc wakes its thread for the job server.
            let stack = vec![is(0, 0), is(1, u64::from(libc::RLIMIT_STACK))];
            rows.push((libc::SYS_prlimit64, vec![only_reads, stack]));
            rows.push((libc::SYS_tgkill, vec![vec![abort], vec![wake]]));
            rows.push((libc::SYS_socketpair, one_of(0, &[libc::AF_UNIX as u64])));
        }
    }
    rows
}

fn rule(arguments: Vec<Argument>) -> anyhow::Result<SeccompRule> {
    let conditions = arguments
        .into_iter()
        .map(|(number, how, value, length)| SeccompCondition::new(number, length, how, value).context("seccomp"));
    Ok(SeccompRule::new(conditions.collect::<anyhow::Result<_>>()?)?)
}

fn apply(rules: BTreeMap<i64, Vec<SeccompRule>>, others: SeccompAction, these: SeccompAction) -> anyhow::Result<()> {
    let filter = SeccompFilter::new(rules, others, these, std::env::consts::ARCH.try_into()?)?;
    let program: BpfProgram = filter.try_into()?;
    Ok(apply_filter(&program)?)
}

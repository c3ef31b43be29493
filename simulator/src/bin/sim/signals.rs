//! Signals that `sim` gets while its command runs.
#![allow(unsafe_code)]
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicI32, Ordering};

static COMMAND: AtomicI32 = AtomicI32::new(0);

/// A signal that nobody can hand on ends the command as well as `sim`.
pub fn end_with_sim(command: &mut Command) {
    // SAFETY: between `fork` and `exec` the new process makes one system call.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        })
    };
}

/// Ctrl-C ends the command, which the terminal tells itself, and the report follows; what ends `sim` alone is handed on to the command.
pub fn outlive(command: &Child) {
    COMMAND.store(command.id() as i32, Ordering::Relaxed);
    for signal in [libc::SIGINT, libc::SIGQUIT] {
        // SAFETY: to ignore a signal runs no code of ours; the command was started before, with its own dispositions.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
    for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1, libc::SIGUSR2] {
        // SAFETY: the handler does nothing but a call that is allowed in handlers.
        let before = unsafe { libc::signal(signal, hand_on as extern "C" fn(i32) as libc::sighandler_t) };
        if before == libc::SIG_IGN {
            // SAFETY: as above; `nohup` and the like had it ignored.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
    }
}

extern "C" fn hand_on(signal: i32) {
    // SAFETY: a number of a process of ours that was not waited for yet, and the signal that came.
    unsafe { libc::kill(COMMAND.load(Ordering::Relaxed), signal) };
}

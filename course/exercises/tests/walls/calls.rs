//! A program that tries what leads out of its box, and prints for each call what the kernel answered. It stands for any machine code: a
//! student's `safe` Rust reaches all of it by the hole of implied bounds (`exploits/implied_bounds`).
//!
//! Its input is `box` or `outside`, the grader's id, a neighbour's, and a file that everybody may read. Each call is valid in itself, as
//! far as a box has what it takes, so an error is a wall's answer: outside of a box, those that do no harm there succeed. Errors that the
//! kernel has for other mistakes (EBADF, EFAULT, EINVAL, ENOTTY, ESRCH) do not count as refused.
use std::arch::asm;
use std::io::Write;

const EPERM: i64 = 1;
const EBADF: i64 = 9;
const EACCES: i64 = 13;
const ENOSYS: i64 = 38;

/// The error that seccomp answers. seccomp comes before the namespaces, which would answer ESRCH about another process.
const SECCOMP: i64 = EPERM;
/// The error that Landlock answers.
const LANDLOCK: i64 = EACCES;

struct Try {
    name: String,
    number: i64,
    arguments: [i64; 6],
    /// The error with which a box refuses it.
    refused: i64,
    /// True if it is also tried outside of a box: what changes nothing for anybody else.
    harmless: bool,
}

unsafe fn call(number: i64, a: [i64; 6]) -> i64 {
    let answer: i64;
    unsafe {
        asm!("syscall", inlateout("rax") number => answer, in("rdi") a[0], in("rsi") a[1], in("rdx") a[2], in("r10") a[3],
            in("r8") a[4], in("r9") a[5], lateout("rcx") _, lateout("r11") _);
    }
    answer
}

/// The address of something that is never freed.
fn of<T>(value: T) -> i64 {
    Box::leak(Box::new(value)) as *const T as i64
}

fn text(text: &str) -> i64 {
    format!("{text}\0").leak().as_ptr() as i64
}

/// The words of a structure: zeros but for some.
fn words<const N: usize>(set: &[(usize, i64)]) -> i64 {
    let mut words = [0; N];
    set.iter().for_each(|&(place, value)| words[place] = value);
    of(words)
}

/// On the program itself and on the machine.
fn own(readable: &str) -> Vec<Try> {
    let row = |name: &str, number, arguments, refused, harmless| {
        let name = name.to_owned();
        Try { name, number, arguments, refused, harmless }
    };
    let limit = of([600_i64 << 20; 2]);
    let id = words::<2>(&[]);
    let arguments = of([text("sh"), text("-c"), text("echo 'passed: execve'"), 0]);
    let no_variables = of([0_i64]);
    let name = text("labs-wall");
    vec![
        row("kill(-1)", 62, [-1, 0, 0, 0, 0, 0], SECCOMP, false),
        row("getppid", 110, [0; 6], SECCOMP, true),
        row("socket", 41, [2, 1, 0, 0, 0, 0], SECCOMP, true),
        row("socketpair", 53, [1, 1, 0, id, 0, 0], SECCOMP, true),
        row("pipe", 22, [id, 0, 0, 0, 0, 0], SECCOMP, true),
        row("clone", 56, [17, 0, 0, 0, 0, 0], SECCOMP, true),
        row("fork", 57, [0; 6], SECCOMP, true),
        row("vfork", 58, [0; 6], SECCOMP, false),
        // So that the C library takes the call whose flags a filter can see.
        row("clone3", 435, [words::<8>(&[(4, 17)]), 64, 0, 0, 0, 0], ENOSYS, true),
        row("shmget", 29, [0, 4096, 0o1600, 0, 0, 0], SECCOMP, false),
        row("msgget", 68, [0, 0o1600, 0, 0, 0, 0], SECCOMP, false),
        row("semget", 64, [0, 1, 0o1600, 0, 0, 0], SECCOMP, false),
        row("mq_open", 240, [name, 0o102, 0o600, 0, 0, 0], SECCOMP, false),
        row("mount", 165, [text("none"), text("."), text("tmpfs"), 0, 0, 0], SECCOMP, false),
        row("reboot", 169, [0xfee1_dead, 0x2812_1969, 0, 0, 0, 0], SECCOMP, false),
        row("init_module", 175, [words::<8>(&[]), 64, text(""), 0, 0, 0], SECCOMP, false),
        row("clock_settime", 227, [0, of([1_700_000_000_i64, 0]), 0, 0, 0, 0], SECCOMP, false),
        row("unshare", 272, [0x1000_0000, 0, 0, 0, 0, 0], SECCOMP, false),
        // No namespace can be opened in a box; the error still tells who refused.
        row("setns", 308, [0, 0, 0, 0, 0, 0], SECCOMP, false),
        row("io_uring_setup", 425, [8, words::<15>(&[]), 0, 0, 0, 0], SECCOMP, false),
        row("memfd_create", 319, [name, 0, 0, 0, 0, 0], SECCOMP, true),
        // An array of one word.
        row("bpf", 321, [0, of([2_i32, 4, 8, 1, 0, 0, 0, 0, 0, 0]), 40, 0, 0, 0], SECCOMP, false),
        row("userfaultfd", 323, [1, 0, 0, 0, 0, 0], SECCOMP, false),
        // The processor time of this program, without the kernel's.
        row("perf_event_open", 298, [words::<16>(&[(0, 1 | 128 << 32), (1, 1), (5, 0x60)]), 0, -1, -1, 0, 0], SECCOMP, false),
        row("keyctl", 250, [0, -1, 1, 0, 0, 0], SECCOMP, false),
        row("setpgid", 109, [0; 6], SECCOMP, true),
        row("setsid", 112, [0; 6], SECCOMP, false),
        row("prlimit64(self, sets)", 302, [0, 9, limit, 0, 0, 0], SECCOMP, false),
        row("setrlimit", 160, [4, of([0_i64; 2]), 0, 0, 0, 0], SECCOMP, true),
        row("chmod", 90, [text("."), 0o755, 0, 0, 0, 0], SECCOMP, true),
        row("mkdir", 83, [text("made"), 0o755, 0, 0, 0, 0], SECCOMP, true),
        row("ioctl(FIONREAD)", 16, [0, 0x541b, id, 0, 0, 0], SECCOMP, true),
        // Standard input is no terminal; the error still tells who refused.
        row("ioctl(TIOCSTI)", 16, [0, 0x5412, id, 0, 0, 0], SECCOMP, false),
        row("execveat", 322, [-100, text("/bin/sh"), arguments, no_variables, 0, 0], SECCOMP, false),
        row("open a file of the grader's", 2, [text(readable), 0, 0, 0, 0, 0], LANDLOCK, true),
        row("openat a file of the grader's", 257, [-100, text(readable), 0, 0, 0, 0], LANDLOCK, true),
        row("open /etc/passwd", 2, [text("/etc/passwd"), 0, 0, 0, 0, 0], LANDLOCK, true),
        row("open /proc/self/mem", 2, [text("/proc/self/mem"), 2, 0, 0, 0, 0], LANDLOCK, true),
        row("open /proc/self/status", 2, [text("/proc/self/status"), 0, 0, 0, 0, 0], LANDLOCK, true),
        row("open a new file", 2, [text("new"), 0o101, 0o600, 0, 0, 0], LANDLOCK, true),
        row("open a file of its folder to write", 2, [text("main.rs"), 1, 0, 0, 0, 0], LANDLOCK, true),
        // The last: where it succeeds, the shell tells so.
        row("execve", 59, [text("/bin/sh"), arguments, no_variables, 0, 0, 0], LANDLOCK, true),
    ]
}

/// On another process. Outside of a box no signal is sent, and a neighbour's limit and priority are set only to what they are.
fn on_another(whose: &str, id: i64, inside: bool, own_child: bool) -> Vec<Try> {
    let signal = |number| if inside { number } else { 0 };
    // A siginfo of a queued signal: its number, no error, SI_QUEUE.
    let queued = words::<16>(&[(0, signal(9)), (1, 0xffff_ffff)]);
    let limit = of([600_i64 << 20; 2]);
    if !inside {
        assert_eq!(unsafe { call(302, [0, 9, 0, limit, 0, 0]) }, 0, "the limit that the neighbour has, too");
    }
    let word = of([of(0_i64), 8]);
    let mask = words::<16>(&[(0, 1)]);
    let old = words::<2>(&[]);
    let rows: [(&str, i64, [i64; 6], bool); 13] = [
        ("kill", 62, [id, signal(9), 0, 0, 0, 0], true),
        ("tkill", 200, [id, signal(9), 0, 0, 0, 0], true),
        ("tgkill", 234, [id, id, signal(9), 0, 0, 0], true),
        ("tgkill, abort", 234, [id, id, signal(6), 0, 0, 0], true),
        ("rt_sigqueueinfo", 129, [id, signal(9), queued, 0, 0, 0], true),
        ("rt_tgsigqueueinfo", 297, [id, id, signal(9), queued, 0, 0], true),
        ("prlimit64, reads", 302, [id, 9, 0, old, 0, 0], true),
        ("prlimit64, sets", 302, [id, 9, limit, 0, 0, 0], own_child),
        ("pidfd_open", 434, [id, 0, 0, 0, 0, 0], true),
        ("sched_setaffinity", 203, [id, 128, mask, 0, 0, 0], own_child),
        ("setpriority", 141, [0, id, 19, 0, 0, 0], own_child),
        ("ptrace", 101, [16, id, 0, 0, 0, 0], false),
        ("process_vm_writev", 311, [id, word, 1, word, 1, 0], false),
    ];
    let row = |(name, number, arguments, harmless): (&str, i64, [i64; 6], bool)| Try {
        name: format!("{name}({whose})"),
        number,
        arguments,
        refused: SECCOMP,
        harmless,
    };
    rows.into_iter().map(row).collect()
}

/// Processes that a call has started here have nothing to do.
const STARTS: [i64; 3] = [56, 57, 435];

fn main() {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    let [place, grader, neighbour, readable] = words[..] else { panic!("four words") };
    let (inside, [grader, neighbour]) = (place == "box", [grader, neighbour].map(|id| id.parse().unwrap()));
    assert!(unsafe { call(39, [0; 6]) } > 0, "an allowed call passes: getpid");

    let status = of([0_i64; 32]);
    for descriptor in 3..1024 {
        match unsafe { call(5, [descriptor, status, 0, 0, 0, 0]) } {
            answer if answer == -EBADF => {}
            0 => println!("passed: descriptor {descriptor}"),
            other => println!("wrong: descriptor {descriptor}: error {}", -other),
        }
    }
    let another = on_another("grader", grader, inside, false).into_iter();
    let another = another.chain(on_another("neighbour", neighbour, inside, true));
    for Try { name, number, arguments, refused, harmless } in another.chain(own(readable)) {
        if !inside && !harmless {
            continue;
        }
        let answer = unsafe { call(number, arguments) };
        if answer == 0 && STARTS.contains(&number) {
            unsafe { call(231, [0; 6]) };
        }
        match answer {
            0.. => println!("passed: {name}"),
            answer if answer == -refused => println!("refused: {name}"),
            other => println!("wrong: {name}: error {}", -other),
        }
        std::io::stdout().flush().unwrap();
    }
}

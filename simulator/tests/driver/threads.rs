//! Kernels beside other calls: what other threads do while one runs, and several devices at a time.
use crate::{CudaContext, context, function, launch, ok, pinned, stream, text};
use cudarc::driver::sys::CUresult;
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const KERNELS: &str = concat!(include_str!("threads.ptx"), "\0");

/// A stream that nothing else is ordered with, and a kernel of the current context.
#[derive(Clone, Copy)]
struct Launcher {
    stream: usize,
    function: usize,
}

impl Launcher {
    fn new(name: &CStr) -> Launcher {
        Launcher { stream: stream(1) as usize, function: function(KERNELS.as_bytes(), name) as usize }
    }

    fn launch(self, pointer: u64, n: u32) {
        ok(launch(self.function as _, 1, 32, self.stream as _, &[pointer, n.into()]));
    }

    fn wait(self) -> CUresult {
        call!(cuStreamSynchronize(self.stream as _))
    }
}

#[test]
fn other_threads_call_while_a_kernel_runs() {
    let context = context();
    let kernel = Launcher::new(c"wait");
    let words = pinned(4);
    words.fill(0);
    let at = words.as_mut_ptr() as u64;
    let has_begun = || {
        // SAFETY: live memory that the kernel writes as a whole word.
        unsafe { (at as *const u32).add(1).read_volatile() != 0 }
    };
    let event = made!(cuEventCreate(0));
    kernel.launch(at, 7);
    ok!(cuEventRecord(event, kernel.stream as _));
    let mut times = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            context.bind_to_thread().unwrap();
            ok(kernel.wait());
        });
        while !has_begun() {
            std::thread::yield_now();
        }
        // The kernel runs until it is answered below.
        for _ in 0..2000 {
            let start = Instant::now();
            made!(cuMemAlloc_v2(64));
            assert_eq!(call!(cuEventQuery(event)), CUresult::CUDA_ERROR_NOT_READY);
            times.push(start.elapsed());
        }
        // SAFETY: live memory that the kernel only reads.
        unsafe { (at as *mut u32).write_volatile(7) };
    });
    ok!(cuEventQuery(event));
    // The host's scheduler puts some off; half of them it does not.
    times.sort_unstable();
    assert!(times[times.len() / 2] < Duration::from_micros(200), "{:?}", times[times.len() / 2]);
}

#[test]
fn a_kernel_sees_what_the_host_writes_while_it_runs() {
    let context = context();
    let kernel = Launcher::new(c"wait");
    let managed = made!(cuMemAllocManaged(16, 1));
    let pinned = pinned(4).as_mut_ptr() as u64;
    let as_program = |at: u64| {
        // SAFETY: live memory that the kernel only reads.
        unsafe { (at as *mut u32).write_volatile(7) };
    };
    let as_memset = |at: u64| ok!(cuMemsetD32_v2(at, 7, 1));
    let as_copy = |at: u64| {
        let seven = 7u32;
        ok!(cuMemcpyHtoD_v2(at, (&raw const seven).cast(), 4));
    };
    let in_a_stream = |at: u64| {
        let stream = made!(cuStreamCreate(1));
        ok!(cuStreamWriteValue32_v2(stream, at, 7, 0));
        ok!(cuStreamSynchronize(stream));
    };
    let answers: [&(dyn Fn(u64) + Sync); 4] = [&as_program, &as_memset, &as_copy, &in_a_stream];
    for at in [pinned, managed] {
        for answer in answers {
            // SAFETY: live memory; the kernel is launched after this.
            unsafe { std::ptr::write_bytes(at as *mut u32, 0, 4) };
            let word = |index: usize| {
                // SAFETY: live memory that the kernel writes as a whole word.
                unsafe { (at as *const u32).add(index).read_volatile() }
            };
            kernel.launch(at, 7);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    context.bind_to_thread().unwrap();
                    let start = Instant::now();
                    while word(1) == 0 && start.elapsed() < Duration::from_secs(20) {
                        std::thread::yield_now();
                    }
                    // Long enough for a wait among the kernel's own blocks to be taken for one without end.
                    std::thread::sleep(Duration::from_millis(300));
                    answer(at);
                });
                let result = kernel.wait();
                assert_eq!(result, CUresult::CUDA_SUCCESS, "{}", text(result));
            });
            assert_eq!(word(2), 7);
        }
    }
}

#[test]
fn two_devices_run_at_the_same_time() {
    crate::simulator();
    let contexts = [0, 1].map(|ordinal| CudaContext::new_non_primary(ordinal, 0).unwrap());
    let flags = {
        contexts[0].bind_to_thread().unwrap();
        pinned(4)
    };
    flags.fill(0);
    let at = flags.as_mut_ptr() as u64;
    // One device waits for the value that the other one's kernel writes.
    let launchers = [c"wait", c"set"].map(|name| {
        let context = &contexts[usize::from(name == c"set")];
        context.bind_to_thread().unwrap();
        Launcher::new(name)
    });
    std::thread::scope(|scope| {
        for (launcher, context) in launchers.iter().zip(&contexts) {
            scope.spawn(move || {
                context.bind_to_thread().unwrap();
                launcher.launch(at, 7);
                let result = launcher.wait();
                assert_eq!(result, CUresult::CUDA_SUCCESS, "{}", text(result));
            });
        }
    });
    // SAFETY: nobody writes any more.
    assert_eq!(unsafe { (at as *const u32).add(2).read_volatile() }, 7);

    // One wait that needs kernels of both devices, each of which ends after the other one has begun: no order of the two,
    // one after the other, would end.
    let works = [c"first", c"second"].map(|name| {
        contexts[usize::from(name == c"second")].bind_to_thread().unwrap();
        Launcher::new(name)
    });
    let event = made!(cuEventCreate(2));
    for n in 8..28 {
        for work in works {
            work.launch(at, n);
        }
        ok!(cuEventRecord(event, works[1].stream as _));
        ok!(cuStreamWaitEvent(works[0].stream as _, event, 0));
        let result = works[0].wait();
        assert_eq!(result, CUresult::CUDA_SUCCESS, "{}", text(result));
    }
}

/// The end of a child made by `fork` now: 7 if every call was answered as it should be, a signal if one never was.
fn end_of_a_child() -> (bool, i32) {
    let (mut version, mut count, mut address) = (0, 0, 0);
    // SAFETY: the child calls the driver, which answers without its state, and leaves at once.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: places for results.
        let results = unsafe {
            libc::alarm(20);
            [
                call!(cuInit(0)),
                call!(cuDeviceGetCount(&mut count)),
                call!(cuMemAlloc_v2(&mut address, 64)),
                call!(cuDriverGetVersion(&mut version)),
            ]
        };
        let refused = CUresult::CUDA_ERROR_NOT_INITIALIZED;
        let wanted = [refused, refused, refused, CUresult::CUDA_SUCCESS];
        // SAFETY: ends the child without what the parent would do at its end.
        unsafe { libc::_exit(if results == wanted && version > 0 { 7 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: the child made above, and a place for its status.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    (libc::WIFEXITED(status), libc::WEXITSTATUS(status))
}

#[test]
fn a_forked_child_of_a_started_driver_gets_no_answer() {
    let context = context();
    let over = AtomicBool::new(false);
    std::thread::scope(|threads| {
        // While another thread holds the driver's state, most of the time.
        threads.spawn(|| {
            context.bind_to_thread().unwrap();
            let (mut free, mut total) = (0, 0);
            while !over.load(Ordering::Relaxed) {
                ok!(cuMemGetInfo_v2(&mut free, &mut total));
            }
        });
        let ends: Vec<_> = (0..20).map(|_| end_of_a_child()).collect();
        over.store(true, Ordering::Relaxed);
        assert_eq!(ends, [(true, 7); 20]);
    });
    // The parent goes on.
    let address = made!(cuMemAlloc_v2(64));
    ok!(cuMemFree_v2(address));
}

/// A program may wait for a host function by means of its own.
#[test]
fn a_host_function_is_called_though_nobody_calls_the_driver() {
    unsafe extern "C" fn set(flag: *mut c_void) {
        // SAFETY: the flag below, which lives as long as the process.
        unsafe { &*flag.cast::<AtomicBool>() }.store(true, Ordering::Release);
    }
    static FLAG: AtomicBool = AtomicBool::new(false);
    let _context = context();
    ok!(cuLaunchHostFunc(null_mut(), Some(set), (&raw const FLAG).cast_mut().cast()));
    let begin = Instant::now();
    while !FLAG.load(Ordering::Acquire) {
        assert!(begin.elapsed() < Duration::from_secs(60), "it was never called");
        std::thread::sleep(Duration::from_millis(5));
    }
}

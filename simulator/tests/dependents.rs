//! Kernels that may overlap: launches that may begin before the one before them has ended (programmatic dependent launch), and nodes of a
//! graph. A program of its own: its card is an H200.
#![allow(unsafe_code)]
#[path = "driver/card.rs"]
#[macro_use]
mod card;

use card::{begin_capture, bridge, device, end_capture, one, simulator, stream, zeroed};
use cudarc::driver::sys::{self, CUdeviceptr, CUstream};
use std::ffi::CString;
use std::ptr::null_mut;

/// Words of a buffer, and threads of the one block of each kernel.
const WORDS: usize = 64;

/// Kernels `out[i] = in[i] + 1`, by what they do first.
const KERNELS: [(&str, &str); 6] = [
    ("plain", ""),
    ("lets_go", "griddepcontrol.launch_dependents;"),
    ("waits", "griddepcontrol.wait;"),
    ("one_waits", "setp.ne.u32 %q, %r1, 0; @%q bra MEET; griddepcontrol.wait; MEET: bar.sync 0;"),
    ("lets_go_and_waits", "griddepcontrol.launch_dependents; griddepcontrol.wait;"),
    ("waits_and_lets_go", "griddepcontrol.wait; griddepcontrol.launch_dependents;"),
];

fn text() -> CString {
    let kernel =
        |(name, first): &(&str, &str)| include_str!("dependents.ptx").replace("{name}", name).replace("{first}", first);
    let kernels: String = KERNELS.iter().map(kernel).collect();
    CString::new(format!(".version 8.0\n.target sm_90\n.address_size 64\n{kernels}")).unwrap()
}

/// A loaded module and a stream.
struct Card {
    module: sys::CUmodule,
    stream: CUstream,
}

impl Card {
    fn new() -> Card {
        let text = text();
        let module = made!(cuModuleLoadData(text.as_ptr().cast()));
        Card { module, stream: stream(1) }
    }

    /// `out = in + 1` on the card's stream, by a kernel that may begin before the launch before it has ended, or may not.
    fn run(&self, name: &str, overlaps: bool, out: CUdeviceptr, from: CUdeviceptr) {
        self.run_on(self.stream, name, overlaps, out, from);
    }

    fn run_on(&self, stream: CUstream, name: &str, overlaps: bool, out: CUdeviceptr, from: CUdeviceptr) {
        let name = CString::new(name).unwrap();
        let mut parameters = [&out, &from].map(|value| std::ptr::from_ref(value).cast_mut().cast());
        let mut attribute: sys::CUlaunchAttribute = zeroed();
        attribute.id = sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        attribute.value.programmaticStreamSerializationAllowed = 1;
        let mut config: sys::CUlaunchConfig = zeroed();
        (config.gridDimX, config.gridDimY, config.gridDimZ) = (1, 1, 1);
        (config.blockDimX, config.blockDimY, config.blockDimZ) = (WORDS as u32, 1, 1);
        (config.hStream, config.attrs, config.numAttrs) = (stream, &raw mut attribute, u32::from(overlaps));
        let function = made!(cuModuleGetFunction(self.module, name.as_ptr()));
        ok!(cuLaunchKernelEx(&config, function, parameters.as_mut_ptr(), null_mut()));
    }
}

/// Words of the device that are all 0.
fn zeros() -> CUdeviceptr {
    device(WORDS, 0)
}

/// Buffers of a program, all 0.
type Buffers = [CUdeviceptr; 3];

/// The messages of what a program does.
fn found(run: impl FnOnce(&Card, Buffers)) -> Vec<String> {
    card::found(|| run(&Card::new(), [(); 3].map(|()| zeros())))
}

/// One test: findings and settings are those of the process.
#[test]
fn kernels_that_may_overlap_are_judged_as_overlapping() {
    // SAFETY: nobody else reads the environment.
    unsafe { std::env::set_var("LABS_SIM_PROFILE", "h200") };
    simulator();
    assert_eq!(bridge("labs_sim_configure", r#"{"sanitize": true}"#), "");
    launches();
    nodes();
}

fn launches() {
    let told = found(|card, [p, q, r]| {
        card.run("lets_go", false, p, q);
        card.run("plain", true, r, p);
    });
    one(
        &told,
        &[
            "`plain` uses",
            "has not waited for the launch before it",
            "first: the kernel `lets_go` on stream",
            "writes it (PTX:",
            "second: the kernel `plain`",
            "reads it (PTX:",
            "cudaGridDependencySynchronize",
        ],
    );
    // The second kernel writes to memory that the first reads.
    let told = found(|card, [p, q, r]| {
        card.run("lets_go", false, q, p);
        card.run("plain", true, p, r);
    });
    one(&told, &["first: the kernel `lets_go` on stream", "reads it", "writes it"]);
    // The one before the one before: the middle one let the last begin before it had waited itself.
    let told = found(|card, [p, q, r]| {
        card.run("lets_go", false, p, p);
        card.run("lets_go_and_waits", true, q, q);
        card.run("plain", true, r, p);
    });
    one(&told, &["first: the kernel `lets_go` on", "second: the kernel `plain`"]);
    type Case<'a> = (&'a str, &'a dyn Fn(&Card, Buffers));
    let silent: [Case<'_>; 8] = [
        ("it waits", &|card, [p, q, r]| {
            card.run("lets_go", false, p, q);
            card.run("waits", true, r, p);
        }),
        ("a thread waits, and the others meet it at a barrier", &|card, [p, q, r]| {
            card.run("lets_go", false, p, q);
            card.run("one_waits", true, r, p);
        }),
        ("it is launched as ever", &|card, [p, q, r]| {
            card.run("lets_go", false, p, q);
            card.run("plain", false, r, p);
        }),
        ("the first lets nobody begin before it ends", &|card, [p, q, r]| {
            card.run("plain", false, p, q);
            card.run("plain", true, r, p);
        }),
        ("other memory", &|card, [p, q, r]| {
            card.run("lets_go", false, p, p);
            card.run("plain", true, q, r);
        }),
        ("no launch is before it", &|card, [p, q, r]| {
            card.run("lets_go", false, p, p);
            ok!(cuMemsetD32Async(q, 1, WORDS, card.stream));
            card.run("plain", true, r, p);
        }),
        ("the middle one has waited before it let the last begin", &|card, [p, q, r]| {
            card.run("lets_go", false, p, p);
            card.run("waits_and_lets_go", true, q, q);
            card.run("plain", true, r, p);
        }),
        ("the host has waited", &|card, [p, q, r]| {
            card.run("lets_go", false, p, q);
            ok!(cuStreamSynchronize(card.stream));
            card.run("plain", true, r, p);
        }),
    ];
    for (what, run) in silent {
        let told = found(run);
        assert!(told.is_empty(), "{what}: {told:#?}");
    }
}

/// Captures what two streams do, of which the second begins after the first's beginning and joins it, and runs that graph.
fn replayed(card: &Card, run: impl FnOnce(CUstream, CUstream)) {
    let (beside, fork) = (stream(1), [0; 2].map(|flags| made!(cuEventCreate(flags))));
    begin_capture(card.stream);
    ok!(cuEventRecord(fork[0], card.stream));
    ok!(cuStreamWaitEvent(beside, fork[0], 0));
    run(card.stream, beside);
    ok!(cuEventRecord(fork[1], beside));
    ok!(cuStreamWaitEvent(card.stream, fork[1], 0));
    ok!(cuGraphLaunch(end_capture(card.stream), card.stream));
}

fn nodes() {
    let told = found(|card, [p, q, _]| {
        replayed(card, |a, b| {
            card.run_on(a, "plain", false, p, p);
            card.run_on(b, "plain", false, q, p);
        });
    });
    one(&told, &["two nodes of a graph use", "writes it", "reads it", "add an edge"]);
    let told = found(|card, [p, q, r]| {
        replayed(card, |a, b| {
            card.run_on(a, "lets_go", false, p, p);
            card.run_on(a, "plain", true, q, p);
            card.run_on(b, "plain", false, r, r);
        });
    });
    one(&told, &["`plain` uses", "has not waited for the launch before it"]);
    let told = found(|card, [p, q, r]| {
        replayed(card, |a, b| {
            card.run_on(a, "plain", false, q, p);
            card.run_on(b, "plain", false, r, p);
        });
    });
    assert!(told.is_empty(), "both only read: {told:#?}");
}

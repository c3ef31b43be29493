//! Kernels that launch kernels, as `nvcc -rdc=true` compiles them: the order of what a block launches, errors, what the clock and a fault
//! make of it.
use crate::link::Link;
use crate::{context, device, function, ok};
use cudarc::driver::sys::CUresult;
use std::ptr::null_mut;

const HEAD: &str = include_str!("device_launch.ptx");

/// `kernel<<<1, threads, 0, stream>>>(%d1, mark)` where the 64-bit register or number `stream` says. What it has taken is in `%r9`.
fn launch(kernel: &str, threads: u32, stream: &str, mark: &str) -> String {
    include_str!("launch.ptx")
        .replace("{kernel}", kernel)
        .replace("{threads}", &threads.to_string())
        .replace("{stream}", stream)
        .replace("{mark}", mark)
}

/// `parent`, a kernel with a body, and what it leaves of 64 words that were 0.
fn run(body: &str, blocks: u32) -> (CUresult, [u32; 64]) {
    let link = Link::new(0);
    let text = format!("{HEAD}{}", include_str!("parent.ptx").replace("{body}", body));
    ok(link.ptx(&text, c"parent.ptx"));
    let (result, image) = link.complete();
    ok(result);
    let f = function(&image, c"parent");
    let (on_device, mut host) = (device(64, 0), [0u32; 64]);
    ok(crate::launch(f, blocks, 1, null_mut(), &[on_device, 3]));
    (call!(cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), on_device, 256)), host)
}

/// The same of a kernel that ends well.
fn done(body: &str, blocks: u32) -> [u32; 64] {
    let (outcome, host) = run(body, blocks);
    ok(outcome);
    host
}

#[test]
fn a_blocks_launches_keep_their_order_and_the_tail_comes_last() {
    let _context = context();
    let body = [
        launch("mark", 1, "3", "1"),
        launch("mark", 1, "0", "2"),
        launch("mark", 1, "0", "3"),
        launch("mark", 1, "3", "4"),
        // The parent's own mark comes before all of them.
        "atom.global.add.u32 %r3, [%d1], 1; st.global.u32 [%d1+4], 9;".to_owned(),
    ];
    let host = done(&body.concat(), 1);
    assert_eq!(host[..7], [5, 9, 2, 3, 1, 4, 0]);
}

#[test]
fn launches_nest_and_a_tail_waits_for_all_descendants() {
    let _context = context();
    // Each parent of depth n launches two of depth n − 1, and then marks its own depth from its tail.
    let body = [
        launch("mark", 1, "3", "%r1"),
        "setp.eq.u32 %p, %r1, 0;\n@%p ret;\nsub.u32 %r4, %r1, 1;\n".to_owned(),
        launch("parent", 1, "0", "%r4"),
        launch("parent", 1, "4", "%r4"),
    ];
    let host = done(&body.concat(), 1);
    assert_eq!(host[..16], [15, 0, 0, 1, 0, 0, 1, 2, 0, 0, 1, 0, 0, 1, 2, 3]);
}

#[test]
fn a_tail_launch_may_follow_another_ten_thousand_times() {
    let _context = context();
    let body = [
        "ld.global.u32 %r5, [%d1]; add.u32 %r5, %r5, 1; st.global.u32 [%d1], %r5;\nsetp.eq.u32 %p, %r5, 10000;\n@%p ret;\n"
            .to_owned(),
        launch("parent", 1, "3", "%r1"),
    ];
    let host = done(&body.concat(), 1);
    assert_eq!(host[0], 10000);
}

#[test]
fn blocks_launch_in_their_order_and_a_named_stream_is_another() {
    let _context = context();
    let made = "{ .param .b64 to; .param .b32 flags; .param .b32 status;
    cvta.local.u64 %d2, slot; st.param.b64 [to], %d2; st.param.b32 [flags], 1;
    call.uni (status), __cudaCDP2StreamCreateWithFlags, (to, flags); }
    ld.local.u64 %d3, [slot];
"
    .replace("cvta.local.u64 %d2, slot;", "mov.u64 %d2, slot; cvta.local.u64 %d2, %d2;");
    let host = done(&(made + &launch("mark", 1, "%d3", "%r2") + &launch("mark", 1, "0", "%r2")), 4);
    assert_eq!(host[..10], [8, 0, 0, 1, 1, 2, 2, 3, 3, 0]);
}

#[test]
fn copies_and_fills_stand_in_the_blocks_stream() {
    let _context = context();
    let moved = "{ .param .b64 to; .param .b32 value; .param .b64 bytes; .param .b64 s; .param .b32 status;
    add.u64 %d2, %d1, 64; st.param.b64 [to], %d2; st.param.b32 [value], 3; st.param.b64 [bytes], 5; st.param.b64 [s], 0;
    call.uni (status), __cudaCDP2MemsetAsync, (to, value, bytes, s); }
    { .param .b64 to; .param .b64 from; .param .b64 bytes; .param .b32 kind; .param .b64 s; .param .b32 status;
    add.u64 %d2, %d1, 128; st.param.b64 [to], %d2; st.param.b64 [from], %d1; st.param.b64 [bytes], 72; st.param.b32 [kind], 3;
    st.param.b64 [s], 0;
    call.uni (status), __cudaCDP2MemcpyAsync, (to, from, bytes, kind, s); }
";
    let host = done(&(launch("mark", 1, "0", "77") + moved), 1);
    assert_eq!((host[0], host[1], host[16], host[17]), (1, 77, 0x0303_0303, 3));
    assert_eq!(host[32..50], host[..18]);
}

#[test]
fn what_no_card_takes_is_an_error_of_the_thread() {
    let _context = context();
    let error = |to: u32| {
        format!(
            "{{ .param .b32 error; call.uni (error), __cudaCDP2GetLastError, (); ld.param.b32 %r5, [error]; }}
    st.global.u32 [%d1+{to}], %r5;
"
        )
    };
    let body = launch("mark", 1025, "0", "1") + &error(64) + &error(68) + &launch("mark", 1, "0", "5") + &error(72);
    let host = done(&body, 1);
    // cudaErrorInvalidConfiguration, taken; the second launch is a good one.
    assert_eq!((host[16], host[17], host[18], host[0], host[1]), (9, 0, 0, 1, 5));
}

#[test]
fn a_fault_of_a_child_ends_the_context_of_its_ancestor() {
    let _context = context();
    let (outcome, _) = run(&launch("astray", 1, "0", "1"), 1);
    assert_eq!(outcome, CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
}

//! The program that the tests run under `sim`: it speaks to whatever `libcuda.so` the loader finds.

use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, LaunchConfig, PushKernelArg};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;

/// A kernel with these parameters and this body.
fn kernel(context: &Arc<CudaContext>, parameters: &str, body: &str) -> CudaFunction {
    let text = format!(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry one({parameters})\n{body}\n");
    let module = context.load_module(cudarc::nvrtc::Ptx::from_src(text)).expect("a module");
    module.load_function("one").expect("its kernel")
}

/// Launches eight blocks of so many threads, of which each leaves its number in the word that comes back. What came before is done.
fn last_block(context: &Arc<CudaContext>, stream: &Arc<CudaStream>, threads: u32) -> CudaSlice<u32> {
    let body = "{ .reg .b32 %r<3>; .reg .b64 %d; ld.param.u64 %d, [out]; mov.u32 %r1, %ctaid.x; atom.global.exch.b32 %r2, [%d], %r1; ret; }";
    let kernel = kernel(context, ".param .u64 out", body);
    let out = stream.alloc_zeros::<u32>(1).expect("memory");
    stream.synchronize().expect("it is there");
    let config = LaunchConfig { grid_dim: (8, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: it takes a pointer to one word.
    let launched = unsafe { stream.launch_builder(&kernel).arg(&out).launch(config) };
    assert_eq!(launched.is_ok(), threads <= 1024);
    // To unload its module would be to wait for it.
    std::mem::forget(kernel);
    out
}

/// Does one thing per word; a number is its exit code.
#[allow(clippy::too_many_lines, reason = "a table of words")]
pub fn program(words: impl Iterator<Item = String>) -> ExitCode {
    let context = CudaContext::new(0).expect("a device");
    let stream = context.default_stream();
    // A dropped handle waits for the kernel: all of them are handed out.
    let launch = |exhibit: &str, n: i32| {
        let ptx = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/museum").join(exhibit).with_extension("ptx.z");
        let ptx = cudarc::nvrtc::Ptx::from_src(kernels::read_ptx(&ptx).expect("its PTX is committed"));
        let module = context.load_module(ptx).expect("a module");
        let function = module.load_function("shared_product").expect("its kernel");
        let input = stream.clone_htod(&[1.0f32; 1024]).expect("memory");
        let mut output = stream.alloc_zeros::<f32>(1024).expect("memory");
        let config = LaunchConfig { grid_dim: (2, 2, 1), block_dim: (16, 16, 1), shared_mem_bytes: 0 };
        // SAFETY: the kernels take (c, a, b, n), and n·n elements of each are there.
        unsafe { stream.launch_builder(&function).arg(&mut output).arg(&input).arg(&input).arg(&n).launch(config) }
            .expect("a launch");
        (output, input, function)
    };
    for word in words {
        match word.as_str() {
            "right" => drop(stream.clone_dtoh(&launch("clean/tiled_product", 30).0).expect("a copy")),
            "racy" => {
                drop(stream.clone_dtoh(&launch("race_shared/gemm_missing_second_barrier", 30).0).expect("a copy"))
            }
            // 64 rows of 64 elements, where there are 1024.
            "stray" => {
                let output = launch("clean/tiled_product", 64).0;
                stream.clone_dtoh(&output).expect_err("it reads past the end");
            }
            "hasty" => {
                std::mem::forget(launch("clean/tiled_product", 30));
                std::process::exit(0);
            }
            "abort" => std::process::abort(),
            // SAFETY: it never comes back.
            "_exit" => unsafe { libc::_exit(5) },
            "child" => {
                let child =
                    Command::new(std::env::current_exe().expect("a path")).args(["--as-program", "racy"]).status();
                assert!(child.expect("it starts").success());
            }
            "destroyed" => {
                let own = CudaContext::new_non_primary(0, 0).expect("a context");
                std::mem::forget(own.default_stream().alloc_zeros::<u8>(4096).expect("memory"));
                // SAFETY: nothing of it is used any more.
                unsafe { cudarc::driver::sys::cuCtxDestroy_v2(own.cu_ctx()).result().expect("it ends") };
                std::mem::forget(own);
            }
            "too-new" => drop(load("sm_100", "one").expect_err("the card is older")),
            "for-all" => load("sm_50", "one").expect("every card takes it"),
            "other" => load("sm_50", "two").expect("every card takes it"),
            "for-sm-120" => load("sm_120", "one").expect("the card takes it"),
            "tensor-memory" => {
                let forms = ["rank", "elemtype", "interleave_layout", "swizzle_mode", "fill_mode"].map(|field| {
                    let form = |space| format!("tensormap.replace.tile.{field}.{space}.b1024.b32 [at], 1;");
                    form("shared::cta") + &form("global")
                });
                let body = "{ .shared .b32 at; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], 32;";
                let head = ".version 8.6\n.target sm_100a\n.address_size 64\n.visible .entry one()\n";
                let text = format!("{head}{body}{} ret; }}\n", forms.concat());
                let failed = context.load_module(cudarc::nvrtc::Ptx::from_src(text)).expect_err("it is not modelled");
                // A program may have 1024 bytes for it.
                assert!(failed.error_string().expect("words").count_bytes() < 1000);
            }
            // A product before a loop whose trips the assembler knows, and before one that is not to be unrolled.
            "approximate" | "unrolled" | "not-unrolled" => {
                let pragma = if word == "unrolled" { "" } else { ".pragma \"nounroll\";" };
                let body: String = match word.as_str() {
                    "approximate" => {
                        "{ .reg .f32 %f; mov.f32 %f, 0f3F800000; sin.approx.f32 %f, %f; nanosleep.u32 20; ret; }".into()
                    }
                    _ => format!(
                        "{{ .reg .f32 a, b, t; .reg .u32 i; .reg .pred p; .shared .f32 s; ld.volatile.shared.f32 a, [s];
                         mov.u32 i, 4; mul.f32 t, a, a; mov.f32 b, a;
                         L: {pragma} sub.f32 b, b, t; sub.u32 i, i, 1; setp.ne.u32 p, i, 0; @p bra L;
                         st.volatile.shared.f32 [s], b; ret; }}"
                    ),
                };
                let kernel = kernel(&context, "", &body);
                let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 };
                // SAFETY: it takes nothing and touches no memory.
                unsafe { stream.launch_builder(&kernel).launch(config) }.expect("a launch");
                stream.synchronize().expect("it ends");
            }
            // The block that comes last leaves its number: the eighth, in the natural order.
            "last-block" => {
                let out = last_block(&context, &stream, 1);
                let last = stream.clone_dtoh(&out).expect("a copy")[0];
                println!("block {last}");
                if last != 7 {
                    return ExitCode::from(9);
                }
            }
            "too-large" => drop(last_block(&context, &stream, 2048)),
            // The same, and a copy in another stream, which nothing has come after it.
            "two-streams" => {
                let [one, other] = [(); 2].map(|()| context.new_stream().expect("a stream"));
                let out = last_block(&context, &one, 1);
                let (from, mut last) = (out.device_ptr(&one).0, 0u32);
                // SAFETY: one word here and there.
                let copied = unsafe {
                    cudarc::driver::sys::cuMemcpyDtoHAsync_v2((&raw mut last).cast(), from, 4, other.cu_stream())
                };
                copied.result().expect("a copy");
                other.synchronize().expect("it ends");
                println!("read {last}");
            }
            "overlapped" => {
                let other = context.new_stream().expect("a stream");
                let written = launch("clean/tiled_product", 30);
                let at = written.0.device_ptr(&stream).0;
                // SAFETY: so many words are there.
                let filled = unsafe { cudarc::driver::sys::cuMemsetD32Async(at, 0, 1024, other.cu_stream()) };
                filled.result().expect("a fill");
            }
            "parts" => {
                let own = stream.alloc_zeros::<f32>(2048).expect("memory");
                let kernel = kernel(&context, ".param .u64 a, .param .u64 b", "{ ret; }");
                let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
                let (low, high) = own.split_at(1024);
                // SAFETY: it touches no memory.
                unsafe { stream.launch_builder(&kernel).arg(&low).arg(&high).launch(config) }.expect("a launch");
                stream.synchronize().expect("it ends");
            }
            "no-image" => drop(context.load_module(cudarc::nvrtc::Ptx::from_src("garbage")).expect_err("no PTX")),
            "version" => {
                let mut version = 0;
                // SAFETY: a place for a number.
                unsafe { cudarc::driver::sys::cuDriverGetVersion(&mut version).result().expect("a version") };
                print!("{version}");
            }
            "sleep" => {
                println!("ready");
                std::thread::sleep(std::time::Duration::from_secs(600));
            }
            "runtime" => assert_eq!(call("cudaDeviceSynchronize"), 0),
            // A kernel of `fixtures/orders.cu` by its name, with so many warps to each of so many blocks.
            word if word.starts_with("orders/") => {
                let [_, kernel, warps, blocks] = word.split('/').collect::<Vec<_>>()[..] else { panic!("{word}") };
                let number = |word: &str| word.parse::<u32>().expect("a number");
                let ptx = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/orders.sm_80.ptx.z");
                let ptx = cudarc::nvrtc::Ptx::from_src(kernels::read_ptx(&ptx).expect("its PTX is committed"));
                let kernel = context.load_module(ptx).expect("a module").load_function(kernel).expect("its kernel");
                let mut out = stream.alloc_zeros::<i32>(8).expect("memory");
                let config = LaunchConfig {
                    grid_dim: (number(blocks), 1, 1),
                    block_dim: (32 * number(warps), 1, 1),
                    shared_mem_bytes: 0,
                };
                // SAFETY: the kernels take a pointer to a number for each block.
                unsafe { stream.launch_builder(&kernel).arg(&mut out).launch(config) }.expect("a launch");
                match stream.clone_dtoh(&out) {
                    Ok(out) => println!("{}", out[0]),
                    Err(_) => return ExitCode::from(9),
                }
            }
            name if name.starts_with("cu") => assert_eq!(call(name), 801, "{name}"),
            code => return ExitCode::from(code.parse::<u8>().expect("an exit code")),
        }
    }
    ExitCode::SUCCESS
}

/// Calls a function of the driver, or of the runtime library over it, without arguments, of which those that are refused look at none.
fn call(name: &str) -> u32 {
    let library = if name.starts_with("cuda") { "libcudart.so.12" } else { "libcuda.so.1" };
    // SAFETY: this project's libraries, of which the driver is loaded already.
    let library = unsafe { libloading::Library::new(library) }.expect("the library");
    // SAFETY: the functions that are asked for take no arguments here.
    let function = unsafe { library.get::<unsafe extern "C" fn() -> u32>(name.as_bytes()) }.expect("its function");
    // SAFETY: as above.
    let answer = unsafe { function() };
    std::mem::forget(library);
    answer
}

/// A module with one kernel.
fn load(target: &str, kernel: &str) -> Result<(), cudarc::driver::DriverError> {
    let text = format!(".version 8.8\n.target {target}\n.address_size 64\n.visible .entry {kernel}()\n{{ ret; }}\n");
    let context = CudaContext::new(0).expect("a device");
    context.load_module(cudarc::nvrtc::Ptx::from_src(text)).map(std::mem::forget)
}

//! Kernels that cannot run are refused with a message of the right family, and nothing is launched.
//!
//! A changed kernel needs NVRTC. Where there is none, the refusal has to name the one command that installs it.

use common::device::Device;
use common::element::Dtype;
use common::error::describe;
use common::host_memory::HostMemory;
use common::timing::Runs;
use common::turns::Ladder;
use kernels::Source;
use lab_gemm::{Case, MatrixProduct, Placement, Problem, VARIANTS};

/// The message with which a changed source of `rung` is refused.
fn refusal(rung: &str, find: &str, replace: &str) -> String {
    let source = kernels::pristine("gemm", rung).expect("the rung has its file");
    assert_eq!(source.text.matches(find).count(), 1, "{find} is not in {}", source.path);
    let changed = Source { text: source.text.replace(find, replace).into(), ..source };
    let case = Case {
        variant: common::ladder::find(VARIANTS, rung).expect("a rung"),
        edge: 32,
        placement: Placement::Result,
        problem: Problem::new([32; 3], Dtype::F32, HostMemory::Pageable, 1),
    };
    let device = Device::for_tests().expect("a device");
    let error = MatrixProduct::run_case(&device, &changed, &case, Runs::ONCE).expect_err("refused");
    describe(&error)
}

#[test]
fn a_kernel_that_does_not_compile_shows_file_and_line() {
    let message = refusal("naive", "T sum = 0;", "T sum = zero;");
    assert!(message.starts_with("error: "), "{message}");
    let compiled = message.contains("your kernel") && message.contains("2_naive.cu(") && message.contains("zero");
    assert!(compiled || message.contains("just nvrtc"), "{message}");
    assert!(message.contains("naive 32, block 32x32, f32"), "what was interrupted: {message}");
}

#[test]
fn an_edit_of_a_rung_changes_nothing_here() {
    let same =
        common::testing::assert_edits_do_not_matter("gemm", "a_kernel_that_does_not_compile_shows_file_and_line");
    assert_eq!(same, Ok(()));
}

#[test]
fn a_kernel_with_too_much_shared_memory_is_beyond_a_limit() {
    let message = refusal("shared", "__shared__ T tile_a[EDGE][EDGE];", "__shared__ T tile_a[16 * EDGE][EDGE];");
    // 64 KiB and 4 KiB. A compiler for the card itself says so first, the lab for what a compiler lets through.
    let refused = message.contains("shared") && (message.contains("limit reached") || message.contains("your kernel"));
    assert!(refused || message.contains("just nvrtc"), "{message}");
}

#[test]
fn a_misnamed_kernel_is_the_kernels_fault_and_an_empty_file_is_called_so() {
    let message = refusal("naive", "void naive_##dtype(", "void navie_##dtype(");
    let named = message.contains("your kernel: kernels/gemm/2_naive.cu has no kernel `naive_f32`");
    assert!(named && message.contains("next: ") || message.contains("just nvrtc"), "{message}");
    let whole = kernels::pristine("gemm", "naive").expect("the rung has its file").text;
    let message = refusal("naive", &whole, "");
    assert!(message.contains("the file is empty") || message.contains("just nvrtc"), "{message}");
}

/// Its C has m rows of n, its A m of n: on a square that is right.
#[test]
fn a_kernel_that_takes_n_for_k_is_wrong_on_the_skewed_case() {
    let source = kernels::pristine("gemm", "naive").expect("the rung has its file");
    let text = source.text.replace("naive<T>(c, a, b, m, n, k);", "naive<T>(c, a, b, m, n, n);");
    assert_ne!(text, source.text);
    let changed = Source { text: text.into(), ..source };
    let square = Case {
        variant: common::ladder::find(VARIANTS, "naive").expect("a rung"),
        edge: 32,
        placement: Placement::Result,
        problem: Problem::new([64; 3], Dtype::F32, HostMemory::Pageable, 1),
    };
    let skewed = MatrixProduct::skewed(&square).expect("a product has one");
    let device = Device::for_tests().expect("a device");
    let run = |case: &Case| MatrixProduct::run_case(&device, &changed, case, Runs::ONCE);
    match run(&square) {
        Ok(row) => {
            assert!(row.correct, "on a square nothing shows");
            assert!(run(&skewed).is_ok_and(|row| !row.correct) || run(&skewed).is_err(), "on a rectangle it does");
        }
        Err(error) => assert!(describe(&error).contains("just nvrtc"), "{}", describe(&error)),
    }
}

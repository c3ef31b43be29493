//! A program reads the kernels of the checkout that one stands in, as they are when it runs. A copy of this crate's own program in a
//! checkout of two files shows it; without a compiler, because a changed kernel then names itself.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const NAIVE: &str = "kernels/gemm/2_naive.cu";

/// A checkout with one kernel, and the program in its target folder. The program is linked, not copied: a process that another test
/// starts meanwhile holds what is open for writing here until it runs its own program, and a file so held is "busy" and does not start.
fn checkout() -> tempfile::TempDir {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("in the workspace");
    fs::create_dir_all(folder.path().join("kernels/gemm")).expect("a folder");
    fs::create_dir_all(folder.path().join("target/release")).expect("a folder");
    fs::write(folder.path().join("kernels/Cargo.toml"), "").expect("written");
    fs::copy(root.join(NAIVE), folder.path().join(NAIVE)).expect("copied");
    fs::hard_link(env!("CARGO_BIN_EXE_kernels"), folder.path().join("target/release/kernels")).expect("linked");
    folder
}

fn show(folder: &Path, name: &str) -> Output {
    show_by(folder, folder, name)
}

/// The program of one checkout, started in another.
fn show_by(built: &Path, here: &Path, name: &str) -> Output {
    let program = built.join("target/release/kernels");
    Command::new(program).args(["show", name]).env("LABS_NVRTC", "none").current_dir(here).output().expect("it starts")
}

/// One target folder serves two checkouts: the text is that of the checkout in which one stands.
#[test]
fn a_program_of_another_checkout_reads_the_text_that_one_stands_in() {
    let (a, b) = (checkout(), checkout());
    let path = b.path().join(NAIVE);
    let text = fs::read_to_string(&path).expect("readable");
    fs::write(&path, text.replacen("T sum = 0;", "T sum = 1;", 1)).expect("written");
    for here in [b.path().to_owned(), b.path().join("kernels/gemm")] {
        let said = show_by(a.path(), &here, "gemm/naive");
        assert_eq!(said.status.code(), Some(2), "{}", here.display());
        assert!(String::from_utf8_lossy(&said.stderr).contains("kernels/gemm/2_naive.cu has to be compiled"));
    }
    assert_eq!(show_by(b.path(), a.path(), "gemm/naive").status.code(), Some(0));
}

#[test]
fn an_edit_is_seen_without_a_build() {
    let folder = checkout();
    let unchanged = show(folder.path(), "gemm/naive");
    assert_eq!(unchanged.status.code(), Some(0), "{}", String::from_utf8_lossy(&unchanged.stderr));
    assert!(String::from_utf8_lossy(&unchanged.stdout).contains(".visible .entry naive_f32"));

    let path = folder.path().join(NAIVE);
    let text = fs::read_to_string(&path).expect("readable");
    fs::write(&path, text.replacen("T sum = 0;", "T sum = 1;", 1)).expect("written");
    let changed = show(folder.path(), "gemm/naive");
    let said = String::from_utf8_lossy(&changed.stderr);
    assert_eq!(changed.status.code(), Some(2), "{said}");
    assert!(said.contains("kernels/gemm/2_naive.cu has to be compiled") && said.contains("next: just nvrtc"), "{said}");
}

#[test]
fn a_kernel_that_is_gone_is_not_replaced_by_an_older_text() {
    let folder = checkout();
    fs::remove_file(folder.path().join(NAIVE)).expect("removed");
    let gone = show(folder.path(), "gemm/naive");
    let said = String::from_utf8_lossy(&gone.stderr);
    assert_eq!(gone.status.code(), Some(2), "{said}");
    assert!(said.starts_with("your kernel: ") && said.contains(NAIVE) && said.contains("next: "), "{said}");
}

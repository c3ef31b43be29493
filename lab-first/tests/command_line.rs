//! The program as its users meet it: bad input.

use common::testing::Program;

const LAB: Program = Program(env!("CARGO_BIN_EXE_lab-first"));

#[test]
fn what_no_lab_takes_is_refused() {
    LAB.assert_refuses_what_no_lab_takes();
}

#[test]
fn a_type_that_no_kernel_has_is_the_command_s_fault() {
    LAB.assert_refuses(&["--dtype", "f64"], &["your command line: --dtype f64", "f32", "next: leave it out"]);
    LAB.assert_refuses(&["--edge", "16"], &["your command line: --edge", "next: leave it out"]);
}

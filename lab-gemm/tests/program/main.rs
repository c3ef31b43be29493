//! The program as its users meet it, started anew for each question.

mod assignment;
mod command_line;
mod interrupted;
mod page;
mod sample;
mod schedules;

use common::testing::LabProgram;

const LAB: LabProgram = LabProgram(env!("CARGO_BIN_EXE_lab-gemm"));

#[test]
fn a_command_without_flags_answers_the_question_on_one_screen() {
    LAB.assert_answers::<lab_gemm::MatrixProduct>(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/screen.txt"), &[80]);
}

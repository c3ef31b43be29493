//! The program as its users meet it, started anew for each question.

mod assignment;
mod command_line;
mod messages;
mod sample;

use common::testing::LabProgram;

const LAB: LabProgram = LabProgram(env!("CARGO_BIN_EXE_lab-gemv"));

#[test]
fn a_command_without_flags_answers_the_question_on_one_screen() {
    LAB.assert_answers::<lab_gemv::MatrixVector>(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/screen.txt"), &[80]);
}

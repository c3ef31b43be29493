//! The program as its users meet it, started anew for each question.

mod assignment;
mod clock;
mod command_line;
mod late_execution;
mod page;
mod sheet;

use common::testing::LabProgram;

const LAB: LabProgram = LabProgram(env!("CARGO_BIN_EXE_lab-streams"));

#[test]
fn a_command_without_flags_answers_the_question_on_one_screen() {
    LAB.assert_answers::<lab_streams::Streams>(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/screen.txt"), &[80]);
}

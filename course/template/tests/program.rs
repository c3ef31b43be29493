//! The answer to the lab's question, as a command without flags prints it.

use common::testing::LabProgram;

const LAB: LabProgram = LabProgram(env!("CARGO_BIN_EXE_lab-TEMPLATE"));

#[test]
fn a_command_without_flags_answers_the_question_on_one_screen() {
    LAB.assert_answers::<lab_TEMPLATE::Axpy>(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/screen.txt"), &[80, 120]);
}

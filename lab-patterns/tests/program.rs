//! The answer to the lab's question, as a command without flags prints it.

use common::testing::LabProgram;

#[test]
fn a_command_without_flags_answers_the_question_on_one_screen() {
    let lab = LabProgram(env!("CARGO_BIN_EXE_lab-patterns"));
    lab.assert_answers::<lab_patterns::Patterns>(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/screen.txt"), &[80]);
}

//! The program as its users meet it, started anew for each question.

mod assignment;
mod command_line;
mod page;
mod sample;

use common::testing::LabProgram;

const LAB: LabProgram = LabProgram(env!("CARGO_BIN_EXE_lab-transpose"));

#[test]
fn a_command_without_flags_answers_the_question_on_one_screen() {
    LAB.assert_answers::<lab_transpose::Transpose>(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/screen.txt"), &[80]);
}

/// A pipe has none of a terminal's colours, unless they are asked for; `NO_COLOR` outweighs that.
#[test]
fn colours_are_for_terminals() {
    let escapes = |variables: &[(&str, &str)]| LAB.without_flags(variables).contains('\u{1b}');
    assert!(!escapes(&[]));
    assert!(escapes(&[("CLICOLOR_FORCE", "1")]));
    assert!(!escapes(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
}

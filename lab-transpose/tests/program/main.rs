//! The program as its users meet it, started anew for each question.

mod assignment;
mod command_line;
mod page;
mod sample;

common::lab_program!("CARGO_BIN_EXE_lab-transpose", lab_transpose::Transpose, &[80]);

/// A pipe has none of a terminal's colours, unless they are asked for; `NO_COLOR` outweighs that.
#[test]
fn colours_are_for_terminals() {
    let escapes = |variables: &[(&str, &str)]| LAB.without_flags(variables).contains('\u{1b}');
    assert!(!escapes(&[]));
    assert!(escapes(&[("CLICOLOR_FORCE", "1")]));
    assert!(!escapes(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
}

//! The program as its users meet it: bad input.

use super::LAB;

#[test]
fn what_the_lab_does_not_take_is_refused() {
    LAB.assert_refuses_what_no_lab_takes::<lab_first::First>();
    LAB.assert_refuses_each(include_str!("refused.txt"));
}

/// A reader that leaves before the first byte, as `head` may: no word, and the exit code of other programs there.
#[test]
fn a_reader_that_left_hears_no_word() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_lab-first"));
    let child = command.arg("--list").stdout(writer).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(141), ""));
}

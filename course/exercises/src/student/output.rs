//! Standard output of programs whose reader may leave before the end, as `head` does, and who may have no `just`.

pub use common::error::{READER_LEFT, reader_left};
use std::borrow::Cow;
use std::sync::LazyLock;

/// As `println!`, but a reader that has left is an error and no panic: [`reader_left`] tells it.
#[macro_export]
macro_rules! say {
    ($($words:tt)*) => {
        ::std::io::Write::write_all(&mut ::std::io::stdout(), $crate::output::typed(&format!("{}\n", format_args!($($words)*))).as_bytes())?
    };
}

/// Commands that a hand-out's script has, too.
const COMMANDS: [&str; 11] =
    ["watch", "check", "verdict", "hint", "progress", "reset", "compare", "solution", "submission", "nvrtc", "lab"];

/// A text with its commands as this reader can type them: the hand-out's script says where there is no `just`, and `just watch` is
/// `./judge watch` then.
pub fn typed(text: &str) -> Cow<'_, str> {
    static WITHOUT_JUST: LazyLock<bool> = LazyLock::new(|| std::env::var_os("COURSE_WITHOUT_JUST").is_some());
    if *WITHOUT_JUST { Cow::Owned(by_the_script(text)) } else { Cow::Borrowed(text) }
}

fn by_the_script(text: &str) -> String {
    COMMANDS
        .iter()
        .fold(text.to_owned(), |text, name| text.replace(&format!("just {name}"), &format!("./judge {name}")))
}

#[cfg(test)]
mod tests {
    use super::by_the_script;

    #[test]
    fn commands_are_those_that_a_reader_has() {
        let said = by_the_script("hint: just hint gemm/naive\nnext: just lab gemm; it is just right");
        assert_eq!(said, "hint: ./judge hint gemm/naive\nnext: ./judge lab gemm; it is just right");
    }
}

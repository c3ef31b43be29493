//! Standard output of programs whose reader may leave before the end, as `head` does.

use std::io::{Error, ErrorKind};

/// As `println!`, but a reader that has left is an error and no panic: [`reader_left`] tells it.
#[macro_export]
macro_rules! say {
    ($($words:tt)*) => {
        ::std::io::Write::write_fmt(&mut ::std::io::stdout(), format_args!("{}\n", format_args!($($words)*)))?
    };
}

/// Whether all that went wrong is that nobody reads on.
pub fn reader_left(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref::<Error>()).any(|cause| cause.kind() == ErrorKind::BrokenPipe)
}

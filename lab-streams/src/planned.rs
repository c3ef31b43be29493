//! The schedules of the ladder: of a student's program where the judge runs this lab, else of the functions that it was built with.

use crate::exercises::printed;
use crate::schedule::Schedule;
use crate::schedules;
use common::exercise::planned;

macro_rules! schedules {
    ($($name:ident)*) => {
        $(
            /// As the function of this name in `schedules`.
            pub fn $name(count: usize, ring: usize) -> Schedule {
                planned("streams", stringify!($name), &[count, ring], |line| printed::schedule(line, count, ring))
                    .unwrap_or_else(|| schedules::$name(count, ring))
            }
        )*
    };
}

schedules!(synchronous streamed default_stream mapped pipelined strips resident resident_concurrent);

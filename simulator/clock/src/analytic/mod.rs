//! The model that fits on a page: the time of a kernel from totals over its launch, for every card and every kernel.
/// Makes an enum of rows, each a variant and its name in reports.
macro_rules! named {
    ($(#[$about:meta])* pub enum $of:ident; $($(#[$why:meta])* $one:ident = $name:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $(#[$about])*
        pub enum $of { $($(#[$why])* $one,)* }

        impl $of {
            /// All of them, in the order of their numbers.
            pub const ALL: [$of; [$($name),*].len()] = [$($of::$one),*];
            /// As reports call it.
            pub const fn name(self) -> &'static str {
                match self { $($of::$one => $name,)* }
            }
        }
    };
}
use named;

pub mod atomics;
pub mod demand;
pub mod kernel_time;
pub mod stalls;
pub mod terms;
pub mod work;

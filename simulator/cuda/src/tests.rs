//! Compares the table of functions with the declarations of cudarc.
extern crate std;
use crate::types::*;
use core::any::type_name;
use cudarc::driver::sys;
use std::vec::Vec;

/// Bytes of an argument, and how it points: `*const`, `*mut` or not at all.
type Shape = (usize, &'static str);

fn shape<T>() -> Shape {
    let name = type_name::<T>();
    (size_of::<T>(), if name.starts_with('*') { name.split(' ').next().expect("a word") } else { "" })
}

/// A function of cudarc's, of as many arguments as the row has.
trait Declared {
    fn shapes(self) -> Vec<Shape>;
}

macro_rules! arities {
    ($first:ident $($rest:ident)*) => {
        arities! { = $first $($rest)* }
        arities! { $($rest)* }
    };
    () => { arities! { = } };
    (= $($type:ident)*) => {
        impl<R, $($type),*> Declared for unsafe fn($($type),*) -> R {
            fn shapes(self) -> Vec<Shape> {
                Vec::from_iter([$(shape::<$type>()),*] as [Shape; _])
            }
        }
    };
}
arities! { A B C D E F G H I J K L }

macro_rules! compare {
    ($found:ident $name:ident ($($argument:ident: $type:ty),*)) => {
        let theirs = sys::$name as unsafe fn($(compare!(any $argument)),*) -> sys::CUresult;
        let ours: &[Shape] = &[$(shape::<$type>()),*];
        $found.push((stringify!($name), Vec::from(ours), theirs.shapes()));
    };
    ($found:ident $name:ident $arguments:tt $age:ident) => {};
    (any $argument:ident) => { _ };
}
macro_rules! compare_all {
    ($($name:ident $arguments:tt $([$($other:ident $(: $stream:ident)?),*])? $($age:ident)?;)*) => {
        fn compared() -> Vec<(&'static str, Vec<Shape>, Vec<Shape>)> {
            let mut found = Vec::new();
            $(compare! { found $name $arguments $($age)? })*
            found
        }
    };
}
functions!(compare_all);

#[test]
fn arguments_are_those_that_cudarc_declares() {
    let compared = compared();
    assert!(compared.len() > 340, "only {} functions were compared", compared.len());
    let other: Vec<_> = compared.iter().filter(|(_, ours, theirs)| ours != theirs).collect();
    assert!(other.is_empty(), "{other:#?}");
}

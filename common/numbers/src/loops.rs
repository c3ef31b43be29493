//! The loops over elements, compiled once for each element type.
//!
//! A generic function is compiled where it is called, with the caller's optimisation. These methods are of concrete types, so
//! they are compiled here.

use crate::number::Loops;
use crate::operands::{Product, Way};
use crate::verdict::{Check, Got, Want};
use crate::{check, on_host, random, reference, untouched};
use std::ops::Range;

macro_rules! loops {
    ($Element:ty: $(fn $name:ident($($argument:ident: $T:ty),*) $(-> $Result:ty)? = $body:path;)*) => {
        impl Loops for $Element {
            $(fn $name($($argument: $T),*) $(-> $Result)? {
                $body($($argument),*)
            })*
        }
    };
    ($($Element:ty),*) => {
        $(loops! { $Element:
            fn poison_host(elements: &mut [Self]) = untouched::write;
            fn fill_random(elements: &mut [Self], seed: u64) = random::fill;
            fn fill_random_part(elements: &mut [Self], seed: u64, first: usize) = random::fill_part;
            fn product_rows(product: &Product<'_, Self>, rows: &[usize]) -> Vec<f64> = reference::product_rows_of;
            fn product_part(product: &Product<'_, Self>, rows: &[usize], columns: Range<usize>) -> Vec<f64> = reference::product_part_of;
            fn matrix_vector(a: &[Self], x: &[Self]) -> Vec<f64> = reference::matrix_vector_of;
            fn line(elements: &[Self], slope: f64, offset: f64) -> Vec<f64> = reference::line_of;
            fn transposed(a: &[Self], rows: usize, columns: usize) -> Vec<Self> = reference::transpose_of;
            fn check_elements(got: &[Self], want: &[f64], columns: usize, tolerance: f64) -> Check = check::elements;
            fn check_exactly(got: &[Self], want: &[Self], columns: usize) -> Check = check::exactly;
            fn check_product(product: &Product<'_, Self>, got: &[Self], seed: u64) -> Check = check::product;
            fn check_parts(got: Got<'_, Self>, of: usize, parts: &[Range<usize>], columns: usize, tolerance: f64, want: Want<'_>) -> Check = check::parts;
            fn multiply_on_host(way: Way, a: &[Self], x: &[Self], b: &mut [Self]) = on_host::by;
        })*
    };
}

loops!(f32, f64);

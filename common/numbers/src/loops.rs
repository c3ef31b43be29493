//! The loops over elements, compiled once for each element type.
//!
//! A generic function is compiled where it is called, with the caller's optimisation. These methods are of concrete types, so
//! they are compiled here.

use crate::check::{self, Check, Got, Want};
use crate::number::Number;
use crate::on_host::{self, Way};
use crate::reference::{self, Product};
use crate::{random, untouched};
use std::ops::Range;

macro_rules! loops {
    ($($(#[doc = $about:literal])+ fn $name:ident($($argument:ident: $T:ty),*) $(-> $Result:ty)? = $body:path;)*) => {
        /// A number, with the loops over elements.
        pub trait Loops: Number {
            $($(#[doc = $about])+ fn $name($($argument: $T),*) $(-> $Result)?;)*
        }

        impl Loops for f32 {
            $(fn $name($($argument: $T),*) $(-> $Result)? { $body($($argument),*) })*
        }

        impl Loops for f64 {
            $(fn $name($($argument: $T),*) $(-> $Result)? { $body($($argument),*) })*
        }
    };
}

loops! {
    /// Overwrites host memory with NaN, so that an element which nobody copies there cannot pass a check.
    fn poison_host(elements: &mut [Self]) = untouched::write;
    /// Fills with uniform elements in [−1, 1); the same for the same seed and length on every machine and any number of cores.
    fn fill_random(elements: &mut [Self], seed: u64) = random::fill;
    /// Fills with the elements that [`fill_random`](Self::fill_random) gives a longer slice from `first` on.
    fn fill_random_part(elements: &mut [Self], seed: u64, first: usize) = random::fill_part;
    /// The listed rows of A·B, one after the other, each of n elements, accumulated in f64.
    fn product_rows(product: &Product<'_, Self>, rows: &[usize]) -> Vec<f64> = reference::product_rows;
    /// The elements of A·B in the listed rows and in some columns, row after row, accumulated in f64.
    fn product_part(product: &Product<'_, Self>, rows: &[usize], columns: Range<usize>) -> Vec<f64> = reference::product_part;
    /// A·x for an m×n row-major A, accumulated in f64: m elements.
    fn matrix_vector(a: &[Self], x: &[Self]) -> Vec<f64> = reference::matrix_vector;
    /// `slope · element + offset` of each element, in f64.
    fn line(elements: &[Self], slope: f64, offset: f64) -> Vec<f64> = reference::line;
    /// The n×m transpose of an m×n row-major matrix.
    fn transposed(a: &[Self], rows: usize, columns: usize) -> Vec<Self> = reference::transposed;
    /// Compares every element of a row-major result with its f64 reference. `columns` only serves the message.
    fn check_elements(got: &[Self], want: &[f64], columns: usize, tolerance: f64) -> Check = check::elements;
    /// Compares every element bit by bit: for copies and permutations, which have no rounding to forgive.
    fn check_exactly(got: &[Self], want: &[Self], columns: usize) -> Check = check::exactly;
    /// Checks C = A·B, all row-major, by recomputing it or by Freivalds' method.
    fn check_product(product: &Product<'_, Self>, got: &[Self], seed: u64) -> Check = check::product;
    /// Compares parts of rows of a row-major result of `of` elements, ascending, each with the references that `want` has for it.
    fn check_parts(got: Got<'_, Self>, of: usize, parts: &[Range<usize>], columns: usize, tolerance: f64, want: Want<'_>) -> Check = check::parts;
    /// b = A·x on this host, row-major, m×n: m·n, n and m elements.
    fn multiply_on_host(way: Way, a: &[Self], x: &[Self], b: &mut [Self]) = on_host::multiply;
}

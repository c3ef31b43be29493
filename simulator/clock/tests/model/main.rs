//! The model of time: where its numbers stand ([`numbers`]), and what it says of small kernels ([`estimates`]).
mod estimates;
mod numbers;

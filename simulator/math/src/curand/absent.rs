//! Names of cuRAND that have no implementation.
#![allow(non_snake_case, reason = "the interface's names")]

crate::failure::absent! { of_curand;
    curandCreateGeneratorHost curandCreatePoissonDistribution curandDestroyDistribution curandGeneratePoisson
    curandGeneratePoissonMethod curandGetScrambleConstants32 curandGetScrambleConstants64
}

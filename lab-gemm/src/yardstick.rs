//! cuBLAS on the same problem, as the yardstick.

use crate::data::Contender;
use crate::plan::Problem;
use common::element::Element;
use cudarc::cublas::sys::cublasOperation_t::CUBLAS_OP_N;
use cudarc::cublas::{CudaBlas, Gemm, GemmConfig};

/// cuBLAS as a contender.
pub fn contender<'a, T: Element>(blas: &'a CudaBlas, problem: &'a Problem) -> Contender<'a, T>
where
    CudaBlas: Gemm<T>,
{
    let [m, k, n] = problem.extents.map(|extent| extent as i32);
    // cuBLAS is column-major: what it sees as A, B, C are our Bᵀ, Aᵀ, Cᵀ, and Cᵀ = Bᵀ·Aᵀ.
    let config = GemmConfig {
        transa: CUBLAS_OP_N,
        transb: CUBLAS_OP_N,
        m: n,
        n: m,
        k,
        alpha: T::from_f64(1.0),
        lda: n,
        ldb: k,
        beta: T::from_f64(0.0),
        ldc: n,
    };
    Contender {
        variant: "cublas",
        label: format!("cublas {}, {}", problem.size, problem.dtype),
        block: String::new(),
        problem,
        figures: serde_json::Map::new(),
        launch: Box::new(move |c, a, b| {
            // SAFETY: the slices hold m·n, m·k and k·n elements, as the configuration says.
            #[allow(unsafe_code)]
            unsafe { blas.gemm(config, b, a, c) }.map_err(anyhow::Error::from)
        }),
    }
}

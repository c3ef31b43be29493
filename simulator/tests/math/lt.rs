//! cublasLt: a layer of a network in row-major order, with its bias and its activation.
use crate::gpu::{Gpu, Number, close, values};
use crate::host::{C, Element, Host, N, Z, numbers, parts, product};
use crate::under_sim::Loaded;
use std::ffi::c_int;

type Activation = fn(f64) -> f64;

/// Writes an attribute of a description.
fn set<T>(lt: &Loaded, description: usize, attribute: usize, value: T) -> c_int {
    call!(lt.cublasLtMatmulDescSetAttribute(description, attribute, &raw const value, size_of::<T>()))
}

/// A row-major matrix of a `cudaDataType` without gaps, `count` of them one after the other.
fn layout(lt: &Loaded, kind: usize, [rows, columns]: [usize; 2], count: usize) -> usize {
    let mut layout = 0usize;
    done!(lt.cublasLtMatrixLayoutCreate(&raw mut layout, kind, rows, columns, columns));
    // Order, batch and stride, which alone has 64 bits.
    for (attribute, value, bytes) in [(1, 1, 4), (5, count, 4), (6, rows * columns, 8)] {
        done!(lt.cublasLtMatrixLayoutSetAttribute(layout, attribute, &raw const value, bytes));
    }
    layout
}

/// Destroys the layouts of A, B and D, and a description.
fn destroy(lt: &Loaded, layouts: [usize; 3], description: usize) {
    layouts.into_iter().for_each(|layout| done!(lt.cublasLtMatrixLayoutDestroy(layout)));
    done!(lt.cublasLtMatmulDescDestroy(description));
}

const F32: usize = 0;
const C32: usize = 4;
const COMPUTE_32F: usize = 68;
const TRANSPOSE_A: usize = 3;
const TRANSPOSE_B: usize = 4;
const EPILOGUE: usize = 7;
const BIAS_POINTER: usize = 8;
/// Addresses of factors of A, B, C and D, and of the largest value of D.
const SCALES: [usize; 5] = [17, 18, 19, 20, 21];

pub fn all() {
    let gpu = Gpu::new();
    let lt = &Loaded::new("libcublasLt.so.12");
    let (rows, outputs, inputs, count) = (33, 70, 20, 2);
    let (x, weights) = (values::<f32>(count * rows * inputs, 1), values::<f32>(count * outputs * inputs, 2));
    let bias = values::<f32>(rows, 3);
    let (on_x, on_weights, on_bias) = (gpu.up(&x), gpu.up(&weights), gpu.up(&bias));
    let (one, none) = (1f32, 0f32);
    let activations: [(c_int, Activation); 4] = [
        (1, |x| x),
        (2, |x| x.max(0.0)),
        (6, |x| x.max(0.0)),
        (36, |x| 0.5 * x * (1.0 + (0.797_884_560_802_865_4 * (x + 0.044_715 * x.powi(3))).tanh())),
    ];
    let (mut h, mut to, mut found, mut results) = (0usize, 0usize, 0i32, [0u64; 12]);
    done!(lt.cublasLtCreate(&raw mut h));
    done!(lt.cublasLtMatmulDescCreate(&raw mut to, COMPUTE_32F, F32));
    assert_eq!(set(lt, to, TRANSPOSE_B, 1 as c_int), 0);
    assert_eq!(set(lt, to, BIAS_POINTER, gpu.place(&on_bias)), 0);
    assert_eq!(set(lt, to, EPILOGUE, 1i64), 7, "an attribute of another size");
    let layouts = [[rows, inputs], [outputs, inputs], [rows, outputs]].map(|sizes| layout(lt, F32, sizes, count));
    let [of_x, of_w, of_y] = layouts;
    // No factors of the matrices, as XLA says for each type.
    for attribute in SCALES {
        assert_eq!(set(lt, to, attribute, 0usize), 0);
    }
    let chosen = results.as_mut_ptr();
    for (epilogue, activation) in activations {
        assert_eq!(set(lt, to, EPILOGUE, epilogue), 0);
        let at = &raw mut found;
        done!(lt.cublasLtMatmulAlgoGetHeuristic(h, to, of_x, of_w, of_y, of_y, 0, 1, chosen, at));
        assert_eq!((found, results[8]), (1, 0), "one algorithm, without a workspace");
        let on_y = gpu.up(&vec![f32::NAN; count * rows * outputs]);
        let [px, pw, y] = [&on_x, &on_weights, &on_y].map(|values| gpu.place(values));
        let (factor, addend, stream) = (&raw const one, &raw const none, gpu.stream.cu_stream());
        done!(lt.cublasLtMatmul(h, to, factor, px, of_x, pw, of_w, addend, y, of_y, y, of_y, chosen, 0, 0, stream));
        let want = (0..count * rows * outputs).map(|e| {
            let (batch, i, j) = (e / (rows * outputs), e / outputs % rows, e % outputs);
            let (row, column) = (&x[(batch * rows + i) * inputs..], &weights[(batch * outputs + j) * inputs..]);
            let sum: f64 = (0..inputs).map(|p| row[p].f64() * column[p].f64()).sum();
            activation(sum + if epilogue & 4 != 0 { bias[i].f64() } else { 0.0 })
        });
        close("cublasLtMatmul", gpu.down(&on_y).iter().map(|value| value.f64()), want, inputs, f32::UNIT);
    }
    assert_eq!(set(lt, to, EPILOGUE, 1 as c_int), 0);
    let code = call!(lt.cublasLtMatmul(h, to, 0, 0, of_x, 0, of_w, 0, 0, of_y, 0, of_y, 0, 0, 0, 0));
    assert_eq!(code, 7, "no factors");
    // A factor of A is refused where it would count.
    assert_eq!(set(lt, to, SCALES[0], gpu.place(&on_bias)), 0);
    let at = &raw mut found;
    assert_ne!(call!(lt.cublasLtMatmulAlgoGetHeuristic(h, to, of_x, of_w, of_y, of_y, 0, 1, chosen, at)), 0);
    destroy(lt, layouts, to);
    complex(&gpu, lt, h);
    done!(lt.cublasLtDestroy(h));
}

/// D = α·Aᴴ·B of complex numbers, and an epilogue that they do not have.
fn complex(gpu: &Gpu, lt: &Loaded, handle: usize) {
    let (m, n, k) = (35, 18, 21);
    let (a, b) = (values::<f32>(2 * k * m, 4), values::<f32>(2 * k * n, 5));
    let (on_a, on_b, on_d) = (gpu.up(&a), gpu.up(&b), gpu.up(&vec![f32::NAN; 2 * m * n]));
    let (mut to, mut found, mut results) = (0usize, 0i32, [0u64; 12]);
    done!(lt.cublasLtMatmulDescCreate(&raw mut to, COMPUTE_32F, C32));
    assert_eq!(set(lt, to, TRANSPOSE_A, 2 as c_int), 0);
    let layouts = [[k, m], [k, n], [m, n]].map(|sizes| layout(lt, C32, sizes, 1));
    let [of_a, of_b, of_d] = layouts;
    let (algorithm, at) = (results.as_mut_ptr(), &raw mut found);
    for (epilogue, answer) in [(2 as c_int, 15), (1, 0)] {
        assert_eq!(set(lt, to, EPILOGUE, epilogue), 0);
        let code = call!(lt.cublasLtMatmulAlgoGetHeuristic(handle, to, of_a, of_b, of_d, of_d, 0, 1, algorithm, at));
        assert_eq!(code, answer, "epilogue {epilogue}");
    }
    let [pa, pb, pd] = [&on_a, &on_b, &on_d].map(|values| gpu.place(values));
    let [alpha, beta] = [[1.5f32, -0.5], [0.0; 2]];
    let (factor, addend, stream) = (alpha.as_ptr(), beta.as_ptr(), gpu.stream.cu_stream());
    done!(lt.cublasLtMatmul(handle, to, factor, pa, of_a, pb, of_b, addend, pd, of_d, pd, of_d, 0, 0, 0, stream));
    destroy(lt, layouts, to);
    // Row-major matrices are transposed ones by columns: Dᵀ = α·Bᵀ·conj(A).
    let (a, b, none) = (Host(numbers(&a), m), Host(numbers(&b), n), Z::new(0.0, 0.0));
    let want = product((N, &b), (C, &a), [n, m, k], &Host(vec![none; m * n], n), [Z::ALPHA, none]);
    let (got, want) = (gpu.down(&on_d), parts::<_, f64>(&want));
    close("cublasLtMatmul of complex numbers", got.iter().map(|value| value.f64()), want, 4 * k, f32::UNIT);
}

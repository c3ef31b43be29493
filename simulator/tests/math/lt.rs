//! cublasLt: a layer of a network in row-major order, with its bias and its activation.
use crate::complex_numbers::{Z, conjugate, plus, times};
use crate::gpu::{Gpu, Loaded, Number, close, values};
use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};

type Raw = *mut c_void;
type Activation = fn(f64) -> f64;
type Create = unsafe extern "C" fn(*mut Raw) -> c_int;
type NewLayout = unsafe extern "C" fn(*mut Raw, c_int, u64, u64, i64) -> c_int;
type NewDescription = unsafe extern "C" fn(*mut Raw, c_int, c_int) -> c_int;
type Set = unsafe extern "C" fn(Raw, c_int, *const c_void, usize) -> c_int;
type Free = unsafe extern "C" fn(Raw) -> c_int;
type Heuristic = unsafe extern "C" fn(Raw, Raw, Raw, Raw, Raw, Raw, Raw, c_int, Raw, *mut c_int) -> c_int;
type R = Raw;
type From = *const c_void;
type Matmul = unsafe extern "C" fn(R, R, From, From, R, From, R, From, From, R, R, R, R, R, usize, R) -> c_int;

struct Lt(Loaded);

impl Lt {
    fn call<F: Copy>(&self, name: &str) -> F {
        self.0.call(name)
    }

    /// Writes an attribute of a description or a layout.
    unsafe fn set<T>(&self, name: &str, thing: Raw, attribute: c_int, value: T) -> c_int {
        // SAFETY: the caller's thing, and a value of that size.
        unsafe { self.call::<Set>(name)(thing, attribute, (&raw const value).cast(), size_of::<T>()) }
    }

    /// A row-major matrix of a `cudaDataType` without gaps, `count` of them one after the other.
    unsafe fn layout(&self, kind: c_int, rows: u64, columns: u64, count: c_int) -> Raw {
        let (mut layout, name) = (null_mut(), "cublasLtMatrixLayoutSetAttribute");
        // SAFETY: a place for a handle, and attributes of their sizes: order, batch and stride.
        unsafe {
            assert_eq!(
                self.call::<NewLayout>("cublasLtMatrixLayoutCreate")(&mut layout, kind, rows, columns, columns as i64),
                0
            );
            assert_eq!(self.set(name, layout, 1, 1 as c_int), 0);
            assert_eq!(self.set(name, layout, 5, count), 0);
            assert_eq!(self.set(name, layout, 6, (rows * columns) as i64), 0);
        }
        layout
    }
}

const F32: c_int = 0;
const C32: c_int = 4;
const COMPUTE_32F: c_int = 68;
const TRANSPOSE_A: c_int = 3;
const TRANSPOSE_B: c_int = 4;
const EPILOGUE: c_int = 7;
const BIAS_POINTER: c_int = 8;
/// Addresses of factors of A, B, C and D, and of the largest value of D.
const SCALES: [c_int; 5] = [17, 18, 19, 20, 21];

#[allow(clippy::too_many_lines, reason = "one call after the other, as the table of the interface has them")]
pub fn all() {
    let gpu = Gpu::new();
    let lt = Lt(Loaded::new("libcublasLt.so.12"));
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
    // SAFETY: the library's signatures; matrices of the sizes that the layouts say; places for answers.
    unsafe {
        let (mut handle, mut description) = (null_mut(), null_mut());
        assert_eq!(lt.call::<Create>("cublasLtCreate")(&mut handle), 0);
        assert_eq!(lt.call::<NewDescription>("cublasLtMatmulDescCreate")(&mut description, COMPUTE_32F, 0), 0);
        let set = "cublasLtMatmulDescSetAttribute";
        assert_eq!(lt.set(set, description, TRANSPOSE_B, 1 as c_int), 0);
        assert_eq!(lt.set(set, description, BIAS_POINTER, gpu.at::<_, c_void>(&on_bias)), 0);
        assert_eq!(lt.set(set, description, EPILOGUE, 1i64), 7, "an attribute of another size");
        let sizes = [(rows, inputs), (outputs, inputs), (rows, outputs)];
        let [of_x, of_weights, of_y] =
            sizes.map(|(rows, columns)| lt.layout(F32, rows as u64, columns as u64, count as c_int));
        // No factors of the matrices, as XLA says for each type.
        for attribute in SCALES {
            assert_eq!(lt.set(set, description, attribute, null_mut::<c_void>()), 0);
        }
        let matmul: Matmul = lt.call("cublasLtMatmul");
        let heuristic: Heuristic = lt.call("cublasLtMatmulAlgoGetHeuristic");
        for (epilogue, activation) in activations {
            assert_eq!(lt.set(set, description, EPILOGUE, epilogue), 0);
            let (mut found, mut results) = (0, [0u64; 12]);
            let algorithm = results.as_mut_ptr().cast::<c_void>();
            assert_eq!(
                heuristic(handle, description, of_x, of_weights, of_y, of_y, null_mut(), 1, algorithm, &mut found),
                0
            );
            assert_eq!((found, results[8]), (1, 0), "one algorithm, without a workspace");
            let on_y = gpu.up(&vec![f32::NAN; count * rows * outputs]);
            let (factor, addend) = ((&raw const one).cast(), (&raw const none).cast());
            let (y, stream) = (gpu.at::<_, c_void>(&on_y), gpu.stream.cu_stream().cast());
            let (px, pw, none) = (gpu.at(&on_x), gpu.at(&on_weights), null_mut());
            let (to, of) = (description, of_weights);
            let done =
                matmul(handle, to, factor, px, of_x, pw, of, addend, y, of_y, y, of_y, algorithm, none, 0, stream);
            assert_eq!(done, 0);
            let want = (0..count * rows * outputs).map(|e| {
                let (batch, i, j) = (e / (rows * outputs), e / outputs % rows, e % outputs);
                let (of_x, of_weights) =
                    (&x[(batch * rows + i) * inputs..], &weights[(batch * outputs + j) * inputs..]);
                let sum: f64 = (0..inputs).map(|p| of_x[p].f64() * of_weights[p].f64()).sum();
                activation(sum + if epilogue & 4 != 0 { bias[i].f64() } else { 0.0 })
            });
            close("cublasLtMatmul", gpu.down(&on_y).iter().map(|value| value.f64()), want, inputs, f32::UNIT);
        }
        assert_eq!(lt.set(set, description, EPILOGUE, 1 as c_int), 0);
        let (no, none) = (null(), null_mut());
        let done =
            matmul(handle, description, no, no, of_x, no, of_weights, no, no, of_y, none, of_y, none, none, 0, none);
        assert_eq!(done, 7, "no factors");
        // A factor of A is refused where it would count.
        assert_eq!(lt.set(set, description, SCALES[0], gpu.at::<_, c_void>(&on_bias)), 0);
        let (mut found, mut results) = (0, [0u64; 12]);
        let algorithm = results.as_mut_ptr().cast::<c_void>();
        let (a, b, y) = (of_x, of_weights, of_y);
        assert_ne!(heuristic(handle, description, a, b, y, y, null_mut(), 1, algorithm, &mut found), 0);
        for layout in [of_x, of_weights, of_y] {
            assert_eq!(lt.call::<Free>("cublasLtMatrixLayoutDestroy")(layout), 0);
        }
        assert_eq!(lt.call::<Free>("cublasLtMatmulDescDestroy")(description), 0);
        complex(&gpu, &lt, handle);
        assert_eq!(lt.call::<Free>("cublasLtDestroy")(handle), 0);
    }
}

/// D = α·Aᴴ·B of complex numbers, and an epilogue that they do not have.
unsafe fn complex(gpu: &Gpu, lt: &Lt, handle: Raw) {
    let (m, n, k) = (35usize, 18usize, 21usize);
    let (a, b) = (values::<f32>(2 * k * m, 4), values::<f32>(2 * k * n, 5));
    let (on_a, on_b, on_d) = (gpu.up(&a), gpu.up(&b), gpu.up(&vec![f32::NAN; 2 * m * n]));
    let (alpha, none, set) = ([1.5f32, -0.5], [0f32; 2], "cublasLtMatmulDescSetAttribute");
    let (stream, null) = (gpu.stream.cu_stream().cast(), null_mut());
    let (factor, addend) = (alpha.as_ptr().cast(), none.as_ptr().cast());
    // SAFETY: the library's signatures; matrices of the sizes that the layouts say.
    unsafe {
        let mut description = null_mut();
        assert_eq!(lt.call::<NewDescription>("cublasLtMatmulDescCreate")(&mut description, COMPUTE_32F, C32), 0);
        assert_eq!(lt.set(set, description, TRANSPOSE_A, 2 as c_int), 0);
        let [of_a, of_b, of_d] =
            [(k, m), (k, n), (m, n)].map(|(rows, columns)| lt.layout(C32, rows as u64, columns as u64, 1));
        let (pa, pb, pd) = (gpu.at(&on_a), gpu.at(&on_b), gpu.at::<_, c_void>(&on_d));
        let (mut found, mut results) = (0, [0u64; 12]);
        let algorithm = results.as_mut_ptr().cast::<c_void>();
        let heuristic: Heuristic = lt.call("cublasLtMatmulAlgoGetHeuristic");
        for (epilogue, answer) in [(2 as c_int, 15), (1, 0)] {
            assert_eq!(lt.set(set, description, EPILOGUE, epilogue), 0);
            let done = heuristic(handle, description, of_a, of_b, of_d, of_d, null, 1, algorithm, &mut found);
            assert_eq!(done, answer, "epilogue {epilogue}");
        }
        let matmul: Matmul = lt.call("cublasLtMatmul");
        let done =
            matmul(handle, description, factor, pa, of_a, pb, of_b, addend, pd, of_d, pd, of_d, null, null, 0, stream);
        assert_eq!(done, 0);
        for layout in [of_a, of_b, of_d] {
            assert_eq!(lt.call::<Free>("cublasLtMatrixLayoutDestroy")(layout), 0);
        }
        assert_eq!(lt.call::<Free>("cublasLtMatmulDescDestroy")(description), 0);
    }
    let at = |values: &[f32], e: usize| -> Z { (values[2 * e].f64(), values[2 * e + 1].f64()) };
    let want = (0..m * n).flat_map(|e| {
        let term = |p: usize| times(conjugate(at(&a, p * m + e / n)), at(&b, p * n + e % n));
        let (re, im) = times((1.5, -0.5), (0..k).fold((0.0, 0.0), |sum, p| plus(sum, term(p))));
        [re, im]
    });
    close("cublasLtMatmul of complex numbers", gpu.down(&on_d).iter().map(|value| value.f64()), want, 4 * k, f32::UNIT);
}

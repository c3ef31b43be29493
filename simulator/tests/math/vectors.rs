//! Level 1: every function in both types, with increments of several signs, and answers on the host and on the device.
use crate::gpu::{Gpu, Number, OK, close, values};
use cudarc::cublas::sys as blas;

pub fn all() {
    let gpu = Gpu::new();
    for (n, incx, incy) in [(1, 1, 1), (1000, 1, 1), (777, 2, -3), (100_003, 1, 2)] {
        single(&gpu, n, incx, incy);
        double(&gpu, n, incx, incy);
    }
    answers(&gpu);
    copies(&gpu);
}

/// Where element `i` lies in memory.
fn place(i: usize, n: usize, step: i32) -> usize {
    if step < 0 { (n - 1 - i) * step.unsigned_abs() as usize } else { i * step as usize }
}

macro_rules! in_type {
    ($name:ident, $T:ty, $axpy:ident $scal:ident $copy:ident $swap:ident $dot:ident $nrm2:ident $asum:ident $iamax:ident $iamin:ident) => {
        fn $name(gpu: &Gpu, n: usize, incx: i32, incy: i32) {
            let room = |step: i32| (n - 1) * step.unsigned_abs() as usize + 1;
            let (x, y) = (values::<$T>(room(incx), 1), values::<$T>(room(incy), 2));
            let (on_x, on_y) = (gpu.up(&x), gpu.up(&y));
            let (h, count, alpha) = (gpu.handle, n as i32, <$T>::of(0.75));
            let of = |values: &[$T], step: i32| (0..n).map(|i| values[place(i, n, step)].f64()).collect::<Vec<_>>();
            let (x0, y0) = (of(&x, incx), of(&y, incy));
            let mut answer = <$T>::default();
            blas!($dot(h, count, gpu.at(&on_x), incx, gpu.at(&on_y), incy, &mut answer));
            close("dot", [answer.f64()], [x0.iter().zip(&y0).map(|(x, y)| x * y).sum::<f64>()], n, <$T>::UNIT);
            if incx > 0 {
                blas!($asum(h, count, gpu.at(&on_x), incx, &mut answer));
                close("asum", [answer.f64()], [x0.iter().map(|x| x.abs()).sum::<f64>()], n, <$T>::UNIT);
                blas!($nrm2(h, count, gpu.at(&on_x), incx, &mut answer));
                close("nrm2", [answer.f64()], [x0.iter().map(|x| x * x).sum::<f64>().sqrt()], n, <$T>::UNIT);
                let mut found = 0;
                blas!($iamax(h, count, gpu.at(&on_x), incx, &mut found));
                assert!(x0.iter().all(|x| x.abs() <= x0[found as usize - 1].abs()), "iamax");
                blas!($iamin(h, count, gpu.at(&on_x), incx, &mut found));
                assert!(x0.iter().all(|x| x.abs() >= x0[found as usize - 1].abs()), "iamin");
            }
            blas!($axpy(h, count, &alpha, gpu.at(&on_x), incx, gpu.at(&on_y), incy));
            let sum: Vec<f64> = x0.iter().zip(&y0).map(|(x, y)| 0.75 * x + y).collect();
            close("axpy", of(&gpu.down(&on_y), incy), sum.clone(), 1, <$T>::UNIT);
            blas!($swap(h, count, gpu.at(&on_x), incx, gpu.at(&on_y), incy));
            close("swap", of(&gpu.down(&on_x), incx), sum.clone(), 1, <$T>::UNIT);
            close("swap", of(&gpu.down(&on_y), incy), x0.clone(), 0, <$T>::UNIT);
            if incx > 0 {
                blas!($scal(h, count, &alpha, gpu.at(&on_x), incx));
                close("scal", of(&gpu.down(&on_x), incx), sum.iter().map(|x| 0.75 * x), 1, <$T>::UNIT);
            }
            blas!($copy(h, count, gpu.at(&on_y), incy, gpu.at(&on_x), incx));
            close("copy", of(&gpu.down(&on_x), incx), x0, 0, <$T>::UNIT);
        }
    };
}

in_type!(single, f32, cublasSaxpy_v2 cublasSscal_v2 cublasScopy_v2 cublasSswap_v2 cublasSdot_v2 cublasSnrm2_v2 cublasSasum_v2 cublasIsamax_v2 cublasIsamin_v2);
in_type!(double, f64, cublasDaxpy_v2 cublasDscal_v2 cublasDcopy_v2 cublasDswap_v2 cublasDdot_v2 cublasDnrm2_v2 cublasDasum_v2 cublasIdamax_v2 cublasIdamin_v2);

/// Answers and factors on the device, sizes of 64 bits, no elements, and squares beyond the range of the type.
fn answers(gpu: &Gpu) {
    let h = gpu.handle;
    let x = gpu.up(&[3e300f64, 0.0, -4e300, f64::MIN_POSITIVE]);
    let (norm, place, factor) = (gpu.up(&[0f64]), gpu.up(&[-1i32, 77]), gpu.up(&[2f64]));
    let mut wide = 7i64;
    // SAFETY: four elements, and places as wide as the answers.
    unsafe {
        blas!(cublasIdamin_v2_64(h, 4, gpu.at(&x), 1, &mut wide));
        assert_eq!(wide, 2);
        blas!(cublasIdamax_v2_64(h, 0, gpu.at(&x), 1, &mut wide));
        assert_eq!(wide, 0, "no element");
        let on_device = blas::cublasPointerMode_t::CUBLAS_POINTER_MODE_DEVICE;
        blas!(cublasSetPointerMode_v2(h, on_device));
        blas!(cublasDnrm2_v2(h, 4, gpu.at(&x), 1, gpu.at(&norm)));
        blas!(cublasIdamax_v2(h, 4, gpu.at(&x), 1, gpu.at(&place)));
        blas!(cublasDscal_v2(h, 2, gpu.at(&factor), gpu.at(&x), 1));
        blas!(cublasSetPointerMode_v2(h, blas::cublasPointerMode_t::CUBLAS_POINTER_MODE_HOST));
        // An element of no size, and a handle that is none.
        assert_ne!(blas::cublasDnrm2_v2(std::ptr::null_mut(), 4, gpu.at(&x), 1, gpu.at(&norm)), OK);
    }
    close("nrm2", gpu.down(&norm), [5e300], 2, f64::EPSILON);
    assert_eq!(gpu.down(&place), [3, 77], "an answer of 32 bits");
    assert_eq!(gpu.down(&x)[..3], [6e300, 0.0, -4e300]);
}

/// `cublasSetVector` and `cublasGetMatrix`: rows between host and device.
fn copies(gpu: &Gpu) {
    let x = values::<f32>(30, 5);
    let on_device = gpu.up(&[9f32; 12]);
    let mut back = [0f32; 20];
    blas!(cublasSetVector(10, 4, x.as_ptr().cast(), 3, gpu.at(&on_device), 1));
    blas!(cublasGetMatrix(2, 3, 4, gpu.at(&on_device), 4, back.as_mut_ptr().cast(), 5));
    assert_eq!(gpu.down(&on_device)[..11], [x[0], x[3], x[6], x[9], x[12], x[15], x[18], x[21], x[24], x[27], 9.0]);
    let want = [x[0], x[3], 0.0, 0.0, 0.0, x[12], x[15], 0.0, 0.0, 0.0, x[24], x[27], 0.0];
    assert_eq!(back[..13], want);
}

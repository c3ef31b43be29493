//! cuSOLVER and cuSPARSE, which the host answers: a system is solved, a matrix is taken apart and put together, a sparse one is multiplied.
use crate::gpu::{Gpu, close, values};
use crate::under_sim::Loaded;

/// A handle that works in the stream of the device.
fn handle(gpu: &Gpu, library: &Loaded, before: &str) -> usize {
    let mut handle = 0usize;
    assert_eq!(library.call(&format!("{before}Create"), &[&raw mut handle as usize]), 0);
    assert_eq!(library.call(&format!("{before}SetStream"), &[handle, gpu.stream.cu_stream() as usize]), 0);
    handle
}

pub fn all() {
    let gpu = Gpu::new();
    let at = |values| gpu.place::<f64>(values);
    let library = Loaded::new("libcusolver.so.11");
    let solver = handle(&gpu, &library, "cusolverDn");
    let (m, n) = (9, 6);
    let (a, x) = (values::<f64>(m * n, 1), values::<f64>(n, 2));
    let times =
        |x: &[f64], rows: usize| (0..rows).map(|i| (0..n).map(|j| a[j * m + i] * x[j]).sum()).collect::<Vec<f64>>();
    let (info, pivots) = (gpu.up(&[7i32]), gpu.up(&[0i32; 6]));
    let (info_at, pivots_at) = (gpu.place(&info), gpu.place(&pivots));
    // The first rows are a system. Rows are m numbers apart.
    let (on_a, on_b) = (gpu.up(&a), gpu.up(&times(&x, n)));
    done!(library.cusolverDnDgetrf(solver, n, n, at(&on_a), m, 0, pivots_at, info_at));
    done!(library.cusolverDnDgetrs(solver, 0, n, 1, at(&on_a), m, pivots_at, at(&on_b), n, info_at));
    close("getrs", gpu.down(&on_b), x.clone(), 1000, f64::EPSILON);
    assert_eq!(gpu.down(&info), [0]);
    let [on_a, s, u, vt] = [a.clone(), vec![0.0; n], vec![0.0; m * n], vec![0.0; n * n]].map(|values| gpu.up(&values));
    let [s_at, u_at, vt_at] = [&s, &u, &vt].map(at);
    let job = usize::from(b'S');
    done!(library.cusolverDnDgesvd(solver, job, job, m, n, at(&on_a), m, s_at, u_at, m, vt_at, n, 0, 0, 0, info_at));
    let (s, u, vt) = (gpu.down(&s), gpu.down(&u), gpu.down(&vt));
    assert!(s.is_sorted_by(|a, b| a >= b) && s[n - 1] > 0.0, "{s:?}");
    let together = (0..m * n).map(|e| (0..n).map(|k| u[k * m + e % m] * s[k] * vt[e / m * n + k]).sum());
    close("gesvd", together, a.clone(), 100, f64::EPSILON);
    // Its second leading minor is below 0.
    let on_a = gpu.up(&[1.0, 2.0, 2.0, 1.0]);
    done!(library.cusolverDnDpotrf(solver, 0, 2, at(&on_a), 2, 0, 0, info_at));
    assert_eq!(gpu.down(&info), [2]);

    let library = Loaded::new("libcusparse.so.12");
    let sparse = handle(&gpu, &library, "cusparse");
    let (offsets, indices) = (gpu.up(&[0i32, 2, 2, 3]), gpu.up(&[0i32, 2, 1]));
    let [offsets, indices] = [&offsets, &indices].map(|values| gpu.place(values));
    let [values, x, y] = [[2.0, 3.0, 4.0], [1.0, 10.0, 100.0], [1.0, 1.0, 1.0]].map(|values| gpu.up(&values));
    let mut made = [0usize; 3];
    let [to_a, to_x, to_y] = made.each_mut().map(|place| &raw mut *place);
    done!(library.cusparseCreateCsr(to_a, 3, 3, 3, offsets, indices, at(&values), 2, 2, 0, 1));
    done!(library.cusparseCreateDnVec(to_x, 3, at(&x), 1));
    done!(library.cusparseCreateDnVec(to_y, 3, at(&y), 1));
    let (factor, [of_a, of_x, of_y]) = (1f64, made);
    let one = &raw const factor;
    for (operation, want) in [(0, [303.0, 1.0, 41.0]), (1, [305.0, 401.0, 44.0])] {
        done!(library.cusparseSpMV(sparse, operation, one, of_a, of_x, one, of_y, 1, 0, 0));
        assert_eq!(gpu.down(&y), want);
    }
}

pub fn refused() {
    let gpu = Gpu::new();
    let library = Loaded::new("libcusolver.so.11");
    let solver = handle(&gpu, &library, "cusolverDn");
    assert_eq!(call!(library.cusolverDnDpotri(solver)), 9);
    assert_eq!(call!(library.cusolverDnDgetrf(solver, 4, 4, 64, 2, 0, 0, 0)), 3, "rows lie in one another");
    assert_eq!(call!(library.cusolverDnDgetrf(solver, 4, 4, 64, 4, 0, 0, 0)), 9, "no allocation");
}

//! Products of many matrices, and products whose types are arguments.
use crate::gpu::{Gpu, Number, close};
use crate::host::{Host, N, T, product};
use crate::routines::ANY;
use cudarc::cublas::sys::{cublasComputeType_t as Compute, cudaDataType_t as Kind};
use half::{bf16, f16};
use std::ffi::c_void;

/// Strides and lists of matrices, and products whose types are arguments.
#[allow(clippy::too_many_lines, reason = "one call after the other, as the table of the interface has them")]
pub fn batches_and_types() {
    let gpu = Gpu::new();
    let h = gpu.handle;
    let (m, n, k, count) = (17, 9, 21, 5);
    let [mi, ni, ki] = [m, n, k].map(|size| size as i32);
    let [a, b, c] = [(m, k, 1), (n, k, 2), (m, n, 3)].map(|(m, n, seed)| Host::<f64>::of(N, m, n * count, 0, seed));
    let part = |host: &Host<f64>, columns: usize, i: usize| {
        Host(host.0[i * columns * host.1..][..columns * host.1].to_vec(), host.1)
    };
    let product_of = |i: usize, beta: f64| {
        product((N, &part(&a, k, i)), (T, &part(&b, k, i)), [m, n, k], &part(&c, n, i), [1.5, beta])
    };
    let want: Vec<f64> = (0..count).flat_map(|i| product_of(i, 0.5)).collect();
    let (alpha, beta) = (1.5f32, 0.5f32);
    let (factor, addend) = ((&raw const alpha).cast(), (&raw const beta).cast());
    let [on_a, on_b] = [&a, &b].map(|host| gpu.up(&host.each(|value| value as f32)));
    let strides = [m * k, n * k, m * n].map(|size| size as i64);
    let strided = gpu.up(&c.each(|value| value as f32));
    let ([to_a, to_b, to_c], batch) = (strides, count as i32);
    let (pa, pb, pc) = (gpu.at(&on_a), gpu.at(&on_b), gpu.at(&strided));
    blas!(cublasSgemmStridedBatched(
        h, N, T, mi, ni, ki, &alpha, pa, mi, to_a, pb, ni, to_b, &beta, pc, mi, to_c, batch
    ));
    close("strided", gpu.down(&strided).iter().map(|value| value.f64()), want.clone(), 16 * k, f32::UNIT);
    let listed = gpu.up(&c.each(|value| value as f32));
    let list = |from: *mut f32, step: i64| {
        gpu.up(&(0..count).map(|i| from as u64 + 4 * step as u64 * i as u64).collect::<Vec<_>>())
    };
    let lists = [list(gpu.at(&on_a), strides[0]), list(gpu.at(&on_b), strides[1]), list(gpu.at(&listed), strides[2])];
    let (la, lb, lc) = (gpu.at(&lists[0]), gpu.at(&lists[1]), gpu.at(&lists[2]));
    blas!(cublasSgemmBatched(h, N, T, mi, ni, ki, &alpha, la, mi, lb, ni, &beta, lc, mi, batch));
    close("listed", gpu.down(&listed).iter().map(|value| value.f64()), want.clone(), 16 * k, f32::UNIT);
    // Two groups of the same lists; the second has no addend, so that its answer is the product alone.
    let grouped = gpu.up(&c.each(|value| value as f32));
    let list_of_c = list(gpu.at(&grouped), to_c);
    let (operations, [m2, n2, k2], members) = ([[N; 2], [T; 2]], [[mi; 2], [ni; 2], [ki; 2]], [3, 2]);
    let (alphas, betas) = ([1.5f32; 2], [0.5f32, 0.0]);
    let (ta, tb) = (operations[0].as_ptr(), operations[1].as_ptr());
    let (ms, ns, ks, alphas, betas) = (m2.as_ptr(), n2.as_ptr(), k2.as_ptr(), alphas.as_ptr(), betas.as_ptr());
    let (lc, members) = (gpu.at(&list_of_c), members.as_ptr());
    blas!(cublasSgemmGroupedBatched(h, ta, tb, ms, ns, ks, alphas, la, ms, lb, ns, betas, lc, ms, 2, members));
    let size = m * n;
    let grouped_want = (0..count * size).map(|e| want[e] - if e < 3 * size { 0.0 } else { 0.5 * c.0[e] });
    close("grouped", gpu.down(&grouped).iter().map(|value| value.f64()), grouped_want, 16 * k, f32::UNIT);
    // Elements that a half has exactly; the sums are taken in f32, and rounded where C is of half type.
    let halves = |host: &Host<f64>| gpu.up(&host.each(|value| f16::from_f64(value).to_bits()));
    let brains = |host: &Host<f64>| gpu.up(&host.each(|value| bf16::from_f64(value).to_bits()));
    // C = α·A·Bᵀ + β·C: factors, the three matrices, the types of A and B and of C, and what it is computed in.
    let multiply = |[factor, addend]: [*const c_void; 2],
                    [a, b, c]: [*mut c_void; 3],
                    [from, to]: [Kind; 2],
                    computed| {
        blas!(cublasGemmEx(h, N, T, mi, ni, ki, factor, a, from, mi, b, from, ni, addend, c, to, mi, computed, ANY));
    };
    let (wide, c0, first) = (Compute::CUBLAS_COMPUTE_32F, part(&c, n, 0), &want[..m * n]);
    for (kind, on_a, on_b, unit) in [
        (Kind::CUDA_R_16F, halves(&a), halves(&b), f64::powi(2.0, -11)),
        (Kind::CUDA_R_16BF, brains(&a), brains(&b), f64::powi(2.0, -8)),
    ] {
        let (narrow, full) =
            (if kind == Kind::CUDA_R_16F { halves(&c0) } else { brains(&c0) }, gpu.up(&c0.each(|value| value as f32)));
        let (pa, pb) = (gpu.at(&on_a), gpu.at(&on_b));
        multiply([factor, addend], [pa, pb, gpu.at(&narrow)], [kind, kind], wide);
        multiply([factor, addend], [pa, pb, gpu.at(&full)], [kind, Kind::CUDA_R_32F], wide);
        let value = |bits: &u16| {
            if kind == Kind::CUDA_R_16F { f16::from_bits(*bits).to_f64() } else { bf16::from_bits(*bits).to_f64() }
        };
        close("half types", gpu.down(&narrow).iter().map(value), first.to_vec(), 0, unit / 2.0);
        close("half types", gpu.down(&full).iter().map(|value| value.f64()), first.to_vec(), 16 * k, f32::UNIT);
    }
    // Factors of half type, on the host.
    let (on_c, [one, half]) = (halves(&c0), [1.5, 0.5].map(|value| f16::from_f64(value).to_bits()));
    let (on_a, on_b, kind) = (halves(&a), halves(&b), Kind::CUDA_R_16F);
    let (factor, addend, narrow) = ((&raw const one).cast(), (&raw const half).cast(), Compute::CUBLAS_COMPUTE_16F);
    multiply([factor, addend], [gpu.at(&on_a), gpu.at(&on_b), gpu.at(&on_c)], [kind, kind], narrow);
    let got = gpu.down(&on_c).into_iter().map(|bits| f16::from_bits(bits).to_f64());
    close("in halves", got, first.to_vec(), 0, f64::powi(2.0, -12));
    // Whole numbers of 8 bits.
    let bytes = |host: &Host<f64>| gpu.up(&host.each(|value| (2.0 * value) as i8));
    let (on_a, on_b, sums, one, none) = (bytes(&a), bytes(&b), gpu.up(&vec![0i32; m * n]), 1i32, 0i32);
    let (byte, word, whole) = (Kind::CUDA_R_8I, Kind::CUDA_R_32I, Compute::CUBLAS_COMPUTE_32I);
    let (one, none) = ((&raw const one).cast(), (&raw const none).cast());
    multiply([one, none], [gpu.at(&on_a), gpu.at(&on_b), gpu.at(&sums)], [byte, word], whole);
    let exact = product_of(0, 0.0).into_iter().map(|sum| sum * 4.0 / 1.5);
    close("bytes", gpu.down(&sums).into_iter().map(f64::from), exact, 0, 1e-12);
}

//! Whole programs for compute capability 9.0: rings of tiles between warps that load and warps that multiply.
//!
//! `fixtures/gemm_wgmma.sm_90a.ptx.z` is made from `docs/measurements/h200-gemm-wgmma.cu` with `-DPF=2`, `tma_gemm` from the
//! `.cu` beside it, both by NVRTC 12.9 for `compute_90a`.
use crate::module::{Module, Plain, Start};
use half::bf16;
use simulator::tensor::{Element, Swizzle, TensorMap};

/// Values between −1 and 1 that repeat with no period of a tile.
fn values(count: usize, seed: u32) -> Vec<f32> {
    let value =
        |i: usize| ((i as u32).wrapping_mul(2_654_435_761).wrapping_add(seed) >> 8) as f32 / (1 << 23) as f32 - 1.0;
    (0..count).map(value).collect()
}

/// Row `i`, column `j` of A·B, and the sum of the magnitudes of its products.
fn exact(a: impl Fn(usize) -> f32, b: impl Fn(usize) -> f32, k: usize) -> (f64, f64) {
    (0..k).fold((0.0, 0.0), |(sum, all), i| {
        let product = f64::from(a(i)) * f64::from(b(i));
        (sum + product, all + product.abs())
    })
}

#[test]
fn the_wgmma_experiment_multiplies() {
    let (m, n, k) = (128, 256, 320);
    let module = Module::load("gemm_wgmma", "90a");
    let (a, b) = (values(m * k, 1), values(k * n, 77));
    let c = module.array(&vec![f32::NAN; m * n]);
    // Two stages of three parts of two tiles, and room to align them.
    let mut start = Start::new(2, 512);
    start.shared = 2 * 2 * 3 * 128 * 128 + 1024;
    let size = |extent: usize| (extent as i32).bytes();
    let (at_a, at_b) = (module.array(&a).bytes(), module.array(&b).bytes());
    module.run("kern", start, &[c.bytes(), at_a, at_b, size(m), size(n), size(k)]);
    let got: Vec<f32> = module.read(c, m * n);
    for (index, got) in got.into_iter().enumerate() {
        let (i, j) = (index / n, index % n);
        let (want, all) = exact(|x| a[i * k + x], |x| b[x * n + j], k);
        // Three bf16 hold all but 2⁻²⁴ of a number; sums round in fp32.
        let error = (f64::from(got) - want).abs();
        assert!(error <= 4.0 * 2f64.powi(-24) * all, "row {i}, column {j}: {got} instead of {want}");
    }
}

#[test]
fn tiles_come_through_tensor_maps_in_a_ring() {
    let (m, n, k) = (128usize, 192usize, 448usize);
    let module = Module::load("tma_gemm", "90a");
    let round = |values: Vec<f32>| values.into_iter().map(bf16::from_f32).collect::<Vec<_>>();
    let (a, b) = (round(values(m * k, 3)), round(values(n * k, 9)));
    let bits = |values: &[bf16]| values.iter().map(|value| value.to_bits()).collect::<Vec<u16>>();
    let map = |address: u64, rows: usize| {
        let map = TensorMap {
            element: Element::Bf16,
            rank: 2,
            address,
            extents: [k as u64, rows as u64, 1, 1, 1],
            strides: [0, 2 * k as u64, 0, 0, 0],
            box_extents: [64, 64, 1, 1, 1],
            element_strides: [1; 5],
            swizzle: Swizzle::Bytes128,
            fills_nan: false,
        };
        map.encode().to_vec()
    };
    let (map_a, map_b) = (map(module.array(&bits(&a)), m), map(module.array(&bits(&b)), n));
    let c = module.array(&vec![f32::NAN; m * n]);
    let start = Start::new((m / 64 * n / 64) as u32, 160);
    let size = |extent: usize| (extent as i32).bytes();
    module.run("tma_gemm", start, &[map_a, map_b, c.bytes(), size(n), size(k)]);
    let got: Vec<f32> = module.read(c, m * n);
    for (index, got) in got.into_iter().enumerate() {
        let (i, j) = (index / n, index % n);
        let (want, all) = exact(|x| a[i * k + x].to_f32(), |x| b[j * k + x].to_f32(), k);
        // One rounding for each sixteen products.
        let error = (f64::from(got) - want).abs();
        assert!(error <= (k / 16) as f64 * 2f64.powi(-24) * all, "row {i}, column {j}: {got} instead of {want}");
    }
}

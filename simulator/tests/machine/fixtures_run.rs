//! The fixtures' kernels, run from each architecture's PTX, against the same C++ written in Rust.
//!
//! Any error of the lowerer about rows, blocks, calls or addresses shows here as a wrong number.
use crate::module::{Module, Plain, Start};

const ARCHITECTURES: &[&str] = &["50", "90", "100", "120"];

impl Module {
    fn launch(&self, name: &str, grid: u32, block: u32, shared: u32, arguments: &[Vec<u8>]) {
        self.run(name, Start { shared, ..Start::new(grid, block) }, arguments);
    }
}

/// `branches` of control.cu.
fn branches(x: i32) -> i32 {
    let mut y = 0;
    if x > 0 && (x & 1 != 0 || x > 100) {
        y = x * 3;
    } else if x < -10 {
        y = -x;
    }
    for k in 0..x.max(0) {
        if k * k > 50 {
            break;
        }
        if k % 3 == 1 {
            continue;
        }
        y += k ^ x;
    }
    loop {
        y = if y > 4 { y - 3 } else { y + 5 };
        if y % 7 == 0 {
            return y;
        }
    }
}

#[test]
fn conditions_and_loops() {
    let input: Vec<i32> = (0..300).map(|i| (i * 37) % 250 - 100).collect();
    for architecture in ARCHITECTURES {
        let module = Module::load("control", architecture);
        let (out, input_at) = (module.array(&vec![-1i32; 320]), module.array(&input));
        module.launch("branches", 5, 64, 0, &[out.bytes(), input_at.bytes(), 300i32.bytes()]);
        let want: Vec<i32> = input.iter().map(|&x| branches(x)).chain([-1; 20]).collect();
        assert_eq!(module.read::<i32>(out, 320), want, "sm_{architecture}");
    }
}

#[test]
fn a_switch() {
    let values: Vec<i32> = (0..64).map(|i| i * 1001 - 7).collect();
    for architecture in ARCHITECTURES {
        let module = Module::load("control", architecture);
        let out = module.array(&values);
        // One thread at a time, since all threads read what others write.
        module.launch("chosen", 1, 1, 0, &[out.bytes(), 3i32.bytes()]);
        assert_eq!(module.read::<i32>(out, 1), [values[4] ^ 5]);
        for (x, want) in
            [(0, values[1]), (1, values[2] * 3), (2, (values[3] - 7) + (values[4] ^ 5)), (4, values[5] / 3)]
                .into_iter()
                .chain([(5, values[6] % 5), (6, values[7] << 3), (7, -values[8]), (8, 99), (-1, 99)])
        {
            module.launch("chosen", 1, 1, 0, &[out.bytes(), x.bytes()]);
            assert_eq!(module.read::<i32>(out, 1), [want], "sm_{architecture} case {x}");
        }
    }
}

#[test]
fn recursion_through_a_table_of_functions() {
    let fibonacci = |n: i32| (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0;
    for architecture in ARCHITECTURES {
        let module = Module::load("control", architecture);
        let out = module.array(&[0i32; 20]);
        module.launch("called", 1, 20, 0, &[out.bytes(), 1i32.bytes()]);
        let want: Vec<i32> = (0..20)
            .map(|t| match (1 + t) % 3 {
                0 => 2 * t,
                1 => t * t,
                _ => fibonacci(t),
            })
            .collect();
        assert_eq!(module.read::<i32>(out, 20), want, "sm_{architecture}");
    }
}

#[test]
fn local_arrays_and_initialised_variables() {
    let weights = [0.5f32, 1.5, -2.0, 3.0];
    for architecture in ARCHITECTURES {
        let module = Module::load("spaces", architecture);
        let out = module.array(&[0f32; 40]);
        module.launch("local", 1, 40, 0, &[out.bytes(), 33i32.bytes()]);
        let mut a = [0f32; 32];
        for i in 0..33 {
            a[(i * 7) % 32] = i as f32 * weights[i % 4];
        }
        let s: f32 = (0..32).map(|i| a[(i * 33) % 32]).fold(0.0, |s, x| s + x);
        let want = s + f32::from(b'e') + 7.0;
        assert_eq!(module.read::<f32>(out, 40), [want; 40], "sm_{architecture}");
    }
}

#[test]
fn dynamic_shared_memory_behind_static_and_parameters_of_all_sizes() {
    for architecture in ARCHITECTURES {
        let module = Module::load("spaces", architecture);
        let out = module.array(&[0f32; 4 * 32]);
        let point: Vec<u8> = [2.5f32.bytes(), (-1.5f32).bytes(), 42i32.bytes()].concat();
        module.launch("dynamic", 1, 32, 16 * 32, &[out.bytes(), point, (-3i16).bytes(), vec![200]]);
        let want: Vec<f32> = (0..32).flat_map(|t| [2.5, -1.5, 42.0, 197.0 + (t & 7) as f32]).collect();
        assert_eq!(module.read::<f32>(out, 128), want, "sm_{architecture}");
    }
}

#[test]
fn structs_go_in_and_out_of_functions() {
    for architecture in ARCHITECTURES {
        let module = Module::load("spaces", architecture);
        let points: Vec<u32> = (0..32u32).flat_map(|t| [(t as f32).to_bits(), 10f32.to_bits(), t]).collect();
        let out = module.array(&points);
        module.launch("structs", 1, 32, 0, &[out.bytes(), 0.25f64.bytes()]);
        let want: Vec<u32> = (0..32u32).flat_map(|t| [(t as f32 + 0.25).to_bits(), 9.75f32.to_bits(), t + 1]).collect();
        assert_eq!(module.read::<u32>(out, 96), want, "sm_{architecture}");
    }
}

/// 32×32 matrices with small integers, exact in every type: D = A·B + D by tiles of `tile` elements, A by rows, B by columns.
fn tiles<E: Plain, D: Plain + PartialEq + std::fmt::Debug>(
    module: &Module,
    kernel: &str,
    tile: u32,
    element: impl Fn(i32) -> E,
    sum: impl Fn(i32) -> D,
) {
    const N: usize = 32;
    let number = |i: usize, step: usize| ((i * step) % 9) as i32 - 4;
    let matrix = |step: usize| (0..N * N).map(|i| element(number(i, step))).collect::<Vec<E>>();
    let start: Vec<D> = (0..N * N).map(|i| sum(number(i, 5))).collect();
    let (a, b, d) = (module.array(&matrix(7)), module.array(&matrix(11)), module.array(&start));
    let sides = (N as i32).bytes();
    let arguments = [a.bytes(), b.bytes(), d.bytes(), sides.clone(), sides];
    module.launch(kernel, (N * N) as u32 / tile, 32, 0, &arguments);
    let want: Vec<D> = (0..N * N)
        .map(|i| {
            let dot: i32 = (0..N).map(|k| number(i / N * N + k, 7) * number(i % N * N + k, 11)).sum();
            sum(number(i, 5) + dot)
        })
        .collect();
    assert_eq!(module.read::<D>(d, N * N), want, "{kernel}");
}

#[test]
fn matrix_products_of_wmma() {
    let half = |x: i32| half::f16::from_f32(x as f32).to_bits();
    for architecture in ["75", "90"] {
        let module = Module::load("wmma", architecture);
        tiles(&module, "halves", 256, half, |x| x as f32);

        let number = |i: usize, step: usize| ((i * step) % 7) as i32 - 3;
        let array = |count: usize, step: usize| (0..count).map(|i| half(number(i, step))).collect::<Vec<u16>>();
        let (a, b, d) = (module.array(&array(512, 3)), module.array(&array(128, 5)), module.array(&[0u16; 256]));
        module.launch("tall", 1, 32, 0, &[a.bytes(), b.bytes(), d.bytes(), 0i32.bytes(), 0i32.bytes()]);
        // A and D by columns of 32, B by rows of 8.
        let want: Vec<u16> = (0..256)
            .map(|i| half(2 + 2 * (0..16).map(|k| number(i % 32 + 32 * k, 3) * number(i / 32 + 8 * k, 5)).sum::<i32>()))
            .collect();
        assert_eq!(module.read::<u16>(d, 256), want, "sm_{architecture}");
    }
    let module = Module::load("wmma", "90");
    tiles(&module, "bytes", 256, |x| x as u8, |x| x);
    tiles(&module, "brains", 256, |x| half::bf16::from_f32(x as f32).to_bits(), |x| x as f32);
    tiles(&module, "tensor_floats", 256, |x| x as f32, |x| x as f32);
    tiles(&module, "doubles", 64, f64::from, f64::from);
}

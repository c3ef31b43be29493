//! cuRAND: the numbers that cuRAND itself gives for the same seeds, offsets and calls (`curand_values.txt`). Whole and uniform numbers are equal
//! bit by bit. Normal ones go through a logarithm and a sine, which the library on the host rounds otherwise than a card.
use crate::gpu::Gpu;
use crate::under_sim::Loaded;

type Single = unsafe extern "C" fn(usize, usize, usize, f32, f32) -> i32;
type Double = unsafe extern "C" fn(usize, usize, usize, f64, f64) -> i32;

pub fn all() {
    let (gpu, curand) = (Gpu::new(), &Loaded::new("libcurand.so.10"));
    let mut generator = 0usize;
    for line in include_str!("curand_values.txt").lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words[at].parse::<u64>().expect("a number");
        match words[0] {
            "generator" => {
                let code = call!(curand.curandDestroyGenerator(generator));
                assert_eq!(code, if generator == 0 { 101 } else { 0 });
                done!(curand.curandCreateGenerator(&raw mut generator, number(1)));
                done!(curand.curandGenerateSeeds(generator));
                // A generator has a seed, or dimensions.
                let (seeded, spanned) = if words.len() > 4 { (103, 0) } else { (0, 103) };
                let dimensions = if words.len() > 4 { number(4) } else { 1 };
                assert_eq!(call!(curand.curandSetPseudoRandomGeneratorSeed(generator, number(2))), seeded);
                assert_eq!(call!(curand.curandSetQuasiRandomGeneratorDimensions(generator, dimensions)), spanned);
                done!(curand.curandSetGeneratorOffset(generator, number(3)));
            }
            "seed" => done!(curand.curandSetPseudoRandomGeneratorSeed(generator, number(1))),
            "seeds" => done!(curand.curandGenerateSeeds(generator)),
            _ => check(&gpu, curand, generator, line, &words),
        }
    }
    done!(curand.curandDestroyGenerator(generator));
    done!(curand.curandCreateGenerator(&raw mut generator, 101));
    let normal: Single = curand.function("curandGenerateNormal");
    // SAFETY: the library's signature; nothing is written.
    assert_eq!(unsafe { normal(generator, 0, 3, 0.0, 1.0) }, 105, "an odd length");
    done!(curand.curandDestroyGenerator(generator));
    sobol(&gpu, curand);
    let (plain, legacy) = (legacy(&gpu, curand, 101), legacy(&gpu, curand, 103));
    assert_eq!((plain[4095], plain[81920]), (legacy[4095], legacy[4096]));
}

/// Limits of Sobol's sequences, and their direction vectors.
fn sobol(gpu: &Gpu, curand: &Loaded) {
    let (mut generator, mut wide, mut narrow) = (0usize, std::ptr::null::<u64>(), std::ptr::null::<u32>());
    let room = gpu.up(&[0u64; 8]);
    done!(curand.curandCreateGenerator(&raw mut generator, 203));
    for (dimensions, code) in [(0, 104), (20001, 104), (20000, 0), (3, 0)] {
        assert_eq!(call!(curand.curandSetQuasiRandomGeneratorDimensions(generator, dimensions)), code, "{dimensions}");
    }
    assert_eq!(call!(curand.curandGenerateUniform(generator, gpu.place(&room), 4)), 105, "three dimensions");
    assert_eq!(call!(curand.curandGenerate(generator, gpu.place(&room), 3)), 103, "words of 32 bits");
    assert_eq!(call!(curand.curandSetGeneratorOrdering(generator, 101)), 104);
    done!(curand.curandSetGeneratorOrdering(generator, 201));
    done!(curand.curandDestroyGenerator(generator));
    done!(curand.curandGetDirectionVectors64(&raw mut wide, 103));
    done!(curand.curandGetDirectionVectors32(&raw mut narrow, 101));
    // SAFETY: a table has 20000 dimensions of 64 or 32 vectors.
    let (wide, narrow) = unsafe { (wide.add(64 * 19999 + 63).read(), narrow.add(32 * 2 + 1).read()) };
    assert_eq!((wide & 1, narrow), (1, 0xc000_0000));
}

/// MRG32k3a in an order: in the legacy one it has 4096 sequences, whose second numbers follow the first ones sooner.
fn legacy(gpu: &Gpu, curand: &Loaded, order: u32) -> Vec<u32> {
    let (mut generator, room) = (0usize, gpu.up(&vec![0u32; 81921]));
    done!(curand.curandCreateGenerator(&raw mut generator, 121));
    done!(curand.curandSetGeneratorOrdering(generator, order));
    done!(curand.curandGenerate(generator, gpu.place(&room), 81921));
    done!(curand.curandDestroyGenerator(generator));
    gpu.stream.context().synchronize().expect("a copy");
    gpu.down(&room)
}

/// A generator that is not there.
pub fn refused() {
    let (curand, mut sobol) = (Loaded::new("libcurand.so.10"), 0usize);
    assert_eq!(call!(curand.curandCreateGenerator(&raw mut sobol, 202)), 103);
}

/// Makes the numbers of a line, and compares them with it.
fn check(gpu: &Gpu, curand: &Loaded, generator: usize, line: &str, words: &[&str]) {
    let count: usize = words[1].parse().expect("a count");
    let (single, double) = (gpu.up(&vec![0u32; count]), gpu.up(&vec![0u64; count]));
    let (narrow, wide) = (gpu.place(&single), gpu.place(&double));
    let (name, to) = match words[0] {
        "bits" => ("", narrow),
        "long" => ("LongLong", wide),
        "uniform" => ("Uniform", narrow),
        "uniform_double" => ("UniformDouble", wide),
        "normal" => ("Normal", narrow),
        "log_normal" => ("LogNormal", narrow),
        "normal_double" => ("NormalDouble", wide),
        "log_normal_double" => ("LogNormalDouble", wide),
        other => panic!("{other}"),
    };
    let (is_normal, is_wide, name) = (name.contains("Normal"), to == wide, format!("curandGenerate{name}"));
    let code = match (is_normal, is_wide) {
        // SAFETY: the library's signature, and room for `count` numbers.
        (true, false) => unsafe { curand.function::<Single>(&name)(generator, to, count, 0.5, 2.0) },
        // SAFETY: likewise.
        (true, true) => unsafe { curand.function::<Double>(&name)(generator, to, count, 0.5, 2.0) },
        _ => curand.call(&name, &[generator, to, count]),
    };
    assert_eq!(code, 0, "{line}");
    // The generator works in the default stream, the copies in another.
    gpu.stream.context().synchronize().expect("a copy");
    let (single, double) = (gpu.down(&single), gpu.down(&double));
    if words.len() == 3 {
        let bytes: Vec<u8> = match is_wide {
            true => double.iter().flat_map(|value| value.to_ne_bytes()).collect(),
            false => single.iter().flat_map(|value| value.to_ne_bytes()).collect(),
        };
        let digest = bytes
            .iter()
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
        assert_eq!(format!("{digest:016x}"), words[2], "{line}");
        return;
    }
    for (place, want) in [0, 1, count / 2, count - 1].into_iter().zip(&words[2..]) {
        let want: f64 = want.parse().expect("a number");
        let (got, error) = match is_wide {
            true => (f64::from_bits(double[place]), 1e-13),
            false => (f64::from(f32::from_bits(single[place])), 1e-5),
        };
        assert!((got - want).abs() <= error * want.abs().max(1.0), "{line}: number {place} is {got}");
    }
}

//! cuRAND: the numbers that cuRAND itself gives for the same seeds, offsets and calls (`curand_values.txt`). Whole and uniform numbers are equal
//! bit by bit. Normal ones go through a logarithm and a sine, which the library on the host rounds otherwise than a card.
use crate::gpu::{Gpu, Loaded};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

type Raw = *mut c_void;
type Create = unsafe extern "C" fn(*mut Raw, c_int) -> c_int;
type Set = unsafe extern "C" fn(Raw, u64) -> c_int;
type Span = unsafe extern "C" fn(Raw, u32) -> c_int;
type Vectors = unsafe extern "C" fn(*mut Raw, c_int) -> c_int;
type Free = unsafe extern "C" fn(Raw) -> c_int;
type Generate = unsafe extern "C" fn(Raw, Raw, usize) -> c_int;
type Single = unsafe extern "C" fn(Raw, Raw, usize, f32, f32) -> c_int;
type Double = unsafe extern "C" fn(Raw, Raw, usize, f64, f64) -> c_int;

pub fn all() {
    let gpu = Gpu::new();
    let curand = Loaded::new("libcurand.so.10");
    let mut generator: Raw = null_mut();
    for line in include_str!("curand_values.txt").lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        // SAFETY: the library's signatures; memory on the device for as many numbers as are asked for.
        unsafe {
            if words[0] == "generator" {
                let destroy: Free = curand.call("curandDestroyGenerator");
                assert_eq!(destroy(generator), if generator.is_null() { 101 } else { 0 });
                assert_eq!(
                    curand.call::<Create>("curandCreateGenerator")(&mut generator, words[1].parse().expect("a kind")),
                    0
                );
                assert_eq!(curand.call::<Free>("curandGenerateSeeds")(generator), 0);
                let seed: Set = curand.call("curandSetPseudoRandomGeneratorSeed");
                let span: Span = curand.call("curandSetQuasiRandomGeneratorDimensions");
                let offset: Set = curand.call("curandSetGeneratorOffset");
                let dimensions = words.get(4).map(|word| word.parse().expect("dimensions"));
                assert_eq!(
                    seed(generator, words[2].parse().expect("a seed")),
                    if dimensions.is_none() { 0 } else { 103 }
                );
                assert_eq!(span(generator, dimensions.unwrap_or(1)), if dimensions.is_none() { 103 } else { 0 });
                assert_eq!(offset(generator, words[3].parse().expect("an offset")), 0);
                continue;
            }
            let answer = match words[0] {
                "seed" => curand.call::<Set>("curandSetPseudoRandomGeneratorSeed")(
                    generator,
                    words[1].parse().expect("a seed"),
                ),
                "seeds" => curand.call::<Free>("curandGenerateSeeds")(generator),
                _ => {
                    check(&gpu, &curand, generator, line, &words);
                    continue;
                }
            };
            assert_eq!(answer, 0, "{line}");
        }
    }
    // SAFETY: as above.
    unsafe {
        assert_eq!(curand.call::<Free>("curandDestroyGenerator")(generator), 0);
        assert_eq!(curand.call::<Create>("curandCreateGenerator")(&mut generator, 101), 0);
        assert_eq!(
            curand.call::<Single>("curandGenerateNormal")(generator, null_mut(), 3, 0.0, 1.0),
            105,
            "an odd length"
        );
        assert_eq!(curand.call::<Free>("curandDestroyGenerator")(generator), 0);
    }
    sobol(&gpu, &curand);
    legacy(&gpu, &curand);
}

/// Limits of Sobol's sequences, and their direction vectors.
fn sobol(gpu: &Gpu, curand: &Loaded) {
    let (mut generator, mut table, room) = (null_mut(), null_mut(), gpu.up(&[0u64; 8]));
    // SAFETY: the library's signatures, and room for eight numbers; a table has 20000 dimensions of 64 or 32 vectors.
    unsafe {
        assert_eq!(curand.call::<Create>("curandCreateGenerator")(&mut generator, 203), 0);
        let span: Span = curand.call("curandSetQuasiRandomGeneratorDimensions");
        assert_eq!([0, 20001, 20000, 3].map(|dimensions| span(generator, dimensions)), [104, 104, 0, 0]);
        let generate = |name: &str, count: usize| curand.call::<Generate>(name)(generator, gpu.at(&room), count);
        assert_eq!(generate("curandGenerateUniform", 4), 105, "three dimensions");
        assert_eq!(generate("curandGenerate", 3), 103, "words of 32 bits");
        assert_eq!(curand.call::<Span>("curandSetGeneratorOrdering")(generator, 101), 104);
        assert_eq!(curand.call::<Span>("curandSetGeneratorOrdering")(generator, 201), 0);
        assert_eq!(curand.call::<Free>("curandDestroyGenerator")(generator), 0);
        assert_eq!(curand.call::<Vectors>("curandGetDirectionVectors64")(&mut table, 103), 0);
        let wide = table.cast::<u64>().add(64 * 19999 + 63).read();
        assert_eq!(curand.call::<Vectors>("curandGetDirectionVectors32")(&mut table, 101), 0);
        let narrow = table.cast::<u32>().add(32 * 2 + 1).read();
        assert_eq!((wide & 1, narrow), (1, 0xc000_0000));
    }
}

/// MRG32k3a in the legacy order has 4096 sequences: their second numbers follow the first ones sooner.
fn legacy(gpu: &Gpu, curand: &Loaded) {
    let (mut generator, room) = (null_mut(), gpu.up(&vec![0u32; 81921]));
    let mut numbers = |order: u32| {
        // SAFETY: the library's signatures, and room for the numbers.
        unsafe {
            assert_eq!(curand.call::<Create>("curandCreateGenerator")(&mut generator, 121), 0);
            assert_eq!(curand.call::<Span>("curandSetGeneratorOrdering")(generator, order), 0);
            assert_eq!(curand.call::<Generate>("curandGenerate")(generator, gpu.at(&room), 81921), 0);
            assert_eq!(curand.call::<Free>("curandDestroyGenerator")(generator), 0);
        }
        gpu.stream.context().synchronize().expect("a copy");
        gpu.down(&room)
    };
    let (plain, legacy) = (numbers(101), numbers(103));
    assert_eq!((plain[4095], plain[81920]), (legacy[4095], legacy[4096]));
}

/// A generator that is not there.
pub fn refused() {
    let curand = Loaded::new("libcurand.so.10");
    let mut sobol = null_mut();
    // SAFETY: the library's signature, and a place for a handle.
    assert_eq!(unsafe { curand.call::<Create>("curandCreateGenerator")(&mut sobol, 202) }, 103);
}

/// Makes the numbers of a line, and compares them with it.
unsafe fn check(gpu: &Gpu, curand: &Loaded, generator: Raw, line: &str, words: &[&str]) {
    let count: usize = words[1].parse().expect("a count");
    let is_single = matches!(words[0], "normal" | "log_normal");
    let (single, double) = (gpu.up(&vec![0u32; count]), gpu.up(&vec![0u64; count]));
    let call = |name: &str, to: Raw| {
        // SAFETY: `generator` is cuRAND's, and `to` has room for `count` numbers.
        assert_eq!(unsafe { curand.call::<Generate>(name)(generator, to, count) }, 0, "{line}");
    };
    // SAFETY: likewise.
    unsafe {
        let (narrow, wide) = (gpu.at(&single), gpu.at(&double));
        match words[0] {
            "bits" => call("curandGenerate", narrow),
            "long" => call("curandGenerateLongLong", wide),
            "uniform" => call("curandGenerateUniform", narrow),
            "uniform_double" => call("curandGenerateUniformDouble", wide),
            "normal" => {
                assert_eq!(curand.call::<Single>("curandGenerateNormal")(generator, narrow, count, 0.5, 2.0), 0)
            }
            "log_normal" => {
                assert_eq!(curand.call::<Single>("curandGenerateLogNormal")(generator, narrow, count, 0.5, 2.0), 0)
            }
            "normal_double" => {
                assert_eq!(curand.call::<Double>("curandGenerateNormalDouble")(generator, wide, count, 0.5, 2.0), 0)
            }
            "log_normal_double" => {
                assert_eq!(curand.call::<Double>("curandGenerateLogNormalDouble")(generator, wide, count, 0.5, 2.0), 0)
            }
            other => panic!("{other}"),
        }
    }
    // The generator works in the default stream, the copies in another.
    gpu.stream.context().synchronize().expect("a copy");
    let (single, double) = (gpu.down(&single), gpu.down(&double));
    if words.len() == 3 {
        let bytes: Vec<u8> = match words[0] {
            "uniform_double" | "long" => double.iter().flat_map(|value| value.to_ne_bytes()).collect(),
            _ => single.iter().flat_map(|value| value.to_ne_bytes()).collect(),
        };
        let digest = bytes
            .iter()
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
        assert_eq!(format!("{digest:016x}"), words[2], "{line}");
        return;
    }
    for (place, want) in [0, 1, count / 2, count - 1].into_iter().zip(&words[2..]) {
        let want: f64 = want.parse().expect("a number");
        let (got, error) = match is_single {
            true => (f64::from(f32::from_bits(single[place])), 1e-5),
            false => (f64::from_bits(double[place]), 1e-13),
        };
        assert!((got - want).abs() <= error * want.abs().max(1.0), "{line}: number {place} is {got}");
    }
}

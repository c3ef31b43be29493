//! Kernels that are kept: PTX that a compiler made of random CUDA C++, or random PTX, and what must come out of it, so that a
//! machine with neither NVRTC nor a C++ compiler has something to compare with. `--record FILE` writes one, deflated:
//!
//! ```text
//! // k0 seed 17 blocks 2 threads 48 output 0x…     one line a kernel; the output's hash (FNV-1a)
//! .version …                                       their module
//! ```
use crate::kernel::{Kernel, Language, Launch};
use crate::round::Parties;
use crate::simulated::{Manner, Module};
use std::fmt::Write;

/// Each with the name of its file.
pub const FILES: [(&str, &[u8]); 2] =
    [("cuda.z", include_bytes!("corpus/cuda.z")), ("ptx.z", include_bytes!("corpus/ptx.z"))];

fn hash(words: &[u64]) -> u64 {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The kernels with what the host's compiler makes of them.
///
/// # Errors
/// The compiler's message if it refuses a kernel.
pub fn record(parties: &Parties, language: Language, kernels: &[Kernel]) -> Result<Vec<u8>, String> {
    let launches: Vec<Launch> = kernels.iter().map(Kernel::launch).collect();
    let outputs = parties.host.run(language, kernels, &launches, "record")?;
    let mut text = String::new();
    for (index, (kernel, output)) in kernels.iter().zip(&outputs).enumerate() {
        let (seed, blocks, threads) = (kernel.seed, kernel.blocks, kernel.threads);
        let _ = writeln!(text, "// k{index} seed {seed} blocks {blocks} threads {threads} output {:#x}", hash(output));
    }
    text.push_str(&parties.device_text(language, kernels)?);
    Ok(miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 9))
}

/// Runs a kept file in a manner; the number of its kernels.
///
/// # Errors
/// A kernel whose output is another one.
pub fn check(deflated: &[u8], manner: Manner) -> Result<usize, String> {
    let bytes = miniz_oxide::inflate::decompress_to_vec(deflated).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
    let module = Module::load(&text, manner)?;
    let mut count = 0;
    for line in text.lines().map_while(|line| line.strip_prefix("// k")) {
        let words: Vec<&str> = line.split(' ').collect();
        let [index, "seed", seed, "blocks", blocks, "threads", threads, "output", output] = words[..] else {
            break;
        };
        let number = |text: &str| text.parse::<u64>().map_err(|error| format!("{text}: {error}"));
        let wanted = u64::from_str_radix(output.trim_start_matches("0x"), 16).map_err(|error| error.to_string())?;
        let launch = Launch::new(number(seed)?, number(blocks)? as u32, number(threads)? as u32);
        let output = module.run(&format!("k{index}"), &launch, 0).map_err(|error| format!("k{index}: {error}"))?;
        if hash(&output) != wanted {
            return Err(format!("k{index}, seed {seed}, {manner:?}: another output than the host's compiler gave"));
        }
        count += 1;
    }
    Ok(count)
}

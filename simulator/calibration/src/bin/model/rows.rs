//! The rows of a file of kernels: launches that stand in its text as lines that begin with `//:`, so that a kernel and its rows are added
//! in one place. `calibration.cu` says how a row is written.

use anyhow::{Context, bail};
use kernels::Source;
use std::borrow::Cow;

/// One launch of a kernel with the parameters (a, b, c, n, m).
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub name: String,
    pub kernel: String,
    pub blocks: u32,
    pub threads: u32,
    pub n: i32,
    pub m: i32,
    pub input: Input,
}

/// The contents of buffer `a`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input {
    Zeros,
    /// Floats in [0, 1).
    Uniform,
    /// Integers in [0, most).
    Below(u32),
    /// Every `stride`-th word, up to `words`, holds the index of the next in one random cycle.
    Chase {
        words: usize,
        stride: usize,
    },
}

/// A file of kernels with its rows.
pub fn read(path: &str) -> anyhow::Result<(Source, Vec<Row>)> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {path}"))?;
    let rows = text.lines().filter_map(|line| line.strip_prefix("//: "));
    let rows =
        rows.map(|line| row(line).with_context(|| format!("{path}: the row `{line}`"))).collect::<Result<_, _>>()?;
    // A source's path lives as long as the process; a process reads one file.
    let path = Box::leak(path.to_owned().into_boxed_str());
    Ok((Source { lab: "model", name: "kernels", path, text: Cow::Owned(text) }, rows))
}

fn row(line: &str) -> anyhow::Result<Row> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, kernel, blocks, threads, n, m, ref input @ ..] = words[..] else {
        bail!("a row is `NAME KERNEL BLOCKS THREADS N M INPUT`");
    };
    let input = match *input {
        ["zeros"] => Input::Zeros,
        ["uniform"] => Input::Uniform,
        ["below", most] => Input::Below(most.parse()?),
        ["chase", bytes, stride] => {
            Input::Chase { words: bytes.parse::<usize>()? / 4, stride: stride.parse::<usize>()? / 4 }
        }
        _ => bail!("the input is `zeros`, `uniform`, `below N` or `chase BYTES STRIDE`"),
    };
    let (name, kernel) = (name.to_owned(), kernel.to_owned());
    Ok(Row { name, kernel, blocks: blocks.parse()?, threads: threads.parse()?, n: n.parse()?, m: m.parse()?, input })
}

impl Input {
    /// The first words of the buffer, of `words` in all; zeros follow.
    pub fn words(self, words: usize) -> Vec<u32> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        // Knuth's generator: the same numbers on every machine.
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        };
        match self {
            Input::Zeros => Vec::new(),
            Input::Uniform => (0..words).map(|_| (random() as f32 / (1u32 << 31) as f32).to_bits()).collect(),
            Input::Below(most) => (0..words).map(|_| random() % most).collect(),
            Input::Chase { words, stride } => {
                let mut order: Vec<u32> = (0..words / stride).map(|place| (place * stride) as u32).collect();
                // The first stays first: kernels begin there.
                for last in (2..order.len()).rev() {
                    order.swap(last, 1 + random() as usize % last);
                }
                let mut chain = vec![0; words];
                for (at, next) in order.iter().zip(order.iter().cycle().skip(1)) {
                    chain[*at as usize] = *next;
                }
                chain
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_are_read_and_share_no_kernel() {
        let here = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/");
        let mut all = std::collections::BTreeSet::new();
        for (file, at_least) in [
            ("calibration.cu", 100),
            ("programs.cu", 37),
            ("more_programs.cu", 37),
            ("forty_programs.cu", 40),
            ("forty_more.cu", 40),
            ("parts.cu", 56),
            ("rounds.cu", 41),
            ("additions.cu", 32),
            ("bulk.cu", 47),
            ("straight.cu", 20),
            ("stores.cu", 52),
            ("unseen.cu", 37),
        ] {
            let (source, rows) = read(&format!("{here}{file}")).unwrap();
            assert!(rows.len() >= at_least, "{file}: {} rows", rows.len());
            let mut kernels = std::collections::BTreeSet::new();
            for row in &rows {
                assert!(source.text.contains(&row.kernel), "{}", row.name);
                assert_eq!(rows.iter().filter(|other| other.name == row.name).count(), 1, "{}", row.name);
                kernels.insert(row.kernel.clone());
            }
            let shared = all.intersection(&kernels).count();
            assert_eq!(shared, 0, "{file} has kernels of another set");
            all.append(&mut kernels);
        }
    }

    #[test]
    fn a_chase_goes_through_all_places_once() {
        let chain = Input::Chase { words: 4096, stride: 32 }.words(4096);
        let mut at = 0;
        for step in 1..=128 {
            at = chain[at as usize];
            assert_eq!(at == 0, step == 128);
        }
    }

    #[test]
    fn a_bad_row_says_what_a_row_is() {
        assert!(row("name kernel 1 32").unwrap_err().to_string().contains("BLOCKS THREADS"));
        assert!(row("name kernel 1 32 0 0 noise").unwrap_err().to_string().contains("chase BYTES STRIDE"));
    }
}

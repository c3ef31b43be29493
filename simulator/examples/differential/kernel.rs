//! A random kernel: what it is made of, how it is written down on either side, and what can be left out of it.
use crate::random::Random;
use std::fmt::Write;

/// Words of 64 bits that each thread reads.
pub const WORDS_IN: usize = 8;
/// Words of 64 bits that each thread writes.
pub const WORDS_OUT: usize = 16;
/// Words after the threads' own, at which threads of all blocks meet by atomics.
pub const SHARED_WORDS: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// CUDA C++: the same text for NVRTC and for the host's compiler.
    Cuda,
    /// PTX, with the C++ that the manual's formulas make of it.
    Ptx,
}

/// The same thing for the device and for the host.
#[derive(Clone, Debug, Default)]
pub struct Twin {
    pub device: String,
    pub host: String,
}

impl Twin {
    pub fn new(device: impl Into<String>, host: impl Into<String>) -> Twin {
        Twin { device: device.into(), host: host.into() }
    }

    /// The same text on both sides.
    pub fn same(text: impl Into<String>) -> Twin {
        let text = text.into();
        Twin { host: text.clone(), device: text }
    }
}

#[derive(Clone, Debug)]
pub enum Item {
    Step(Twin),
    /// Arms, each with what opens it, and what closes the last: `if (a) { … } else { … }`.
    Arms(Vec<(Twin, Vec<Item>)>, Twin),
}

/// A function, or the kernel itself.
#[derive(Clone, Debug)]
pub struct Function {
    pub head: Twin,
    pub body: Vec<Item>,
    pub tail: Twin,
}

/// `@K` in its texts stands for its name, which is its place in a module.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub seed: u64,
    /// The kernel is the last one.
    pub functions: Vec<Function>,
    pub blocks: u32,
    pub threads: u32,
}

/// One kernel's start: 64-bit words in, and the number of them out.
pub struct Launch {
    pub blocks: u32,
    pub threads: u32,
    pub input: Vec<u64>,
    pub output_words: usize,
}

impl Launch {
    /// The input follows from the seed, so that a kernel shrunk keeps it.
    pub fn new(seed: u64, blocks: u32, threads: u32) -> Launch {
        let mut random = Random::new(seed ^ 0x1234_5678);
        let count = (blocks * threads) as usize;
        Launch {
            blocks,
            threads,
            input: (0..count * WORDS_IN).map(|_| random.word()).collect(),
            output_words: count * WORDS_OUT + SHARED_WORDS,
        }
    }
}

impl Kernel {
    pub fn launch(&self) -> Launch {
        Launch::new(self.seed, self.blocks, self.threads)
    }

    pub fn text(&self, side: fn(&Twin) -> &str, name: &str) -> String {
        let mut text = String::new();
        for function in &self.functions {
            text.push_str(side(&function.head));
            write_items(&mut text, &function.body, side, 1);
            text.push_str(side(&function.tail));
        }
        text.replace("@K", name)
    }

    /// Steps and arms, all functions together.
    pub fn size(&self) -> usize {
        self.functions.iter().map(|function| count(&function.body)).sum()
    }

    /// The kernel without the items `from .. from + length`, in the order of `size`; what lies in a removed item goes too.
    pub fn without(&self, from: usize, length: usize) -> Kernel {
        let mut kernel = self.clone();
        let mut at = 0;
        for function in &mut kernel.functions {
            remove(&mut function.body, &mut at, from, from + length);
        }
        kernel
    }
}

pub fn device(twin: &Twin) -> &str {
    &twin.device
}

pub fn host(twin: &Twin) -> &str {
    &twin.host
}

fn write_items(text: &mut String, items: &[Item], side: fn(&Twin) -> &str, depth: usize) {
    let line = |text: &mut String, twin: &Twin| {
        for line in side(twin).lines() {
            let _ = writeln!(text, "{:1$}{line}", "", 4 * depth);
        }
    };
    for item in items {
        match item {
            Item::Step(twin) => line(text, twin),
            Item::Arms(arms, close) => {
                for (open, body) in arms {
                    line(text, open);
                    write_items(text, body, side, depth + 1);
                }
                line(text, close);
            }
        }
    }
}

fn count(items: &[Item]) -> usize {
    let inner = |item: &Item| match item {
        Item::Step(_) => 0,
        Item::Arms(arms, _) => arms.iter().map(|(_, body)| count(body)).sum(),
    };
    items.iter().map(|item| 1 + inner(item)).sum()
}

fn remove(items: &mut Vec<Item>, at: &mut usize, from: usize, end: usize) {
    items.retain_mut(|item| {
        let me = *at;
        *at += 1;
        let gone = (from..end).contains(&me);
        if let Item::Arms(arms, _) = item {
            for (_, body) in arms {
                match gone {
                    true => *at += count(body),
                    false => remove(body, at, from, end),
                }
            }
        }
        !gone
    });
}

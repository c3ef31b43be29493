//! Which texts of kernels were run: what a verdict is about.

use crate::error::{Family, LabError};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// A kernel's text that was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelText {
    /// The file, from the workspace's root.
    pub path: &'static str,
    /// The SHA-256 of the text, in hexadecimal, as `sha256sum` prints it.
    pub sha256: String,
}

/// The texts that a device was given so far.
#[derive(Debug, Default)]
pub struct KernelTexts(Mutex<BTreeMap<&'static str, String>>);

impl KernelTexts {
    /// Notes a text; a later one of the same file takes its place.
    pub fn note(&self, source: &kernels::Source) {
        let sha256 = Sha256::digest(source.text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(source.path, sha256);
    }

    /// All of them, by their files.
    pub fn all(&self) -> Vec<KernelText> {
        let texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        texts.iter().map(|(path, sha256)| KernelText { path, sha256: sha256.clone() }).collect()
    }
}

/// The error where a file compiles and the kernel that its rung is called by is not in it.
pub fn no_such_kernel(source: &kernels::Source, symbol: &str) -> LabError {
    let has = match source.exports().as_slice() {
        _ if source.text.trim().is_empty() => "the file is empty".to_owned(),
        _ if is_mangled(source, symbol) => {
            let what = format!("{} exports `{symbol}` under another name", source.path);
            let next = "write extern \"C\" in front of its __global__: C++ puts the parameters into a kernel's name";
            return LabError::new(Family::YourKernel, what, next);
        }
        [] => format!("it exports none whose name begins with `{}_`", source.name),
        exports => format!("it exports {}", exports.join(", ")),
    };
    let what = format!("{} has no kernel `{symbol}`: {has}", source.path);
    LabError::new(Family::YourKernel, what, format!("give the kernel that name, or git diff {}", source.path))
}

/// True if the text has the kernel, by its name or by its rung's macro, without `extern "C"`.
fn is_mangled(source: &kernels::Source, symbol: &str) -> bool {
    let code: String = source.text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let makes = format!("{}_##", source.name);
    code.match_indices("__global__").any(|(at, word)| {
        let mut heads =
            code[at + word.len()..].split('(').map(|head| head.split_whitespace().last().unwrap_or_default());
        // Bounds stand ahead of the name, with an expression in parentheses.
        let named = heads.by_ref().take(2).any(|head| head == symbol || head.starts_with(&makes));
        named && !code[..at].trim_end().ends_with("extern \"C\"")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_sum_that_other_tools_have() {
        let texts = KernelTexts::default();
        texts.note(&kernels::with_text("gemm", "naive", "abc".to_owned()).unwrap());
        let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(texts.all(), [KernelText { path: "kernels/gemm/2_naive.cu", sha256: sum.to_owned() }]);
    }
}

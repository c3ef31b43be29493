//! The certificate of a run: which instructions of the kernels that were launched a card computes otherwise, and what was refused.
//!
//! It tells what the kernels hold, not how often that was executed: a form in a branch that nobody took is among it.
use machine::exec::executable::Executable;
use ptx::isa::fidelity::Effect;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The instructions of one kernel, with the functions of its module.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct OfKernel {
    pub kernel: String,
    /// The SHA-256 of the text that it was made from.
    pub sha256: String,
    /// Names of those that are exact.
    pub exact: BTreeSet<String>,
    pub differing: Vec<Differing>,
}

/// An opcode that a card computes otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Differing {
    pub instruction: String,
    /// `approximate` or `ignored`.
    pub effect: String,
    pub how: String,
}

impl OfKernel {
    /// The instructions of a program's kernel, and of all its device functions: which of them a pointer calls is not known.
    pub fn new(program: &Executable, index: usize, sha256: String) -> OfKernel {
        let own = &program.functions[index];
        let kernel = watch::diagnostics::kernel_name(&own.name);
        let mut all = OfKernel { kernel, sha256, ..OfKernel::default() };
        let functions = program.functions.iter().enumerate();
        let reachable = functions.filter(|(number, function)| *number == index || !function.is_entry);
        for site in reachable.flat_map(|(_, function)| &function.sites) {
            match site.opcode.difference {
                None => all.exact.extend(site.row.map(|row| ptx::isa::row(row).name.to_owned())),
                Some(difference) => {
                    let differing = Differing {
                        instruction: site.text.to_string(),
                        effect: difference.effect.name().to_owned(),
                        how: difference.how.to_owned(),
                    };
                    if !all.differing.contains(&differing) {
                        all.differing.push(differing);
                    }
                }
            }
        }
        all
    }
}

/// True for an operation of cuBLAS, cuSOLVER or cuSPARSE that the host answers: others are PyTorch's.
pub fn is_of_library(name: &str) -> bool {
    ["cublas", "cusolver", "cusparse"].iter().any(|library| name.starts_with(library))
}

/// The facts that are told of a run.
#[derive(Clone, Debug, Default)]
pub struct Certificate {
    exact: BTreeSet<String>,
    /// Kernels that were launched, and the SHA-256 of their text.
    kernels: BTreeSet<(String, String)>,
    /// By opcode, with the kernels that hold it.
    differing: BTreeMap<String, (Differing, BTreeSet<String>)>,
    /// Work that was refused.
    pub refused: Vec<String>,
    /// Kernels and launches that failed, and those that the program's tests expect.
    pub faults: Vec<String>,
    pub expected_faults: Vec<String>,
    /// Targets of images' PTX that is for newer cards, and ran in place of machine code.
    pub newer: Vec<u32>,
    /// Questions and hints that were.
    pub asked_in_vain: Vec<String>,
    /// A test's tool has told of the findings, test by test.
    pub told: bool,
    /// Operations of PyTorch's and of NVIDIA's libraries that the host answered, and how often.
    pub answered: BTreeMap<String, u64>,
}

impl Certificate {
    /// Adds a kernel that was launched.
    pub fn add(&mut self, of: OfKernel) {
        self.exact.extend(of.exact);
        self.kernels.insert((of.kernel.clone(), of.sha256));
        for differing in of.differing {
            let (_, kernels) =
                self.differing.entry(differing.instruction.clone()).or_insert_with(|| (differing, BTreeSet::new()));
            kernels.insert(of.kernel.clone());
        }
    }

    /// The kernels that were launched, each with the SHA-256 of its text.
    pub fn kernels(&self) -> impl Iterator<Item = (&str, &str)> {
        self.kernels.iter().map(|(kernel, sha256)| (kernel.as_str(), sha256.as_str()))
    }

    fn of_effect(&self, effect: Effect) -> impl Iterator<Item = &(Differing, BTreeSet<String>)> {
        self.differing.values().filter(move |(differing, _)| differing.effect == effect.name())
    }

    /// True if a kernel was launched.
    pub fn has_kernels(&self) -> bool {
        !self.exact.is_empty()
    }

    /// True if something was refused, be it only a question.
    pub fn is_refused(&self) -> bool {
        !(self.refused.is_empty() && self.asked_in_vain.is_empty())
    }

    /// True if some value may differ from a card's.
    pub fn is_approximate(&self) -> bool {
        !self.newer.is_empty() || self.of_effect(Effect::Approximate).next().is_some()
    }

    pub fn line(&self) -> String {
        const MOST_LISTED: usize = 3;
        let listed = |effect: Effect| {
            let all: Vec<&str> = self.of_effect(effect).map(|(differing, _)| differing.instruction.as_str()).collect();
            let more = if all.len() > MOST_LISTED { ", …" } else { "" };
            (all.len(), format!("({}{more})", all[..all.len().min(MOST_LISTED)].join(", ")))
        };
        let mut parts = Vec::new();
        for (effect, words) in [(Effect::Approximate, "approximate"), (Effect::Ignored, "without effect here")] {
            let (number, names) = listed(effect);
            if number > 0 {
                parts.push(format!("{number} {words} {names}"));
            }
        }
        let refused = self.refused.len() + self.asked_in_vain.len();
        if refused > 0 {
            parts.push(format!("{refused} refused"));
        }
        if !self.faults.is_empty() {
            parts.push(format!("{} failed", self.faults.len()));
        }
        let exact = self.exact.len();
        match parts.is_empty() {
            true => format!("fidelity: all {exact} instructions exact; times are simulated"),
            false => format!("fidelity: {exact} instructions exact, {}; times are simulated", parts.join(", ")),
        }
    }

    /// How many operations were answered, the most frequent by name: PyTorch's own, and those of NVIDIA's libraries.
    pub fn answered_in_words(&self) -> impl Iterator<Item = String> + use<> {
        let told = |of_library: bool, what: &str, whose: &str| {
            let mut all: Vec<(&String, &u64)> =
                self.answered.iter().filter(|(name, _)| is_of_library(name) == of_library).collect();
            all.sort_by_key(|(_, times)| std::cmp::Reverse(**times));
            let number: u64 = all.iter().map(|(_, times)| **times).sum();
            let named: Vec<String> = all.iter().take(3).map(|(name, times)| format!("{name} {times}")).collect();
            let more = if all.len() > named.len() { ", …" } else { "" };
            let named = named.join(", ");
            (number > 0).then(|| {
                format!(
                    "{number} operations of {what} ({named}{more}): their results are {whose}, their times estimates"
                )
            })
        };
        let by_cpu = told(false, "PyTorch's own were answered by its CPU kernels", "the CPU's");
        by_cpu.into_iter().chain(told(true, "NVIDIA's libraries were answered on the host", "the host's"))
    }

    /// All of it by the keys that `docs/json.md` has.
    pub fn json(&self) -> Value {
        let list = |effect: Effect| -> Value {
            self.of_effect(effect)
                .map(|(differing, kernels)| {
                    json!({ "instruction": differing.instruction, "how": differing.how, "kernels": kernels })
                })
                .collect()
        };
        let kernels: Value =
            self.kernels().map(|(kernel, sha256)| json!({ "kernel": kernel, "sha256": sha256 })).collect();
        json!({
            "kernels": kernels,
            "exact": self.exact,
            "approximate": list(Effect::Approximate),
            "ignored": list(Effect::Ignored),
            "refused": self.refused,
            "asked_in_vain": self.asked_in_vain,
            "answered": self.answered,
            "times": "simulated",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_tells_all_kinds() {
        let mut certificate = Certificate::default();
        assert!(!certificate.has_kernels());
        let differing = |instruction: &str, effect: Effect| Differing {
            instruction: instruction.into(),
            effect: effect.name().into(),
            how: "somehow".into(),
        };
        let of = |kernel: &str, differing: Vec<Differing>| OfKernel {
            kernel: kernel.into(),
            sha256: "ab".into(),
            exact: ["add".to_owned(), "ld".to_owned()].into(),
            differing,
        };
        certificate.add(of("a", Vec::new()));
        assert_eq!(certificate.line(), "fidelity: all 2 instructions exact; times are simulated");
        for kernel in ["a", "b"] {
            let both = vec![differing("sin.approx.f32", Effect::Approximate), differing("prefetch", Effect::Ignored)];
            certificate.add(of(kernel, both));
        }
        certificate.refused.push("x".into());
        assert_eq!(
            certificate.line(),
            "fidelity: 2 instructions exact, 1 approximate (sin.approx.f32), 1 without effect here (prefetch), 1 refused; \
             times are simulated"
        );
        assert_eq!(certificate.json()["approximate"][0]["kernels"], json!(["a", "b"]));
        assert_eq!(certificate.json()["kernels"][1], json!({ "kernel": "b", "sha256": "ab" }));
        assert!(certificate.is_approximate() && certificate.is_refused() && certificate.has_kernels());
    }
}

use crate::corpus::{self, FILES};
use crate::host::Host;
use crate::kernel::{self, Item, Language};
use crate::round::Parties;
use crate::simulated::Manner;
use crate::{Folder, cuda, ptx, shrink};

/// The compilers that are here. `None`, and said so: there is no C++ compiler.
fn parties(folder: &str) -> Option<(Parties, Folder)> {
    let folder = Folder::new(folder).unwrap();
    let Some(host) = Host::new(&folder.0).unwrap() else {
        println!("no C++ compiler here: only the kept kernels are compared");
        return None;
    };
    Some((Parties::new(host, None), folder))
}

#[test]
fn what_is_kept_still_comes_out() {
    for (name, deflated) in FILES {
        for manner in Manner::all() {
            let count = corpus::check(deflated, manner).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(count >= 40, "{name} has {count} kernels");
        }
    }
}

#[test]
fn random_kernels_agree_with_the_hosts_compiler() {
    let Some((parties, _folder)) = parties("agree") else { return };
    let all = Manner::all();
    for (round, language) in [Language::Ptx, Language::Cuda, Language::Ptx].into_iter().enumerate() {
        if language == Language::Cuda && parties.architectures.is_empty() {
            continue;
        }
        let seeds = (0..24).map(|index| 1 << 32 | (round as u64) << 16 | index);
        let kernels: Vec<_> = seeds.map(|seed| parties.kernel(language, seed)).collect();
        let differences = parties.round(language, &kernels, all[round % all.len()], "agree").unwrap();
        let told: Vec<String> =
            differences.iter().map(|found| format!("seed {}: {}", found.kernel.seed, found.what)).collect();
        assert!(told.is_empty(), "{told:#?}");
    }
}

/// Seeds of kernels on which the host's compiler and the simulator did not agree once.
#[test]
fn kernels_that_once_differed_agree() {
    let Some((parties, _folder)) = parties("once") else { return };
    for (language, seed) in [(Language::Cuda, 31_001_085), (Language::Cuda, 31_004_047), (Language::Cuda, 31_007_242)] {
        if language == Language::Cuda && parties.architectures.is_empty() {
            continue;
        }
        let kernel = parties.kernel(language, seed);
        for manner in Manner::all() {
            let differences = parties.round(language, std::slice::from_ref(&kernel), manner, "once").unwrap();
            let told: Vec<&str> = differences.iter().map(|found| found.what.as_str()).collect();
            assert!(told.is_empty(), "seed {seed}, {manner:?}: {told:#?}");
        }
    }
}

/// A twin that is wrong on purpose is found, and shrunk to the statement that is wrong.
#[test]
fn a_difference_is_found_and_shrunk() {
    let Some((parties, _folder)) = parties("shrink") else { return };
    let mut kernel = parties.kernel(Language::Ptx, 77);
    let last = kernel.functions.last_mut().unwrap();
    last.body.push(Item::Step(kernel::Twin::new("add.u32 %r0, %r0, 1;", "r0 = r0 + 2;")));
    let differs = |kernel: &kernel::Kernel| {
        let found = parties.round(Language::Ptx, std::slice::from_ref(kernel), Manner::all()[0], "shrink");
        found.is_ok_and(|found| !found.is_empty())
    };
    assert!(differs(&kernel));
    let smallest = shrink::shrink(&kernel, differs);
    assert_eq!(smallest.size(), 1);
    assert!(smallest.text(kernel::device, "k0").contains("add.u32 %r0, %r0, 1;"));
}

#[test]
fn a_seed_is_a_kernel() {
    let table = ptx::Table::new();
    let text =
        |seed| ptx::kernel(seed, &table).text(kernel::device, "k0") + &cuda::kernel(seed).text(kernel::host, "k1");
    assert_eq!(text(5), text(5));
    assert_ne!(text(5), text(6));
}

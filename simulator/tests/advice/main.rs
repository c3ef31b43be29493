//! Advice against what it promises: a kernel, and the same with one thing mended. Its trials foretell a gain, the mended kernel has one.
#![allow(unsafe_code)]
#[path = "../driver/card.rs"]
mod card;

use card::{answer, bridge, context, device, ok};
use cudarc::driver::sys;
use serde_json::{Value, json};
use std::ffi::{CString, c_void};
use std::ptr::null_mut;
use views::explain::{Kernel, Wanted, text};

/// A launch of a kernel of `pairs.cu`: its name, grid and block.
struct Launch<'a> {
    kernel: &'a str,
    grid: [u32; 2],
    block: [u32; 2],
}

impl<'a> Launch<'a> {
    fn of(cell: &'a str) -> Launch<'a> {
        let parts: Vec<&str> = cell.split(',').map(str::trim).collect();
        let edges = |text: &str| {
            let mut edges = [1; 2];
            text.split(' ').zip(&mut edges).for_each(|(n, edge)| *edge = n.parse().expect("a number"));
            edges
        };
        Launch { kernel: parts[0], grid: edges(parts[1]), block: edges(parts[2]) }
    }
}

/// The path of the kernels' text, as their PTX has it.
const SOURCE: &str = "simulator/tests/advice/pairs.cu";

/// Runs a kernel; its time in nanoseconds and its trials.
fn run(module: sys::CUmodule, launch: &Launch, (mut p, mut q, mut n): (u64, u64, i32)) -> (f64, Vec<Value>) {
    let mut parameters: [*mut c_void; 3] = [(&raw mut p).cast(), (&raw mut q).cast(), (&raw mut n).cast()];
    let name = CString::new(launch.kernel).expect("no NUL");
    let ([gx, gy], [bx, by]) = (launch.grid, launch.block);
    // SAFETY: a place for a result, the kernels' three parameters.
    unsafe {
        let function = answer(|to| sys::cuModuleGetFunction(to, module, name.as_ptr()));
        ok(sys::cuLaunchKernel(function, gx, gy, 1, bx, by, 1, 0, null_mut(), parameters.as_mut_ptr(), null_mut()));
        ok(sys::cuCtxSynchronize());
    }
    let told: Value = serde_json::from_str(&bridge("labs_sim_take", "launches")).expect("JSON");
    let told = told.as_array().and_then(|all| all.last()).expect("a launch");
    let ns = |key: &str| told[key].as_f64().expect("a time");
    (ns("end_ns") - ns("start_ns"), told["trials"].as_array().cloned().unwrap_or_default())
}

/// The gain from which on a trial is told.
const TOLD: f64 = 1.03;

/// A pair, as it was foretold and as it is.
struct Judged {
    name: String,
    /// The place of the mended cause in the list, from 0 on.
    place: Option<usize>,
    foretold: f64,
    simulated: f64,
}

impl Judged {
    fn error(&self) -> f64 {
        (self.foretold / self.simulated - 1.0).abs()
    }
}

fn judged(module: sys::CUmodule, cells: &[&str], buffers: (u64, u64)) -> Judged {
    let [name, slow, mended, n, cause, array] = cells[..] else { panic!("pairs.txt: {cells:?}") };
    let n = n.parse().expect("a number");
    let [slow, mended] = [slow, mended].map(|cell| run(module, &Launch::of(cell), (buffers.0, buffers.1, n)));
    let is_it = |part: &Value| part["cause"] == cause && part["array"].as_str().unwrap_or_default() == array;
    let parts = |trial: &Value| trial["parts"].as_array().cloned().unwrap_or_default();
    let place = slow.1.iter().position(|trial| parts(trial).iter().any(is_it));
    let ns = |trial: &Value, key: &str| trial[key].as_f64().expect("a time");
    let gain = |trial: &Value| ns(trial, "time_ns") / ns(trial, "without_ns");
    // Before its first block a launch has its turn.
    let turn = slow.1.first().map_or(0.0, |trial| ns(trial, "time_ns") - slow.0);
    let said = |trial: &Value| {
        let words = parts(trial).into_iter().map(|part| format!("{} {}", part["cause"], part["array"]));
        format!("{:.2} {}", gain(trial), words.collect::<Vec<_>>().join(" + "))
    };
    let foretold = place.map_or(1.0, |place| gain(&slow.1[place]));
    let simulated = (slow.0 + turn) / (mended.0 + turn);
    let all: Vec<String> = slow.1.iter().map(said).collect();
    println!(
        "{name:24} {:9.0} ns {simulated:6.2} × {foretold:6.2} × {:5.0} %   {}",
        slow.0,
        100.0 * (foretold / simulated - 1.0),
        all.join(", ")
    );
    Judged { name: name.to_owned(), place, foretold, simulated }
}

/// The words that are said of a launch, in one row.
fn told(module: sys::CUmodule, launch: &str, n: &str, buffers: (u64, u64)) -> String {
    let (ns, trials) = run(module, &Launch::of(launch), (buffers.0, buffers.1, n.parse().expect("a number")));
    let object = |value: Value| value.as_object().cloned().expect("an object");
    let trials: Vec<_> = trials.into_iter().map(object).collect();
    let lines = [object(json!({"file": SOURCE, "line": 1, "instructions": 1}))];
    let kernel = Kernel { title: launch, time_ms: ns / 1e6, bound_by: None, trials: Some(&trials), lines: &lines };
    let said = text(&kernel, Wanted { reasons: true, counters: false }, 100, &|_, _| None);
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines of a table that are no comments, by their cells.
fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('|').map(str::trim).collect())
}

#[test]
fn trials_foretell_what_a_mended_kernel_gains_and_each_advice_has_its_precondition() {
    card::simulator();
    let settings = json!({"trials": true, "sources": {SOURCE: include_str!("pairs.cu")}});
    assert_eq!(bridge("labs_sim_configure", &settings.to_string()), "");
    let _context = context();
    let text = kernels::unpack(include_bytes!("pairs.ptx.z")).expect("a whole file");
    let text = CString::new(text).expect("no NUL");
    // SAFETY: text that ends in NUL, a place for a result.
    let module = answer(|to| unsafe { sys::cuModuleLoadData(to, text.as_ptr().cast()) });
    // Ones: to add zeros changes no word that others swap.
    let buffers = (device(4 << 20, 1f32.to_bits()), device(4 << 20, 1f32.to_bits()));
    for cells in rows(include_str!("rules.txt")) {
        let [words, of, of_n, not_of, not_of_n] = cells[..] else { panic!("rules.txt: {cells:?}") };
        let [says, silent] = [(of, of_n), (not_of, not_of_n)].map(|(launch, n)| told(module, launch, n, buffers));
        assert!(says.contains(words), "{of} is not told \"{words}\": {says}");
        assert!(!silent.contains(words), "{not_of} is told \"{words}\": {silent}");
    }
    let all: Vec<Judged> = rows(include_str!("pairs.txt")).map(|cells| judged(module, &cells, buffers)).collect();
    let mut errors: Vec<f64> = all.iter().map(Judged::error).collect();
    errors.sort_by(f64::total_cmp);
    let (median, nine_of_ten) = (errors[all.len() / 2], errors[all.len() * 9 / 10]);
    let gains = || all.iter().filter(|pair| pair.simulated >= TOLD);
    let first = gains().filter(|pair| pair.place.is_some_and(|place| place < 2)).count();
    println!(
        "{} pairs, of which {} gain: median {median:.2}, 90th percentile {nine_of_ten:.2}, {first} first or second",
        all.len(),
        gains().count(),
    );
    for pair in all.iter().filter(|pair| pair.simulated < TOLD) {
        assert!(pair.place.is_none(), "{}: a gain is foretold, and there is none", pair.name);
    }
    assert!(all.len() >= 40 && gains().count() >= 35);
    // The limits are those of products whose tiles need fewer instructions too, atomics of which nothing is left, and loads that other code asks for earlier.
    assert!(median <= 0.10 && nine_of_ten <= 0.25, "{median} {nine_of_ten}");
    assert!(first as f64 >= 0.95 * gains().count() as f64, "{first}");
    assert!(gains().all(|pair| pair.foretold >= 1.0), "a mended kernel is faster, and was foretold to be slower");
}

//! The measured figures of a card's units: latencies of one warp, rates of full multiprocessors, L2 and its costs.
//!
//! `ptxas` leaves out what nobody uses, and joins what it can prove to be the same: every word that is loaded is used, addresses change from
//! turn to turn by what the kernel is told, and what is to reach L2 says so (`.cg`).

use crate::micro::{Bench, Loop, Shape};
use crate::profile::Row;
use serde_json::json;

/// The model's cost of a store of part of a sector where nothing comes from memory, as a share of its cost otherwise.
const PARTIAL_SHARE: f64 = 0.9;
const THREADS: u32 = 1024;

/// The figures that the measurements build on.
pub struct Units {
    pub clock_hz: f64,
    pub multiprocessors: u32,
    pub l2_bytes: u64,
}

/// Turns of a loop: on a card so many more that events tell them apart.
fn turns(bench: &Bench, few: u32) -> u32 {
    if bench.device.facts.simulated { few } else { 40 * few }
}

impl Units {
    fn cycles(&self, seconds: f64) -> f64 {
        seconds * self.clock_hz
    }

    /// One warp, each instruction needing the one before.
    pub fn latencies(&self, bench: &mut Bench, row: &mut Row) -> anyhow::Result<()> {
        const TIMES: u32 = 128;
        let alone = Shape { blocks: 1, threads: 32, turns: turns(bench, 20) };
        let of_one = |bench: &mut Bench, setup: &str, body: &str, sink: &str| -> anyhow::Result<f64> {
            let code = Loop::new(setup, body, TIMES).into(sink.to_owned());
            Ok(self.cycles(bench.turn_s(&code, alone, 0)?) / f64::from(TIMES))
        };
        let values = "cvt.rn.f32.u32 %f0, %r0;\ncvt.rn.f32.u32 %f1, %r5;";
        let arithmetic = of_one(bench, values, "fma.rn.f32 %f0, %f0, %f1, %f1;", "mov.b32 %r6, %f0;")?;
        row.measured("arithmetic_latency_cycles", arithmetic);
        // A word that holds its own address.
        let itself = "mov.u32 %r7, tile;\nst.shared.u32 [%r7], %r7;\nbar.sync 0;";
        let shared = of_one(bench, itself, "ld.shared.u32 %r7, [%r7];", "mov.u32 %r6, %r7;")?;
        row.measured("shared_latency_cycles", shared);
        let l1 = self.cycles(bench.chase_s(2048, 6400)?);
        let l2_bytes = (self.l2_bytes / 8).max(64 << 10);
        let l2 = self.cycles(bench.chase_s(l2_bytes, l2_bytes / 128)?);
        let beyond = 4 * self.l2_bytes;
        let memory = self.cycles(bench.chase_s(beyond, beyond / 256)?);
        row.measured("l2_latency_cycles", l2);
        row.measured("memory_latency_cycles", memory);
        let caches = l1 < 0.7 * l2;
        row.put("l1_caches_global", json!(caches), &format!("measured: {l1:.0} cycles beside {l2:.0} of L2"));
        if caches {
            row.measured("l1_latency_cycles", l1);
            row.measured("l1_bytes_per_multiprocessor", self.l1_bytes(bench, l1, l2)?);
        }
        Ok(())
    }

    /// The size at which half of a chain's loads find their line gone. The kernel has no shared memory and asks for none, so that L1 has all
    /// of what the two may share.
    fn l1_bytes(&self, bench: &mut Bench, l1: f64, l2: f64) -> anyhow::Result<f64> {
        let (mut there, mut gone) = (4096u64, 8192u64);
        let mut is_gone = |bytes: u64| -> anyhow::Result<bool> {
            Ok(self.cycles(bench.chase_s(bytes, bytes / 128 * 4)?) > (l1 + l2) / 2.0)
        };
        while gone < self.l2_bytes / 8 && !is_gone(gone)? {
            (there, gone) = (gone, 2 * gone);
        }
        while gone - there > there / 16 {
            let middle = (there + gone) / 2 / 1024 * 1024;
            *(if is_gone(middle)? { &mut gone } else { &mut there }) = middle;
        }
        Ok((there + gone) as f64 / 2.0)
    }

    /// All multiprocessors full: how many lanes of a multiprocessor do something in a clock.
    pub fn rates(&self, bench: &mut Bench, row: &mut Row) -> anyhow::Result<()> {
        let full = Shape { blocks: self.multiprocessors, threads: THREADS, turns: turns(bench, 12) };
        let lanes = |bench: &mut Bench, code: Loop, each: f64| -> anyhow::Result<f64> {
            let each = each * f64::from(code.times);
            Ok(f64::from(THREADS) * each / self.cycles(bench.turn_s(&code, full, 4095)?))
        };
        // Eight chains, so that none waits; their values come from outside, and go there.
        let chains = |of: &dyn Fn(u32) -> String| (0..8).map(of).collect::<String>();
        let eight = |setup: &dyn Fn(u32) -> String, body: &dyn Fn(u32) -> String, sink: &dyn Fn(u32) -> String| {
            Loop::new(&(0..9).map(setup).collect::<String>(), &chains(body), 16).into(chains(sink))
        };
        let float = |n: u32| format!("cvt.rn.f32.u32 %f{n}, %r{};\n", if n == 8 { 5 } else { 0 });
        let of_float = |n: u32| format!("mov.b32 %r7, %f{n};\nxor.b32 %r6, %r6, %r7;\n");
        let fp32 = eight(&float, &|n| format!("fma.rn.f32 %f{n}, %f{n}, %f8, %f8;\n"), &of_float);
        row.lanes("fp32_lanes_per_multiprocessor", lanes(bench, fp32, 8.0)?);
        let fp64 = eight(
            &|n| format!("cvt.rn.f64.u32 %d{n}, %r{};\n", if n == 8 { 5 } else { 0 }),
            &|n| format!("fma.rn.f64 %d{n}, %d{n}, %d8, %d8;\n"),
            &|n| format!("cvt.rn.f32.f64 %f{n}, %d{n};\n{}", of_float(n)),
        );
        row.lanes("fp64_lanes_per_multiprocessor", lanes(bench, fp64, 8.0)?);
        let word = |n: u32| format!("add.u32 %r{}, %r{}, {n};\n", n + 10, if n == 8 { 5 } else { 0 });
        let of_word = |n: u32| format!("xor.b32 %r6, %r6, %r{};\n", n + 10);
        if bench.device.context.compute_capability()? >= (5, 3) {
            let fp16 = eight(&word, &|n| format!("fma.rn.f16x2 %r{0}, %r{0}, %r18, %r18;\n", n + 10), &of_word);
            row.lanes("fp16_lanes_per_multiprocessor", 2.0 * lanes(bench, fp16, 8.0)?);
        }
        let int32 = eight(&word, &|n| format!("mad.lo.u32 %r{0}, %r{0}, %r18, %r18;\n", n + 10), &of_word);
        row.lanes("int32_lanes_per_multiprocessor", lanes(bench, int32, 8.0)?);
        let special = eight(&float, &|n| format!("ex2.approx.ftz.f32 %f{n}, %f{n};\n"), &of_float);
        row.lanes("special_lanes_per_multiprocessor", lanes(bench, special, 8.0)?);
        // Lanes have words of their own, in banks of their own, and other words in each turn.
        let place = "and.b32 %r9, %r8, %r5;\nadd.u32 %r9, %r9, %r7;\nadd.u32 %r8, %r8, 4;\n";
        let loads: String = (0..8).map(|n| format!("ld.shared.u32 %r{}, [%r9+{}];\n", n + 10, n * 512)).collect();
        let used: String = (0..8).map(of_word).collect();
        let own =
            Loop::new("mov.u32 %r7, tile;\nshl.b32 %r8, %r0, 2;\nbar.sync 0;", &format!("{place}{loads}{used}"), 8);
        row.lanes("load_store_lanes_per_multiprocessor", lanes(bench, own, 8.0)?);
        // The same eight kilobytes again and again, by eight loads of a warp's 512 bytes for each address.
        let place =
            "and.b32 %r7, %r8, %r5;\ncvt.u64.u32 %rd3, %r7;\nadd.s64 %rd3, %rd0, %rd3;\nadd.u32 %r8, %r8, 512;\n";
        let loads: String = (0..8).map(|n| wide_load("ld.global", n * 512)).collect();
        let l1 = lanes(bench, Loop::new("shl.b32 %r8, %r0, 4;", &format!("{place}{loads}"), 8), 8.0 * 16.0)?;
        row.measured("l1_bytes_per_clock", l1);
        Ok(())
    }

    /// Rates of L2, and what requests and stores of less than a sector cost there.
    pub fn below_l1(&self, bench: &mut Bench, row: &mut Row) -> anyhow::Result<()> {
        const TIMES: u32 = 8;
        let shape = Shape { blocks: self.multiprocessors, threads: THREADS, turns: turns(bench, 6) };
        // A power of two that L2 holds easily, and no L1.
        let bytes = (self.l2_bytes / 4 + 1).next_power_of_two() / 2;
        let mask = u32::try_from(bytes - 1)?;
        let of_all = |bench: &mut Bench, setup: &str, body: &str, each: f64| -> anyhow::Result<f64> {
            let seconds = bench.turn_s(&Loop::new(setup, body, TIMES), shape, mask)?;
            Ok(f64::from(THREADS * self.multiprocessors) * f64::from(TIMES) * each / self.cycles(seconds))
        };
        // Each block goes through all of it, piece by piece, in an order of its own: the piece `turn ^ own`, where `own` is the block's number
        // with its bits in reverse. So no two come to a piece at about the same time: requests of neighbours for one line would be joined.
        let in_own_order = |bytes_of_thread: u32| {
            let piece = THREADS * bytes_of_thread;
            let below = mask.leading_zeros();
            let setup = format!(
                "brev.b32 %r9, %r1;\nshr.u32 %r9, %r9, {below};\nand.b32 %r9, %r9, -{piece};\n\
                 mul.lo.u32 %r8, %r0, {bytes_of_thread};"
            );
            let place = format!(
                "xor.b32 %r7, %r8, %r9;\nand.b32 %r7, %r7, %r5;\ncvt.u64.u32 %rd3, %r7;\nadd.s64 %rd3, %rd0, %rd3;\n\
                 add.u32 %r8, %r8, {piece};\n"
            );
            (setup, place)
        };
        let (begin, place) = in_own_order(16);
        let rate = of_all(bench, &begin, &format!("{place}{}", wide_load("ld.global.cg", 0)), 16.0)?;
        row.measured("l2_bytes_per_clock", rate);
        // Words anywhere: a sector each, a request each.
        let anywhere = "mad.lo.u32 %r8, %r8, 1664525, 1013904223;\nshr.u32 %r7, %r8, 3;\nand.b32 %r7, %r7, %r5;\n\
                        and.b32 %r7, %r7, -4;\ncvt.u64.u32 %rd3, %r7;\nadd.s64 %rd3, %rd0, %rd3;\n\
                        ld.global.cg.u32 %r10, [%rd3];\nxor.b32 %r6, %r6, %r10;";
        let sectors = of_all(bench, "mad.lo.u32 %r8, %r3, 747796405, 12345;", anywhere, 1.0)?;
        row.measured("l2_turns_per_request", (rate / 32.0 / sectors).max(1.0));
        // A word of each line, in turns of a sector that is read.
        let (begin, place) = in_own_order(128);
        let part = of_all(bench, &begin, &format!("{place}st.global.u32 [%rd3], %r6;"), 1.0)?;
        row.measured("l2_turns_per_partial_write", (1.0 + (rate / 32.0 / part - 1.0) / PARTIAL_SHARE).max(1.0));
        Ok(())
    }
}

/// A load of sixteen bytes, all of which are used: of those that are not, `ptxas` would make narrower loads.
fn wide_load(load: &str, offset: u32) -> String {
    format!(
        "{load}.v4.u32 {{%r10, %r11, %r12, %r13}}, [%rd3+{offset}];\nxor.b32 %r10, %r10, %r11;\nxor.b32 %r12, %r12, %r13;\n\
         xor.b32 %r10, %r10, %r12;\nxor.b32 %r6, %r6, %r10;\n"
    )
}

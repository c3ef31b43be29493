//! Warps of a block that go through straight code together: one dispatch of an op for all of them, then the next op.
//!
//! It is one more legal order of warps, taken where nobody listens and no seed asks for another. Warps join whose lanes are all at the beginning
//! of one basic block; where a branch parts them, at a barrier, and before a block whose ops keep their order among warps, they leave.
use super::block_end::{exit, wait};
use super::lanes::{Lanes, MOST_SPINS};
use super::op::Op;
use super::together::{MOST, Member};
use super::versions::one_by_one;
use super::warp::{Next, Pause, Runner, Warp};
use super::warp_split::{Settled, State, WarpSplit};
use crate::program::{BasicBlock, End, Function, Program};

/// Warps of a block that go together: their numbers in it, and where they are.
#[derive(Default)]
pub(super) struct Batch {
    numbers: [usize; MOST],
    count: usize,
    /// The block that they are at.
    block: u32,
    /// Those that began, the ones that have left among them.
    began: [usize; MOST],
    began_count: usize,
}

/// The basic block that a warp may go through with others.
fn place(program: &Program, warp: &Warp) -> Option<(u32, u32)> {
    let [WarpSplit { mask: 0xffff_ffff, top, state: State::Ready, result: None, settled: Settled::No, callers, .. }] =
        &warp.splits.0[..]
    else {
        return None;
    };
    let begins = callers.is_empty() && top.registers == 0 && !top.at_end;
    let block = program.functions.get(top.function as usize)?.blocks.get(top.block as usize)?;
    (begins && block.together).then_some((top.function, top.block))
}

impl Batch {
    /// The warps that can go together, the first of `order` among them; `None` where it would go alone.
    pub fn of(program: &Program, warps: &[Warp], order: &[usize]) -> Option<Batch> {
        let (&first, rest) = order.split_first()?;
        let at = place(program, &warps[first])?;
        let mut batch = Batch { numbers: [first; MOST], count: 1, block: at.1, ..Batch::default() };
        for &number in rest {
            if batch.count == MOST {
                break;
            }
            if place(program, &warps[number]) == Some(at) {
                batch.numbers[batch.count] = number;
                batch.count += 1;
            }
        }
        (batch.began, batch.began_count) = (batch.numbers, batch.count);
        (batch.count > 1).then_some(batch)
    }

    /// The numbers of the warps that began together.
    pub fn members(&self) -> &[usize] {
        &self.began[..self.began_count]
    }

    /// Runs the warps until fewer than two of them go on together. All have their splits back then.
    pub fn run(&mut self, runner: &mut Runner, warps: &mut [Warp]) -> Pause {
        let program = runner.program;
        let id = warps[self.numbers[0]].splits.0[0].top.function as usize;
        let (function, ops) = (&program.functions[id], &program.ops[id][..]);
        for at in 0..self.count {
            let warp = &mut warps[self.numbers[at]];
            let Some(mut split) = warp.splits.0.pop() else { continue };
            runner.lanes.context.who.warp = warp.index;
            runner.lanes.context.live = warp.live;
            runner.lanes.local = warp.local_window();
            warp.enter(runner, &mut split, function);
            warp.splits.0.push(split);
            let lanes = &mut *runner.lanes;
            lanes.join(at, Member { registers: lanes.registers, local: lanes.local, warp: warp.index });
        }
        runner.lanes.together.count = self.count;
        let pause = self.go(runner, warps, (function, ops));
        runner.lanes.together.count = 0;
        runner.lanes.together.at = 0;
        pause
    }

    fn go(&mut self, runner: &mut Runner, warps: &mut [Warp], (function, ops): (&Function, &[Op])) -> Pause {
        loop {
            let block = &function.blocks[self.block as usize];
            if !block.together {
                self.leave(warps, false);
                return Pause::Released;
            }
            let lanes = &mut *runner.lanes;
            run_ops(lanes, &ops[block.ops.start as usize..block.ops.end as usize]);
            // An op that faulted has cleared the mask.
            if lanes.mask == 0 {
                return Pause::Stopped;
            }
            lanes.context.clock.instructions += self.count as u64 * (u64::from(block.ops.end - block.ops.start) + 1);
            self.block = match &block.end {
                End::Jump(target) => target.0,
                End::Branch { when, negated, taken, next } => {
                    let flip = if *negated { !0 } else { 0 };
                    lanes.step_to(0);
                    let ways = lanes.predicate(*when) ^ flip;
                    let target = if ways == !0 { taken } else { next };
                    let agree = (0..self.count).all(|at| {
                        lanes.step_to(at);
                        lanes.predicate(*when) ^ flip == ways
                    });
                    if !(agree && (ways == !0 || ways == 0)) {
                        self.part(lanes, warps, |lanes| lanes.predicate(*when) ^ flip);
                        if self.count < 2 {
                            return Pause::Released;
                        }
                    }
                    target.0
                }
                _ => return self.end(runner, warps, block),
            };
            if lanes.spins >= MOST_SPINS {
                lanes.spins = 0;
                self.leave(warps, false);
                for &number in &self.numbers[..self.count] {
                    let warp = &mut warps[number];
                    warp.rounds += 1;
                    warp.splits.0[0].round = warp.rounds;
                }
                return Pause::Spins;
            }
            if lanes.context.clock.instructions >= runner.turn_ends {
                self.leave(warps, false);
                for &number in &self.numbers[..self.count] {
                    warps[number].splits.0[0].turns += 1;
                }
                return Pause::Turn;
            }
        }
    }

    /// Lets each go alone through the end of a block that is neither a jump nor a branch, or leave before it.
    fn end(&self, runner: &mut Runner, warps: &mut [Warp], block: &BasicBlock) -> Pause {
        let is_short = matches!(block.end, End::Exit | End::Return | End::Fall | End::Barrier(_));
        self.leave(warps, !is_short);
        for at in 0..if is_short { self.count } else { 0 } {
            let warp = &mut warps[self.numbers[at]];
            let Some(mut split) = warp.splits.0.pop() else { continue };
            runner.lanes.turn_to(at);
            runner.lanes.context.live = warp.live;
            let next = match &block.end {
                End::Barrier(barrier) => wait::<false>(runner, warp, &mut split, block.site, barrier),
                _ => exit(runner, warp, &split),
            };
            if let Next::Pause(Pause::Stopped) = next {
                return Pause::Stopped;
            }
        }
        Pause::Released
    }

    /// Keeps a warp in the batch, as the one after those that stay.
    fn keep(&mut self, lanes: &mut Lanes, at: usize, kept: &mut usize) {
        self.numbers[*kept] = self.numbers[at];
        lanes.together.frames[*kept] = lanes.together.frames[at];
        lanes.together.members[*kept] = lanes.together.members[at];
        *kept += 1;
    }

    /// Lets all go on alone, from the block or from its end.
    fn leave(&self, warps: &mut [Warp], at_end: bool) {
        for &number in &self.numbers[..self.count] {
            let top = &mut warps[number].splits.0[0].top;
            (top.block, top.at_end) = (self.block, at_end);
        }
    }

    /// Lets those leave at the end of a block that do not go the first one's way, or all where fewer than two go one way.
    fn part(&mut self, lanes: &mut Lanes, warps: &mut [Warp], way: impl Fn(&Lanes) -> u32) {
        lanes.step_to(0);
        let ways = way(lanes);
        self.leave(warps, true);
        let mut kept = 0;
        if ways == !0 || ways == 0 {
            for at in 0..self.count {
                lanes.step_to(at);
                if way(lanes) == ways {
                    self.keep(lanes, at, &mut kept);
                }
            }
        }
        self.count = if kept < 2 { 0 } else { kept };
        lanes.together.count = self.count;
    }
}

/// Runs a block's ops for all warps of the batch.
#[inline(always)]
fn run_ops(lanes: &mut Lanes, ops: &[Op]) {
    for op in ops {
        let exec = if op.guard_negated.is_none() { op.inner } else { one_by_one };
        // SAFETY: the frames are those of this function, and lowering chose the version by what the host has.
        #[allow(unsafe_code)]
        unsafe {
            exec(lanes, op)
        };
        if lanes.mask == 0 {
            return;
        }
    }
}

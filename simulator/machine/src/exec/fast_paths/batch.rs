//! Warps of a block that go through straight code together: one dispatch of an op for all of them, then the next op.
//!
//! It is one more legal order of warps, taken where no seed asks for another. Whoever listens hears of it in the order in which warps go alone: what
//! they do is recorded as a [`Passage`](crate::probe::Passage), and told of when each goes on alone. Warps join whose lanes are all at the beginning
//! of one basic block; where a branch parts them, at a barrier, and before a block whose ops keep their order among warps, they leave.
use super::together::{MOST, Member};
use crate::exec::view::{Lanes, MOST_SPINS, Op, one_by_one};
use crate::exec::warps::block_end::{exit, wait};
use crate::exec::warps::warp::{Next, Pause, Runner, Warp};
use crate::exec::warps::warp_run;
use crate::exec::warps::warp_split::{Meeting, State, WarpSplit};
use crate::probe::{Step, Who};
use crate::program::{BasicBlock, End, Function, Program};

/// Warps of a block that go together: their numbers in it, and where they are.
#[derive(Default)]
pub(crate) struct Batch {
    numbers: [usize; MOST],
    count: usize,
    block: u32,
    /// Those that began, the ones that have left among them.
    began: [usize; MOST],
    began_count: usize,
    /// True if what they do is recorded.
    recorded: bool,
}

/// Passages of which a warp has yet to tell, at the most: each may be long.
const MOST_PARTS: usize = 4;

/// The basic block that a warp may go through with others.
fn place(program: &Program, warp: &Warp) -> Option<(u32, u32)> {
    let [
        WarpSplit {
            mask: 0xffff_ffff, top, state: State::Ready, result: None, meeting: Meeting::Pending, callers, ..
        },
    ] = &warp.splits.0[..]
    else {
        return None;
    };
    if warp.parts.len() >= MOST_PARTS {
        return None;
    }
    let begins = callers.is_empty() && top.registers == 0 && !top.at_end;
    let block = program.functions.get(top.function as usize)?.blocks.get(top.block as usize)?;
    (begins && block.together).then_some((top.function, top.block))
}

impl Batch {
    /// The warps that can go together, the first of `order` among them; `None` where it would go alone.
    pub fn of(program: &Program, warps: &[Warp], order: &[usize], recorded: bool) -> Option<Batch> {
        let (&first, rest) = order.split_first()?;
        let at = place(program, &warps[first])?;
        let mut batch = Batch { numbers: [first; MOST], count: 1, block: at.1, recorded, ..Batch::default() };
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
        self.record(runner.lanes);
        let pause = self.go(runner, warps, (function, ops));
        self.recorded(runner.lanes, warps);
        runner.lanes.together.count = 0;
        runner.lanes.together.at = 0;
        if pause == Pause::Stopped {
            for &number in self.members() {
                warp_run::tell_parts(runner, &mut warps[number]);
            }
        }
        pause
    }

    /// Begins to record what the warps do, if anybody hears of it.
    fn record(&self, lanes: &mut Lanes) {
        if self.recorded {
            let (who, members) = (lanes.context.who, &lanes.together.members[..self.count]);
            let warps = members.iter().map(|member| Who { warp: member.warp, ..who });
            lanes.context.listener.passages.record(warps);
        }
    }

    /// Gives each warp its part of what was recorded.
    fn recorded(&self, lanes: &mut Lanes, warps: &mut [Warp]) {
        if self.recorded && lanes.context.listener.passages.recorded().is_some() {
            let parts = lanes.context.listener.end_passage();
            self.numbers.iter().zip(parts).for_each(|(&number, part)| warps[number].parts.push(part));
        }
    }

    #[inline(always)]
    fn note(&self, lanes: &mut Lanes, step: Step) {
        if self.recorded
            && let Some(passage) = lanes.context.listener.passages.recorded()
        {
            passage.step(step);
        }
    }

    /// True if no more is to be recorded.
    #[inline(always)]
    fn is_full(&self, lanes: &mut Lanes) -> bool {
        self.recorded && lanes.context.listener.passages.recorded().is_some_and(|passage| passage.is_full())
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
            self.note(lanes, Step::Run { block: self.block });
            if self.is_full(lanes) {
                self.leave(warps, true);
                return Pause::Released;
            }
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
                    self.note(lanes, Step::Branch { site: block.site, taken: std::ptr::eq(target, taken) });
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
        let is_short = !self.recorded && matches!(block.end, End::Exit | End::Return | End::Fall | End::Barrier(_));
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
        self.recorded(lanes, warps);
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
        if self.count > 0 {
            self.record(lanes);
        }
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

//! Operations of a block's threads or a warp's lanes together: they stand where all of them come, or under a mask that
//! they have voted on.
use super::Type::{self, F32, F64, I32, I64, U32, U64};
use super::{Generator, line};
use crate::kernel::{Item, Twin};

/// Atomics that give the same result in any order; each has a word of its own.
const COMMUTATIVE: [(&str, Type); 8] = [
    ("atomicAdd", U32),
    ("atomicMax", I32),
    ("atomicMin", I32),
    ("atomicOr", U32),
    ("atomicXor", U32),
    ("atomicAdd", U64),
    ("atomicMax", U64),
    ("atomicSub", U32),
];

impl Generator {
    /// On global memory that all threads share.
    pub(super) fn reduction(&mut self) -> Item {
        line(self.atomic("meet"))
    }

    fn atomic(&mut self, words: &str) -> String {
        let word = self.random.below(COMMUTATIVE.len());
        let (name, ty) = COMMUTATIVE[word];
        let value = self.expression(ty, 1);
        if name == "atomicXor" && self.random.once_in(2) {
            // The same by hand.
            return format!(
                "{{ u32 *at = (u32 *)({words} + {word}), old = *(volatile u32 *)at, seen; const u32 by = {value}; do {{ seen = old; old = atomicCAS(at, seen, seen ^ by); }} while (old != seen); }}"
            );
        }
        format!("{name}(({} *)({words} + {word}), {value});", ty.name())
    }

    pub(super) fn together(&mut self) -> Item {
        match self.random.below(9) {
            0 => self.neighbour(),
            1 => self.block_vote(),
            2 => self.common(),
            3 | 4 => self.divergent(),
            5 => self.uniform_loop(),
            _ => line(self.warp("all", false)),
        }
    }

    /// Reads what another thread of the block wrote.
    fn neighbour(&mut self) -> Item {
        let ty = self.random.pick(&[U32, I64, F32, F64, U64, Type::I16]);
        let (value, to) = (self.expression(ty, 1), self.variable(ty));
        let by = self.variable(U32);
        let name = ty.name();
        line(format!(
            "*({name} *)(own + threadIdx.x) = {value}; __syncthreads(); {to} = *({name} *)(own + (threadIdx.x + {by} % blockDim.x) % blockDim.x); __syncthreads();"
        ))
    }

    fn block_vote(&mut self) -> Item {
        let (to, condition) = (self.variable(I32), self.condition(1));
        let how = self.random.choose(&["count", "and", "or"]);
        let truth = if how == "count" { "" } else { " != 0" };
        line(format!("{to} = __syncthreads_{how}({condition}){truth};"))
    }

    /// Words of shared memory that all threads of the block change by atomics.
    fn common(&mut self) -> Item {
        let open =
            "__syncthreads(); if (threadIdx.x == 0) for (u32 n = 0; n < 8; ++n) common[n] = 0; __syncthreads(); {";
        let mut body = Vec::new();
        for _ in 0..1 + self.random.below(4) {
            let (condition, atomic) = (self.condition(1), self.atomic("common"));
            body.push(line(format!("if ({condition}) {atomic}")));
        }
        let (to, word) = (self.variable(U64), self.random.below(8));
        Item::Arms(
            vec![(Twin::same(open), body)],
            Twin::same(format!("}} __syncthreads(); {to} = common[{word}]; __syncthreads();")),
        )
    }

    /// Some lanes only, which know of each other.
    fn divergent(&mut self) -> Item {
        let (condition, mask) = (self.condition(1), self.name("mask"));
        let mut body = Vec::new();
        for _ in 0..1 + self.random.below(4) {
            let warp = self.warp(&mask, true);
            body.push(if self.random.once_in(3) { self.assign() } else { line(warp) });
        }
        let open = format!(
            "{{ const bool in_it = {condition}; const u32 {mask} = __ballot_sync(lanes(), in_it); if (in_it) {{"
        );
        Item::Arms(vec![(Twin::same(open), body)], Twin::same("} __syncwarp(lanes()); }"))
    }

    /// A loop that all threads run equally often, with something that they do together in it.
    fn uniform_loop(&mut self) -> Item {
        let (counter, trips) = (self.name("n"), 1 + self.random.below(4));
        let mut body = self.steps(2, 2);
        body.push(match self.random.below(3) {
            0 => self.neighbour(),
            1 => self.block_vote(),
            _ => line(self.warp("all", false)),
        });
        body.extend(self.steps(1, 2));
        Item::Arms(
            vec![(Twin::same(format!("for (u32 {counter} = 0; {counter} < {trips}; ++{counter}) {{")), body)],
            Twin::same("}"),
        )
    }

    /// By the lanes of `mask`, or by `all`; `some`: whether that may be fewer than the warp has.
    fn warp(&mut self, mask: &str, some: bool) -> String {
        let mask = if some { mask } else { "lanes()" };
        let (to, condition) = (self.variable(U32), self.condition(1));
        let ty = self.random.pick(&[U32, I32, U64, I64, F32, F64]);
        let (result, value) = (self.variable(ty), self.expression(ty, 1));
        let by = self.variable(U32);
        match self.random.below(10) {
            0 => format!("{to} = __ballot_sync({mask}, {condition});"),
            1 => format!("{to} += __any_sync({mask}, {condition}) ? 3 : 5;"),
            2 => format!("{to} += __all_sync({mask}, {condition}) ? 3 : 5;"),
            3 => {
                let value = self.expression(U32, 1);
                format!("{to} = __match_any_sync({mask}, {value} & 3);")
            }
            4 => {
                let value = self.expression(U64, 1);
                format!("{{ i32 same; {to} = __match_all_sync({mask}, {value} & 1, &same); {to} += same ? 7 : 0; }}")
            }
            5 => {
                // The substitute for `redux`, where there is none.
                let value = self.expression(U32, 1);
                format!(
                    "#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800\n{to} = __reduce_add_sync({mask}, {value});\n#else\n{{ u32 sum = 0; const u32 part = {value}; for (u32 n = 0; n < 32; ++n) if ({mask} >> n & 1) sum += __shfl_sync({mask}, part, n); {to} = sum; }}\n#endif"
                )
            }
            6 if !some && self.threads.is_multiple_of(32) => {
                let (how, width) =
                    (self.random.choose(&["up", "down", "xor"]), self.random.pick(&[32, 32, 16, 8, 4, 2]));
                format!("{result} = __shfl_{how}_sync({mask}, {value}, {by} % {width}, {width});")
            }
            7 => format!("__syncwarp({mask});"),
            _ => format!("{result} = __shfl_sync({mask}, {value}, among({mask}, {by}));"),
        }
    }
}

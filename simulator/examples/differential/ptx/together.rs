//! Operations of a warp's lanes or a block's threads together: they stand where all of them come, or under a mask that
//! they have voted on.
use super::memory::COMMUTATIVE;
use super::{Generator, OWN_BYTES};
use crate::kernel::{Item, Twin};

impl Generator<'_> {
    pub(super) fn together(&mut self) -> Item {
        match self.random.below(8) {
            0 => self.neighbour(),
            1 => self.block_vote(),
            2 => self.common(),
            3 => self.divergent(),
            _ => self.warp("full", true),
        }
    }

    /// Reads what another thread of the block has in its shared memory.
    fn neighbour(&mut self) -> Item {
        let (to, by, threads) = (self.word(), self.random.below(self.threads as usize), self.threads);
        let (name, ty, bytes) = self.random.pick(&[("b32", "U32", 4), ("s8", "S8", 1), ("u16", "U16", 2)]);
        let offset = self.random.below(OWN_BYTES / bytes) * bytes;
        Item::Step(Twin::new(
            format!(
                "bar.sync 0;\nmov.u32 %t, %tid.x;\nadd.u32 %t, %t, {by};\nrem.u32 %t, %t, {threads};\nmov.u32 %t2, own_shared;\nmad.lo.u32 %t, %t, {OWN_BYTES}, %t2;\nld.shared.{name} %{to}, [%t+{offset}];\nbarrier.sync 0;"
            ),
            format!(
                "meet_block(0); {to} = load({ty}, own_shared_all + (threadIdx.x + {by}) % {threads} * {OWN_BYTES} + {offset}); meet_block(0);"
            ),
        ))
    }

    fn block_vote(&mut self) -> Item {
        let (to, p, q) = (self.word(), self.predicate(), self.predicate());
        let threads = self.threads;
        let (device, host) = match self.random.below(4) {
            0 => (format!("bar.red.popc.u32 %{to}, 0, %{p};"), format!("{to} = meet_block({p});")),
            1 => (format!("bar.red.popc.u32 %{to}, 3, !%{p};"), format!("{to} = meet_block(!{p});")),
            2 => (format!("bar.red.and.pred %{q}, 0, %{p};"), format!("{q} = meet_block({p}) == {threads};")),
            _ => (format!("barrier.red.or.pred %{q}, 1, %{p};"), format!("{q} = meet_block({p}) != 0;")),
        };
        Item::Step(Twin::new(device, host))
    }

    /// Words of shared memory that all threads of the block change by atomics.
    fn common(&mut self) -> Item {
        let open = Twin::new(
            (0..COMMUTATIVE.len())
                .fold("bar.sync 0;\nmov.u32 %t, %tid.x;\nsetp.eq.u32 %pl, %t, 0;\n".to_owned(), |text, i| {
                    text + &format!("@%pl st.shared.b64 [common+{}], 0;\n", 8 * i)
                })
                + "bar.sync 0;",
            "meet_block(0); if (threadIdx.x == 0) memset(common, 0, sizeof common); meet_block(0); {",
        );
        let mut body = Vec::new();
        for _ in 0..1 + self.random.below(4) {
            let word = self.random.below(COMMUTATIVE.len());
            let (opcode, operation, ty, letter) = COMMUTATIVE[word];
            let (from, p) = (self.register(letter), self.predicate());
            body.push(Item::Step(Twin::new(
                format!("@%{p} red.shared.{opcode} [common+{}], %{from};", 8 * word),
                format!("if ({p}) reduce({operation}, {ty}, common + {word}, {from});"),
            )));
        }
        let (to, word) = (self.double(), self.random.below(COMMUTATIVE.len()));
        let close = Twin::new(
            format!("bar.sync 0;\nld.shared.b64 %{to}, [common+{}];\nbar.sync 0;", 8 * word),
            format!("}} meet_block(0); {to} = common[{word}]; meet_block(0);"),
        );
        Item::Arms(vec![(open, body)], close)
    }

    /// Some lanes only, which know of each other.
    fn divergent(&mut self) -> Item {
        let (p, label) = (self.predicate(), self.label());
        let body = (0..1 + self.random.below(3)).map(|_| self.warp("mask", false)).collect();
        let open = Twin::new(
            format!("vote.sync.ballot.b32 %mask, %{p}, %full;\n@!%{p} bra W{label};"),
            format!("mask = ballot(full, {p}); if ({p}) {{"),
        );
        Item::Arms(vec![(open, body)], Twin::new(format!("W{label}:\nbar.warp.sync %full;"), "} meet_lanes(full, 0);"))
    }

    /// `shuffles`: whether any lane may be read.
    fn warp(&mut self, mask: &str, shuffles: bool) -> Item {
        let (to, p, q) = (self.word(), self.predicate(), self.predicate());
        let ((a, host_a), (d, host_d)) = (self.operand('r'), self.operand('d'));
        let (device, host) = match self.random.below(14) {
            0 => (format!("vote.sync.all.pred %{q}, %{p}, %{mask};"), format!("{q} = vote_all({mask}, {p});")),
            1 => (format!("vote.sync.any.pred %{q}, !%{p}, %{mask};"), format!("{q} = vote_any({mask}, !{p});")),
            2 => (format!("vote.sync.uni.pred %{q}, %{p}, %{mask};"), format!("{q} = vote_uni({mask}, {p});")),
            3 => (format!("vote.sync.ballot.b32 %{to}, %{p}, %{mask};"), format!("{to} = ballot({mask}, {p});")),
            4 => (format!("match.any.sync.b32 %{to}, {a}, %{mask};"), format!("{to} = match_any({mask}, {host_a});")),
            5 => (format!("match.any.sync.b64 %{to}, {d}, %{mask};"), format!("{to} = match_any({mask}, {host_d});")),
            6 => (
                format!("match.all.sync.b32 %{to}|%{q}, {a}, %{mask};"),
                format!("{to} = match_all({mask}, {host_a}, &{q});"),
            ),
            7 | 8 => {
                let (op, ty, operation, host_type) = self.random.pick(&[
                    ("add", "u32", "R_ADD", "U32"),
                    ("add", "s32", "R_ADD", "S32"),
                    ("min", "u32", "R_MIN", "U32"),
                    ("min", "s32", "R_MIN", "S32"),
                    ("max", "u32", "R_MAX", "U32"),
                    ("max", "s32", "R_MAX", "S32"),
                    ("and", "b32", "R_AND", "U32"),
                    ("or", "b32", "R_OR", "U32"),
                    ("xor", "b32", "R_XOR", "U32"),
                ]);
                (
                    format!("redux.sync.{op}.{ty} %{to}, {a}, %{mask};"),
                    format!("{to} = redux({operation}, {host_type}, {mask}, {host_a});"),
                )
            }
            _ if shuffles && self.threads.is_multiple_of(32) => {
                let mode = self.random.choose(&["up", "down", "bfly", "idx"]);
                let (b, host_b) = self.operand('s');
                let segment = self.random.pick(&[0u32, 0, 0, 16, 24, 28, 30, 31]);
                let clamp = if mode == "up" { 0 } else { self.random.pick(&[31, 31, 7]) };
                let c = segment << 8 | clamp;
                let host_mode = mode.to_uppercase();
                match self.random.once_in(2) {
                    true => (
                        format!("shfl.sync.{mode}.b32 %{to}|%{q}, {a}, {b}, {c}, %{mask};"),
                        format!("{to} = shfl({host_mode}, {mask}, {host_a}, {host_b}, {c}, &{q});"),
                    ),
                    false => (
                        format!("shfl.sync.{mode}.b32 %{to}, {a}, {b}, {c}, %{mask};"),
                        format!("{to} = shfl({host_mode}, {mask}, {host_a}, {host_b}, {c});"),
                    ),
                }
            }
            _ => (format!("bar.warp.sync %{mask};"), format!("meet_lanes({mask}, 0);")),
        };
        Item::Step(Twin::new(device, host))
    }
}

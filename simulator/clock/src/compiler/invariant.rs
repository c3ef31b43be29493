//! What a loop compares anew in each turn with the same result: a compiler compares it before the loop.
use super::regions::loops;
use crate::constants::MOST_COMPARED;
use machine::program::Function;

/// By site.
pub fn compared_before(function: &Function) -> Vec<bool> {
    let mut found = vec![false; function.sites.len()];
    let sites = |block: usize| {
        let sites = &function.blocks[block].sites;
        sites.start as usize..sites.end as usize
    };
    let loops = loops(function);
    let length = |turn: usize| loops[turn].end() - loops[turn].start();
    let innermost =
        |block: usize| (0..loops.len()).filter(|&turn| loops[turn].contains(&block)).min_by_key(|&turn| length(turn));
    let compared = |site: &usize| {
        let site = &function.sites[*site];
        site.opcode.compares() && !site.guarded && !function.reads(site).is_empty()
    };
    for (turn, blocks) in loops.iter().enumerate() {
        let of_loop = || blocks.clone().flat_map(sites);
        let alone = blocks.clone().filter(|&block| innermost(block) == Some(turn));
        let own: Vec<usize> = alone.flat_map(sites).filter(compared).collect();
        if own.is_empty() {
            continue;
        }
        let mut written = vec![false; function.registers_end()];
        let writes = of_loop().flat_map(|site| function.writes(&function.sites[site]));
        writes.for_each(|&register| written[register as usize] = true);
        let same = |site: &usize| {
            let reads = function.reads(&function.sites[*site]);
            reads.iter().all(|&register| !written[register as usize])
        };
        if of_loop().filter(compared).filter(same).count() <= MOST_COMPARED {
            own.into_iter().filter(same).for_each(|site| found[site] = true);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::compiler::issued::{count, region};
    use ptx::isa::machine::Unit;

    #[test]
    fn what_stays_the_same_is_compared_before_the_loop() {
        let turn = |compared: &str| {
            let body = format!(
                "mov.u32 %j, 0; mov.u32 %m, %tid.y;
                 AGAIN: bar.sync 0;
                 setp.lt.s32 %q, {compared}, %n; @!%q bra NEXT;
                 add.f32 %s, %s, %x;
                 NEXT: add.s32 %j, %j, 1; setp.lt.s32 %p, %j, %n; @%p bra AGAIN;"
            );
            count(&region(&body, 2), Unit::Integer)
        };
        assert_eq!(turn("%j") - turn("%m"), 1);
    }
}

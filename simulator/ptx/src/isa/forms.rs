//! The opcodes that an assembler takes. `forms.txt` has the answers of ptxas 13.0 for all products of words and types of most instructions, for
//! any target from sm_50 on; `docs/measurements/forms.py` asks it. Later words, and targets, are `since`'s business.
use super::opcode::Opcode;
use super::types::Type;
use std::collections::HashMap;
use std::sync::LazyLock;

/// `NAME? WORD…`: the words that were tried. `NAME A B;C -|TYPE TYPE|TYPE`: a form has one word of each column (`-`: or none), in any order, and
/// one type of each list.
const TABLE: &str = include_str!("forms.txt");

/// The lines of an instruction without its name, those that were tried first.
type Lines = Vec<&'static str>;

/// Returns whether an assembler takes a form; `None` if some of its words were not tried.
pub fn is_taken(opcode: &Opcode) -> Option<bool> {
    static FAMILIES: LazyLock<HashMap<&str, Lines>> = LazyLock::new(|| {
        let mut families: HashMap<&str, Lines> = HashMap::new();
        for line in TABLE.lines() {
            let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
            families.entry(name.trim_end_matches('?')).or_default().push(rest);
        }
        families
    });
    let name = opcode.definition().name;
    let Some([tried, forms @ ..]) = FAMILIES.get(name).map(Vec::as_slice) else { return None };
    let parts = || opcode.text()[name.len()..].split('.').filter(|part| !part.is_empty());
    let (types, words): (Vec<&str>, Vec<&str>) = parts().partition(|part| Type::parse(part).is_some());
    let is_known = words.iter().all(|word| has(tried, word));
    is_known.then(|| forms.iter().any(|form| fits(form, &words, &types)))
}

fn has(column: &str, word: &str) -> bool {
    column.split(' ').any(|other| other == word)
}

fn fits(form: &str, words: &[&str], types: &[&str]) -> bool {
    let (columns, lists) = form.split_once('|').unwrap_or((form, ""));
    let counts = columns.split(';').map(|column| (words.iter().filter(|word| has(column, word)).count(), column));
    let lists = lists.split('|').filter(|list| !list.is_empty());
    counts.clone().all(|(count, column)| count == 1 || count == 0 && (column.is_empty() || has(column, "-")))
        && counts.map(|(count, _)| count).sum::<usize>() == words.len()
        && lists.clone().count() == types.len()
        && lists.zip(types).all(|(list, ty)| has(list, ty))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_taken_and_refused_as_ptxas_does() {
        let is_refused = |text: &str| is_taken(&Opcode::parse(text).unwrap()) == Some(false);
        let taken = "cvt.rn.f64.u32 cvt.rzi.s32.f32 cvt.sat.f32.f32 cvt.f32.bf16 cvt.f16.bf16 cvt.bf16.f16 fma.rn.f32 mad.rn.f32 div.full.f32 \
                     rcp.approx.ftz.f64 add.f32 add.ftz.rn.f32 mul.wide.s16 setp.ltu.and.f32 ld.global.relaxed.gpu.v4.f32 ld.param.u64 \
                     ld.global.nc.L1::no_allocate.L2::128B.v4.f32 atom.global.relaxed.gpu.add.noftz.f16x2 shfl.up.b32 vote.ballot.b32 \
                     membar.gl fence.proxy.async fence.acq_rel.gpu mov.pred selp.f32 cvta.to.shared.u64 min.xorsign.abs.f32 lop3.b32 \
                     cvt.rn.satfinite.relu.e2m1x2.f32 red.add.noftz.bf16x2 st.volatile.shared.u8 isspacep.shared max.s16x2";
        let refused = "cvt.f64.u32 cvt.rn.s32.f32 cvt.rzi.f32.s32 cvt.rn.f64.f32 cvt.rni.u8.bf16 fma.f32 div.f32 add.rn.s32 add.sat.u32 add.cc.f32 \
                       mov.sat.u32 mov.f16 min.relu.f32 neg.u32 ld.release.gpu.u32 st.acquire.gpu.u32 set.eq.u16.f32 add.rn.rz.f32 mul.u32 \
                       and.u32 lop3.u32 prmt.u32 shf.l.b32 atom.add.b32 vote.sync.ballot.u32 fence.sc.acq_rel.gpu";
        for text in taken.split_whitespace() {
            assert!(!is_refused(text), "{text}");
        }
        for text in refused.split_whitespace() {
            assert!(is_refused(text), "{text}");
        }
    }
}

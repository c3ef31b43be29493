//! Which array of shared memory an address lies in.
use simulator::lower::Tier;
use std::ops::Range;

/// The arrays of the addresses of all loads of a body.
fn loads(text: &str) -> Vec<Range<u32>> {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 dynamic[];\n\
         .visible .entry k() {{\n.reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<2>;\n\
         .shared .align 4 .b8 first[64];\n.shared .align 4 .b8 second[32];\n{text}\nret;\n}}"
    );
    let program = super::lowered(&text, Tier::Probed).unwrap_or_else(|refused| panic!("{refused:#?}"));
    let sites = program.program.functions[0].sites.iter();
    sites.filter(|site| site.text.to_string().starts_with("ld")).map(|site| site.shared_array.clone()).collect()
}

#[test]
fn an_index_stays_in_its_array() {
    let found = loads(
        "mov.u32 %r1, first; mov.u32 %r2, second; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r3, 4, %r1;\n\
         again: ld.shared.u32 %r5, [%r4+8]; ld.shared.u32 %r6, [second+4]; add.s32 %r4, %r4, 64;\n\
         setp.lt.s32 %p1, %r5, 7; @%p1 bra again;\n\
         cvt.u64.u32 %rd1, %r2; cvta.shared.u64 %rd2, %rd1; ld.u32 %r7, [%rd2];",
    );
    assert_eq!(found, [0..64, 64..96, 64..96]);
}

#[test]
fn what_may_be_another_array_has_none() {
    let found = loads(
        "mov.u32 %r1, first; mov.u32 %r2, second; mov.u32 %r3, dynamic; setp.eq.s32 %p1, %r3, 0;\n\
         selp.b32 %r4, %r1, %r2, %p1; ld.shared.u32 %r5, [%r4]; ld.shared.u32 %r5, [%r3];\n\
         ld.shared.u32 %r6, [first]; @%p1 mov.u32 %r6, second; ld.shared.u32 %r5, [%r6]; sub.s32 %r7, %r2, %r1;\n\
         add.s32 %r7, %r7, %r1; ld.shared.u32 %r5, [%r7];",
    );
    assert_eq!(found, [0..0, 96..u32::MAX, 0..64, 0..0, 0..0]);
}

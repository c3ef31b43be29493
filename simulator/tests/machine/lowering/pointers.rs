//! Which pointers the addresses of read-only loads and of writes come from.
use simulator::program::Pointers;

fn of(text: &str) -> [Pointers; 3] {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.global .align 4 .b8 table[64];\n\
         .visible .entry k(.param .u64 in, .param .u32 n, .param .u64 out, .param .align 8 .b8 both[16]) {{\n\
         .reg .b64 %rd<9>; .reg .b32 %r<9>;\n\
         ld.param.u64 %rd1, [in]; ld.param.u32 %r1, [n]; ld.param.u64 %rd2, [out];\n\
         cvta.to.global.u64 %rd3, %rd1; cvta.to.global.u64 %rd4, %rd2;\n{text}\nret;\n}}"
    );
    let program = super::program(&text);
    let function = &program.functions[0];
    [function.read_only.clone(), function.written.clone(), function.fetched.clone()]
}

fn pointers(parameters: &[u32], variables: &[u64], others: bool) -> Pointers {
    Pointers { parameters: parameters.into(), variables: variables.into(), others }
}

#[test]
fn an_index_is_no_pointer_and_a_pointer_stays_one() {
    let found = of("ld.global.nc.u32 %r2, [%rd3]; mad.wide.s32 %rd5, %r2, 4, %rd3; ld.global.nc.u32 %r3, [%rd5];\n\
         mul.wide.s32 %rd6, %r1, 4; add.s64 %rd4, %rd4, %rd6; st.global.u32 [%rd4+4], %r3;");
    assert_eq!(found, [pointers(&[0], &[], false), pointers(&[16], &[], false), Pointers::default()]);
}

#[test]
fn members_and_variables_count_by_their_place() {
    let found = of("ld.param.v2.u64 {%rd5, %rd6}, [both]; ld.global.nc.u32 %r2, [%rd6];\n\
         red.global.add.u32 [table+4], %r2;");
    assert_eq!(
        found,
        [pointers(&[24, 32], &[], false), pointers(&[], &[super::VARIABLES], false), Pointers::default()]
    );
}

#[test]
fn what_comes_out_of_memory_may_be_any() {
    let found = of("ld.global.nc.u64 %rd5, [%rd3]; st.u32 [%rd5], %r1;");
    assert_eq!(found, [pointers(&[0], &[], false), pointers(&[], &[], true), Pointers::default()]);
    assert_eq!(of("ld.global.u32 %r2, [%rd3]; st.global.u32 [%rd4], %r2;"), <[Pointers; 3]>::default());
}

#[test]
fn a_texture_is_known_by_its_handle() {
    let found = of("tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%rd1, {%r1}]; st.global.u32 [%rd4], %r2;");
    assert_eq!(found, [Pointers::default(), pointers(&[16], &[], false), pointers(&[0], &[], false)]);
    let asked = of("txq.width.b32 %r2, [%rd1]; st.global.u32 [%rd4], %r2;");
    assert_eq!(asked, <[Pointers; 3]>::default());
}

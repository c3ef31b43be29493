//! Managed memory: advice is given, and asked for again.
use crate::{context, ok};
use cudarc::driver::sys::{CUmem_advise_enum as Say, CUmem_range_attribute_enum as Ask, CUresult};

fn ask(address: u64, bytes: usize, what: Ask) -> i32 {
    let mut value = 77;
    ok!(cuMemRangeGetAttribute((&raw mut value).cast(), 4, what, address, bytes));
    value
}

#[test]
fn advice_and_prefetches_are_remembered_by_range() {
    const BYTES: usize = 1 << 16;
    let context = context();
    let x = made!(cuMemAllocManaged(BYTES, 1));
    let say =
        |from: usize, bytes: usize, what: Say, place: i32| call!(cuMemAdvise(x + from as u64, bytes, what, place));
    let preferred = Ask::CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION;
    let read_mostly = Ask::CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
    assert_eq!((ask(x, BYTES, preferred), ask(x, BYTES, read_mostly)), (-2, 0));
    ok(say(0, BYTES, Say::CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    ok(say(0, BYTES, Say::CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 0));
    assert_eq!((ask(x, BYTES, preferred), ask(x, BYTES, read_mostly)), (0, 1));
    ok(say(4096, 4096, Say::CU_MEM_ADVISE_SET_PREFERRED_LOCATION, -1));
    assert_eq!((ask(x, BYTES, preferred), ask(x + 4096, 4096, preferred)), (-2, -1));
    ok(say(0, BYTES, Say::CU_MEM_ADVISE_UNSET_READ_MOSTLY, 0));
    assert_eq!(ask(x, BYTES, read_mostly), 0);

    ok(say(0, BYTES, Say::CU_MEM_ADVISE_SET_ACCESSED_BY, 0));
    let mut users = [5i32; 3];
    let accessed = Ask::CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY;
    ok!(cuMemRangeGetAttribute(users.as_mut_ptr().cast(), 12, accessed, x, BYTES));
    assert_eq!(users, [0, -2, -2]);

    let last = Ask::CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION;
    assert_eq!(ask(x, BYTES, last), -2);
    ok!(cuMemPrefetchAsync(x, BYTES, 0, context.default_stream().cu_stream()));
    assert_eq!(ask(x, BYTES, last), 0);

    assert_eq!(say(0, BYTES, Say::CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 9), CUresult::CUDA_ERROR_INVALID_DEVICE);
    ok!(cuMemFree_v2(x));
}

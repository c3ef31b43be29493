//! Addresses and memory apart: reserved, made, mapped, opened, and all of it undone.
use crate::{context, word, words, zeroed};
use cudarc::driver::sys::{self, CUresult};

const BYTES: usize = 2 << 20;

fn properties() -> sys::CUmemAllocationProp {
    let mut properties: sys::CUmemAllocationProp = zeroed();
    properties.type_ = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type_ = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    properties.requestedHandleTypes = sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    properties
}

fn opened(location: sys::CUmemLocation) -> sys::CUmemAccessDesc {
    sys::CUmemAccessDesc { location, flags: sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE }
}

fn free_bytes() -> usize {
    made!(cuMemGetInfo_v2(&mut 0))
}

#[test]
fn neighbours_are_one_range_and_two_addresses_one_memory() {
    let _context = context();
    let properties = properties();
    let (mut grain, mut range, mut other) = (0, 0, 0);
    let mut handles = [0; 2];
    let least = sys::CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_MINIMUM;
    ok!(cuMemGetAllocationGranularity(&mut grain, &properties, least));
    assert_eq!(grain, BYTES);
    assert_eq!(call!(cuMemAddressReserve(&mut range, BYTES + 1, 0, 0, 0)), CUresult::CUDA_ERROR_INVALID_VALUE);
    ok!(cuMemAddressReserve(&mut range, 3 * BYTES, 0, 0, 0));
    ok!(cuMemAddressReserve(&mut other, BYTES, 0, 0, 0));
    for handle in &mut handles {
        ok!(cuMemCreate(handle, BYTES, &properties, 0));
    }
    let [first, second] = handles;
    ok!(cuMemMap(range, BYTES, 0, first, 0));
    assert_eq!(call!(cuMemMap(range, BYTES, 0, second, 0)), CUresult::CUDA_ERROR_INVALID_VALUE, "it is taken");
    ok!(cuMemMap(range + BYTES as u64, BYTES, 0, second, 0));
    ok!(cuMemMap(other, BYTES, 0, second, 0));
    // Mapped is not open.
    assert_eq!(call!(cuMemsetD8_v2(range, 1, 1)), CUresult::CUDA_ERROR_INVALID_VALUE);
    let access = opened(properties.location);
    ok!(cuMemSetAccess(range, 2 * BYTES, &access, 1));
    ok!(cuMemSetAccess(other, BYTES, &access, 1));
    let flags = made!(cuMemGetAccess(&access.location, range));
    assert_eq!(flags, 3);
    // A fill and a copy run from one mapping into the next, and the second memory has two addresses.
    ok!(cuMemsetD32_v2(range, 5, 2 * BYTES / 4));
    assert_eq!(words(range + BYTES as u64 - 4), [5, 5]);
    ok!(cuMemsetD32_v2(other, 9, 1));
    assert_eq!(words(range + BYTES as u64 - 4), [5, 9]);
    assert_eq!(call!(cuMemFree_v2(range)), CUresult::CUDA_ERROR_INVALID_VALUE);
    // Past the mappings nothing is open.
    assert_eq!(call!(cuMemsetD8_v2(range + 2 * BYTES as u64, 1, 1)), CUresult::CUDA_ERROR_INVALID_VALUE);
    // The memory lives as long as a mapping or a handle does.
    for handle in handles {
        ok!(cuMemRelease(handle));
    }
    assert_eq!(word(other), 9);
    assert_eq!(call!(cuMemAddressFree(range, 3 * BYTES)), CUresult::CUDA_ERROR_INVALID_VALUE);
    let used = free_bytes();
    ok!(cuMemUnmap(range, 2 * BYTES));
    assert_eq!(word(other), 9);
    ok!(cuMemUnmap(other, BYTES));
    assert!(free_bytes() >= used + BYTES);
    ok!(cuMemAddressFree(range, 3 * BYTES));
    ok!(cuMemAddressFree(other, BYTES));
    assert_eq!(call!(cuMemMap(range, BYTES, 0, first, 0)), CUresult::CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn a_shareable_handle_names_the_same_memory() {
    let _context = context();
    let properties = properties();
    let (mut range, mut handle, mut again, mut number) = (0, 0, 0, 0i32);
    let file = sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    ok!(cuMemAddressReserve(&mut range, 2 * BYTES, 0, 0, 0));
    ok!(cuMemCreate(&mut handle, BYTES, &properties, 0));
    ok!(cuMemExportToShareableHandle((&raw mut number).cast(), handle, file, 0));
    ok!(cuMemImportFromShareableHandle(&mut again, number as usize as *mut _, file));
    ok!(cuMemMap(range, BYTES, 0, handle, 0));
    ok!(cuMemMap(range + BYTES as u64, BYTES, 0, again, 0));
    let access = opened(properties.location);
    ok!(cuMemSetAccess(range, 2 * BYTES, &access, 1));
    ok!(cuMemsetD32_v2(range, 3, 1));
    assert_eq!(word(range + BYTES as u64), 3);
    ok!(cuMemUnmap(range, 2 * BYTES));
    ok!(cuMemAddressFree(range, 2 * BYTES));
    ok!(cuMemRelease(again));
    ok!(cuMemRelease(handle));
}

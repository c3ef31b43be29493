//! Addresses and memory apart: reserved, made, mapped, opened, and all of it undone.
use crate::{context, ok};
use cudarc::driver::sys::{self, CUresult};
use std::mem::zeroed;

const BYTES: usize = 2 << 20;

fn properties() -> sys::CUmemAllocationProp {
    // SAFETY: a struct of plain numbers, for which zero is a value.
    let mut properties: sys::CUmemAllocationProp = unsafe { zeroed() };
    properties.type_ = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type_ = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    properties.requestedHandleTypes = sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    properties
}

fn free_bytes() -> usize {
    let (mut free, mut total) = (0, 0);
    // SAFETY: places for results.
    ok(unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) });
    free
}

#[test]
fn neighbours_are_one_range_and_two_addresses_one_memory() {
    let _context = context();
    let properties = properties();
    let (mut grain, mut range, mut other) = (0, 0, 0);
    let mut handles = [0; 2];
    // SAFETY: places for results, structs and handles that live, addresses that the driver gave.
    unsafe {
        let least = sys::CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_MINIMUM;
        ok(sys::cuMemGetAllocationGranularity(&mut grain, &properties, least));
        assert_eq!(grain, BYTES);
        assert_eq!(sys::cuMemAddressReserve(&mut range, BYTES + 1, 0, 0, 0), CUresult::CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuMemAddressReserve(&mut range, 3 * BYTES, 0, 0, 0));
        ok(sys::cuMemAddressReserve(&mut other, BYTES, 0, 0, 0));
        for handle in &mut handles {
            ok(sys::cuMemCreate(handle, BYTES, &properties, 0));
        }
        let [first, second] = handles;
        ok(sys::cuMemMap(range, BYTES, 0, first, 0));
        assert_eq!(sys::cuMemMap(range, BYTES, 0, second, 0), CUresult::CUDA_ERROR_INVALID_VALUE, "it is taken");
        ok(sys::cuMemMap(range + BYTES as u64, BYTES, 0, second, 0));
        ok(sys::cuMemMap(other, BYTES, 0, second, 0));
        // Mapped is not open.
        assert_eq!(sys::cuMemsetD8_v2(range, 1, 1), CUresult::CUDA_ERROR_INVALID_VALUE);
        let mut access: sys::CUmemAccessDesc = zeroed();
        access.location = properties.location;
        access.flags = sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        ok(sys::cuMemSetAccess(range, 2 * BYTES, &access, 1));
        ok(sys::cuMemSetAccess(other, BYTES, &access, 1));
        let mut flags = 0;
        ok(sys::cuMemGetAccess(&mut flags, &access.location, range));
        assert_eq!(flags, 3);
        // A fill and a copy run from one mapping into the next, and the second memory has two addresses.
        ok(sys::cuMemsetD32_v2(range, 5, 2 * BYTES / 4));
        let mut words = [0u32; 2];
        ok(sys::cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), range + BYTES as u64 - 4, 8));
        assert_eq!(words, [5, 5]);
        ok(sys::cuMemsetD32_v2(other, 9, 1));
        ok(sys::cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), range + BYTES as u64 - 4, 8));
        assert_eq!(words, [5, 9]);
        assert_eq!(sys::cuMemFree_v2(range), CUresult::CUDA_ERROR_INVALID_VALUE);
        // Past the mappings nothing is open.
        assert_eq!(sys::cuMemsetD8_v2(range + 2 * BYTES as u64, 1, 1), CUresult::CUDA_ERROR_INVALID_VALUE);
        // The memory lives as long as a mapping or a handle does.
        for handle in handles {
            ok(sys::cuMemRelease(handle));
        }
        ok(sys::cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), other, 4));
        assert_eq!(words[0], 9);
        assert_eq!(sys::cuMemAddressFree(range, 3 * BYTES), CUresult::CUDA_ERROR_INVALID_VALUE);
        let used = free_bytes();
        ok(sys::cuMemUnmap(range, 2 * BYTES));
        ok(sys::cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), other, 4));
        assert_eq!(words[0], 9);
        ok(sys::cuMemUnmap(other, BYTES));
        assert!(free_bytes() >= used + BYTES);
        ok(sys::cuMemAddressFree(range, 3 * BYTES));
        ok(sys::cuMemAddressFree(other, BYTES));
        assert_eq!(sys::cuMemMap(range, BYTES, 0, first, 0), CUresult::CUDA_ERROR_INVALID_VALUE);
    }
}

#[test]
fn a_shareable_handle_names_the_same_memory() {
    let _context = context();
    let properties = properties();
    let (mut range, mut handle, mut again, mut number) = (0, 0, 0, 0i32);
    let file = sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    // SAFETY: as above.
    unsafe {
        ok(sys::cuMemAddressReserve(&mut range, 2 * BYTES, 0, 0, 0));
        ok(sys::cuMemCreate(&mut handle, BYTES, &properties, 0));
        ok(sys::cuMemExportToShareableHandle((&raw mut number).cast(), handle, file, 0));
        ok(sys::cuMemImportFromShareableHandle(&mut again, number as usize as *mut _, file));
        ok(sys::cuMemMap(range, BYTES, 0, handle, 0));
        ok(sys::cuMemMap(range + BYTES as u64, BYTES, 0, again, 0));
        let mut access: sys::CUmemAccessDesc = zeroed();
        access.location = properties.location;
        access.flags = sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        ok(sys::cuMemSetAccess(range, 2 * BYTES, &access, 1));
        ok(sys::cuMemsetD32_v2(range, 3, 1));
        let mut word = 0u32;
        ok(sys::cuMemcpyDtoH_v2((&raw mut word).cast(), range + BYTES as u64, 4));
        assert_eq!(word, 3);
        ok(sys::cuMemUnmap(range, 2 * BYTES));
        ok(sys::cuMemAddressFree(range, 2 * BYTES));
        ok(sys::cuMemRelease(again));
        ok(sys::cuMemRelease(handle));
    }
}

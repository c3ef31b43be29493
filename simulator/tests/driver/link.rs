//! Linking: several modules become one image, and a clash or a gap is told as the device linker tells it.
use crate::{context, device, function, launch, ok, text, word, words};
use cudarc::driver::sys::{self, CUjit_option, CUjitInputType, CUresult};
use std::ffi::{CStr, CString, c_void};
use std::ptr::null_mut;

const HEAD: &str = ".version 7.0\n.target sm_50\n.address_size 64\n";

/// `twice` calls `doubled`, which another module has to define.
const CALLER: &str = include_str!("link_caller.ptx");
const CALLEE: &str = include_str!("link_callee.ptx");

pub struct Link {
    state: sys::CUlinkState,
    log: Box<[u8; 512]>,
    _options: Box<[CUjit_option; 3]>,
    values: Box<[*mut c_void; 3]>,
}

impl Link {
    /// A link with a log of errors and a limit of registers.
    pub fn new(registers: usize) -> Link {
        let mut log = Box::new([0u8; 512]);
        let mut options = Box::new([
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
            CUjit_option::CU_JIT_MAX_REGISTERS,
        ]);
        let mut values = Box::new([log.as_mut_ptr().cast(), 512 as *mut c_void, registers as *mut c_void]);
        let mut state = null_mut();
        ok!(cuLinkCreate_v2(3, options.as_mut_ptr(), values.as_mut_ptr(), &mut state));
        Link { state, log, _options: options, values }
    }

    pub fn add(&self, kind: CUjitInputType, bytes: &[u8], name: &CStr) -> CUresult {
        call!(cuLinkAddData_v2(
            self.state,
            kind,
            bytes.as_ptr() as *mut c_void,
            bytes.len(),
            name.as_ptr(),
            0,
            null_mut(),
            null_mut(),
        ))
    }

    pub fn ptx(&self, body: &str, name: &CStr) -> CUresult {
        self.add(
            CUjitInputType::CU_JIT_INPUT_PTX,
            CString::new(format!("{HEAD}{body}")).unwrap().to_bytes_with_nul(),
            name,
        )
    }

    pub fn complete(&self) -> (CUresult, Vec<u8>) {
        let (mut image, mut bytes) = (null_mut(), 0);
        // SAFETY: places for results; the image is copied while the link lives.
        unsafe {
            let result = call!(cuLinkComplete(self.state, &mut image, &mut bytes));
            let copy = if image.is_null() { &[] } else { std::slice::from_raw_parts(image.cast::<u8>(), bytes) };
            (result, copy.to_vec())
        }
    }

    fn log(&self) -> &str {
        CStr::from_bytes_until_nul(&*self.log).unwrap().to_str().unwrap()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        ok!(cuLinkDestroy(self.state));
    }
}

/// Loads an image and runs `twice` on 21.
fn twice(image: &[u8]) -> (u32, i32) {
    let on_device = device(1, 21);
    let module = made!(cuModuleLoadData(image.as_ptr().cast()));
    let f = made!(cuModuleGetFunction(module, c"twice".as_ptr()));
    let registers = made!(cuFuncGetAttribute(sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS, f));
    ok(launch(f, 1, 1, null_mut(), &[on_device]));
    let value = word(on_device);
    ok!(cuModuleUnload(module));
    (value, registers)
}

#[test]
fn two_modules_become_one_image() {
    let _context = context();
    for order in [[CALLER, CALLEE], [CALLEE, CALLER]] {
        let link = Link::new(9);
        for body in order {
            ok(link.ptx(body, c"part.ptx"));
        }
        let (result, image) = link.complete();
        ok(result);
        assert_eq!(image.last(), Some(&0));
        let (value, registers) = twice(&image);
        assert_eq!(value, 42);
        assert!(registers <= 9, "{registers}");
        assert_eq!(link.ptx(CALLEE, c"late"), CUresult::CUDA_ERROR_ILLEGAL_STATE);
    }
}

#[test]
fn what_two_modules_define_is_refused_in_the_linkers_words() {
    let _context = context();
    let link = Link::new(0);
    ok(link.ptx(CALLEE, c"one.ptx"));
    assert_eq!(link.ptx(CALLEE, c"two.ptx"), CUresult::CUDA_ERROR_INVALID_SOURCE);
    let words = "error   : Multiple definition of 'doubled' in 'two.ptx', first defined in 'one.ptx'";
    assert_eq!(link.log(), words);
    assert_eq!(link.values[1] as usize, words.len());
    // The refused module is not part of the link.
    ok(link.ptx(CALLER, c"three.ptx"));
    ok(link.complete().0);
}

#[test]
fn what_nothing_defines_is_named() {
    let _context = context();
    let link = Link::new(0);
    ok(link.ptx(CALLER, c"caller.ptx"));
    assert_eq!(link.complete().0, CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_eq!(link.log(), "error   : Undefined reference to 'doubled' in 'caller.ptx'");
    // It can still be given.
    ok(link.ptx(CALLEE, c"callee.ptx"));
    ok(link.complete().0);
}

#[test]
fn wrong_inputs_are_refused() {
    let _context = context();
    let link = Link::new(0);
    assert_eq!(link.ptx("nonsense", c"x"), CUresult::CUDA_ERROR_INVALID_PTX);
    assert!(link.log().contains("line 4"), "{}", link.log());
    let machine_code = link.add(CUjitInputType::CU_JIT_INPUT_CUBIN, b"\x7fELF\0\0\0\0", c"x");
    assert_eq!(machine_code, CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert!(text(machine_code).contains("CUBIN"));
    let object = link.add(CUjitInputType::CU_JIT_INPUT_OBJECT, b"not an object", c"x");
    assert_eq!(object, CUresult::CUDA_ERROR_INVALID_IMAGE);
    let kind = CUjitInputType::CU_JIT_INPUT_PTX;
    let missing = call!(cuLinkAddFile_v2(link.state, kind, c"/nowhere.ptx".as_ptr(), 0, null_mut(), null_mut()));
    assert_eq!(missing, CUresult::CUDA_ERROR_FILE_NOT_FOUND);
    assert_eq!(call!(cuLinkDestroy(0x77 as _)), CUresult::CUDA_ERROR_INVALID_HANDLE);
}

/// A container with one entry of PTX.
fn fat(payload: &[u8], plain: usize, flags: u64, architecture: u32) -> Vec<u8> {
    let padded = payload.len().next_multiple_of(8);
    let mut entry = vec![0u8; 64];
    entry[..4].copy_from_slice(&[1, 0, 1, 1]);
    entry[4..8].copy_from_slice(&64u32.to_le_bytes());
    entry[8..16].copy_from_slice(&(padded as u64).to_le_bytes());
    entry[16..20].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    entry[28..32].copy_from_slice(&architecture.to_le_bytes());
    entry[40..48].copy_from_slice(&flags.to_le_bytes());
    entry[56..64].copy_from_slice(&(plain as u64).to_le_bytes());
    entry.extend_from_slice(payload);
    entry.resize(64 + padded, 0);
    let mut all = vec![0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0];
    all.extend_from_slice(&(entry.len() as u64).to_le_bytes());
    all.extend(entry);
    all
}

/// An ELF file with these bytes in `.nv_fatbin`.
fn object(fat: &[u8]) -> Vec<u8> {
    let names = b"\0.nv_fatbin\0\0\0\0\0";
    let (at_names, at_fat) = (64, 64 + names.len());
    let table = (at_fat + fat.len()).next_multiple_of(8);
    let mut file = vec![0u8; table + 3 * 64];
    file[..8].copy_from_slice(b"\x7fELF\x02\x01\x01\0");
    file[0x28..0x30].copy_from_slice(&(table as u64).to_le_bytes());
    for (at, value) in [(0x3a, 64u16), (0x3c, 3), (0x3e, 1)] {
        file[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }
    file[at_names..at_fat].copy_from_slice(names);
    file[at_fat..at_fat + fat.len()].copy_from_slice(fat);
    for (index, name, at, bytes) in [(1, 0u32, at_names, names.len()), (2, 1, at_fat, fat.len())] {
        let header = table + index * 64;
        file[header..header + 4].copy_from_slice(&name.to_le_bytes());
        file[header + 0x18..header + 0x20].copy_from_slice(&(at as u64).to_le_bytes());
        file[header + 0x20..header + 0x28].copy_from_slice(&(bytes as u64).to_le_bytes());
    }
    file
}

#[test]
fn fat_binaries_are_unpacked_wherever_they_lie() {
    let _context = context();
    let plain = format!("{HEAD}{CALLER}\n{CALLEE}\n").into_bytes();
    let lz4 = lz4_flex::block::compress(&plain);
    let zstandard = ruzstd::encoding::compress_to_vec(plain.as_slice(), ruzstd::encoding::CompressionLevel::Fastest);
    for fat in [
        fat(&plain, plain.len(), 0x11, 50),
        fat(&lz4, plain.len(), 0x2011, 50),
        fat(&zstandard, plain.len(), 0x8011, 50),
    ] {
        assert_eq!(twice(&fat).0, 42);
        let link = Link::new(0);
        ok(link.add(CUjitInputType::CU_JIT_INPUT_FATBINARY, &fat, c"x.fatbin"));
        assert_eq!(twice(&link.complete().1).0, 42);
        let mut library = b"!<arch>\n".to_vec();
        let object = object(&fat);
        library.extend(format!("{:<48}{:<10}`\n", "x.o/", object.len()).into_bytes());
        library.extend(&object);
        for (kind, bytes) in
            [(CUjitInputType::CU_JIT_INPUT_OBJECT, &object), (CUjitInputType::CU_JIT_INPUT_LIBRARY, &library)]
        {
            let link = Link::new(0);
            ok(link.add(kind, bytes, c"x.o"));
            assert_eq!(twice(&link.complete().1).0, 42);
        }
    }
}

#[test]
fn a_fat_binary_that_lies_is_refused() {
    let _context = context();
    let broken = fat(b"\xff\xff\xff\xff garbage", 1 << 20, 0x2011, 50);
    let newer = fat(b".version 8.0", 12, 0x11, 999);
    for (image, expected) in
        [(&broken, CUresult::CUDA_ERROR_INVALID_IMAGE), (&newer, CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU)]
    {
        assert_eq!(call!(cuModuleLoadData(&mut null_mut(), image.as_ptr().cast())), expected);
    }
}

/// Each of 8 blocks adds 1 to p[0], and writes what it sees there after the barrier of the grid.
const MEETING: &str = include_str!("meeting.ptx");

#[test]
fn blocks_of_a_cooperative_launch_meet_through_the_device_runtime() {
    let _context = context();
    let link = Link::new(0);
    ok(link.ptx(MEETING, c"meeting.ptx"));
    let (result, image) = link.complete();
    ok(result);
    let f = function(&image, c"meet");
    let mut on_device = device(9, 0);
    let mut parameters = [(&raw mut on_device).cast::<c_void>()];
    ok!(cuLaunchCooperativeKernel(f, 8, 1, 1, 64, 1, 1, 0, null_mut(), parameters.as_mut_ptr()));
    assert_eq!(words(on_device), [8; 9]);
}

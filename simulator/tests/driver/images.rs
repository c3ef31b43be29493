//! Images that this card cannot take: what they are, and what to do.
use crate::documented::{container, load};
use crate::{context, ok, text};
use cudarc::driver::sys::{self, CUresult};
use std::ptr::null_mut;

/// Kinds of a container's entries.
const PTX: u16 = 1;
const CODE: u16 = 2;

/// Why an image is refused, with this result.
fn refused(image: &[u8], result: CUresult) -> String {
    let got = load(image).1;
    assert_eq!(got, result);
    text(got)
}

#[test]
fn a_fat_binary_for_other_cards_names_them_and_one_that_takes_it() {
    let _context = context();
    let ptx =
        |target: &str| format!(".version 8.8\n.target {target}\n.address_size 64\n.visible .entry f() {{ ret; }}\n\0");
    let (new, newer) = (ptx("sm_100"), ptx("sm_120"));
    let image = container(&[(CODE, 75, b"\x7fELF"), (CODE, 90, b"\x7fELF"), (PTX, 100, new.as_bytes())]);
    let why = refused(&image, CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
    for words in ["PTX for sm_100 alone", "this card is sm_89", "`LABS_SIM_PROFILE=b200` (NVIDIA B200) takes it"] {
        assert!(why.contains(words), "{words}: {why}");
    }
    let image = container(&[(PTX, 120, newer.as_bytes())]);
    assert!(refused(&image, CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU).contains("LABS_SIM_PROFILE=rtx5090"));
    let image = container(&[(PTX, 130, b"\0")]);
    assert!(refused(&image, CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU).contains("no built-in card takes it"));
    let image = container(&[(CODE, 80, b"\x7fELF"), (CODE, 90, b"\x7fELF")]);
    let why = refused(&image, CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
    for words in ["machine code alone for sm_80, sm_90", "compute_89,code=compute_89", "a library that others built"] {
        assert!(why.contains(words), "{words}: {why}");
    }
    assert!(!why.contains("lies in"), "the image lies in no file: {why}");
    // A card runs the machine code for sm_80; here the nearest PTX stands for it, if every newer card takes that.
    let load = |target: &str| {
        let text = ptx(target);
        let image = container(&[(PTX, 120, newer.as_bytes()), (CODE, 80, b"\x7fELF"), (PTX, 100, text.as_bytes())]);
        let (module, result) = load(&image);
        result.result()?;
        let mut function = null_mut();
        call!(cuModuleGetFunction(&mut function, module, c"f".as_ptr())).result()?;
        let (mut version, asked) = (0, sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_PTX_VERSION);
        call!(cuFuncGetAttribute(&mut version, asked, function)).result().map(|()| version)
    };
    assert_eq!(load("sm_100"), Ok(100));
    assert!(load("sm_100a").is_err());
    // A text names its card in the same way.
    assert!(refused(new.as_bytes(), CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU).contains("LABS_SIM_PROFILE=b200"));
    let special = ptx("sm_90a");
    assert!(refused(special.as_bytes(), CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU).contains("LABS_SIM_PROFILE=h200"));
}

/// As ptxas 13 and the driver refuse them.
#[test]
fn a_version_without_the_target_and_a_conversion_without_its_rounding_are_refused() {
    let _context = context();
    let ptx = |version: &str, target: &str, code: &str| {
        format!(
            ".version {version}\n.target {target}\n.address_size 64\n.visible .entry f() {{ .reg .f64 d; .reg .u32 r; \
             mov.u32 r, 1; {code} ret; }}\n\0"
        )
    };
    for (version, target, since) in [("8.6", "sm_120a", "8.7"), ("7.8", "sm_90a", "8.0"), ("6.0", "sm_80", "7.0")] {
        let why = refused(ptx(version, target, "").as_bytes(), CUresult::CUDA_ERROR_INVALID_PTX);
        assert!(why.contains(&format!("`.target {target}` needs `.version {since}` or later")), "{why}");
    }
    let without = ptx("8.0", "sm_80", "cvt.f64.u32 d, r;");
    let why = refused(without.as_bytes(), CUresult::CUDA_ERROR_INVALID_PTX);
    assert!(why.contains("`cvt.f64.u32`: PTX has no such form"), "{why}");
    ok(load(ptx("7.0", "sm_80", "cvt.rn.f64.u32 d, r;").as_bytes()).1);
}

#[test]
fn an_image_in_a_file_is_told_with_the_file() {
    static IMAGE: &[u8] = b".version 8.8\n.target sm_120\n.address_size 64\n.visible .entry f() { ret; }\n\0";
    let _context = context();
    let own = std::env::current_exe().unwrap();
    let why = refused(IMAGE, CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert!(why.ends_with(&format!("; the image lies in {}", own.display())), "{why}");
}

//! The museum's kernels on whatever `libcuda.so` is there, one at a time: for another checker to look at, such as
//! compute-sanitizer on a GPU; and the table of who sees what.
//!
//! ```text
//! museum_run list                        the exhibits
//! museum_run CLASS/NAME                  launches one as its comments say; run from the workspace's root
//! museum_run table FILE                  what simulator/tests/museum/who_sees_what wrote, as Markdown
//! ```
//!
//! Ends with 0 after a launch without an error, 3 after one that the driver calls failed, 4 if there was no end to it within
//! 20 s, 2 if it could not be launched. Only the driver is needed: no compiler, no CUDA toolkit.
#![allow(unsafe_code)]

#[path = "../../tests/exhibit/mod.rs"]
#[allow(dead_code, reason = "each of the programs that share it uses a part")]
mod exhibit;
mod table;

use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{DriverError, result};
use exhibit::{Argument, Exhibit, Fill, TILE};
use std::ffi::{CString, c_void};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// From the workspace's root, where this program may have been carried to without the sources' original place.
const MUSEUM: &str = "simulator/tests/museum";

/// The time limit of a kernel without an end.
const TIME_LIMIT: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["list"] => {
            names().iter().for_each(|name| println!("{name}"));
            Ok(ExitCode::SUCCESS)
        }
        ["table", path] => std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}")).and_then(|text| {
            print!("{}", table::markdown(&text, &exhibits()?));
            Ok(ExitCode::SUCCESS)
        }),
        [name] if !name.starts_with('-') => launch(name),
        _ => Err("usage: museum_run list | CLASS/NAME | table FILE".to_owned()),
    };
    outcome.unwrap_or_else(|why| {
        eprintln!("museum_run: {why}");
        ExitCode::from(2)
    })
}

/// All exhibits, as `CLASS/NAME`.
fn names() -> Vec<String> {
    let name = |path: &PathBuf| path.strip_prefix(MUSEUM).map(|path| path.with_extension("").display().to_string());
    exhibit::files(Path::new(MUSEUM)).iter().flat_map(name).collect()
}

/// Each exhibit's name, and its fault; empty for a correct one.
fn exhibits() -> Result<Vec<(String, String)>, String> {
    let fault = |name: String| {
        let fault = read(&name)?.note("finds").unwrap_or_default().to_owned();
        Ok((name, fault))
    };
    names().into_iter().map(fault).collect()
}

fn read(name: &str) -> Result<Exhibit, String> {
    let path = Path::new(MUSEUM).join(name).with_extension("cu");
    let source = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Exhibit::parse(path.display().to_string(), source)
}

/// Launches an exhibit once and waits for it.
fn launch(name: &str) -> Result<ExitCode, String> {
    let exhibit = read(name)?;
    let ptx = exhibit::ptx_beside(&Path::new(MUSEUM).join(name).with_extension("cu"))?;
    let said = |error: DriverError| error.to_string();
    result::init().map_err(said)?;
    let device = result::device::get(0).map_err(said)?;
    // SAFETY: the handles are used as the interface has it, each while it lives; the kernel gets as many parameters, and of
    // the sizes, that it declares. What it then does is its own business: that is what is to be looked at.
    unsafe {
        let context = result::primary_ctx::retain(device).map_err(said)?;
        result::ctx::set_current(context).map_err(said)?;
        let attribute = |which| result::device::get_attribute(device, which).map_err(said);
        let major = attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let module = load(&ptx, major * 10 + minor)?;
        let function = result::module::get_function(module, entry(&ptx)?).map_err(said)?;
        let mut values = Vec::new();
        for argument in &exhibit.arguments {
            values.push(value(argument, &values).map_err(said)?);
        }
        let mut parameters: Vec<*mut c_void> = values.iter_mut().map(|value| value.as_mut_ptr().cast()).collect();
        watch();
        let launch = if exhibit.cooperative { result::launch_cooperative_kernel } else { result::launch_kernel };
        let stream = std::ptr::null_mut();
        launch(function, exhibit.grid.into(), exhibit.block.into(), exhibit.shared_bytes, stream, &mut parameters)
            .map_err(said)?;
        Ok(match result::ctx::synchronize() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("museum_run: {error}");
                ExitCode::from(3)
            }
        })
    }
}

/// Loads PTX for a card's own architecture, with its lines. Without that, lanes of code for old cards keep in step on new
/// ones, and what is to be seen might not happen. A driver older than the text's version is given an older one.
unsafe fn load(ptx: &str, architecture: i32) -> Result<sys::CUmodule, String> {
    let line = |start: &str| ptx.lines().find(|line| line.starts_with(start)).unwrap_or_default();
    let mut refusal = String::new();
    for version in [line(".version "), ".version 8.0"] {
        let text = ptx.replacen(line(".version "), version, 1);
        let text = text.replacen(line(".target "), &format!(".target sm_{architecture}"), 1);
        let image = CString::new(text).map_err(|error| error.to_string())?;
        let mut module = std::ptr::null_mut();
        let mut option = sys::CUjit_option::CU_JIT_GENERATE_LINE_INFO;
        let mut on = std::ptr::without_provenance_mut(1);
        // SAFETY: one option and its value, and a text that ends in 0.
        let loaded =
            unsafe { sys::cuModuleLoadDataEx(&mut module, image.as_ptr().cast(), 1, &mut option, &mut on).result() };
        match loaded {
            Ok(()) => return Ok(module),
            Err(error) if error.0 == CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => refusal = error.to_string(),
            Err(error) => return Err(error.to_string()),
        }
    }
    Err(refusal)
}

/// The name of the text's kernel.
fn entry(ptx: &str) -> Result<CString, String> {
    let name = ptx.lines().find_map(|line| line.split_once(".entry ")).and_then(|(_, rest)| rest.split('(').next());
    CString::new(name.ok_or("no kernel")?).map_err(|error| error.to_string())
}

/// A parameter's bytes, behind those before it; memory is allocated for it and filled.
unsafe fn value(argument: &Argument, before: &[Vec<u8>]) -> Result<Vec<u8>, DriverError> {
    match argument {
        Argument::Number(bytes) => Ok(bytes.clone()),
        &Argument::Same(of) => Ok(address_in(before, of).to_le_bytes().to_vec()),
        &Argument::Tiles { rows, columns, of } => tiles(rows, columns, address_in(before, of)),
        // A surface needs an array, whose memory is no argument's.
        Argument::Texture { is_surface: true, .. } => Err(DriverError(CUresult::CUDA_ERROR_NOT_SUPPORTED)),
        &Argument::Texture { rows, columns, of, .. } => texture(rows, columns, address_in(before, of)),
        // SAFETY: as many bytes are written as were allocated, at most.
        Argument::Memory { bytes, element, fill } => unsafe {
            let address = result::malloc_sync(*bytes as usize)?;
            let values = fill.values(*element, *bytes);
            if *fill == Fill::Freed {
                result::free_sync(address)?;
            } else if !values.is_empty() {
                result::memcpy_htod_sync(address, &values)?;
            }
            Ok(address.to_le_bytes().to_vec())
        },
    }
}

/// The address that is the argument of a number.
fn address_in(before: &[Vec<u8>], of: usize) -> u64 {
    before.get(of).and_then(|bytes| bytes.as_slice().try_into().ok()).map_or(0, u64::from_le_bytes)
}

/// A texture object over rows of int in plain memory.
fn texture(rows: u64, columns: u64, address: u64) -> Result<Vec<u8>, DriverError> {
    let mut object = 0u64;
    // SAFETY: structs of plain numbers, for which zero is a value, and a place for the result.
    unsafe {
        let mut resource: sys::CUDA_RESOURCE_DESC = std::mem::zeroed();
        resource.resType = sys::CUresourcetype::CU_RESOURCE_TYPE_PITCH2D;
        let plane = &mut resource.res.pitch2D;
        (plane.devPtr, plane.numChannels) = (address, 1);
        plane.format = sys::CUarray_format::CU_AD_FORMAT_SIGNED_INT32;
        (plane.width, plane.height, plane.pitchInBytes) = (columns as usize, rows as usize, 4 * columns as usize);
        let mut how: sys::CUDA_TEXTURE_DESC = std::mem::zeroed();
        how.addressMode = [sys::CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP; 3];
        // Integers as they are.
        how.flags = 1;
        sys::cuTexObjectCreate(&mut object, &resource, &how, std::ptr::null()).result()?;
    }
    Ok(object.to_le_bytes().to_vec())
}

/// The bytes of a tensor map.
fn tiles(rows: u64, columns: u64, address: u64) -> Result<Vec<u8>, DriverError> {
    #[repr(C, align(64))]
    struct Packed([u8; 128]);
    let mut packed = Packed([0; 128]);
    let (extents, strides, tile, steps) = ([columns, rows], [4 * columns], [TILE; 2], [1; 2]);
    // SAFETY: as many elements as the two dimensions ask for, and a place for the map.
    unsafe {
        sys::cuTensorMapEncodeTiled(
            (&raw mut packed).cast(),
            sys::CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_INT32,
            2,
            address as *mut c_void,
            extents.as_ptr(),
            strides.as_ptr(),
            tile.as_ptr(),
            steps.as_ptr(),
            sys::CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
            sys::CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
            sys::CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_NONE,
            sys::CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        )
        .result()?;
    }
    Ok(packed.0.to_vec())
}

/// Ends the process when its time is up, whatever the driver is waiting for.
fn watch() {
    std::thread::spawn(|| {
        std::thread::sleep(TIME_LIMIT);
        eprintln!("museum_run: no end within {} s", TIME_LIMIT.as_secs());
        // SAFETY: it never comes back. An ordinary end would wait for the kernel.
        unsafe { libc::_exit(4) }
    });
}

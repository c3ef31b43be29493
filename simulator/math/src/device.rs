//! The kernels of this library on the device of a thread: a module for each context that uses them, and launches.
use crate::driver::{Driver, driver};
use crate::failure::{Failure, Outcome};
use crate::layout::Raw;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

/// A file of kernels, as packed PTX.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kernels {
    /// `kernels/blas.cu`
    Blas,
    /// `kernels/random.cu`
    Random,
    /// `kernels/fourier.cu`
    Fourier,
}

impl Kernels {
    /// The PTX, which follows two lines that say how it was made (the crate `kernels` packs it).
    fn ptx(self) -> CString {
        let file: &[u8] = match self {
            Kernels::Blas => include_bytes!("../kernels/blas.ptx.z"),
            Kernels::Random => include_bytes!("../kernels/random.ptx.z"),
            Kernels::Fourier => include_bytes!("../kernels/fourier.ptx.z"),
        };
        let packed = file.splitn(3, |byte| *byte == b'\n').nth(2).expect("two lines before the PTX");
        let text = miniz_oxide::inflate::decompress_to_vec_zlib(packed).expect("whole PTX");
        CString::new(text).expect("PTX has no NUL")
    }
}

/// The driver, and the context that is current on this thread from now on: that of the program, or the primary one of the first device, which
/// is the one that the runtime library takes.
pub fn enter() -> Result<(&'static Driver, u64), Failure> {
    let driver = driver()?;
    let (mut context, mut id) = (null_mut(), 0);
    // SAFETY: places for a handle and a number, and the driver's own handle.
    unsafe {
        driver.cuCtxGetCurrent(&mut context)?;
        if context.is_null() {
            driver.cuDevicePrimaryCtxRetain(&mut context, 0)?;
            driver.cuCtxSetCurrent(context)?;
        }
        // A handle may come again after a reset, a number does not.
        driver.cuCtxGetId(context, &mut id)?;
    }
    Ok((driver, id))
}

/// Loads the kernels in the current context, if they are not there.
pub fn module(kernels: Kernels) -> Result<Raw, Failure> {
    static MODULES: Mutex<BTreeMap<(u64, Kernels), usize>> = Mutex::new(BTreeMap::new());
    let (driver, context) = enter()?;
    let mut modules = MODULES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(&module) = modules.get(&(context, kernels)) {
        return Ok(module as Raw);
    }
    let mut module = null_mut();
    // SAFETY: a place for a handle, and a text that ends in NUL.
    unsafe { driver.cuModuleLoadData(&mut module, kernels.ptx().as_ptr().cast())? };
    modules.insert((context, kernels), module as usize);
    Ok(module)
}

/// Launches a kernel with its one parameter. A grid without blocks is nothing to do.
///
/// # Safety
/// `parameter` is the struct that the kernel takes, and what it points to is there when the kernel runs.
pub unsafe fn launch<T>(
    kernels: Kernels,
    name: &str,
    grid: [i64; 3],
    threads: u32,
    stream: Raw,
    parameter: &T,
) -> Outcome {
    let module = module(kernels)?;
    let (driver, _) = enter()?;
    let mut sizes = [0; 3];
    for (size, blocks) in sizes.iter_mut().zip(grid) {
        *size = u32::try_from(blocks).map_err(|_| Failure::Lacking(format!("for a grid of {blocks} blocks")))?;
    }
    if sizes.contains(&0) {
        return Ok(());
    }
    let name = CString::new(name).map_err(|_| Failure::Invalid)?;
    let mut function = null_mut();
    let mut parameters = [std::ptr::from_ref(parameter).cast_mut().cast()];
    // SAFETY: the driver's module, and the caller's promise; the driver copies the parameter during the call.
    unsafe {
        driver.cuModuleGetFunction(&mut function, module, name.as_ptr())?;
        let [x, y, z] = sizes;
        driver.cuLaunchKernel(function, x, y, z, threads, 1, 1, 0, stream, parameters.as_mut_ptr(), null_mut())
    }
}

/// Copies from the device to the host when the stream has come so far.
///
/// # Safety
/// Both places have so many bytes.
pub unsafe fn read_back(to: Raw, from: u64, bytes: usize, stream: Raw) -> Outcome {
    let (driver, _) = enter()?;
    unsafe {
        driver.cuMemcpyDtoHAsync_v2(to, from, bytes, stream)?;
        driver.cuStreamSynchronize(stream)
    }
}

//! Modules and libraries: images in, kernels and variables out.
use super::link::{jit_options, write_log};
use crate::executor::wait_for_device;
use crate::interface::{Cause, Outcome, forward, out, out_if_wanted, text};
use crate::objects::images::assembler;
use crate::objects::images::facts::ImageFacts;
use crate::objects::images::fat_binary::IN_PLACE_OF_CODE;
use crate::objects::images::image::read_image;
use crate::objects::images::linking::{JitOptions, bad_ptx};
use crate::objects::modules::function::Library;
use crate::objects::modules::loaded::Loaded;
use crate::state::logs::refusals;
use crate::state::{self, Guard, host_time};
use cuda::layout::Raw;
use machine::link;
use std::ffi::{c_char, c_uint, c_void};

/// Time to load a module; a real driver takes longer for PTX, shorter for a binary.
const LOAD_NS: u64 = 50_000;

/// Loads an image into a context; the compiler runs without the lock.
fn load(context: usize, image: &str) -> Result<(Guard, usize), Cause> {
    let (card, memory) = {
        let driver = state::lock();
        let device = driver.contexts.get(context)?.device;
        (driver.devices[device].card, driver.devices[device].memory.clone())
    };
    host_time::spend_ns(LOAD_NS);
    let loaded = Loaded::new(image.to_owned(), card, memory)?;
    if image.ends_with(IN_PLACE_OF_CODE) {
        refusals::note_newer(loaded.target);
    }
    if refusals::misses_kernels() {
        refusals::provided(loaded.kernels()?.iter().map(String::as_str));
    }
    let mut driver = state::lock();
    let module = driver.enter_module(context, loaded)?;
    Ok((driver, module))
}

/// A library's module in a context: loaded when it is first needed there.
fn module_of(library: usize, context: usize) -> Result<(Guard, usize), Cause> {
    let driver = state::lock();
    let found = driver.libraries.get(library)?;
    if let Some(&module) = found.modules.get(&context) {
        return Ok((driver, module));
    }
    let image = found.image.clone();
    drop(driver);
    let (mut driver, loaded) = load(context, &image)?;
    // Another thread may have been quicker; its module has handles out already.
    let module = *driver.libraries.get_mut(library)?.modules.entry(context).or_insert(loaded);
    Ok((driver, module))
}

/// As [`module_of`], in the current context.
fn current_module(library: Raw) -> Result<(Guard, usize), Cause> {
    let context = state::lock().current()?;
    module_of(library as usize, context)
}

/// As [`current_module`], its handle alone, without the lock.
fn its_module(library: Raw) -> Result<Raw, Cause> {
    Ok(current_module(library)?.1 as Raw)
}

/// The card that images are chosen for: all devices are of one kind.
fn capability() -> Result<u32, Cause> {
    Ok(assembler::capability(state::lock().device(0)?.card))
}

/// `cuModuleLoadData`, `cuModuleLoadFatBinary`
pub unsafe fn load_data(module: *mut Raw, image: *const c_void) -> Outcome {
    // SAFETY: the caller gives pointers as the interface asks, and no options.
    unsafe { cuModuleLoadDataEx(module, image, 0, std::ptr::null(), std::ptr::null_mut()) }
}

/// Options that ask for a log get its words, one that limits registers limits them; the others change
/// nothing here.
pub unsafe fn cuModuleLoadDataEx(
    module: *mut Raw,
    image: *const c_void,
    count: c_uint,
    options: *const c_uint,
    values: *mut Raw,
) -> Outcome {
    let options = unsafe { jit_options(count, options, values)? };
    let outcome = read(image, &options).and_then(|image| {
        let context = state::lock().current()?;
        let handle = load(context, &image)?.1;
        unsafe { out("module", module, handle as Raw) }
    });
    let words = outcome.as_ref().err().map(ToString::to_string).unwrap_or_default();
    // SAFETY: the caller's buffers.
    unsafe {
        write_log(options.info, "");
        write_log(options.error, &words);
    }
    outcome.inspect_err(|cause| unsafe { remember(cause, image) })
}

/// Keeps what can be known of an image that is refused, for the words and for the end of the run.
///
/// # Safety
/// As for [`ImageFacts::of`].
unsafe fn remember(cause: &Cause, image: *const c_void) {
    if cause.is_refusal() {
        refusals::of_image(unsafe { ImageFacts::of(image) });
    }
}

/// An image as text, with the limit of registers that the options set.
fn read(image: *const c_void, options: &JitOptions) -> Result<String, Cause> {
    let text = unsafe { read_image(image, capability()?)? };
    match options.max_registers {
        Some(most) => link::limit_registers(&text, most).map_err(bad_ptx),
        None => Ok(text),
    }
}

/// The image of a file: a text ends in a NUL here, a container tells its length.
unsafe fn of_file(name: &'static str, path: *const c_char) -> Result<Vec<u8>, Cause> {
    let path = unsafe { text(name, path)? };
    let mut bytes = std::fs::read(&path).map_err(|error| Cause::NoFile(path, error.to_string()))?;
    bytes.push(0);
    Ok(bytes)
}

pub unsafe fn cuModuleLoad(module: *mut Raw, path: *const c_char) -> Outcome {
    let bytes = unsafe { of_file("fname", path)? };
    // SAFETY: an image as `of_file` reads it.
    unsafe { load_data(module, bytes.as_ptr().cast()) }
}

/// Pending launches keep what they need.
pub fn cuModuleUnload(module: Raw) -> Outcome {
    let driver = state::started()?;
    let context = driver.modules.get(module as usize)?.context;
    let device = driver.contexts.get(context)?.device;
    let mut driver = wait_for_device(driver, device);
    let removed = driver.modules.remove(module as usize)?;
    for global in &removed.loaded.globals {
        driver.release(global.address)?;
    }
    let gone: Vec<usize> =
        driver.functions.iter().filter(|(_, f)| f.module == module as usize).map(|(handle, _)| handle).collect();
    for handle in gone {
        driver.functions.remove(handle)?;
    }
    Ok(())
}

pub unsafe fn cuModuleGetFunction(function: *mut Raw, module: Raw, name: *const c_char) -> Outcome {
    let name = unsafe { text("name", name)? };
    let mut driver = state::started()?;
    let handle = driver.function_handle(module as usize, &name)?;
    unsafe { out("hfunc", function, handle as Raw) }
}

pub unsafe fn cuModuleGetFunctionCount(count: *mut c_uint, module: Raw) -> Outcome {
    let driver = state::started()?;
    let names = driver.modules.get(module as usize)?.loaded.kernels()?;
    unsafe { out("count", count, names.len() as c_uint) }
}

pub unsafe fn cuModuleEnumerateFunctions(functions: *mut Raw, count: c_uint, module: Raw) -> Outcome {
    let mut driver = state::started()?;
    let names = driver.modules.get(module as usize)?.loaded.kernels()?;
    for (i, name) in names.iter().take(count as usize).enumerate() {
        let handle = driver.function_handle(module as usize, name)?;
        // SAFETY: the caller's array holds `count` elements.
        unsafe { out("functions", functions.wrapping_add(i), handle as Raw)? };
    }
    Ok(())
}

pub unsafe fn cuModuleGetGlobal_v2(address: *mut u64, bytes: *mut usize, module: Raw, name: *const c_char) -> Outcome {
    let name = unsafe { text("name", name)? };
    let driver = state::started()?;
    let global = driver.modules.get(module as usize)?.loaded.global(&name)?;
    unsafe {
        out_if_wanted(address, global.address);
        out_if_wanted(bytes, global.bytes as usize);
    }
    Ok(())
}

/// `cuLibraryLoadData`: a module that is loaded into each context when it is first needed there.
///
/// # Safety
/// `image` is an image; the arrays hold `count` elements.
pub unsafe fn load_library(
    library: *mut Raw,
    image: *const c_void,
    count: c_uint,
    options: *const c_uint,
    values: *mut Raw,
) -> Outcome {
    let options = unsafe { jit_options(count, options, values)? };
    let text = read(image, &options).inspect_err(|cause| unsafe { remember(cause, image) })?;
    let (handle, context) = {
        let mut driver = state::lock();
        (driver.libraries.insert(Library { image: text, modules: Default::default() }), driver.current())
    };
    if let Ok(context) = context {
        // Loaded here at once, so that a bad image is refused here.
        let loaded = module_of(handle, context).map(|_| ());
        if let Err(cause) = loaded {
            unsafe { write_log(options.error, &cause.to_string()) };
            unsafe { remember(&cause, image) };
            state::lock().libraries.remove(handle)?;
            return Err(cause);
        }
    }
    unsafe { out("library", library, handle as Raw) }
}

/// `cuLibraryLoadFromFile`
pub unsafe fn load_library_file(
    library: *mut Raw,
    path: *const c_char,
    count: c_uint,
    options: *const c_uint,
    values: *mut Raw,
) -> Outcome {
    let bytes = unsafe { of_file("fileName", path)? };
    // SAFETY: an image as `of_file` reads it.
    unsafe { load_library(library, bytes.as_ptr().cast(), count, options, values) }
}

pub fn cuLibraryUnload(library: Raw) -> Outcome {
    let modules = {
        let mut driver = state::started()?;
        driver.libraries.remove(library as usize).map_err(Cause::into_argument)?.modules
    };
    for module in modules.into_values() {
        cuModuleUnload(module as Raw)?;
    }
    Ok(())
}

/// Kernels are functions of the current context's module.
pub unsafe fn cuLibraryGetKernel(kernel: *mut Raw, library: Raw, name: *const c_char) -> Outcome {
    let name = unsafe { text("name", name)? };
    let (mut driver, module) = current_module(library)?;
    let handle = driver.function_handle(module, &name)?;
    if let Ok(function) = driver.functions.get_mut(handle) {
        function.library = library as usize;
    }
    unsafe { out("pKernel", kernel, handle as Raw) }
}

cuda::forward_modules!(forward);

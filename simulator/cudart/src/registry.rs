//! The registry of what `nvcc`'s generated code registers before `main`: images, and by the addresses of their stand-ins on the host
//! kernels and variables. An image is loaded into a context when something of it is first used there.
use crate::context::{enter, id};
use crate::driver::{Driver, Raw};
use crate::status::{Failure, INVALID_DEVICE_FUNCTION, INVALID_SYMBOL, Outcome, SYMBOL_NOT_FOUND};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

/// An image, as registered. It lives as long as the process, as its registration does.
pub struct Image {
    wrapper: *const Wrapper,
    /// The module, by context ([`id`]), or why it could not be loaded.
    modules: Mutex<FxHashMap<u64, Result<usize, Failure>>>,
    /// Managed variables: where the host keeps the address, and the name.
    managed: Mutex<Vec<(usize, &'static CStr)>>,
}

// SAFETY: the wrapper is constant data of the program.
unsafe impl Send for Image {}
// SAFETY: as above.
unsafe impl Sync for Image {}

/// `__fatBinC_Wrapper_t`: what the generated code points to.
#[repr(C)]
struct Wrapper {
    magic: u32,
    /// 1: `image` is all. 2: `image` is machine code that was linked, `parts` are what it was linked from.
    version: u32,
    image: *const c_void,
    parts: *const *const u8,
}

/// A kernel, known by the address of its stand-in.
pub struct Kernel {
    image: &'static Image,
    name: &'static CStr,
    /// The driver's function, by context.
    functions: Mutex<FxHashMap<u64, usize>>,
}

/// A variable, known by the address of its shadow.
#[derive(Clone, Copy)]
struct Variable {
    image: &'static Image,
    name: &'static CStr,
}

#[derive(Default)]
struct Registered {
    images: Vec<&'static Image>,
    /// By the stand-in's address, and by their own, which is the handle `cudaKernel_t`.
    kernels: FxHashMap<usize, &'static Kernel>,
    variables: FxHashMap<usize, Variable>,
    /// Functions of the driver's that the program got.
    given: FxHashSet<usize>,
}

static REGISTERED: RwLock<Option<Registered>> = RwLock::new(None);

fn with<T>(body: impl FnOnce(&mut Registered) -> T) -> T {
    body(REGISTERED.write().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `__cudaRegisterFatBinary`
pub fn image(wrapper: Raw) -> *mut Raw {
    let image: &'static Image =
        Box::leak(Box::new(Image { wrapper: wrapper.cast(), modules: Mutex::default(), managed: Mutex::default() }));
    with(|registered| registered.images.push(image));
    std::ptr::from_ref(image).cast_mut().cast()
}

/// `__cudaUnregisterFatBinary`: the process ends, or closes the library that the image is part of.
pub fn forget_image(handle: *mut Raw) {
    with(|registered| {
        let is_its = |image: &Image| std::ptr::eq(image, handle.cast::<Image>());
        registered.images.retain(|image| !is_its(image));
        registered.kernels.retain(|_, kernel| !is_its(kernel.image));
        registered.variables.retain(|_, variable| !is_its(variable.image));
    });
}

/// The image of a handle that [`image`] gave out.
fn known(handle: *mut Raw) -> Option<&'static Image> {
    with(|registered| registered.images.iter().copied().find(|image| std::ptr::eq(*image, handle.cast::<Image>())))
}

/// `__cudaRegisterFunction`
///
/// # Safety
/// `name` is text that lives as long as the image.
pub unsafe fn kernel(handle: *mut Raw, stand_in: usize, name: *const c_char) {
    let Some(image) = known(handle) else { return };
    // SAFETY: the pointer is as this function's caller has to give it.
    let name: &'static CStr = unsafe { CStr::from_ptr(name) };
    let kernel: &'static Kernel = Box::leak(Box::new(Kernel { image, name, functions: Mutex::default() }));
    with(|registered| {
        registered.kernels.insert(stand_in, kernel);
        registered.kernels.insert(std::ptr::from_ref(kernel) as usize, kernel);
    });
}

/// `__cudaRegisterVar`, `__cudaRegisterManagedVar`: of a managed variable `shadow` is where the host keeps its address.
///
/// # Safety
/// `name` is text that lives as long as the image.
pub unsafe fn variable(handle: *mut Raw, shadow: usize, name: *const c_char, is_managed: bool) {
    let Some(image) = known(handle) else { return };
    // SAFETY: the pointer is as this function's caller has to give it.
    let name: &'static CStr = unsafe { CStr::from_ptr(name) };
    with(|registered| registered.variables.insert(shadow, Variable { image, name }));
    if is_managed {
        lock(&image.managed).push((shadow, name));
    }
}

/// `__cudaInitModule`: before the host first reads a managed variable.
pub fn start(handle: *mut Raw) -> Outcome {
    let image = known(handle).ok_or(INVALID_SYMBOL)?;
    let (driver, context) = enter()?;
    image.module(driver, id(driver, context)).map(|_| ())
}

/// Forgets what was loaded into a context that ended.
pub fn forget(context: u64) {
    with(|registered| {
        for image in &registered.images {
            lock(&image.modules).remove(&context);
        }
        for kernel in registered.kernels.values() {
            lock(&kernel.functions).remove(&context);
        }
    });
}

/// The kernel of a stand-in or a handle.
pub fn find(function: *const c_void) -> Result<&'static Kernel, Failure> {
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    let found = registered.as_ref().and_then(|registered| registered.kernels.get(&(function as usize)));
    found.copied().ok_or(INVALID_DEVICE_FUNCTION)
}

/// The driver's function in the current context, of a stand-in, or of a handle of the driver's that [`given`] was told of.
pub fn function(stand_in: *const c_void) -> Result<(&'static Driver, Raw), Failure> {
    let (driver, context) = enter()?;
    match find(stand_in) {
        Ok(kernel) => Ok((driver, kernel.function(driver, id(driver, context))?)),
        Err(_) if with(|registered| registered.given.contains(&(stand_in as usize))) => {
            Ok((driver, stand_in.cast_mut()))
        }
        Err(failure) => Err(failure),
    }
}

/// Remembers a function of the driver's that the program got from this runtime. The driver must not be asked about any other
/// address: it may read through it.
pub fn given(function: Raw) {
    with(|registered| registered.given.insert(function as usize));
}

impl Kernel {
    pub fn name(&self) -> &'static CStr {
        self.name
    }

    fn function(&self, driver: &Driver, context: u64) -> Result<Raw, Failure> {
        if let Some(&function) = lock(&self.functions).get(&context) {
            return Ok(function as Raw);
        }
        let module = self.image.module(driver, context)?;
        let mut function = null_mut();
        // SAFETY: the driver's module, and text.
        unsafe { driver.cuModuleGetFunction(&mut function, module, self.name.as_ptr()) }
            .map_err(|failure| if failure == SYMBOL_NOT_FOUND { INVALID_DEVICE_FUNCTION } else { failure })?;
        lock(&self.functions).insert(context, function as usize);
        Ok(function)
    }
}

/// Address and bytes of a variable in the current context.
pub fn symbol(shadow: *const c_void) -> Result<(u64, usize), Failure> {
    let variable = with(|registered| registered.variables.get(&(shadow as usize)).copied()).ok_or(INVALID_SYMBOL)?;
    let (driver, context) = enter()?;
    let module = variable.image.module(driver, id(driver, context))?;
    address(driver, module, variable.name)
}

fn address(driver: &Driver, module: Raw, name: &CStr) -> Result<(u64, usize), Failure> {
    let (mut address, mut bytes) = (0, 0);
    // SAFETY: places for two numbers, the driver's module, and text.
    let found = unsafe { driver.cuModuleGetGlobal_v2(&mut address, &mut bytes, module, name.as_ptr()) };
    found.map_err(|failure| if failure == SYMBOL_NOT_FOUND { INVALID_SYMBOL } else { failure })?;
    Ok((address, bytes))
}

impl Image {
    fn module(&self, driver: &Driver, context: u64) -> Result<Raw, Failure> {
        let mut modules = lock(&self.modules);
        if let Some(known) = modules.get(&context) {
            return known.map(|module| module as Raw);
        }
        let loaded = self.load(driver);
        modules.insert(context, loaded.map(|module| module as usize));
        let module = loaded?;
        for &(kept_at, name) in lock(&self.managed).iter() {
            let (address, _) = address(driver, module, name)?;
            // SAFETY: the generated code gave the address of its own pointer.
            unsafe { (kept_at as *mut u64).write(address) };
        }
        Ok(module)
    }

    fn load(&self, driver: &Driver) -> Result<Raw, Failure> {
        // SAFETY: the generated code registered its wrapper, which is constant.
        let wrapper = unsafe { &*self.wrapper };
        let mut module = null_mut();
        if wrapper.version == 2 && !wrapper.parts.is_null() {
            return link(driver, wrapper.parts);
        }
        // SAFETY: a place for a handle, and an image with its wrapper, which the driver reads.
        unsafe { driver.cuModuleLoadData(&mut module, self.wrapper.cast())? };
        Ok(module)
    }
}

/// Links what `nvcc -rdc=true` compiled apart: fat binaries, a list that ends in null.
fn link(driver: &Driver, mut parts: *const *const u8) -> Result<Raw, Failure> {
    const FAT_BINARY: u32 = 2;
    let (mut link, mut image, mut bytes, mut module) = (null_mut(), null_mut(), 0, null_mut());
    // SAFETY: a place for a handle. The list and the headers of what it points to are the generated code's. A header tells its
    // own length at 6 and that of the rest at 8.
    unsafe {
        driver.cuLinkCreate_v2(0, null_mut(), null_mut(), &mut link)?;
        let outcome = (|| {
            while !(*parts).is_null() {
                let part = *parts;
                let length = part.add(6).cast::<u16>().read_unaligned() as usize
                    + part.add(8).cast::<u64>().read_unaligned() as usize;
                let data = part.cast_mut().cast();
                driver.cuLinkAddData_v2(link, FAT_BINARY, data, length, null(), 0, null_mut(), null_mut())?;
                parts = parts.add(1);
            }
            driver.cuLinkComplete(link, &mut image, &mut bytes)?;
            driver.cuModuleLoadData(&mut module, image)
        })();
        let _ = driver.cuLinkDestroy(link);
        outcome?;
    }
    Ok(module)
}

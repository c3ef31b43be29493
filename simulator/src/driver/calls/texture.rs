//! Texture and surface objects: `cuTexObject*`, `cuSurfObject*`. A handle is the address of the object's bytes, which kernels read.
use crate::driver::executor::wait_for_device;
use crate::driver::interface::cause::Cause;
use crate::driver::interface::layout::{ResourceDescriptor, TextureDescriptor};
use crate::driver::interface::pointers::out;
use crate::driver::objects::allocation::MemoryKind;
use crate::driver::objects::array::TextureObject;
use crate::driver::state::{self, Driver};
use crate::exec::texture_object::{Format, Mode, OBJECT_BYTES, Texture};
use std::ffi::{c_uint, c_void};

const READS_INTEGERS: c_uint = 0x01;
const NORMALISED: c_uint = 0x02;
/// The tri-linear optimisation changes no result of a texture without mipmaps.
const KNOWN: c_uint = READS_INTEGERS | NORMALISED | 0x20;

/// `cuTexObjectCreate`
pub unsafe fn create(
    object: *mut u64,
    resource: *const ResourceDescriptor,
    texture: *const TextureDescriptor,
    view: *const c_void,
) -> Result<(), Cause> {
    if !view.is_null() {
        return Err(Cause::NotModelled("a view of a resource in another format (CUDA_RESOURCE_VIEW_DESC)"));
    }
    // SAFETY: null, or the caller's structs.
    let (resource, texture) = unsafe {
        (resource.as_ref().ok_or(Cause::Null("pResDesc"))?, texture.as_ref().ok_or(Cause::Null("pTexDesc"))?)
    };
    if texture.flags & !KNOWN != 0 {
        return Err(Cause::NotModelled("an sRGB or cube texture"));
    }
    let mode = |at: usize| {
        let number = texture.modes[at];
        Mode::of(number).ok_or(Cause::NoSuchValue("addressMode", number.into()))
    };
    if texture.filter > 1 {
        return Err(Cause::NoSuchValue("filterMode", texture.filter.into()));
    }
    let mut driver = state::lock();
    let is_plain = resource.kind == LINEAR;
    let found = Texture {
        modes: [mode(0)?, mode(1)?, mode(2)?],
        is_linear_filter: texture.filter == 1,
        is_normalised: texture.flags & NORMALISED != 0 && !is_plain,
        reads_integers: texture.flags & READS_INTEGERS != 0,
        border: texture.border,
        ..of_resource(&driver, resource)?
    };
    if found.is_linear_filter && !found.gives_floats() {
        return Err(Cause::NoSuchValue("filterMode: a linear filter of integers", 1));
    }
    let made = enter(&mut driver, found, TextureObject { resource: *resource, texture: Some(*texture) })?;
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("pTexObject", object, made) }
}

/// `cuSurfObjectCreate`
pub unsafe fn create_surface(object: *mut u64, resource: *const ResourceDescriptor) -> Result<(), Cause> {
    // SAFETY: null, or the caller's struct.
    let resource = unsafe { resource.as_ref() }.ok_or(Cause::Null("pResDesc"))?;
    let mut driver = state::lock();
    if resource.kind != ARRAY {
        return Err(Cause::NoSuchValue("resType", resource.kind.into()));
    }
    let found = Texture { is_surface: true, ..of_resource(&driver, resource)? };
    let made = enter(&mut driver, found, TextureObject { resource: *resource, texture: None })?;
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("pSurfObject", object, made) }
}

const ARRAY: u32 = 0;
const LINEAR: u32 = 2;

/// What a resource is, read by texels.
fn of_resource(driver: &Driver, resource: &ResourceDescriptor) -> Result<Texture, Cause> {
    let texture = Texture {
        address: 0,
        extents: [0; 3],
        pitch: 0,
        slice: 0,
        format: Format::F32,
        channels: 0,
        modes: [Mode::Clamp; 3],
        is_linear_filter: false,
        is_normalised: false,
        reads_integers: false,
        is_plain: false,
        is_surface: false,
        is_tiled: false,
        border: [0.0; 4],
    };
    let words = resource.words;
    // A pointer, then format and channels, then sizes in bytes or texels.
    let format = || Format::of(words[1] as u32).ok_or(Cause::NoSuchValue("format", words[1] as u32 as i64));
    let channels = (words[1] >> 32) as u32;
    match resource.kind {
        ARRAY => {
            let array = driver.arrays.get(words[0] as usize)?;
            let d = &array.descriptor;
            let extents = [d.width, d.height, d.depth].map(|extent| extent as u32);
            let (pitch, slice) = (array.pitch as u64, array.slice as u64);
            let (address, format, channels) = (array.address, array.format, d.channels);
            let is_tiled = d.height > 0;
            Ok(Texture { address, extents, pitch, slice, format, channels, is_tiled, ..texture })
        }
        LINEAR => {
            let format = format()?;
            let bytes = words[2];
            driver.device_location("devPtr", words[0], bytes)?;
            let texels = bytes / u64::from((format.bytes() * channels).max(1));
            let extents = [texels as u32, 0, 0];
            Ok(Texture { address: words[0], extents, format, channels, is_plain: true, ..texture })
        }
        3 => {
            let (width, height, pitch) = (words[2], words[3], words[4]);
            driver.device_location("devPtr", words[0], height.saturating_mul(pitch))?;
            let extents = [width as u32, height as u32, 0];
            Ok(Texture { address: words[0], extents, pitch, format: format()?, channels, ..texture })
        }
        1 => Err(Cause::NotModelled("a mipmapped array")),
        other => Err(Cause::NoSuchValue("resType", other.into())),
    }
}

/// Puts an object into device memory: the driver's own, as a module's variable is.
fn enter(driver: &mut Driver, texture: Texture, object: TextureObject) -> Result<u64, Cause> {
    let (device, _) = driver.current_device()?;
    let context = driver.current()?;
    let address = driver.allocate(device, context, OBJECT_BYTES as u64, MemoryKind::Global, 0, 0)?;
    let written = driver.devices[device].memory.write(address, &texture.encode());
    written.map_err(|_| Cause::Defect("an allocation without memory".into()))?;
    driver.textures.insert(address, object);
    Ok(address)
}

/// `cuTexObjectDestroy`, `cuSurfObjectDestroy`
pub fn destroy(object: u64) -> Result<(), Cause> {
    let driver = state::lock();
    driver.started()?;
    if !driver.textures.contains_key(&object) {
        return Err(Cause::NoSuchArgument("texture or surface object"));
    }
    let device = driver.allocations.get(&object).map(|found| found.device);
    let mut driver = match device {
        Some(device) => wait_for_device(driver, device),
        None => driver,
    };
    driver.textures.remove(&object);
    // Gone already where its context ended first.
    if driver.allocations.contains_key(&object) { driver.release(object) } else { Ok(()) }
}

/// `cuTexObjectGetResourceDesc`, `cuSurfObjectGetResourceDesc`
pub unsafe fn resource(descriptor: *mut ResourceDescriptor, object: u64) -> Result<(), Cause> {
    let driver = state::lock();
    driver.started()?;
    let found = driver.textures.get(&object).ok_or(Cause::NoSuchArgument("texture or surface object"))?;
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("pResDesc", descriptor, found.resource) }
}

/// `cuTexObjectGetTextureDesc`
pub unsafe fn texture(descriptor: *mut TextureDescriptor, object: u64) -> Result<(), Cause> {
    let driver = state::lock();
    driver.started()?;
    let found = driver.textures.get(&object).and_then(|object| object.texture);
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("pTexDesc", descriptor, found.ok_or(Cause::NoSuchArgument("texture object"))?) }
}

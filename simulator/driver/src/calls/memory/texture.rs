//! Texture and surface objects: `cuTexObject*`, `cuSurfObject*`. A handle is the address of the object's bytes, which kernels read.
use super::array;
use crate::executor::wait_for_device;
use crate::interface::{Cause, Outcome, forward, out};
use crate::objects::memory::allocation::MemoryKind;
use crate::objects::memory::array::TextureObject;
use crate::state::{self, Driver};
use cuda::layout::{ArrayDescriptor, ResourceDescriptor, TextureDescriptor, ViewDescriptor};
use machine::exec::texture_object::{Format, Level, Mipmap, Mode, OBJECT_BYTES, Texture};
use std::ffi::c_uint;

const READS_INTEGERS: c_uint = 0x01;
const NORMALISED: c_uint = 0x02;
const SRGB: c_uint = 0x10;
const SEAMLESS: c_uint = 0x40;
/// The optimisation of filters between levels changes no result here: there is none.
const KNOWN: c_uint = READS_INTEGERS | NORMALISED | SRGB | 0x20 | SEAMLESS;

pub unsafe fn cuTexObjectCreate(
    object: *mut u64,
    resource: *const ResourceDescriptor,
    texture: *const TextureDescriptor,
    view: *const ViewDescriptor,
) -> Outcome {
    // SAFETY: null, or the caller's structs.
    let (resource, texture, view) = unsafe {
        let resource = resource.as_ref().ok_or(Cause::Null("pResDesc"))?;
        (resource, texture.as_ref().ok_or(Cause::Null("pTexDesc"))?, view.as_ref().copied())
    };
    refuse_if!(texture.flags & !KNOWN != 0, Cause::NoSuchValue("flags", texture.flags.into()));
    let mode = |at: usize| {
        let number = texture.modes[at];
        Mode::of(number).ok_or(Cause::NoSuchValue("addressMode", number.into()))
    };
    for (name, filter) in [("filterMode", texture.filter), ("mipmapFilterMode", texture.mipmap_filter)] {
        refuse_if!(filter > 1, Cause::NoSuchValue(name, filter.into()));
    }
    let mut driver = state::lock();
    let is_plain = resource.kind == LINEAR;
    let mut found = of_resource(&driver, resource)?;
    if let Some(view) = &view {
        look_through(&mut found, resource.kind, view)?;
    }
    let is_mipmapped = resource.kind == MIPMAPPED;
    if is_mipmapped && texture.flags & NORMALISED == 0 {
        return Err(Cause::NoSuchValue(
            "flags: a mipmapped array without normalised coordinates",
            texture.flags.into(),
        ));
    }
    let found = Texture {
        modes: [mode(0)?, mode(1)?, mode(2)?],
        is_linear_filter: texture.filter == 1,
        is_normalised: texture.flags & NORMALISED != 0 && !is_plain,
        reads_integers: texture.flags & READS_INTEGERS != 0,
        // The flag concerns bytes that are read as fractions, and means nothing to others.
        is_srgb: texture.flags & (SRGB | READS_INTEGERS) == SRGB && found.format == Format::U8,
        is_seamless: texture.flags & SEAMLESS != 0,
        mipmap: Mipmap {
            is_linear: texture.mipmap_filter == 1,
            bias: texture.mipmap_bias,
            range: texture.mipmap_range,
            ..found.mipmap
        },
        border: texture.border,
        ..found
    };
    let made = enter(&mut driver, found, TextureObject { resource: *resource, texture: Some(*texture), view })?;
    unsafe { out("pTexObject", object, made) }
}

/// A texture of an array seen in another format, or in part (`CUDA_RESOURCE_VIEW_DESC`).
fn look_through(texture: &mut Texture, kind: u32, view: &ViewDescriptor) -> Outcome {
    if !matches!(kind, ARRAY | MIPMAPPED) {
        return Err(Cause::NoSuchValue("pResViewDesc: a view of what is no array, of type", kind.into()));
    }
    if view.format != 0 {
        let (format, channels) = view_format(view.format)?;
        let bytes = format.bytes() * channels;
        if bytes != texture.texel_bytes() {
            let allowed = format!("formats of {} bytes, as the array's", texture.texel_bytes());
            return Err(Cause::OutOfRange("format of the view", view.format.into(), allowed));
        }
        (texture.format, texture.channels) = (format, channels);
    }
    let [first, last] = view.levels;
    if first > last || last >= texture.mipmap.levels {
        let allowed = format!("the first up to {}", texture.mipmap.levels - 1);
        return Err(Cause::OutOfRange("lastMipmapLevel", last.into(), allowed));
    }
    (texture.base, texture.mipmap.levels) = (texture.level(first), last - first + 1);
    let mut extents = texture.base.extents;
    if texture.is_layered {
        let [first, last] = view.layers;
        if first > last || last >= texture.layers {
            return Err(Cause::OutOfRange("lastLayer", last.into(), format!("the first up to {}", texture.layers - 1)));
        }
        (texture.first_layer, texture.layers) = (first, last - first + 1);
        extents[2] = texture.layers;
    }
    let asked = view.extents.map(|extent| extent as u64);
    let has = extents.map(u64::from);
    // Depths of layers are not looked at: they follow from the layers.
    let counted = if texture.is_layered { 2 } else { 3 };
    if asked[..counted] != has[..counted] {
        return Err(Cause::OutOfRange("width of the view", asked[0], format!("the level's {has:?} texels")));
    }
    Ok(())
}

/// The texel that a `CUresourceViewFormat` names: elements and how many.
fn view_format(number: u32) -> Result<(Format, u32), Cause> {
    use Format::{F16, F32, S8, S16, S32, U8, U16, U32};
    let formats = [U8, S8, U16, S16, U32, S32, F16, F32];
    let index = number as usize - 1;
    match formats.get(index / 3) {
        Some(&format) => Ok((format, 1 << (index % 3))),
        None => Err(Cause::NotModelled("a view of compressed texels (CU_RES_VIEW_FORMAT_…_BC…)")),
    }
}

pub unsafe fn cuSurfObjectCreate(object: *mut u64, resource: *const ResourceDescriptor) -> Outcome {
    let resource = unsafe { resource.as_ref() }.ok_or(Cause::Null("pResDesc"))?;
    let mut driver = state::lock();
    refuse_if!(resource.kind != ARRAY, Cause::NoSuchValue("resType", resource.kind.into()));
    let found = Texture { is_surface: true, ..of_resource(&driver, resource)? };
    let made = enter(&mut driver, found, TextureObject { resource: *resource, texture: None, view: None })?;
    unsafe { out("pSurfObject", object, made) }
}

const ARRAY: u32 = 0;
const MIPMAPPED: u32 = 1;
const LINEAR: u32 = 2;

/// A resource, as reads by texel see it.
fn of_resource(driver: &Driver, resource: &ResourceDescriptor) -> Result<Texture, Cause> {
    let words = resource.words;
    // A pointer, then format and channels, then sizes in bytes or texels.
    let format = || Format::of(words[1] as u32).ok_or(Cause::NoSuchValue("format", words[1] as u32 as i64));
    let channels = (words[1] >> 32) as u32;
    let of_array = |place: Level, format: Format, d: &ArrayDescriptor| {
        let (is_tiled, is_layered) = (d.height > 0, array::is_layered(d));
        Texture { is_tiled, is_layered, ..Texture::of(place, format, d.channels) }
    };
    match resource.kind {
        ARRAY => {
            let array = driver.arrays.get(words[0] as usize)?;
            Ok(of_array(array.place, array.format, &array.descriptor))
        }
        MIPMAPPED => {
            let array = driver.mipmapped_arrays.get(words[0] as usize)?;
            let mipmap = Mipmap { levels: array.levels.len() as u32, ..Mipmap::NONE };
            Ok(Texture { mipmap, ..of_array(array.first, array.format, &array.descriptor) })
        }
        LINEAR => {
            let format = format()?;
            let bytes = words[2];
            driver.device_location("devPtr", words[0], bytes)?;
            let texels = bytes / u64::from((format.bytes() * channels).max(1));
            let place = Level { address: words[0], extents: [texels as u32, 0, 0], pitch: 0, slice: 0 };
            Ok(Texture { is_plain: true, ..Texture::of(place, format, channels) })
        }
        3 => {
            let (width, height, pitch) = (words[2], words[3], words[4]);
            driver.device_location("devPtr", words[0], height.saturating_mul(pitch))?;
            let place = Level { address: words[0], extents: [width as u32, height as u32, 0], pitch, slice: 0 };
            Ok(Texture::of(place, format()?, channels))
        }
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
pub fn destroy(object: u64) -> Outcome {
    let driver = state::started()?;
    refuse_if!(!driver.textures.contains_key(&object), Cause::NoSuchArgument("texture or surface object"));
    let device = driver.allocations.get(&object).map(|found| found.device);
    let mut driver = match device {
        Some(device) => wait_for_device(driver, device),
        None => driver,
    };
    driver.textures.remove(&object);
    // Gone already where its context ended first.
    if driver.allocations.contains_key(&object) { driver.release(object) } else { Ok(()) }
}

/// Part of an object's description.
fn part<T>(object: u64, what: &'static str, part: impl FnOnce(&TextureObject) -> Option<T>) -> Result<T, Cause> {
    let driver = state::started()?;
    driver.textures.get(&object).and_then(part).ok_or(Cause::NoSuchArgument(what))
}

/// `cuTexObjectGetResourceDesc`, `cuSurfObjectGetResourceDesc`
pub unsafe fn resource(descriptor: *mut ResourceDescriptor, object: u64) -> Outcome {
    let found = part(object, "texture or surface object", |object| Some(object.resource))?;
    unsafe { out("pResDesc", descriptor, found) }
}

cuda::forward_textures!(forward);

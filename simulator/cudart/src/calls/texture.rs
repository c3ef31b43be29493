//! Texture objects and surface objects.
use crate::calls::array::format;
use crate::calls::shape::channels;
use crate::context::enter;
use crate::interface::out;
use crate::layout::{ChannelFormat, RuntimeResource, RuntimeTexture};
use crate::status::{Failure, INVALID_VALUE, Outcome};
use cuda::layout::{ResourceDescriptor, TextureDescriptor, ViewDescriptor};

/// `CU_TRSF_…`
const READS_INTEGERS: u32 = 0x01;
const NORMALISED: u32 = 0x02;
const SRGB: u32 = 0x10;
const KEEPS_TRILINEAR: u32 = 0x20;
const SEAMLESS: u32 = 0x40;

/// The resource as the driver reads it.
fn resource(resource: &RuntimeResource) -> Result<ResourceDescriptor, Failure> {
    let mut words = [0; 16];
    words[0] = resource.pointer;
    // Plain memory, or rows of it.
    if matches!(resource.kind, 2 | 3) {
        let (format, count) = format(&resource.channels)?;
        words[1] = u64::from(format) | u64::from(count) << 32;
        words[2..5].copy_from_slice(&resource.sizes);
    }
    Ok(ResourceDescriptor { kind: resource.kind, words, flags: 0 })
}

/// `cudaCreateTextureObject`
pub unsafe fn create_texture(
    object: *mut u64,
    from: *const RuntimeResource,
    texture: *const RuntimeTexture,
    view: *const ViewDescriptor,
) -> Outcome {
    let (from, texture) = unsafe { (from.as_ref().ok_or(INVALID_VALUE)?, texture.as_ref().ok_or(INVALID_VALUE)?) };
    let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
    // Elements as they are, or as fractions of their largest value: floats are always floats.
    let flags = flag(texture.read_mode == 0, READS_INTEGERS)
        | flag(texture.is_normalised != 0, NORMALISED)
        | flag(texture.is_srgb != 0, SRGB)
        | flag(texture.keeps_trilinear != 0, KEEPS_TRILINEAR)
        | flag(texture.is_seamless_cube != 0, SEAMLESS);
    let [mipmap_bias, least, most] = texture.mipmap;
    let descriptor = TextureDescriptor {
        modes: texture.modes,
        filter: texture.filter,
        flags,
        anisotropy: texture.anisotropy,
        mipmap_filter: texture.mipmap_filter,
        mipmap_bias,
        mipmap_range: [least, most],
        border: texture.border,
        reserved: [0; 12],
    };
    let resource = resource(from)?;
    // SAFETY: live structs, and the caller's pointers.
    unsafe { enter()?.0.cuTexObjectCreate(object, &resource, &descriptor, view) }
}

/// `cudaCreateSurfaceObject`
pub unsafe fn create_surface(object: *mut u64, from: *const RuntimeResource) -> Outcome {
    let resource = resource(unsafe { from.as_ref() }.ok_or(INVALID_VALUE)?)?;
    // SAFETY: a live struct, and the caller's pointer.
    unsafe { enter()?.0.cuSurfObjectCreate(object, &resource) }
}

/// As the runtime writes what the driver answers: nothing after the part that both versions have.
unsafe fn write_resource(to: *mut RuntimeResource, found: &ResourceDescriptor) -> Outcome {
    let mut resource = RuntimeResource {
        kind: found.kind,
        pointer: found.words[0],
        channels: ChannelFormat { bits: [0; 4], kind: 0 },
        sizes: [0; 3],
    };
    if matches!(found.kind, 2 | 3) {
        resource.channels = channels(found.words[1] as u32, (found.words[1] >> 32) as u32);
        resource.sizes.copy_from_slice(&found.words[2..5]);
    }
    unsafe { out(to, resource) }
}

/// `cudaGetTextureObjectResourceDesc`
pub unsafe fn resource_of_texture(to: *mut RuntimeResource, object: u64) -> Outcome {
    let mut found = ResourceDescriptor::default();
    // SAFETY: a live struct, then the caller's pointer.
    unsafe {
        enter()?.0.cuTexObjectGetResourceDesc(&mut found, object)?;
        write_resource(to, &found)
    }
}

/// `cudaGetSurfaceObjectResourceDesc`
pub unsafe fn resource_of_surface(to: *mut RuntimeResource, object: u64) -> Outcome {
    let mut found = ResourceDescriptor::default();
    // SAFETY: a live struct, then the caller's pointer.
    unsafe {
        enter()?.0.cuSurfObjectGetResourceDesc(&mut found, object)?;
        write_resource(to, &found)
    }
}

/// `cudaGetTextureObjectTextureDesc`
pub unsafe fn texture_of(to: *mut RuntimeTexture, object: u64) -> Outcome {
    let mut found = TextureDescriptor::default();
    // SAFETY: a live struct.
    unsafe { enter()?.0.cuTexObjectGetTextureDesc(&mut found, object)? };
    let has = |flag| i32::from(found.flags & flag != 0);
    let texture = RuntimeTexture {
        modes: found.modes,
        filter: found.filter,
        read_mode: u32::from(found.flags & READS_INTEGERS == 0),
        is_srgb: has(SRGB),
        border: found.border,
        is_normalised: has(NORMALISED),
        anisotropy: found.anisotropy,
        mipmap_filter: found.mipmap_filter,
        mipmap: [found.mipmap_bias, found.mipmap_range[0], found.mipmap_range[1]],
        keeps_trilinear: has(KEEPS_TRILINEAR),
        is_seamless_cube: has(SEAMLESS),
    };
    unsafe { out(to, texture) }
}

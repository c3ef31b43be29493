//! Tensor maps for the tensor copies of kernels.
use crate::interface::{Cause, Outcome, forward, out};
use crate::state;
use machine::tensor::{Element, MAP_ALIGN, MAP_BYTES, MOST_DIMENSIONS, Swizzle, TensorMap};
use std::ffi::c_uint;

/// The arguments of `cuTensorMapEncodeTiled`: arrays of `rank` elements, of one less for the strides.
#[derive(Clone, Copy)]
pub struct Tiled {
    pub element: c_uint,
    pub rank: c_uint,
    pub address: u64,
    pub extents: *const u64,
    pub strides: *const u64,
    pub box_extents: *const u32,
    pub element_strides: *const u32,
    pub interleave: c_uint,
    pub swizzle: c_uint,
    pub promotion: c_uint,
    pub fill: c_uint,
}

/// `cuTensorMapEncodeTiled`: checked as its manual says.
pub unsafe fn encode_tiled(map: *mut [u8; MAP_BYTES], tiled: Tiled) -> Outcome {
    state::lock().started()?;
    refuse_if!(map.is_null(), Cause::Null("tensorMap"));
    if !(map as u64).is_multiple_of(MAP_ALIGN) {
        return Err(Cause::OutOfRange("tensorMap", map as u64, "an address that is a multiple of 64".into()));
    }
    // SAFETY: the caller's arrays, as the interface defines them.
    let found = unsafe { read(&tiled)? };
    unsafe { out("tensorMap", map, found.encode()) }
}

/// The map that the arguments mean.
unsafe fn read(tiled: &Tiled) -> Result<TensorMap, Cause> {
    let element = Element::of(tiled.element).ok_or(Cause::NoSuchValue("tensorDataType", tiled.element.into()))?;
    let rank = match tiled.rank {
        rank @ 1..=5 => rank as usize,
        other => return Err(Cause::OutOfRange("tensorRank", other.into(), "1 to 5".into())),
    };
    refuse_if!(tiled.interleave != 0, Cause::NotModelled("an interleaved tensor map"));
    let swizzle = Swizzle::of(tiled.swizzle).ok_or(Cause::NoSuchValue("swizzle", tiled.swizzle.into()))?;
    refuse_if!(tiled.promotion > 3, Cause::NoSuchValue("l2Promotion", tiled.promotion.into()));
    if tiled.fill > 1 || tiled.fill == 1 && !element.is_float() {
        return Err(Cause::NoSuchValue("oobFill", tiled.fill.into()));
    }
    check("globalAddress", tiled.address, tiled.address.is_multiple_of(16), "a multiple of 16")?;
    let mut map = TensorMap {
        element,
        rank: rank as u32,
        address: tiled.address,
        extents: [1; MOST_DIMENSIONS],
        strides: [0; MOST_DIMENSIONS],
        box_extents: [1; MOST_DIMENSIONS],
        element_strides: [1; MOST_DIMENSIONS],
        swizzle,
        fills_nan: tiled.fill == 1,
    };
    for dimension in 0..rank {
        let (extent, span, step) = unsafe {
            (
                element_of("globalDim", tiled.extents, dimension)?,
                element_of("boxDim", tiled.box_extents, dimension)?,
                element_of("elementStrides", tiled.element_strides, dimension)?,
            )
        };
        check("globalDim", extent, (1..=1 << 32).contains(&extent), "1 to 2³²")?;
        check("boxDim", span.into(), (1..=256).contains(&span), "1 to 256")?;
        check("elementStrides", step.into(), (1..=8).contains(&step), "1 to 8")?;
        (map.extents[dimension], map.box_extents[dimension], map.element_strides[dimension]) = (extent, span, step);
        if dimension > 0 {
            let stride = unsafe { element_of("globalStrides", tiled.strides, dimension - 1)? };
            let allowed = stride.is_multiple_of(16) && stride < 1 << 40;
            check("globalStrides", stride, allowed, "a multiple of 16 below 2⁴⁰")?;
            map.strides[dimension] = stride;
        }
    }
    let row = map.row_bytes();
    check("boxDim[0] in bytes", row, row.is_multiple_of(16), "a multiple of 16")?;
    if swizzle != Swizzle::None {
        let span = 16 * swizzle.chunks();
        check("boxDim[0] in bytes", row, row <= span, &format!("at most {span}, what the swizzle spans"))?;
    }
    Ok(map)
}

fn check(what: &'static str, value: u64, holds: bool, allowed: &str) -> Outcome {
    if holds { Ok(()) } else { Err(Cause::OutOfRange(what, value, allowed.into())) }
}

unsafe fn element_of<T: Copy>(name: &'static str, array: *const T, index: usize) -> Result<T, Cause> {
    refuse_if!(array.is_null(), Cause::Null(name));
    // SAFETY: not null, and the caller vouches for the rest.
    Ok(unsafe { array.add(index).read_unaligned() })
}

forward! {
    cuTensorMapEncodeTiled(map, element, rank, address, extents, strides, box_extents, element_strides, interleave, swizzle, promotion, fill) => encode_tiled(map, Tiled { element, rank, address: address as u64, extents, strides, box_extents, element_strides, interleave, swizzle, promotion, fill });
}

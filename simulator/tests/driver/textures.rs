//! Arrays, texture objects and surface objects, against the formulas of the programming guide.
use crate::{context, function, launch, ok, zeroed};
use cudarc::driver::sys::{self, CUresult};
use std::ffi::CString;
use std::ptr::{null, null_mut};

/// Thread i takes four words at in + 16 i, and writes four at out + 16 i.
pub fn kernel(body: &str) -> sys::CUfunction {
    let text = include_str!("textures.ptx").replace("{body}", body);
    function(CString::new(text).expect("text").as_bytes_with_nul(), c"k")
}

const FETCH_2D: &str = "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f2}];
    mov.b32 %r0, %f4; mov.b32 %r1, %f5; mov.b32 %r2, %f6; mov.b32 %r3, %f7;";

/// Runs a kernel with an object on rows of words, one thread each.
pub fn run(function: sys::CUfunction, object: u64, rows: &[[u32; 4]]) -> (CUresult, Vec<[u32; 4]>) {
    let bytes = 16 * rows.len();
    let mut got = vec![[0u32; 4]; rows.len()];
    let [input, output] = [bytes; 2].map(|bytes| made!(cuMemAlloc_v2(bytes)));
    ok!(cuMemcpyHtoD_v2(input, rows.as_ptr().cast(), bytes));
    ok(launch(function, 1, rows.len() as u32, null_mut(), &[object, input, output]));
    let result = call!(cuMemcpyDtoH_v2(got.as_mut_ptr().cast(), output, bytes));
    (result, got)
}

/// The same, without a fault.
pub fn fetched(function: sys::CUfunction, object: u64, rows: &[[u32; 4]]) -> Vec<[u32; 4]> {
    let (result, got) = run(function, object, rows);
    ok(result);
    got
}

pub fn floats(rows: &[[f32; 3]]) -> Vec<[u32; 4]> {
    rows.iter().map(|row| [row[0].to_bits(), row[1].to_bits(), row[2].to_bits(), 0]).collect()
}

/// An array with values, row after row.
pub fn array<T>(
    extents: [usize; 3],
    format: sys::CUarray_format,
    channels: u32,
    flags: u32,
    values: &[T],
) -> sys::CUarray {
    let [_, height, depth] = extents;
    let rows = height.max(1) * depth.max(1);
    let row_bytes = size_of_val(values) / rows;
    let array = made!(cuArray3DCreate_v2(&descriptor(extents, format, channels, flags)));
    let mut copy = copy_3d(sys::CUmemorytype::CU_MEMORYTYPE_HOST, sys::CUmemorytype::CU_MEMORYTYPE_ARRAY);
    (copy.srcHost, copy.srcPitch, copy.srcHeight) = (values.as_ptr().cast(), row_bytes, height.max(1));
    copy.dstArray = array;
    (copy.WidthInBytes, copy.Height, copy.Depth) = (row_bytes, height.max(1), depth.max(1));
    ok!(cuMemcpy3D_v2(&copy));
    // And back.
    let mut back = vec![0u8; size_of_val(values)];
    (copy.srcMemoryType, copy.dstMemoryType) = (copy.dstMemoryType, copy.srcMemoryType);
    (copy.srcArray, copy.dstHost) = (array, back.as_mut_ptr().cast());
    (copy.dstPitch, copy.dstHeight) = (row_bytes, height.max(1));
    ok!(cuMemcpy3D_v2(&copy));
    // SAFETY: the bytes of numbers.
    assert_eq!(back, unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), back.len()) });
    array
}

pub fn descriptor(
    [width, height, depth]: [usize; 3],
    format: sys::CUarray_format,
    channels: u32,
    flags: u32,
) -> sys::CUDA_ARRAY3D_DESCRIPTOR {
    sys::CUDA_ARRAY3D_DESCRIPTOR {
        Width: width,
        Height: height,
        Depth: depth,
        Format: format,
        NumChannels: channels,
        Flags: flags,
    }
}

/// A copy between two kinds of memory, before its places stand in it.
pub fn copy_3d(from: sys::CUmemorytype, to: sys::CUmemorytype) -> sys::CUDA_MEMCPY3D {
    let mut copy = std::mem::MaybeUninit::<sys::CUDA_MEMCPY3D>::zeroed();
    // SAFETY: the kinds are set, and of all other fields zero is a value.
    unsafe {
        (&raw mut (*copy.as_mut_ptr()).srcMemoryType).write(from);
        (&raw mut (*copy.as_mut_ptr()).dstMemoryType).write(to);
        copy.assume_init()
    }
}

pub fn resource(array: sys::CUarray) -> sys::CUDA_RESOURCE_DESC {
    let mut resource: sys::CUDA_RESOURCE_DESC = zeroed();
    resource.res.array.hArray = array;
    resource
}

/// (mode, linear filter, flags)
type How = (u32, bool, u32);
const WRAP: u32 = 0;
const CLAMP: u32 = 1;
const MIRROR: u32 = 2;
const BORDER: u32 = 3;
const INTEGERS: u32 = 1;
const NORMALISED: u32 = 2;

fn texture(resource: &sys::CUDA_RESOURCE_DESC, (mode, filters, flags): How) -> u64 {
    use sys::CUaddress_mode as Mode;
    use sys::CUfilter_mode as Filter;
    let modes = [
        Mode::CU_TR_ADDRESS_MODE_WRAP,
        Mode::CU_TR_ADDRESS_MODE_CLAMP,
        Mode::CU_TR_ADDRESS_MODE_MIRROR,
        Mode::CU_TR_ADDRESS_MODE_BORDER,
    ];
    let mut descriptor: sys::CUDA_TEXTURE_DESC = zeroed();
    descriptor.addressMode = [modes[mode as usize]; 3];
    descriptor.filterMode = if filters { Filter::CU_TR_FILTER_MODE_LINEAR } else { Filter::CU_TR_FILTER_MODE_POINT };
    descriptor.flags = flags;
    descriptor.borderColor = [0.25, 0.5, 0.75, 1.0];
    made!(cuTexObjectCreate(resource, &descriptor, null()))
}

pub const FLOAT: sys::CUarray_format = sys::CUarray_format::CU_AD_FORMAT_FLOAT;

/// The texels of a texture of 5 × 4 floats.
fn texels() -> Vec<f32> {
    (0..20).map(|at| (at * at % 23) as f32 - 3.5).collect()
}

/// The guide's formula, with weights of 8 bits behind the point, and of their product too, as a card has them.
fn expected(at: [f32; 2], (mode, filters, flags): How) -> f32 {
    let texels = texels();
    let texel = |x: i64, y: i64| {
        let mut index = [x, y];
        for (index, extent) in index.iter_mut().zip([5i64, 4]) {
            *index = match mode {
                CLAMP => (*index).clamp(0, extent - 1),
                WRAP => (*index % extent + extent) % extent,
                MIRROR => {
                    let period = (*index % (2 * extent) + 2 * extent) % (2 * extent);
                    if period < extent { period } else { 2 * extent - 1 - period }
                }
                _ if *index < 0 || *index >= extent => return 0.25,
                _ => *index,
            };
        }
        f64::from(texels[(index[1] * 5 + index[0]) as usize])
    };
    let scale = if flags & NORMALISED != 0 { [5.0, 4.0] } else { [1.0, 1.0] };
    let [x, y] = [f64::from(at[0]) * scale[0], f64::from(at[1]) * scale[1]];
    if !filters {
        return texel(x.floor() as i64, y.floor() as i64) as f32;
    }
    let (xb, yb) = (x - 0.5, y - 0.5);
    let (i, j) = (xb.floor() as i64, yb.floor() as i64);
    let weight = |b: f64| ((b - b.floor()) * 256.0).round();
    let (a, b) = (weight(xb), weight(yb));
    let both = (a * b / 256.0 + 0.5).floor();
    let mixed = (256.0 - a - b + both) * texel(i, j)
        + (a - both) * texel(i + 1, j)
        + (b - both) * texel(i, j + 1)
        + both * texel(i + 1, j + 1);
    (mixed / 256.0) as f32
}

#[test]
fn fetches_follow_the_programming_guide() {
    let _context = context();
    let resource = resource(array([5, 4, 0], FLOAT, 1, 0, &texels()));
    let function = kernel(FETCH_2D);
    let points: Vec<[f32; 3]> =
        (0..64).map(|at| [at as f32 * 0.171 - 2.3, (at * 7 % 64) as f32 * 0.123 - 1.9, 0.0]).collect();
    for filters in [false, true] {
        for (mode, flags) in [
            (CLAMP, 0),
            (BORDER, 0),
            (CLAMP, NORMALISED),
            (WRAP, NORMALISED),
            (MIRROR, NORMALISED),
            (BORDER, NORMALISED),
        ] {
            let how = (mode, filters, flags);
            let object = texture(&resource, how);
            let scale = if flags & NORMALISED != 0 { 0.2 } else { 1.0 };
            let points: Vec<[f32; 3]> = points.iter().map(|at| at.map(|value| value * scale)).collect();
            for (at, got) in points.iter().zip(fetched(function, object, &floats(&points))) {
                let (got, want) = (f32::from_bits(got[0]), expected([at[0], at[1]], how));
                assert!((got - want).abs() <= 1e-6 * want.abs().max(1.0), "{how:?} at {at:?}: {got}, not {want}");
            }
            ok!(cuTexObjectDestroy(object));
        }
    }
}

#[test]
fn elements_are_fractions_or_integers() {
    let _context = context();
    let values: Vec<u8> = vec![0, 51, 102, 255, 255, 128, 1, 2];
    let resource = resource(array([2, 1, 0], sys::CUarray_format::CU_AD_FORMAT_UNSIGNED_INT8, 4, 0, &values));
    let at = floats(&[[0.5, 0.5, 0.0], [1.5, 0.5, 0.0]]);
    let got = fetched(kernel(FETCH_2D), texture(&resource, (CLAMP, false, 0)), &at);
    assert_eq!(got[0].map(f32::from_bits), [0.0, 0.2, 0.4, 1.0]);
    let words = "tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%d1, {%f1, %f2}];";
    let got = fetched(kernel(words), texture(&resource, (CLAMP, false, INTEGERS)), &at);
    assert_eq!(got, [[0, 51, 102, 255], [255, 128, 1, 2]]);
    // A linear filter is taken, as FFmpeg's scale_cuda asks for it, and mixes nothing.
    let between = floats(&[[0.9, 0.5, 0.0], [1.1, 0.7, 0.0]]);
    let got = fetched(kernel(words), texture(&resource, (CLAMP, true, INTEGERS)), &between);
    assert_eq!(got, [[0, 51, 102, 255], [255, 128, 1, 2]]);
}

#[test]
fn plain_memory_is_fetched_by_index_and_is_0_outside() {
    let _context = context();
    let address = made!(cuMemAlloc_v2(16));
    ok!(cuMemcpyHtoD_v2(address, [10u32, 20, 30, 40].as_ptr().cast(), 16));
    let mut resource: sys::CUDA_RESOURCE_DESC = zeroed();
    resource.resType = sys::CUresourcetype::CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.devPtr = address;
    resource.res.linear.format = sys::CUarray_format::CU_AD_FORMAT_UNSIGNED_INT32;
    (resource.res.linear.numChannels, resource.res.linear.sizeInBytes) = (1, 16);
    let words = "tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%d1, {%r4}];";
    let rows: Vec<[u32; 4]> = [0, 3, 4, u32::MAX].map(|at| [at, 0, 0, 0]).to_vec();
    let got = fetched(kernel(words), texture(&resource, (CLAMP, false, INTEGERS)), &rows);
    assert_eq!(got.iter().map(|row| row[0]).collect::<Vec<_>>(), [10, 40, 0, 0]);
}

#[test]
fn three_dimensions_layers_gathers_and_sizes() {
    let _context = context();
    // Twice 2 × 2: the value of (x, y, z) is x + 10 y + 100 z.
    let values: Vec<f32> = (0..8).map(|at| (at % 2 + at / 2 % 2 * 10 + at / 4 * 100) as f32).collect();
    let solid = resource(array([2, 2, 2], FLOAT, 1, 0, &values));
    let three = "tex.3d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f2, %f3, %f3}]; mov.b32 %r0, %f4;";
    let got = fetched(kernel(three), texture(&solid, (CLAMP, true, 0)), &floats(&[[1.0, 1.0, 1.0], [1.5, 0.5, 1.25]]));
    assert_eq!(got.iter().map(|row| f32::from_bits(row[0])).collect::<Vec<_>>(), [55.5, 76.0]);
    let layered = resource(array([2, 2, 2], FLOAT, 1, 1, &values));
    let object = texture(&layered, (CLAMP, true, 0));
    let layers = "mov.b32 %r7, %f3; cvt.rzi.s32.f32 %r7, %f3;
        tex.a2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%r7, %f1, %f2, %f2}]; mov.b32 %r0, %f4;";
    let got = fetched(kernel(layers), object, &floats(&[[1.0, 1.0, 0.0], [1.0, 1.5, 1.0], [0.5, 0.5, 7.0]]));
    assert_eq!(got.iter().map(|row| f32::from_bits(row[0])).collect::<Vec<_>>(), [5.5, 110.5, 100.0]);
    let flat = resource(array([2, 2, 0], FLOAT, 1, 8, &values[..4]));
    let object = texture(&flat, (CLAMP, false, 0));
    let gather = "tld4.r.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f2}];
        mov.b32 %r0, %f4; mov.b32 %r1, %f5; mov.b32 %r2, %f6; mov.b32 %r3, %f7;";
    let got = fetched(kernel(gather), object, &floats(&[[1.0, 1.0, 0.0]]));
    assert_eq!(got[0].map(f32::from_bits), [10.0, 11.0, 1.0, 0.0]);
    let sizes = "txq.width.b32 %r0, [%d1]; txq.height.b32 %r1, [%d1];";
    let (result, got) = run(kernel(sizes), object, &[[0; 4]]);
    ok(result);
    assert_eq!(got[0][..2], [2, 2]);
}

#[test]
fn surfaces_are_written_by_bytes_and_bounded() {
    let _context = context();
    let resource = resource(array([4, 2, 0], sys::CUarray_format::CU_AD_FORMAT_UNSIGNED_INT32, 1, 2, &[7u32; 8]));
    let surface = made!(cuSurfObjectCreate(&resource));
    // x in bytes, y, the value: what is read again at the same place.
    let rows = [[0, 0, 100, 0], [12, 1, 101, 0], [16, 0, 102, 0], [4, 2, 103, 0]];
    let zero = "sust.b.2d.b32.zero [%d1, {%r4, %r5}], {%r6}; suld.b.2d.b32.zero {%r0}, [%d1, {%r4, %r5}];
        suld.b.2d.b32.clamp {%r1}, [%d1, {%r4, %r5}];";
    let got = fetched(kernel(zero), surface, &rows);
    assert_eq!(got.iter().map(|row| row[0]).collect::<Vec<_>>(), [100, 101, 0, 0]);
    assert_eq!(got.iter().map(|row| row[1]).collect::<Vec<_>>()[2..], [7, 7]);
    // Two elements at once, and of a texture's width.
    let pair = "suld.b.2d.v2.b32.trap {%r0, %r1}, [%d1, {%r4, %r5}]; suld.b.2d.b16.trap {%h1}, [%d1, {%r4, %r5}];
        cvt.u32.u16 %r2, %h1; suq.width.b32 %r3, [%d1];";
    let got = fetched(kernel(pair), surface, &[[8, 1, 0, 0]]);
    assert_eq!(got[0], [7, 101, 7, 4]);
    let trap = "suld.b.2d.b32.trap {%r0}, [%d1, {%r4, %r5}];";
    let (result, _) = run(kernel(trap), surface, &[[16, 0, 0, 0]]);
    assert_ne!(result, CUresult::CUDA_SUCCESS);
}

#[test]
fn what_is_no_texture_is_told() {
    let _context = context();
    let (result, _) = run(kernel(FETCH_2D), 0x1234, &floats(&[[0.0; 3]]));
    assert_eq!(result, CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE);
    let told = crate::text(result);
    assert!(told.contains("no texture or surface object"), "{told}");
}

/// Lines of arrays go to and fro by offsets in bytes, and end at the end of a row.
#[test]
fn lines_of_arrays() {
    let _context = context();
    let values: Vec<f32> = (0..20).map(|at| at as f32).collect();
    let from = array([20, 0, 0], FLOAT, 1, 0, &values);
    let to = array([5, 4, 0], FLOAT, 1, 0, &[0.0f32; 20]);
    let mut got = [0.0f32; 5];
    let device = made!(cuMemAlloc_v2(20));
    ok!(cuMemcpyAtoD_v2(device, from, 4 * 7, 20));
    ok!(cuMemcpyDtoA_v2(to, 4 * 5, device, 20));
    ok!(cuMemcpyAtoH_v2(got.as_mut_ptr().cast(), to, 4 * 5, 20));
    assert_eq!(got, [7.0, 8.0, 9.0, 10.0, 11.0]);
    ok!(cuMemcpyHtoA_v2(to, 4 * 10, [1.5f32, 2.5].as_ptr().cast(), 8));
    ok!(cuMemcpyAtoA_v2(to, 4 * 12, from, 4 * 17, 12));
    ok!(cuMemcpyAtoHAsync_v2(got.as_mut_ptr().cast(), to, 4 * 10, 20, null_mut()));
    ok!(cuStreamSynchronize(null_mut()));
    assert_eq!(got, [1.5, 2.5, 17.0, 18.0, 19.0]);
    let past =
        [call!(cuMemcpyAtoH_v2(got.as_mut_ptr().cast(), to, 4 * 3, 12)), call!(cuMemcpyDtoA_v2(to, 4 * 20, device, 4))];
    assert_eq!(past, [CUresult::CUDA_ERROR_INVALID_VALUE; 2]);
    ok!(cuArrayDestroy(from));
    ok!(cuArrayDestroy(to));
}

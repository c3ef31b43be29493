//! Mipmapped arrays, cubemaps, layers of both, views, and sRGB colours.
use crate::textures::{FLOAT, array, copy_3d, descriptor, floats, kernel, resource, run};
use crate::{context, ok, zeroed};
use cudarc::driver::sys::{self, CUresult};
use std::ptr::null;

const LAYERED: u32 = 1;
const CUBE: u32 = 4;
const SRGB: u32 = 0x10;
const SEAMLESS: u32 = 0x40;

/// A mipmapped array of floats, each level's by its number and place, and the handles of its levels.
fn mipmapped(
    extents: [usize; 3],
    flags: u32,
    levels: u32,
    value: impl Fn(usize, [usize; 3]) -> f32,
) -> (sys::CUmipmappedArray, Vec<sys::CUarray>) {
    let mut handles = Vec::new();
    let half = |extent: usize, level: usize| if extent == 0 { 0 } else { (extent >> level).max(1) };
    let made = made!(cuMipmappedArrayCreate(&descriptor(extents, FLOAT, 1, flags), levels));
    for level in 0..levels as usize {
        let handle = made!(cuMipmappedArrayGetLevel(made, level as u32));
        let [width, height, depth] = extents.map(|extent| half(extent, level));
        let depth = if flags & (LAYERED | CUBE) != 0 { extents[2] } else { depth };
        let (rows, slices) = (height.max(1), depth.max(1));
        let at = |index: usize| [index % width, index / width % rows, index / width / rows];
        let values: Vec<f32> = (0..width * rows * slices).map(|index| value(level, at(index))).collect();
        let mut copy = copy_3d(sys::CUmemorytype::CU_MEMORYTYPE_HOST, sys::CUmemorytype::CU_MEMORYTYPE_ARRAY);
        (copy.srcHost, copy.srcPitch, copy.srcHeight) = (values.as_ptr().cast(), 4 * width, rows);
        (copy.dstArray, copy.WidthInBytes, copy.Height, copy.Depth) = (handle, 4 * width, rows, slices);
        ok!(cuMemcpy3D_v2(&copy));
        handles.push(handle);
    }
    (made, handles)
}

/// The settings of a texture; all others are as for a texture that clamps and has normalised coordinates.
#[derive(Clone, Copy, Default)]
struct How {
    filters: bool,
    mixes_levels: bool,
    flags: u32,
    bias: f32,
    range: [f32; 2],
}

const NEAREST: How = How { filters: false, mixes_levels: false, flags: 0, bias: 0.0, range: [0.0, 16.0] };

fn described(how: How) -> sys::CUDA_TEXTURE_DESC {
    use sys::CUfilter_mode as Filter;
    let filter = |is_linear| if is_linear { Filter::CU_TR_FILTER_MODE_LINEAR } else { Filter::CU_TR_FILTER_MODE_POINT };
    let mut descriptor: sys::CUDA_TEXTURE_DESC = zeroed();
    descriptor.addressMode = [sys::CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP; 3];
    descriptor.filterMode = filter(how.filters);
    descriptor.mipmapFilterMode = filter(how.mixes_levels);
    descriptor.flags = how.flags | 2;
    descriptor.mipmapLevelBias = how.bias;
    [descriptor.minMipmapLevelClamp, descriptor.maxMipmapLevelClamp] = how.range;
    descriptor
}

fn texture(resource: &sys::CUDA_RESOURCE_DESC, how: How) -> u64 {
    made!(cuTexObjectCreate(resource, &described(how), null()))
}

fn resource_of(mipmapped: sys::CUmipmappedArray) -> sys::CUDA_RESOURCE_DESC {
    let mut resource: sys::CUDA_RESOURCE_DESC = zeroed();
    resource.resType = sys::CUresourcetype::CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    resource.res.mipmap.hMipmappedArray = mipmapped;
    resource
}

/// The first element of what a kernel fetches for each row.
fn fetched(body: &str, object: u64, at: &[[f32; 3]]) -> Vec<f32> {
    let (result, got) = run(kernel(&format!("{body} mov.b32 %r0, %f4;")), object, &floats(at));
    ok(result);
    got.iter().map(|row| f32::from_bits(row[0])).collect()
}

const LEVEL_2D: &str = "tex.level.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {0f3F000000, %f2}], %f1;";
const BASE_2D: &str = "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f2}];";
const CUBE_RAY: &str = "tex.cube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f2, %f3, %f3}];";

#[test]
fn levels_are_chosen_clamped_and_mixed() {
    let _context = context();
    let (made, _) = mipmapped([8, 4, 0], 0, 4, |level, _| 100.0 * level as f32);
    let resource = resource_of(made);
    let levels = |how, lods: [f32; 6]| fetched(LEVEL_2D, texture(&resource, how), &lods.map(|lod| [lod, 0.5, 0.0]));
    let lods = [-2.0, 0.25, 0.75, 1.5, 2.0, 9.0];
    assert_eq!(levels(NEAREST, lods), [0.0, 0.0, 100.0, 200.0, 200.0, 300.0]);
    let mixed = How { mixes_levels: true, ..NEAREST };
    assert_eq!(levels(mixed, lods), [0.0, 25.0, 75.0, 150.0, 200.0, 300.0]);
    assert_eq!(levels(How { filters: true, ..mixed }, lods), [0.0, 25.0, 75.0, 150.0, 200.0, 300.0]);
    // The bias comes before the range, which bounds a fetch without a level too.
    let bounded = How { bias: 0.5, range: [0.25, 2.5], ..mixed };
    assert_eq!(levels(bounded, lods), [25.0, 75.0, 125.0, 200.0, 250.0, 250.0]);
    assert_eq!(fetched(BASE_2D, texture(&resource, bounded), &[[0.5; 3]]), [25.0]);
    assert_eq!(fetched(BASE_2D, texture(&resource, mixed), &[[0.5; 3]]), [0.0]);
    // Two dimensions and two levels are filtered: places of each level by its own size.
    let (made, _) = mipmapped([2, 1, 0], 0, 2, |level, [x, ..]| [10.0 * x as f32, 40.0][level]);
    let object = texture(&resource_of(made), How { filters: true, ..mixed });
    assert_eq!(fetched(LEVEL_2D, object, &[[0.0, 0.5, 0.0], [0.5, 0.5, 0.0]]), [5.0, 22.5]);
}

#[test]
fn steps_to_the_neighbours_choose_the_level() {
    let _context = context();
    let (made, _) = mipmapped([8, 4, 0], 0, 4, |level, _| 100.0 * level as f32);
    let object = texture(&resource_of(made), How { mixes_levels: true, ..NEAREST });
    let grad = "tex.grad.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {0f3F000000, 0f3F000000}], {%f1, %f2}, {%f3, %f3};";
    // Two texels along x; two along y, of which there are four; four and a half texel the other way.
    let steps = [[0.25, 0.0, 0.0], [0.0, 0.5, 0.0], [0.5, 0.0, 0.0625], [0.0; 3]];
    assert_eq!(fetched(grad, object, &steps), [100.0, 100.0, 200.0, 0.0]);
    // Along one axis of a cube's face a ray that moves by 1 moves over half of it.
    let (cube, _) = mipmapped([8, 8, 6], CUBE, 4, |level, _| 100.0 * level as f32);
    let object = texture(&resource_of(cube), How { mixes_levels: true, ..NEAREST });
    let grad = "mov.b32 %f7, 0;
        tex.grad.cube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {0f3F800000, 0f00000000, 0f00000000, %f7}], {%f1, %f2, %f3, %f7}, {%f7, %f7, %f7, %f7};";
    assert_eq!(fetched(grad, object, &[[0.0, 0.5, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]), [100.0, 200.0, 0.0]);
}

#[test]
fn layers_and_solids_have_levels() {
    let _context = context();
    let value = |level: usize, [x, y, z]: [usize; 3]| (1000 * level + 100 * z + 10 * y + x) as f32;
    let (layers, handles) = mipmapped([4, 4, 3], LAYERED, 3, value);
    let object = texture(&resource_of(layers), NEAREST);
    let layer = "cvt.rzi.s32.f32 %r7, %f3;
        tex.level.a2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%r7, %f1, %f1, %f1}], %f2;";
    let at = [[0.9, 0.0, 1.0], [0.9, 1.0, 2.0], [0.9, 2.0, 1.0], [0.9, 0.0, 5.0]];
    assert_eq!(fetched(layer, object, &at), [133.0, 1211.0, 2100.0, 233.0]);
    // A level is an array by itself, with as many layers.
    let mut found = descriptor([0; 3], FLOAT, 1, 0);
    ok!(cuArray3DGetDescriptor_v2(&mut found, handles[1]));
    assert_eq!([found.Width, found.Height, found.Depth], [2, 2, 3]);
    let surface_value = surface_write(handles[2], "sust.b.a2d.b32.trap [%d1, {2, 0, 0, 0}], {%r4};");
    assert_eq!(fetched(layer, object, &[[0.5, 2.0, 2.0], [0.5, 2.0, 1.0]]), [surface_value, 2100.0]);
    let (solid, _) = mipmapped([4, 4, 4], 0, 3, value);
    let object = texture(&resource_of(solid), NEAREST);
    let solid = "tex.level.3d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f1, %f3, %f3}], %f2;";
    assert_eq!(fetched(solid, object, &[[0.9, 0.0, 0.5], [0.9, 1.0, 0.6], [0.9, 2.0, 0.9]]), [233.0, 1111.0, 2000.0]);
    let (line, _) = mipmapped([4, 0, 2], LAYERED, 2, value);
    let object = texture(&resource_of(line), NEAREST);
    let line = "cvt.rzi.s32.f32 %r7, %f3;
        tex.level.a1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%r7, %f1}], %f2;";
    assert_eq!(fetched(line, object, &[[0.9, 0.0, 1.0], [0.9, 1.0, 1.0]]), [103.0, 1101.0]);
}

/// Runs a store of `%r4` to an array's surface, and answers the value.
fn surface_write(array: sys::CUarray, store: &str) -> f32 {
    let surface = made!(cuSurfObjectCreate(&resource(array)));
    let value = 77.5f32;
    ok(run(kernel(store), surface, &[[value.to_bits(), 0, 0, 0]]).0);
    value
}

#[test]
fn rays_meet_the_faces_of_cubes() {
    let _context = context();
    // Two cubes of 2 × 2: cube, face, texel.
    let values: Vec<f32> = (0..48).map(|at| (at / 24 * 100 + at / 4 % 6 * 10 + at % 4) as f32).collect();
    let cube = resource(array([2, 2, 6], FLOAT, 1, CUBE, &values[..24]));
    let rays =
        [[2.0, 0.5, -0.5], [-2.0, 0.5, -0.5], [0.5, 2.0, 0.5], [0.5, -2.0, -0.5], [-0.5, -0.5, 2.0], [0.5, 0.5, -2.0]];
    assert_eq!(fetched(CUBE_RAY, texture(&cube, NEAREST), &rays), [1.0, 10.0, 23.0, 33.0, 42.0, 50.0]);
    let cubes = array([2, 2, 12], FLOAT, 1, CUBE | LAYERED, &values);
    let layer = "mov.u32 %r7, 1; tex.acube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%r7, %f1, %f2, %f3}];";
    assert_eq!(fetched(layer, texture(&resource(cubes), NEAREST), &rays)[2..4], [123.0, 133.0]);
    let written = surface_write(cubes, "sust.b.a2d.b32.trap [%d1, {8, 4, 1, 1}], {%r4};");
    assert_eq!(fetched(layer, texture(&resource(cubes), NEAREST), &[[0.5, 2.0, 0.5]]), [written]);
    // At the edge between +z and +x, and at a corner: within a face, and over its edge.
    let filtered = How { filters: true, ..NEAREST };
    let at = [[1.0, 0.5, 0.999_99], [0.999_99, 0.5, 1.0], [1.0, 0.999_99, 0.999_99]];
    assert_eq!(fetched(CUBE_RAY, texture(&cube, filtered), &at), [0.0, 41.0, 0.0]);
    let seamless = texture(&cube, How { flags: SEAMLESS, ..filtered });
    let corner = (0.0 + 41.0 + 23.0) / 3.0;
    for (got, want) in fetched(CUBE_RAY, seamless, &at).into_iter().zip([20.5, 20.5, corner]) {
        assert!((got - want).abs() < 0.25, "{got}, not {want}");
    }
}

#[test]
fn colours_are_linear_before_they_are_mixed() {
    let _context = context();
    let bytes: Vec<u8> = vec![0, 128, 255, 128, 255, 128, 255, 0];
    let colours = resource(array([2, 1, 0], sys::CUarray_format::CU_AD_FORMAT_UNSIGNED_INT8, 4, 0, &bytes));
    let elements = format!("{BASE_2D} mov.b32 %r0, %f4; mov.b32 %r1, %f5; mov.b32 %r2, %f6; mov.b32 %r3, %f7;");
    let fetch = |how: How, x: f32| {
        let (result, got) = run(kernel(&elements), texture(&colours, how), &floats(&[[x, 0.5, 0.0]]));
        ok(result);
        got[0].map(f32::from_bits)
    };
    let near = |got: [f32; 4], want: [f32; 4]| {
        assert!(got.iter().zip(want).all(|(got, want)| (got - want).abs() < 2e-3), "{got:?}, not {want:?}");
    };
    let srgb = How { flags: SRGB, ..NEAREST };
    // The fourth element is no colour.
    near(fetch(srgb, 0.25), [0.0, 0.2159, 1.0, 0.502]);
    near(fetch(How { filters: true, ..srgb }, 0.5), [0.5, 0.2159, 1.0, 0.251]);
    near(fetch(NEAREST, 0.25), [0.0, 0.502, 1.0, 0.502]);
}

#[test]
fn views_show_other_formats_levels_and_layers() {
    let _context = context();
    let value = |level: usize, [x, _, z]: [usize; 3]| (1000 * level + 100 * z + x) as f32;
    let (layers, _) = mipmapped([8, 8, 4], LAYERED, 4, value);
    let resource = resource_of(layers);
    let mut view: sys::CUDA_RESOURCE_VIEW_DESC = zeroed();
    view.format = sys::CUresourceViewFormat::CU_RES_VIEW_FORMAT_UINT_1X32;
    (view.width, view.height, view.depth) = (4, 4, 2);
    (view.firstMipmapLevel, view.lastMipmapLevel, view.firstLayer, view.lastLayer) = (1, 2, 2, 3);
    let mut shown = view;
    let mut object = made!(cuTexObjectCreate(&resource, &described(NEAREST), &view));
    ok!(cuTexObjectGetResourceViewDesc(&mut shown, object));
    assert_eq!((shown.width, shown.firstLayer, shown.lastMipmapLevel), (4, 2, 2));
    let layer = "cvt.rzi.s32.f32 %r7, %f3;
        tex.level.a2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%d1, {%r7, %f1, %f1, %f1}], %f2;";
    let got =
        crate::textures::fetched(kernel(layer), object, &floats(&[[0.9, 0.0, 0.0], [0.9, 1.0, 1.0], [0.9, 5.0, 9.0]]));
    assert_eq!(got.iter().map(|row| f32::from_bits(row[0])).collect::<Vec<_>>(), [1203.0, 2301.0, 2301.0]);
    view.format = sys::CUresourceViewFormat::CU_RES_VIEW_FORMAT_UINT_1X16;
    let refused = call!(cuTexObjectCreate(&mut object, &resource, &described(NEAREST), &view));
    assert_eq!(refused, CUresult::CUDA_ERROR_INVALID_VALUE, "texels of another size");
}

#[test]
fn levels_live_as_long_as_their_array() {
    let _context = context();
    let (made, levels) = mipmapped([4, 2, 0], 0, 3, |level, _| level as f32);
    let unnormalised = sys::CUDA_TEXTURE_DESC { flags: 0, ..described(NEAREST) };
    let mut object = 0;
    let mut other = made!(cuMipmappedArrayGetLevel(made, 1));
    assert_eq!(other, levels[1], "the same each time");
    assert_eq!(call!(cuMipmappedArrayGetLevel(&mut other, made, 3)), CUresult::CUDA_ERROR_INVALID_VALUE);
    assert_ne!(call!(cuArrayDestroy(levels[1])), CUresult::CUDA_SUCCESS);
    let refused = call!(cuTexObjectCreate(&mut object, &resource_of(made), &unnormalised, null()));
    assert_eq!(refused, CUresult::CUDA_ERROR_INVALID_VALUE, "coordinates in texels");
    ok!(cuMipmappedArrayDestroy(made));
    assert_ne!(call!(cuMipmappedArrayGetLevel(&mut other, made, 0)), CUresult::CUDA_SUCCESS);
    // Down to one texel there are three levels; a cube has six square faces.
    let most = made!(cuMipmappedArrayCreate(&descriptor([4, 2, 0], FLOAT, 1, 0), 9));
    assert_eq!(call!(cuMipmappedArrayGetLevel(&mut other, most, 3)), CUresult::CUDA_ERROR_INVALID_VALUE);
    for (extents, flags) in [([4, 2, 6], CUBE), ([4, 4, 5], CUBE), ([4, 4, 8], CUBE | LAYERED), ([4, 4, 0], LAYERED)] {
        let refused = call!(cuArray3DCreate_v2(&mut other, &descriptor(extents, FLOAT, 1, flags)));
        assert_eq!(refused, CUresult::CUDA_ERROR_INVALID_VALUE, "{extents:?}");
    }
}

#[test]
fn all_texels_are_resident() {
    let _context = context();
    let resource = resource(array([2, 1, 0], FLOAT, 1, 0, &[3.0f32, 4.0]));
    let body =
        ".reg .pred %p<2>; tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}|%p1, [%d1, {%f1, %f2}]; selp.u32 %r0, 1, 0, %p1;
        mov.b32 %r1, %f4; txq.num_mipmap_levels.b32 %r2, [%d1];";
    let got = crate::textures::fetched(kernel(body), texture(&resource, NEAREST), &floats(&[[0.9, 0.5, 0.0]]));
    assert_eq!(got[0][..3], [1, 4f32.to_bits(), 1]);
}

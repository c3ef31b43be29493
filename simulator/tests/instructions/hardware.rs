//! A test file on the device that `libcuda.so` answers for.
use crate::case::Case;
use crate::map::Map;
use cudarc::driver::{CudaContext, DevicePtr, DeviceRepr, DriverError, LaunchConfig, PushKernelArg, sys};

/// A tensor map as a kernel takes it.
#[repr(C, align(64))]
struct Packed([u8; 128]);

// SAFETY: plain bytes.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for Packed {}

#[allow(unsafe_code)]
fn encode(map: &Map, address: u64) -> Result<Packed, DriverError> {
    let mut packed = Packed([0; 128]);
    let small = |values: &[u64]| values.iter().map(|&value| value as u32).collect::<Vec<u32>>();
    let (boxes, steps) = (small(&map.boxes), small(&map.steps));
    // SAFETY: the arrays have as many elements as the map has dimensions; the numbers are those of the interface's enums,
    // which `Map::parse` and the driver check.
    unsafe {
        sys::cuTensorMapEncodeTiled(
            (&raw mut packed).cast(),
            std::mem::transmute::<u32, sys::CUtensorMapDataType>(map.element),
            map.dims.len() as u32,
            address as *mut _,
            map.dims.as_ptr(),
            map.strides.as_ptr(),
            boxes.as_ptr(),
            steps.as_ptr(),
            sys::CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
            std::mem::transmute::<u32, sys::CUtensorMapSwizzle>(map.swizzle),
            sys::CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_NONE,
            std::mem::transmute::<u32, sys::CUtensorMapFloatOOBfill>(map.fill),
        )
        .result()?;
    }
    Ok(packed)
}

/// The output of the kernel `test`; `None` where the device is older than the file's target.
pub fn run(text: &str, case: &Case) -> Result<Option<Vec<u8>>, String> {
    let context = CudaContext::new(0).map_err(|error| error.to_string())?;
    let attribute = |attribute| context.attribute(attribute).map_err(|error| error.to_string());
    let major = attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    if case.target as i32 > 10 * major + minor {
        return Ok(None);
    }
    let run = || -> Result<Vec<u8>, DriverError> {
        let module = context.load_module(cudarc::nvrtc::Ptx::from_src(text))?;
        let kernel = module.load_function("test")?;
        let stream = context.default_stream();
        let input = stream.clone_htod(&case.input())?;
        let mut output = stream.clone_htod(&vec![0xa5u8; case.output_bytes()])?;
        let shape = LaunchConfig { grid_dim: (case.grid, 1, 1), block_dim: (case.block, 1, 1), shared_mem_bytes: 0 };
        let maps = case.maps.iter().map(|map| {
            let address = if map.of_output { output.device_ptr(&stream).0 } else { input.device_ptr(&stream).0 };
            encode(map, address)
        });
        let maps: Vec<Packed> = maps.collect::<Result<_, _>>()?;
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&input).arg(&mut output);
        for map in &maps {
            launch.arg(map);
        }
        // SAFETY: the kernel `test` takes two pointers and stays inside the rows of its block's threads.
        #[allow(unsafe_code)]
        unsafe {
            launch.launch(shape)?;
        }
        stream.clone_dtoh(&output)
    };
    run().map(Some).map_err(|error| error.to_string())
}

//! A test file on the device that `libcuda.so` answers for.
use crate::case::Case;
use cudarc::driver::{CudaContext, DriverError, LaunchConfig, PushKernelArg, sys};

/// What the kernel `test` leaves in its output; `None` where the device is older than the file's target.
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
        let shape = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (case.block, 1, 1), shared_mem_bytes: 0 };
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&input).arg(&mut output);
        // SAFETY: the kernel `test` takes two pointers and stays inside the rows of its block's threads.
        #[allow(unsafe_code)]
        unsafe {
            launch.launch(shape)?;
        }
        stream.clone_dtoh(&output)
    };
    run().map(Some).map_err(|error| error.to_string())
}

//! Kernels on the device that the machine's `libcuda.so` answers for.
use crate::kernel::Launch;
use cudarc::driver::{CudaContext, CudaModule, DriverError, LaunchConfig, PushKernelArg};
use std::sync::Arc;

pub struct Card {
    context: Arc<CudaContext>,
}

impl Card {
    /// # Errors
    /// No driver, or no device.
    pub fn new() -> Result<Card, String> {
        Ok(Card { context: CudaContext::new(0).map_err(|error| error.to_string())? })
    }

    pub fn name(&self) -> String {
        self.context.name().unwrap_or_default()
    }

    /// Gives PTX to the driver's own compiler.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn load(&self, text: &str) -> Result<Arc<CudaModule>, String> {
        self.context.bind_to_thread().map_err(|error| error.to_string())?;
        self.context.load_module(cudarc::nvrtc::Ptx::from_src(text)).map_err(|error| format!("refused: {error}"))
    }

    /// What the kernel of that name leaves.
    ///
    /// # Errors
    /// The driver's.
    pub fn run(&self, module: &Arc<CudaModule>, name: &str, launch: &Launch) -> Result<Vec<u64>, String> {
        let run = || -> Result<Vec<u64>, DriverError> {
            let kernel = module.load_function(name)?;
            let stream = self.context.default_stream();
            let input = stream.clone_htod(&launch.input)?;
            let mut output = stream.alloc_zeros::<u64>(launch.output_words)?;
            let shape = LaunchConfig {
                grid_dim: (launch.blocks, 1, 1),
                block_dim: (launch.threads, 1, 1),
                shared_mem_bytes: 0,
            };
            let mut builder = stream.launch_builder(&kernel);
            builder.arg(&input).arg(&mut output);
            // SAFETY: every generated kernel takes two pointers and stays inside the words of its threads.
            #[allow(unsafe_code)]
            unsafe {
                builder.launch(shape)?;
            }
            stream.clone_dtoh(&output)
        };
        run().map_err(|error| error.to_string())
    }
}

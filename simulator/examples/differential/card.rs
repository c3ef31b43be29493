//! Kernels on the device that the machine's `libcuda.so` answers for.
use crate::kernel::Launch;
use cudarc::driver::{CudaContext, CudaModule, DriverError, LaunchConfig, PushKernelArg, sys};
use cudarc::nvrtc::Ptx;
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
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
    /// The driver's message if it refuses the text.
    pub fn load(&self, text: &str) -> Result<Arc<CudaModule>, String> {
        self.context.bind_to_thread().map_err(|error| error.to_string())?;
        self.context.load_module(Ptx::from_src(text)).map_err(|error| format!("refused: {error}"))
    }

    /// As [`load`](Self::load), with the compiler's optimisations switched off.
    ///
    /// # Errors
    /// The driver's message if it refuses the text.
    pub fn load_plain(&self, text: &str) -> Result<Arc<CudaModule>, String> {
        self.context.bind_to_thread().map_err(|error| error.to_string())?;
        let image = plain_image(text).map_err(|error| format!("refused: {error}"))?;
        self.context.load_module(Ptx::from_binary(image)).map_err(|error| format!("refused: {error}"))
    }

    /// The results of the kernel of that name.
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

/// Machine code of PTX as it stands: made by the driver's linker, which takes the level of optimisation as an option.
#[allow(unsafe_code)]
fn plain_image(text: &str) -> Result<Vec<u8>, DriverError> {
    let text = CString::new(text).unwrap_or_default();
    let mut options = [sys::CUjit_option::CU_JIT_OPTIMIZATION_LEVEL];
    // An option's value stands in the pointer's place.
    let mut values = [null_mut::<c_void>()];
    let (mut link, mut image, mut bytes) = (null_mut(), null_mut(), 0);
    let kind = sys::CUjitInputType::CU_JIT_INPUT_PTX;
    // SAFETY: one option with its value, a text that ends in NUL, places for results; the image lives as long as the link.
    unsafe {
        sys::cuLinkCreate_v2(1, options.as_mut_ptr(), values.as_mut_ptr(), &mut link).result()?;
        let made = sys::cuLinkAddData_v2(
            link,
            kind,
            text.as_ptr().cast_mut().cast(),
            text.as_bytes_with_nul().len(),
            null(),
            0,
            null_mut(),
            null_mut(),
        )
        .result()
        .and_then(|()| sys::cuLinkComplete(link, &mut image, &mut bytes).result())
        .map(|()| std::slice::from_raw_parts(image.cast::<u8>(), bytes).to_vec());
        sys::cuLinkDestroy(link).result()?;
        made
    }
}

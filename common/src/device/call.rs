//! A kernel's call: its arguments with their sizes, compared with the kernel's parameters ahead of the launch. A driver reads as many
//! arguments as the kernel has parameters; where the kernel has more than the call, it would read memory that belongs to neither.

use crate::element::Element;
use crate::error::{Family, LabError};
use anyhow::Context;
use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{
    CudaFunction, CudaModule, CudaSlice, CudaStream, CudaView, DriverError, LaunchArgs, LaunchConfig, PushKernelArg,
};
use std::ops::Deref;
use std::sync::Arc;

/// A kernel of a module, with the file that it was written in.
#[derive(Clone, Debug)]
pub struct Function {
    function: CudaFunction,
    symbol: String,
    path: &'static str,
}

impl Function {
    /// Finds `symbol` in the module that was made of `source`.
    ///
    /// # Errors
    /// No such kernel there: the error says which there are.
    pub fn find(module: &Arc<CudaModule>, source: &kernels::Source, symbol: &str) -> anyhow::Result<Self> {
        let found = module.load_function(symbol);
        if let Err(DriverError(CUresult::CUDA_ERROR_NOT_FOUND)) = found {
            return Err(crate::kernel_text::no_such_kernel(source, symbol).into());
        }
        let function = found.with_context(|| format!("finding the kernel {symbol} in {}", source.path))?;
        Ok(Function { function, symbol: symbol.to_owned(), path: source.path })
    }

    /// The sizes of its parameters, in bytes.
    #[allow(unsafe_code)]
    fn parameters(&self) -> Vec<usize> {
        let size = |index| {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: the function is loaded, and both places are this frame's.
            let result = unsafe { sys::cuFuncGetParamInfo(self.function.cu_function(), index, &mut offset, &mut size) };
            (result == CUresult::CUDA_SUCCESS).then_some(size)
        };
        (0..).map_while(size).collect()
    }
}

impl Deref for Function {
    type Target = CudaFunction;

    fn deref(&self) -> &CudaFunction {
        &self.function
    }
}

/// A value that a kernel can be given.
pub trait Argument {
    /// Its size as a parameter, in bytes.
    const BYTES: usize;
}

/// The size of an address on a device.
const ADDRESS: usize = 8;

impl<T> Argument for &CudaSlice<T> {
    const BYTES: usize = ADDRESS;
}

impl<T> Argument for &mut CudaSlice<T> {
    const BYTES: usize = ADDRESS;
}

impl<T> Argument for &CudaView<'_, T> {
    const BYTES: usize = ADDRESS;
}

impl<T: Element> Argument for &T {
    const BYTES: usize = size_of::<T>();
}

/// Addresses and whole numbers.
macro_rules! numbers {
    ($($number:ty),*) => { $(impl Argument for &$number { const BYTES: usize = size_of::<$number>(); })* };
}
numbers!(i32, u32, i64, u64);

/// A kernel with the arguments of one launch.
#[derive(Debug)]
pub struct Call<'a> {
    function: &'a Function,
    arguments: LaunchArgs<'a>,
    sizes: Vec<usize>,
}

impl<'a> Call<'a> {
    /// A call on `stream`, without arguments yet.
    pub fn new(stream: &'a CudaStream, function: &'a Function) -> Self {
        Call { function, arguments: stream.launch_builder(function), sizes: Vec::new() }
    }

    /// Adds the next argument.
    pub fn arg<A: Argument>(&mut self, argument: A) -> &mut Self
    where
        LaunchArgs<'a>: PushKernelArg<A>,
    {
        self.arguments.arg(argument);
        self.sizes.push(A::BYTES);
        self
    }

    /// The kernel's symbol.
    pub fn symbol(&self) -> &'a str {
        &self.function.symbol
    }

    /// Launches the kernel.
    ///
    /// # Errors
    /// A kernel that takes other parameters, of the kernel's family; and the driver's.
    ///
    /// # Safety
    /// The arguments are of the types that the kernel takes, and it stays inside of them.
    #[allow(unsafe_code)]
    pub unsafe fn launch(&mut self, config: LaunchConfig) -> anyhow::Result<()> {
        self.fits()?;
        // SAFETY: as many arguments as parameters, each of its size; the rest is the caller's promise.
        unsafe { self.arguments.launch(config) }?;
        Ok(())
    }

    /// Launches it cooperatively.
    ///
    /// # Errors
    /// As of [`Call::launch`].
    ///
    /// # Safety
    /// As of [`Call::launch`], and all blocks of the grid fit on the device at once.
    #[allow(unsafe_code)]
    pub unsafe fn launch_cooperative(&mut self, config: LaunchConfig) -> anyhow::Result<()> {
        self.fits()?;
        // SAFETY: as above.
        unsafe { self.arguments.launch_cooperative(config) }?;
        Ok(())
    }

    /// Refuses a kernel that takes other parameters than it is given.
    fn fits(&self) -> anyhow::Result<()> {
        let takes = self.function.parameters();
        match takes == self.sizes {
            true => Ok(()),
            false => Err(other_parameters(self.function.path, &self.function.symbol, &takes, &self.sizes).into()),
        }
    }
}

fn other_parameters(path: &str, symbol: &str, takes: &[usize], given: &[usize]) -> LabError {
    let first = takes.iter().zip(given).position(|(takes, given)| takes != given);
    let what = match (first, takes.len().cmp(&given.len())) {
        (Some(at), _) => format!(
            "parameter {} has {} bytes, and is given {} (an address and a long long have 8 bytes, an int has 4)",
            at + 1,
            takes[at],
            given[at]
        ),
        (None, std::cmp::Ordering::Greater) => format!("nothing is given for number {}", given.len() + 1),
        (None, _) => format!("there is none for value {}", takes.len() + 1),
    };
    let (takes, given) = (takes.len(), given.len());
    let plural = if takes == 1 { "" } else { "s" };
    let message = format!("{path}: `{symbol}` takes {takes} parameter{plural}, and is launched with {given}: {what}");
    LabError::new(
        Family::YourKernel,
        message,
        format!("give it the parameters that it was handed out with (git diff {path})"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(takes: &[usize], given: &[usize]) -> String {
        other_parameters("kernels/first/2_guard.cu", "guard_f32", takes, given).message
    }

    #[test]
    fn a_difference_is_told_by_its_first_place() {
        let head = "kernels/first/2_guard.cu: `guard_f32` takes";
        assert_eq!(
            told(&[8, 8, 4, 4], &[8, 8, 4]),
            format!("{head} 4 parameters, and is launched with 3: nothing is given for number 4")
        );
        assert_eq!(
            told(&[8, 8], &[8, 8, 4]),
            format!("{head} 2 parameters, and is launched with 3: there is none for value 3")
        );
        assert!(told(&[8, 8, 8], &[8, 8, 4]).contains("parameter 3 has 8 bytes, and is given 4"));
        assert!(told(&[4, 8, 8, 4], &[8, 8, 4]).contains("parameter 1 has 4 bytes, and is given 8"));
    }
}

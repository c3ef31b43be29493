//! The resources that a kernel takes of a multiprocessor, as the assembler says ("ptxas info"): registers, shared, constant and local
//! memory, spills. NVRTC assembles for any architecture it knows, so this needs no GPU.

use std::fmt;
use std::str::FromStr;

use crate::architecture::Architecture;
use crate::compiler;
use crate::error::KernelError;
use crate::image::Origin;
use crate::nvrtc::Nvrtc;
use crate::source::Source;

/// The resources of one kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resources {
    /// The kernel's name, `shared_f32_32`.
    pub kernel: String,
    /// The architecture that it was assembled for, `sm_86`.
    pub architecture: String,
    /// Registers per thread, of 32 bits.
    pub registers: u32,
    /// Static shared memory per block.
    pub shared_bytes: u32,
    /// Constant memory, of which bank 0 holds the parameters and what the driver puts before them.
    pub constant_bytes: u32,
    /// Local memory (the stack frame) per thread.
    pub local_bytes: u32,
    /// Bytes of registers that were written to local memory for want of registers.
    pub spill_store_bytes: u32,
    /// Bytes read back from there.
    pub spill_load_bytes: u32,
}

impl fmt::Display for Resources {
    /// `sm_86 shared_f32_32: 38 registers, 8192 shared, 372 constant, 0 local, 0 spill stores, 0 spill loads`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, architecture, registers, shared_bytes, constant_bytes, local_bytes, .. } = self;
        let (stores, loads) = (self.spill_store_bytes, self.spill_load_bytes);
        write!(
            f,
            "{architecture} {kernel}: {registers} registers, {shared_bytes} shared, {constant_bytes} constant, "
        )?;
        write!(f, "{local_bytes} local, {stores} spill stores, {loads} spill loads")
    }
}

impl FromStr for Resources {
    type Err = String;

    /// Reads what `Display` writes.
    fn from_str(line: &str) -> Result<Self, String> {
        let read = || {
            let (names, numbers) = line.split_once(": ")?;
            let (architecture, kernel) = names.split_once(' ')?;
            let mut numbers = numbers.split(", ").map(|part| part.split(' ').next()?.parse::<u32>().ok());
            let mut next = || numbers.next().flatten();
            Some(Self {
                kernel: kernel.to_owned(),
                architecture: architecture.to_owned(),
                registers: next()?,
                shared_bytes: next()?,
                constant_bytes: next()?,
                local_bytes: next()?,
                spill_store_bytes: next()?,
                spill_load_bytes: next()?,
            })
        };
        read().ok_or_else(|| format!("not a kernel's resources: `{line}`"))
    }
}

/// Has the kernels assembled for `device`.
pub(crate) fn assemble(nvrtc: &Nvrtc, source: &Source, device: Architecture) -> Result<Vec<Resources>, KernelError> {
    let lowest = *nvrtc.architectures.first().unwrap_or(&0);
    let device = Architecture { number: device.number.max(lowest), ..device };
    let image = compiler::cubin(nvrtc, source, device, &["--ptxas-options=-v".to_owned()])?;
    match image.origin() {
        Origin::Compiled { architecture, .. } if image.ptx().is_none() => Ok(parse(image.log(), architecture)),
        _ => Err(compiler::unsupported(nvrtc, source, device)),
    }
}

/// Reads the assembler's log. Per kernel it says, in this order:
/// ```text
/// ptxas info    : Compiling entry function 'naive_f32' for 'sm_50'
/// ptxas info    : Function properties for naive_f32
/// ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
/// ptxas info    : Used 32 registers, used 1 barriers, 16384 bytes smem, 356 bytes cmem[0]
/// ```
fn parse(log: &str, architecture: &str) -> Vec<Resources> {
    let mut found: Vec<Resources> = Vec::new();
    for line in log.lines() {
        if let Some(rest) = line.split("Compiling entry function '").nth(1) {
            found.push(Resources {
                kernel: rest.split('\'').next().unwrap_or_default().to_owned(),
                architecture: architecture.to_owned(),
                ..Resources::default()
            });
        } else if let Some(kernel) = found.last_mut() {
            // Device functions that were not inlined have a stack frame of their own, before the next "Used" line.
            kernel.local_bytes += number_before(line, " bytes stack frame");
            kernel.spill_store_bytes += number_before(line, " bytes spill stores");
            kernel.spill_load_bytes += number_before(line, " bytes spill loads");
            kernel.registers += number_before(line, " registers");
            kernel.shared_bytes += number_before(line, " bytes smem");
            kernel.constant_bytes += line
                .split(", ")
                .filter(|part| part.contains(" bytes cmem["))
                .map(|part| number_before(part, " bytes cmem["))
                .sum::<u32>();
        }
    }
    found.sort_by(|a, b| a.kernel.cmp(&b.kernel));
    found
}

/// The number that stands right before `unit`, 0 if `unit` does not occur.
fn number_before(line: &str, unit: &str) -> u32 {
    let Some((before, _)) = line.split_once(unit) else { return 0 };
    before.rsplit(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From NVRTC 12.9, of a kernel with a local array, and one with constants.
    const LOG: &str = include_str!("resources.txt");

    #[test]
    fn the_log_is_read() {
        let found = parse(LOG, "sm_50");
        let [local, shared] = &found[..] else { panic!("{found:?}") };
        assert_eq!((shared.kernel.as_str(), shared.registers, shared.shared_bytes), ("shared_f64_32", 32, 16384));
        assert_eq!((shared.constant_bytes, shared.local_bytes), (356, 0));
        assert_eq!((local.registers, local.local_bytes, local.constant_bytes), (18, 48, 356));
        assert_eq!((local.spill_store_bytes, local.spill_load_bytes), (44, 52));
    }

    #[test]
    fn what_is_written_is_read() {
        for kernel in parse(LOG, "sm_90a") {
            assert_eq!(kernel.to_string().parse(), Ok(kernel));
        }
        assert!("sm_50 naive_f32: 32 registers".parse::<Resources>().is_err());
    }
}

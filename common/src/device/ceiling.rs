//! The most that a card can do: the arithmetic peak that follows from its attributes.
//!
//! Two fused multiply-add operations' worth of flop per core and clock, `2 · cores · clock`, is the roof that no kernel passes. Most kernels
//! that read more than they compute stay far below it; their roof is the memory's, which the labs measure in the same run.

use crate::device::{self, Device};
use crate::element::Dtype;
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use serde::{Deserialize, Serialize};

/// The arithmetic units of a card and their clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArithmeticPeak {
    /// Multiprocessors of the card.
    pub multiprocessors: usize,
    /// fp32 lanes of one multiprocessor: fused multiply-adds per clock.
    pub cores_per_multiprocessor: usize,
    /// Highest clock of the multiprocessors, in Hz.
    pub clock_hz: f64,
    /// How many times slower f64 is than f32; `None` where the driver does not say.
    pub double_ratio: Option<usize>,
}

impl ArithmeticPeak {
    /// The peak of the open device; `None` for an architecture whose number of lanes is not known here. Errors: the driver's.
    pub fn of(device: &Device) -> anyhow::Result<Option<Self>> {
        let attribute = |which| -> anyhow::Result<usize> { Ok(device.context.attribute(which)?.try_into()?) };
        let (major, minor) = device.context.compute_capability()?;
        let Some(cores_per_multiprocessor) = cores_per_multiprocessor(major, minor) else {
            return Ok(None);
        };
        let ratio = attribute(Attribute::CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO);
        Ok(Some(ArithmeticPeak {
            multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            cores_per_multiprocessor,
            clock_hz: attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)? as f64 * 1e3,
            double_ratio: ratio.ok().filter(|&ratio| ratio > 0),
        }))
    }

    /// Floating-point operations per second at most in this type.
    pub fn flops_per_s(&self, dtype: Dtype) -> Option<f64> {
        let ratio = match dtype {
            Dtype::F32 => 1,
            Dtype::F64 => self.double_ratio?,
        };
        let cores = (self.multiprocessors * self.cores_per_multiprocessor) as f64;
        Some(2.0 * cores * self.clock_hz / ratio as f64)
    }
}

/// The limits of every kernel of a card: 10⁹ floating-point operations per second, 10⁹ bytes per second. By the card's attributes;
/// `None` where they do not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Roof {
    /// Arithmetic peak in f32.
    pub f32_gflops: Option<f64>,
    /// Arithmetic peak in f64.
    pub f64_gflops: Option<f64>,
    /// Between the card's memory and L2: bus width times memory clock, both edges of it.
    pub memory_gbytes_per_s: Option<f64>,
    /// Between L2 and the multiprocessors: the simulated card's; no driver tells a GPU's.
    pub l2_gbytes_per_s: Option<f64>,
    /// Multiprocessors of the card.
    pub multiprocessors: Option<u32>,
}

impl Roof {
    /// The roof of the open device. Errors: the driver's.
    pub fn of(device: &Device) -> anyhow::Result<Self> {
        let attribute = |which| device.context.attribute(which).ok().filter(|&value| value > 0).map(f64::from);
        let peak = ArithmeticPeak::of(device)?;
        let gflops = |dtype| Some(peak?.flops_per_s(dtype)? / 1e9);
        let memory_clock_khz = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
        let bus_bits = attribute(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
        let profile = match &device.facts.profile {
            Some(key) => device::profiles()?.into_iter().find(|card| card.key == *key),
            None => None,
        };
        Ok(Roof {
            f32_gflops: gflops(Dtype::F32),
            f64_gflops: gflops(Dtype::F64),
            memory_gbytes_per_s: memory_clock_khz.zip(bus_bits).map(|(khz, bits)| khz * 1e3 * 2.0 * bits / 8.0 / 1e9),
            l2_gbytes_per_s: profile.map(|card| f64::from(card.l2_bytes_per_clock) * card.clock_hz / 1e9),
            multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT).map(|count| count as u32),
        })
    }
}

/// fp32 lanes of a multiprocessor: "results per clock cycle" of 32-bit multiply-add, CUDA C++ Programming Guide, arithmetic instructions.
fn cores_per_multiprocessor(major: i32, minor: i32) -> Option<usize> {
    Some(match (major, minor) {
        (2, 0) => 32,
        (2, 1) => 48,
        (3, _) => 192,
        (6, 0) | (7, _) | (8, 0) => 64,
        (5 | 6 | 8..=12, _) => 128,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_of_known_cards() {
        // Published: Tesla P100 SXM2 10.6 / 5.3 TFLOP/s, H200 66.9 TFLOP/s in fp32.
        let p100 = ArithmeticPeak {
            multiprocessors: 56,
            cores_per_multiprocessor: cores_per_multiprocessor(6, 0).unwrap(),
            clock_hz: 1.48e9,
            double_ratio: Some(2),
        };
        let tera = |dtype| p100.flops_per_s(dtype).unwrap() / 1e12;
        assert!((tera(Dtype::F32) - 10.6).abs() < 0.05, "{}", tera(Dtype::F32));
        assert!((tera(Dtype::F64) - 5.3).abs() < 0.05);
        let h200 = ArithmeticPeak {
            multiprocessors: 132,
            cores_per_multiprocessor: cores_per_multiprocessor(9, 0).unwrap(),
            clock_hz: 1.98e9,
            double_ratio: None,
        };
        assert!((h200.flops_per_s(Dtype::F32).unwrap() / 1e12 - 66.9).abs() < 0.05);
        assert_eq!(h200.flops_per_s(Dtype::F64), None);
        assert_eq!(cores_per_multiprocessor(99, 0), None);
    }
}

//! Tensor maps that a test file asks for, one more parameter of its kernel each.
//!
//! ```text
//! // map: in s32 dims 16 8 strides 64 box 8 4 steps 1 1 swizzle 1 fill 0
//! ```
//!
//! A map belongs to the input or the output and has the arguments of `cuTensorMapEncodeTiled`: elements and boxes of each dimension, the
//! innermost first, bytes between those of dimension 1 and up; steps are 1, swizzle and fill 0 where they are left out.
use simulator::tensor::{Element, MAP_BYTES, MOST_DIMENSIONS, Swizzle, TensorMap};

/// A tensor map as a file describes it.
#[derive(Clone, Debug)]
pub struct Map {
    pub of_output: bool,
    /// Number of `CUtensorMapDataType`.
    pub element: u32,
    pub dims: Vec<u64>,
    pub strides: Vec<u64>,
    pub boxes: Vec<u64>,
    pub steps: Vec<u64>,
    pub swizzle: u32,
    pub fill: u32,
}

const ELEMENTS: [&str; 13] =
    ["u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz"];

impl Map {
    /// Reads a note.
    pub fn parse(text: &str) -> Result<Map, String> {
        let mut words = text.split_whitespace().peekable();
        let of_output = match words.next() {
            Some("in") => false,
            Some("out") => true,
            other => return Err(format!("a map of {other:?}?")),
        };
        let named = words.next().and_then(|name| ELEMENTS.iter().position(|&known| known == name));
        let element = named.ok_or("a map of what type?")? as u32;
        let (swizzle, fill) = (0, 0);
        let (dims, strides, boxes, steps) = Default::default();
        let mut map = Map { of_output, element, dims, strides, boxes, steps, swizzle, fill };
        while let Some(key) = words.next() {
            let numbers = std::iter::from_fn(|| words.next_if(|w| w.parse::<u64>().is_ok())?.parse().ok());
            let numbers: Vec<u64> = numbers.collect();
            match key {
                "dims" => map.dims = numbers,
                "strides" => map.strides = numbers,
                "box" => map.boxes = numbers,
                "steps" => map.steps = numbers,
                "swizzle" => map.swizzle = numbers.first().copied().unwrap_or(0) as u32,
                "fill" => map.fill = numbers.first().copied().unwrap_or(0) as u32,
                other => return Err(format!("map: `{other}`?")),
            }
        }
        map.steps.resize(map.dims.len(), 1);
        match map.dims.len() == map.boxes.len() && map.dims.len() == map.strides.len() + 1 {
            true => Ok(map),
            false => Err("a map's dims and boxes are as many, its strides one less".into()),
        }
    }

    /// As the simulator's kernels take it, of a buffer at an address.
    pub fn simulated(&self, address: u64) -> Result<[u8; MAP_BYTES], String> {
        let list = |values: &[u64], rest: u64, from: usize| -> [u64; MOST_DIMENSIONS] {
            std::array::from_fn(|i| i.checked_sub(from).and_then(|i| values.get(i)).copied().unwrap_or(rest))
        };
        let small = |values: &[u64]| list(values, 1, 0).map(|value| value as u32);
        let map = TensorMap {
            element: Element::of(self.element).ok_or("no such type")?,
            rank: self.dims.len() as u32,
            address,
            extents: list(&self.dims, 1, 0),
            strides: list(&self.strides, 0, 1),
            box_extents: small(&self.boxes),
            element_strides: small(&self.steps),
            swizzle: Swizzle::of(self.swizzle).ok_or("no such swizzle")?,
            fills_nan: self.fill == 1,
        };
        Ok(map.encode())
    }
}

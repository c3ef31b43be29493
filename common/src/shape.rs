//! Extents as the command line writes them: `512`, or `512x256x128`.

use crate::error::LabError;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// One entry of `--size`: one extent for all dimensions, or one for each, in elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape(Vec<usize>);

impl Shape {
    /// The same extent in every dimension.
    pub fn square(n: usize) -> Self {
        Shape(vec![n])
    }

    /// Explicit extents.
    pub fn new(extents: &[usize]) -> Self {
        Shape(extents.to_vec())
    }

    /// The extents as written.
    pub fn written(&self) -> &[usize] {
        &self.0
    }

    /// The geometric mean of the extents as written: the place on a size axis.
    pub fn mean_extent(&self) -> f64 {
        let product: f64 = self.0.iter().map(|&n| n as f64).product();
        product.powf(1.0 / self.0.len() as f64)
    }

    /// The extents for a problem of `N` dimensions; `names` (say "m×k×n") is for the message.
    ///
    /// Errors: an extent of 0; a number of extents that is neither 1 nor `N`; an extent beyond the kernels' `int`.
    pub fn extents<const N: usize>(&self, names: &str) -> Result<[usize; N], LabError> {
        let extents = match self.0.as_slice() {
            [n] => [*n; N],
            several => <[usize; N]>::try_from(several).map_err(|_| {
                let written: Vec<String> = several.iter().map(usize::to_string).collect();
                LabError::usage(
                    format!("size {} has {} extents, this lab takes 1 or {N}", written.join("x"), several.len()),
                    format!("write --size n or --size {names}"),
                )
            })?,
        };
        if extents.contains(&0) {
            return Err(LabError::usage(
                format!("size {self}: a matrix of extent 0 has no elements to compute"),
                "choose extents of at least 1",
            ));
        }
        match extents.iter().find(|&&n| n > i32::MAX as usize) {
            Some(n) => Err(LabError::limit(
                format!("size {self}: extent {n} is beyond the kernels' int, {}", i32::MAX),
                "choose a smaller --size",
            )),
            None => Ok(extents),
        }
    }
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.split(['x', '×'])
            .map(|part| {
                part.trim().parse::<usize>().map_err(|_| match part.trim() {
                    "" => "an extent is missing; write 512 or 512x256x128".to_owned(),
                    part => format!("'{part}' is no extent, which is a whole number above 0; write 512 or 512x256x128"),
                })
            })
            .collect::<Result<Vec<_>, _>>()
            .map(Shape)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all_equal = self.0.windows(2).all(|pair| pair[0] == pair[1]);
        let written = if all_equal { &self.0[..1] } else { &self.0[..] };
        let text: Vec<String> = written.iter().map(usize::to_string).collect();
        f.pad(&text.join("x"))
    }
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_extent_serves_all_dimensions() {
        let shape: Shape = "512".parse().unwrap();
        assert_eq!(shape.extents::<3>("m×k×n").unwrap(), [512; 3]);
        assert_eq!(shape.to_string(), "512");
    }

    #[test]
    fn rectangles_keep_their_order() {
        let shape: Shape = "512x256×128".parse().unwrap();
        assert_eq!(shape.extents::<3>("m×k×n").unwrap(), [512, 256, 128]);
        assert_eq!(shape.to_string(), "512x256x128");
        assert!(shape.extents::<2>("m×n").is_err());
    }
}

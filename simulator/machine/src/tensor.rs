//! Tensor maps: what `cuTensorMapEncodeTiled` packs into the 128 bytes that a kernel hands to the tensor copies.
//!
//! The bytes are opaque to programs, so their order here is our own.
use ptx::isa::Type;

/// Bytes of a map, and what its address is a multiple of.
pub const MAP_BYTES: usize = 128;
pub const MAP_ALIGN: u64 = 64;
/// The most dimensions of a tensor.
pub const MOST_DIMENSIONS: usize = 5;

/// First bytes of a map: other memory is none.
const MAGIC: u64 = 0x70616d_2d726e74;

/// A tensor in global memory, and the box of it that one copy moves. Dimension 0 is the innermost one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMap {
    pub element: Element,
    pub rank: u32,
    pub address: u64,
    /// Elements along each dimension, and bytes from one to the next along dimensions 1 and up.
    pub extents: [u64; MOST_DIMENSIONS],
    pub strides: [u64; MOST_DIMENSIONS],
    /// Elements that the box spans, and how far apart those are that are moved.
    pub box_extents: [u32; MOST_DIMENSIONS],
    pub element_strides: [u32; MOST_DIMENSIONS],
    pub swizzle: Swizzle,
    /// Elements outside of the tensor read as NaN instead of zero.
    pub fills_nan: bool,
}

/// An element's type: `CUtensorMapDataType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    U8,
    U16,
    U32,
    S32,
    U64,
    S64,
    F16,
    F32,
    F64,
    Bf16,
    F32Ftz,
    Tf32,
    Tf32Ftz,
}

/// In the order of their numbers.
const ELEMENTS: [Element; 13] = {
    use Element::*;
    [U8, U16, U32, S32, U64, S64, F16, F32, F64, Bf16, F32Ftz, Tf32, Tf32Ftz]
};

/// The PTX types that copies and reductions of these elements work on.
const TYPES: [Type; 13] = {
    use Type::*;
    [U8, U16, U32, S32, U64, S64, F16, F32, F64, Bf16, F32, F32, F32]
};

impl Element {
    /// By the number of `CUtensorMapDataType`.
    pub fn of(number: u32) -> Option<Element> {
        ELEMENTS.get(number as usize).copied()
    }

    /// The PTX type that its copies and reductions work on.
    pub fn ty(self) -> Type {
        TYPES[self as usize]
    }

    pub fn bytes(self) -> u32 {
        self.ty().bytes()
    }

    /// Returns whether elements outside may read as NaN.
    pub fn is_float(self) -> bool {
        self.ty().is_float()
    }

    /// The bits of such a NaN; the driver's manual does not name them.
    pub fn nan(self) -> u32 {
        if self.bytes() == 2 { 0x7fff } else { 0x7fff_ffff }
    }
}

/// How chunks of 16 bytes change places in shared memory: `CUtensorMapSwizzle`, and the layouts of matrix descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swizzle {
    None,
    Bytes32,
    Bytes64,
    Bytes128,
}

impl Swizzle {
    /// By the number of `CUtensorMapSwizzle`.
    pub fn of(number: u32) -> Option<Swizzle> {
        [Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128].get(number as usize).copied()
    }

    /// Chunks of a row of the pattern.
    pub fn chunks(self) -> u64 {
        1 << self as u32
    }

    /// Where the bytes at an address of shared memory go: the number of the chunk in its row is combined with that of the
    /// row of 128 bytes.
    pub fn place(self, address: u64) -> u64 {
        address ^ (address >> 3 & ((self.chunks() - 1) << 4))
    }
}

impl TensorMap {
    /// Bytes of a row of the box in shared memory.
    pub fn row_bytes(&self) -> u64 {
        u64::from(self.box_extents[0]) * u64::from(self.element.bytes())
    }

    /// Elements that are moved along a dimension. Dimension 0 has no stride.
    pub fn count(&self, dimension: usize) -> u32 {
        match dimension {
            0 => self.box_extents[0],
            _ => self.box_extents[dimension].div_ceil(self.element_strides[dimension].max(1)),
        }
    }

    /// Rows of the box.
    pub fn rows(&self) -> u64 {
        (1..self.rank as usize).map(|dimension| u64::from(self.count(dimension))).product()
    }

    /// The map as a kernel gets it.
    pub fn encode(&self) -> [u8; MAP_BYTES] {
        let mut bytes = [0; MAP_BYTES];
        let mut at = 0;
        let mut put = |part: &[u8]| {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        };
        put(&MAGIC.to_le_bytes());
        put(&self.address.to_le_bytes());
        put(&[self.element as u8, self.rank as u8, self.swizzle as u8, u8::from(self.fills_nan)]);
        // An extent is at most 2³².
        self.extents.iter().for_each(|extent| put(&(extent.wrapping_sub(1) as u32).to_le_bytes()));
        // A stride is less than 2⁴⁰.
        self.strides[1..].iter().for_each(|stride| put(&stride.to_le_bytes()[..6]));
        self.box_extents.iter().for_each(|extent| put(&(*extent as u16).to_le_bytes()));
        self.element_strides.iter().for_each(|stride| put(&[*stride as u8]));
        bytes
    }

    /// Reads the bytes that [`encode`](Self::encode) gave; `None` for other bytes.
    pub fn decode(bytes: &[u8; MAP_BYTES]) -> Option<TensorMap> {
        let mut at = 0;
        let mut take = |count: usize| {
            let mut word = [0; 8];
            word[..count].copy_from_slice(&bytes[at..at + count]);
            at += count;
            u64::from_le_bytes(word)
        };
        if take(8) != MAGIC {
            return None;
        }
        let address = take(8);
        let (element, rank) = (Element::of(take(1) as u32)?, take(1) as u32);
        let (swizzle, fills_nan) = (Swizzle::of(take(1) as u32)?, take(1) != 0);
        let extents = std::array::from_fn(|_| take(4) + 1);
        let strides = std::array::from_fn(|dimension| if dimension == 0 { 0 } else { take(6) });
        let box_extents = std::array::from_fn(|_| take(2) as u32);
        let element_strides = std::array::from_fn(|_| take(1) as u32);
        let map =
            TensorMap { element, rank, address, extents, strides, box_extents, element_strides, swizzle, fills_nan };
        (1..=MOST_DIMENSIONS as u32).contains(&rank).then_some(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_comes_back() {
        let map = TensorMap {
            element: Element::Bf16,
            rank: 3,
            address: 0x7f00_1234_5670,
            extents: [1 << 32, 77, 5, 1, 1],
            strides: [0, 16, (1 << 40) - 16, 0, 0],
            box_extents: [64, 256, 1, 1, 1],
            element_strides: [1, 8, 1, 1, 1],
            swizzle: Swizzle::Bytes128,
            fills_nan: true,
        };
        assert_eq!(TensorMap::decode(&map.encode()), Some(map));
        assert_eq!(TensorMap::decode(&[0; MAP_BYTES]), None);
        assert_eq!((map.row_bytes(), map.rows()), (128, 32));
    }

    #[test]
    fn swizzles_combine_chunk_and_row() {
        assert_eq!(Swizzle::None.place(0x3f0), 0x3f0);
        assert_eq!(Swizzle::Bytes128.place(0x080), 0x090);
        assert_eq!(Swizzle::Bytes128.place(0x3f0), 0x380);
        assert_eq!(Swizzle::Bytes64.place(0x180), 0x1b0);
        assert_eq!(Swizzle::Bytes64.place(0x200), 0x200);
        assert_eq!(Swizzle::Bytes32.place(0x080), 0x090);
        assert_eq!(Swizzle::Bytes32.place(0x100), 0x100);
    }
}

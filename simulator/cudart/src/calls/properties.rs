//! `cudaDeviceProp`: its layout differs between the versions, so each version's fields are a list in the header's order.
use crate::driver::{Driver, driver};
use crate::status::{INVALID_VALUE, Outcome};
use std::ffi::{c_int, c_void};

/// A field: what it holds.
#[derive(Clone, Copy)]
pub enum Field {
    /// Text of 256 bytes.
    Name,
    /// 16 bytes.
    Uuid,
    /// `size_t`, the device's memory.
    Memory,
    /// An `int`, of this attribute of the driver's.
    Int(u32),
    /// A `size_t`, of this attribute.
    Size(u32),
    /// So many zero bytes.
    Zero(usize),
}
use Field::{Int, Memory, Name, Size, Uuid, Zero};

/// CUDA 12: 1032 bytes. A LUID and its mask are Windows'.
pub const TWELVE: &[Field] = &[
    Name,
    Uuid,
    Zero(12),
    Memory,
    Size(8),
    Int(12),
    Int(10),
    Size(11),
    Int(1),
    Int(2),
    Int(3),
    Int(4),
    Int(5),
    Int(6),
    Int(7),
    Int(13),
    Size(9),
    Int(75),
    Int(76),
    Size(14),
    Size(51),
    Int(15),
    Int(16),
    Int(17),
    Int(18),
    Int(19),
    Int(20),
    // Textures and surfaces.
    Int(21),
    Int(77),
    Int(69),
    Int(22),
    Int(23),
    Int(73),
    Int(74),
    Int(70),
    Int(71),
    Int(72),
    Int(45),
    Int(46),
    Int(24),
    Int(25),
    Int(26),
    Int(47),
    Int(48),
    Int(49),
    Int(52),
    Int(42),
    Int(43),
    Int(27),
    Int(28),
    Int(29),
    Int(53),
    Int(54),
    Int(55),
    Int(56),
    Int(57),
    Int(58),
    Int(59),
    Int(60),
    Int(61),
    Int(62),
    Int(63),
    Int(64),
    Int(65),
    Int(66),
    Int(67),
    Int(68),
    Size(30),
    // From `concurrentKernels` on.
    Int(31),
    Int(32),
    Int(33),
    Int(34),
    Int(50),
    Int(35),
    Int(40),
    Int(41),
    Int(36),
    Int(37),
    Int(38),
    Int(108),
    Int(39),
    Int(78),
    Int(79),
    Int(80),
    Size(81),
    Int(82),
    Int(83),
    Int(84),
    Int(85),
    Int(86),
    Int(87),
    Int(88),
    Int(89),
    Int(90),
    Int(91),
    Int(95),
    Int(96),
    Size(97),
    Int(100),
    Int(101),
    Int(106),
    Int(109),
    Size(111),
    Int(99),
    Int(112),
    Int(113),
    Int(114),
    Int(115),
    Int(116),
    Int(117),
    Int(118),
    Int(119),
    Int(121),
    Int(125),
    Int(120),
    Int(129),
    Zero(63 * 4),
];

/// CUDA 13: 1008 bytes.
pub const THIRTEEN: &[Field] = &[
    Name,
    Uuid,
    Zero(12),
    Memory,
    Size(8),
    Int(12),
    Int(10),
    Size(11),
    Int(1),
    Int(2),
    Int(3),
    Int(4),
    Int(5),
    Int(6),
    Int(7),
    Size(9),
    Int(75),
    Int(76),
    Size(14),
    Size(51),
    Int(16),
    Int(18),
    Int(19),
    // Textures and surfaces.
    Int(21),
    Int(77),
    Int(22),
    Int(23),
    Int(73),
    Int(74),
    Int(70),
    Int(71),
    Int(72),
    Int(45),
    Int(46),
    Int(24),
    Int(25),
    Int(26),
    Int(47),
    Int(48),
    Int(49),
    Int(52),
    Int(42),
    Int(43),
    Int(27),
    Int(28),
    Int(29),
    Int(53),
    Int(54),
    Int(55),
    Int(56),
    Int(57),
    Int(58),
    Int(59),
    Int(60),
    Int(61),
    Int(62),
    Int(63),
    Int(64),
    Int(65),
    Int(66),
    Int(67),
    Int(68),
    Size(30),
    // From `concurrentKernels` on.
    Int(31),
    Int(32),
    Int(33),
    Int(34),
    Int(50),
    Int(35),
    Int(40),
    Int(41),
    Int(37),
    Int(38),
    Int(108),
    Int(39),
    Int(78),
    Int(79),
    Int(80),
    Size(81),
    Int(82),
    Int(83),
    Int(84),
    Int(85),
    Int(86),
    Int(88),
    Int(89),
    Int(90),
    Int(91),
    Int(95),
    Size(97),
    Int(100),
    Int(101),
    Int(106),
    Int(109),
    Size(111),
    Int(99),
    Int(112),
    Int(113),
    Int(114),
    Int(115),
    Int(116),
    Int(117),
    Int(118),
    Int(119),
    Int(121),
    Int(125),
    Int(120),
    Int(129),
    Int(130),
    Int(131),
    Int(133),
    Int(134),
    Int(139),
    Int(140),
    Int(143),
    Zero(56 * 4),
];

impl Field {
    /// Bytes, and what they begin at a multiple of.
    fn room(self) -> (usize, usize) {
        match self {
            Name => (256, 1),
            Uuid => (16, 1),
            Int(_) => (4, 4),
            Memory | Size(_) => (8, 8),
            Zero(bytes) => (bytes, 1),
        }
    }
}

/// `cudaGetDeviceProperties`. What the driver does not know of a device is 0.
///
/// # Safety
/// `to` is null or has room for the fields.
pub unsafe fn fill(to: *mut c_void, fields: &[Field], device: c_int) -> Outcome {
    if to.is_null() {
        return Err(INVALID_VALUE);
    }
    let bytes = bytes(driver()?, fields, device)?;
    // SAFETY: the caller's promise.
    unsafe { to.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    Ok(())
}

fn bytes(driver: &Driver, fields: &[Field], device: c_int) -> Result<Vec<u8>, crate::status::Failure> {
    let attribute = |number: u32| {
        let mut value = 0;
        // SAFETY: a place for a number.
        unsafe { driver.cuDeviceGetAttribute(&mut value, number, device) }.map_or(0, |()| value)
    };
    let mut bytes = Vec::new();
    for &field in fields {
        let (room, multiple) = field.room();
        bytes.resize(bytes.len().next_multiple_of(multiple), 0);
        let at = bytes.len();
        bytes.resize(at + room, 0);
        let slot = &mut bytes[at..];
        match field {
            // SAFETY: room for the name.
            Name => unsafe { driver.cuDeviceGetName(slot.as_mut_ptr().cast(), room as c_int, device)? },
            // SAFETY: room for the number.
            Uuid => unsafe { driver.cuDeviceGetUuid_v2(slot.as_mut_ptr().cast(), device)? },
            Memory => {
                let mut memory = 0usize;
                // SAFETY: a place for a number.
                unsafe { driver.cuDeviceTotalMem_v2(&mut memory, device)? };
                slot.copy_from_slice(&memory.to_le_bytes());
            }
            Int(number) => slot.copy_from_slice(&attribute(number).to_le_bytes()),
            Size(number) => slot.copy_from_slice(&(attribute(number) as u64).to_le_bytes()),
            Zero(_) => {}
        }
    }
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of all fields, and where the first of an attribute begins.
    fn laid_out(fields: &[Field], number: u32) -> (usize, usize) {
        let (mut end, mut found) = (0usize, None);
        for field in fields {
            let (room, multiple) = field.room();
            let at = end.next_multiple_of(multiple);
            if matches!(field, Int(of) | Size(of) if *of == number) {
                found.get_or_insert(at);
            }
            end = at + room;
        }
        (end.next_multiple_of(8), found.expect("a field"))
    }

    /// The numbers are the answers of `sizeof` and `offsetof` with the headers of CUDA 12.9 and 13.0.
    #[test]
    fn layouts_are_those_of_the_headers() {
        const SURFACE_ALIGNMENT: u32 = 30;
        const CLUSTER_LAUNCH: u32 = 120;
        assert_eq!(laid_out(TWELVE, SURFACE_ALIGNMENT), (1032, 568));
        assert_eq!(laid_out(TWELVE, CLUSTER_LAUNCH), (1032, 772));
        assert_eq!(laid_out(THIRTEEN, SURFACE_ALIGNMENT), (1008, 552));
        assert_eq!(laid_out(THIRTEEN, CLUSTER_LAUNCH), (1008, 748));
    }
}

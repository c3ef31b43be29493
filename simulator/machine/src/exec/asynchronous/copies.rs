//! The `cp.async` and the products of four warps of a warp that are under way: checked when they are issued, done when their thread or
//! warp waits for them.
use crate::exec::view::{Lane32, WARP};
use crate::probe::{self, Access, AccessKind, Addresses, Probe, Who};
use ptx::isa::Space;

/// The copies of one warp that are under way.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    pub pending: Vec<Copy>,
    /// The number of each lane's open group.
    pub open: Lane32<u32>,
    /// Its products of four warps that are under way, in their order, and the number of the open group.
    pub products: Vec<Product>,
    pub open_products: u32,
}

/// A product of four warps: what its instruction says of itself, and what it read of registers when it was issued.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product {
    /// `data`, `imm` and `more` are those of its op.
    pub data: u32,
    pub imm: i64,
    pub more: u32,
    /// The descriptors of A, unless that is in registers, and of B.
    pub a: u64,
    pub b: u64,
    /// True if the products are added to the result.
    pub keeps: bool,
    pub mask: u32,
    pub group: u32,
}

/// One `cp.async` of a warp.
#[derive(Debug)]
pub(crate) struct Copy {
    pub who: Who,
    pub site: u32,
    /// Lanes whose copy is still to do.
    pub mask: u32,
    /// Offsets in shared memory; host addresses of global memory.
    pub to: Lane32<u64>,
    pub from: Lane32<u64>,
    /// Bytes that are read; the rest up to `bytes` is zeros.
    pub read: Lane32<u32>,
    pub bytes: u32,
    pub group: Lane32<u32>,
}

impl Copy {
    /// The write of some of its lanes.
    pub fn write(&self, mask: u32) -> Access<'_> {
        self.access(AccessKind::Store, Space::Shared, mask, &self.to, self.bytes)
    }

    /// Tells of what some of its lanes read, which was found to be in bounds when the copy was issued.
    pub fn tell_reads(&self, probe: &mut dyn Probe, mask: u32) {
        let of =
            |bytes: u32| probe::lanes(mask).filter(move |&lane| self.read[lane] == bytes).fold(0, |m, l| m | 1 << l);
        let whole = of(self.bytes);
        if whole != 0 {
            probe.copy_reads(&self.access(AccessKind::Load, Space::Global, whole, &self.from, self.bytes));
        }
        for lane in probe::lanes(mask & !whole & !of(0)) {
            for byte in 0..u64::from(self.read[lane]) {
                let from = self.from.map(|address| address + byte);
                probe.copy_reads(&self.access(AccessKind::Load, Space::Global, 1 << lane, &from, 1));
            }
        }
    }

    fn access<'a>(
        &self,
        kind: AccessKind,
        space: Space,
        mask: u32,
        addresses: &'a Lane32<u64>,
        bytes: u32,
    ) -> Access<'a> {
        let (who, site, addresses, order) = (self.who, self.site, Addresses::Each(addresses), Default::default());
        Access { who, site, kind, space, mask, addresses, bytes, order, stored: None }
    }
}

impl Copies {
    /// Tells of the copies that are under way when their block ends, and forgets them.
    pub fn abandon(&mut self, probe: &mut dyn Probe) {
        for copy in self.pending.drain(..) {
            copy.tell_reads(probe, copy.mask);
            probe.copy_abandoned(&copy.write(copy.mask));
        }
    }

    /// Forgets everything: for the warp of another block.
    pub fn clear(&mut self) {
        self.pending.clear();
        self.open = [0; WARP];
        self.products.clear();
        self.open_products = 0;
    }
}

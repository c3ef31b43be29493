//! Undefined values: where they come from, and where it mattered.
//!
//! A load of bytes that nobody has written is no fault by itself: structures are copied with the padding between their
//! members, and compilers load more than is used. The executor follows such bits through the registers (`exec/undefined`) and
//! says where one decides something. What is stored carries them on, in shared memory and, beyond the launch, in global
//! memory, until a kernel or the host reads it.
use super::state::Sanitizer;
use crate::sanitizer::findings::finding::{Effect, Finding, Kind, Source};
use crate::sanitizer::findings::undefined_values::CopiedByte;
use crate::sanitizer::shadow::written::{Byte, Undefined};
use machine::memory::Stain;
use machine::probe::{Access, Addresses, Origin, UndefinedByte, Use, Who, lanes};
use ptx::isa::{Class, Space};

impl Sanitizer {
    /// A load, or an asynchronous copy, has read undefined bytes.
    pub(crate) fn undefined_read(&mut self, access: &Access, undefined: &Undefined) {
        let origins = self.origins_of(access, undefined);
        let site = self.sites.function(access.who.function).and_then(|f| f.sites.get(access.site as usize));
        let copies = site.is_some_and(|site| site.class == Class::Async);
        for (byte, origin) in undefined.bytes.iter().zip(origins) {
            let (lanes, mask, space) = (byte.lanes, byte.mask(), access.space);
            let lane = (lanes.trailing_zeros() & 31) as u8;
            if copies {
                let offset = byte.address - access.address(lane.into());
                self.undefined.copied.push(CopiedByte { lanes, offset, mask, origin });
            } else {
                self.undefined.read.push(UndefinedByte { lanes, lane, space, address: byte.address, mask, origin });
            }
        }
        self.following.loaded(!copies);
    }

    /// Where the undefined bytes come from that an access reads.
    pub(crate) fn origins_of(&mut self, access: &Access, undefined: &Undefined) -> Vec<Origin> {
        let at = self.geometry.place(access.who, access.site, undefined.lanes);
        let (space, address, bytes) = (access.space, undefined.address, access.bytes);
        let read = || Source::Read { at: at.clone(), space, address, bytes };
        let fresh = self.undefined.of_site((access.who.function, access.site), read);
        let origin = |byte: &Byte| {
            let number = match byte.stain {
                None => fresh,
                Some(stain) if space == Space::Global => self.undefined.of_stored(stain.origin, &at),
                Some(stain) => stain.origin,
            };
            Origin { number: Some(number), computed: byte.stain.is_some_and(|stain| stain.computed) }
        };
        undefined.bytes.iter().map(origin).collect()
    }

    /// A transfer of the asynchronous proxy has written an undefined byte.
    pub(crate) fn undefined_transfer(
        &mut self,
        owner: usize,
        access: &Access,
        address: u64,
        (mask, origin): (u8, Origin),
    ) {
        let Some(number) = self.number_of_stored(access, (access.mask, false), address, origin) else { return };
        let stain = Stain { mask, origin: number, computed: origin.computed, padding: !origin.computed };
        self.stain(owner, access.space, address, stain);
    }

    fn stain(&mut self, owner: usize, space: Space, address: u64, stain: Stain) {
        match space {
            Space::Shared => self.blocks[owner].shared_written.stain(address, stain),
            Space::Global => {
                if let Some(global) = &mut self.initialised {
                    global.stain(address, stain);
                }
            }
            _ => {}
        }
    }

    /// A store, after it was noted as one: some of its values may be undefined.
    pub(crate) fn undefined_store(&mut self, index: usize, access: &Access) {
        let Some(stored) = access.stored else { return };
        // Where lanes write to one place, the last one's value stays.
        let mask = match access.addresses {
            Addresses::Same(_) => 1 << (31 - access.mask.leading_zeros().min(31)),
            _ => access.mask,
        };
        let undefined = |lane| stored.undefined(lane as u32).map(|(bits, origin)| (lane, bits, origin));
        let undefined: Vec<(usize, [u8; 16], Origin)> = lanes(mask).filter_map(undefined).collect();
        let count = (access.bytes as usize).min(16);
        let is_padding = |bits: &[u8; 16], origin: Origin| {
            !origin.computed && (count < access.bytes as usize || bits[..count].contains(&0))
        };
        for &(lane, bits, origin) in &undefined {
            let (address, padding) = (access.address(lane), is_padding(&bits, origin));
            let alike = |&&(_, bits, of): &&(usize, [u8; 16], Origin)| of == origin && is_padding(&bits, of) == padding;
            let together = undefined.iter().filter(alike).fold(0u32, |all, &(lane, ..)| all | 1 << lane);
            let tells = !padding && together.trailing_zeros() as usize == lane;
            let Some(number) = self.number_of_stored(access, (together, tells), address, origin) else { continue };
            for (address, &mask) in (address..).zip(&bits[..count]).filter(|(_, mask)| **mask != 0) {
                let stain = Stain { mask, origin: number, computed: origin.computed, padding };
                self.stain(index, access.space, address, stain);
            }
        }
    }

    /// The number under which lanes of a store keep undefined values in its memory; `tells`: there is something to tell, for
    /// the first time. `None`: it keeps none.
    fn number_of_stored(
        &mut self,
        access: &Access,
        (lanes, tells): (u32, bool),
        address: u64,
        origin: Origin,
    ) -> Option<u32> {
        let source = origin.number.unwrap_or(u32::MAX);
        if access.space != Space::Global {
            return Some(source);
        }
        let global = self.initialised.as_mut()?;
        let key = (source, access.who.function, access.site);
        let is_host = global.is_host(address);
        if let Some(&known) = self.undefined.stored.get(&key).filter(|_| !is_host) {
            if let Some((_, _, finding)) = self.undefined.pending.iter_mut().find(|(stored, ..)| *stored == known) {
                finding.count += u64::from(tells);
            }
            return Some(known);
        }
        let at = self.geometry.place(access.who, access.site, lanes);
        let from = self.undefined.of(origin.number);
        if is_host {
            if tells {
                self.told(origin.number, Kind::Undefined { at, from, effect: Effect::HostSees });
            }
            return None;
        }
        let number = global.new_origin();
        self.undefined.stored.insert(key, number);
        self.undefined.stored_sources.insert(number, source);
        let kind = Kind::Undefined { at, from, effect: Effect::ReadByHost };
        self.undefined.pending.push((number, source, Finding { kind, count: 1 }));
        Some(number)
    }

    /// A copy to shared memory brings undefined bytes along.
    pub(crate) fn undefined_copy(&mut self, index: usize, access: &Access, bytes: &[CopiedByte]) {
        for byte in bytes {
            for lane in lanes(byte.lanes & access.mask) {
                let origin = byte.origin.number.unwrap_or(u32::MAX);
                let computed = byte.origin.computed;
                let stain = Stain { mask: byte.mask, origin, computed, padding: !computed };
                self.blocks[index].shared_written.stain(access.address(lane) + byte.offset, stain);
            }
        }
    }

    /// An undefined value matters.
    pub(crate) fn undefined_matters(&mut self, who: Who, site: u32, mask: u32, used: Use, origin: Origin) {
        let at = self.geometry.place(who, site, mask);
        let from = self.undefined.of(origin.number);
        self.told(origin.number, Kind::Undefined { at, from, effect: Effect::Used(used) });
    }

    fn told(&mut self, origin: Option<u32>, kind: Kind) {
        if let Some(told) = origin.and_then(|origin| self.undefined.told.get_mut(origin as usize)) {
            *told = true;
        }
        self.found.add(&self.sites, kind);
    }
}

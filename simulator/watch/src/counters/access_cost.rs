//! The cost of one access, from its site's last pattern where that comes again.
use super::bank_conflicts::{Passes, passes, range_passes};
use super::coalescing::{SECTOR_BYTES, Traffic, traffic, traffic_of_range};
use super::pattern::Distinct;
use machine::probe::remembered::Remembered;
use machine::probe::{Access, Addresses};
use std::borrow::Cow;

/// The last irregular pattern of a site, per kind of memory.
#[derive(Clone, Default)]
pub(super) struct LastPatterns {
    pub traffic: Option<Box<Remembered<Traffic>>>,
    pub passes: Option<Box<Remembered<Passes>>>,
}

/// The program that is launched is known beforehand, so there is nothing to grow while it runs.
#[inline(always)]
pub(super) fn grow<T: Default>(list: &mut Vec<T>, len: usize) {
    #[cold]
    #[inline(never)]
    fn grow<T: Default>(list: &mut Vec<T>, len: usize) {
        list.resize_with(len, T::default);
    }
    if list.len() < len {
        grow(list, len);
    }
}

pub(super) fn traffic_of(access: &Access, piece: u64, last: &mut Option<Box<Remembered<Traffic>>>) -> Traffic {
    if let Some((first, bytes)) = access.range() {
        return traffic_of_range(first, bytes, piece);
    }
    let addresses = every(access);
    Remembered::cost(last, access.mask, &addresses, piece, || traffic(access.mask, &addresses, access.bytes, piece))
}

pub(super) fn access_passes(access: &Access, bank_bytes: u32, last: &mut Option<Box<Remembered<Passes>>>) -> Passes {
    if let Some((_, bytes)) = access.range()
        && let Some(passes) = range_passes(access.kind, access.mask, access.bytes, bytes, bank_bytes)
    {
        return passes;
    }
    let addresses = every(access);
    Remembered::cost(last, access.mask, &addresses, u64::from(bank_bytes), || {
        passes(access.kind, access.mask, &addresses, access.bytes, bank_bytes)
    })
}

/// The addresses of all lanes.
fn every<'a>(access: &Access<'a>) -> Cow<'a, [u64; 32]> {
    match access.addresses {
        Addresses::Each(all) => Cow::Borrowed(all),
        _ => Cow::Owned(std::array::from_fn(|lane| access.address(lane))),
    }
}

/// A lane's element of more than four bytes lies in several rows of the interleaved layout: each word counts by itself.
pub(super) fn local_traffic(
    access: &Access,
    places: &[u64; 32],
    last: &mut Option<Box<Remembered<Traffic>>>,
) -> Traffic {
    Remembered::cost(last, access.mask, places, 128, || {
        let mut all = Traffic::default();
        let words = access.bytes.div_ceil(4);
        for word in 0..u64::from(words) {
            let row = std::array::from_fn(|lane| places[lane] + 128 * word);
            all += traffic(access.mask, &row, access.bytes.min(4), SECTOR_BYTES);
        }
        all
    })
}

pub(super) fn distinct_addresses(access: &Access) -> u64 {
    match access.addresses {
        Addresses::Same(_) => 1,
        Addresses::Dense(_) => u64::from(access.mask.count_ones()),
        Addresses::Each(all) => {
            let mut distinct = Distinct::default();
            access.lanes().for_each(|lane| {
                distinct.insert(all[lane]);
            });
            distinct.count()
        }
    }
}

use super::{Found, Traffic};
use crate::constants::{LINE_BYTES, SECTOR_BYTES};
use machine::probe::{Access, AccessKind, Addresses, Order, Probe, Who};
use ptx::isa::Space;
use std::sync::Arc;

fn load(traffic: &mut Traffic, block: u64, addresses: Addresses) {
    load_by(traffic, Who { block_index: block, ..Who::default() }, addresses);
}

fn load_by(traffic: &mut Traffic, who: Who, addresses: Addresses) {
    traffic.access(&Access {
        who,
        site: 0,
        kind: AccessKind::Load,
        space: Space::Global,
        mask: u32::MAX,
        addresses,
        bytes: 4,
        order: Order::WEAK,
        stored: None,
    });
}

#[test]
fn a_line_is_fetched_once_per_block_and_once_per_wave() {
    let card = crate::cards::find("rtx4060").unwrap();
    let mut traffic = Traffic::new(card, 2, 32, 16, 0);
    for block in 0..2 {
        traffic.block_start([block as u32, 0, 0], block);
        for _ in 0..3 {
            load(&mut traffic, block, Addresses::Dense(0x1000));
        }
    }
    let found = traffic.found();
    assert_eq!(
        found,
        Found { l2_sectors: 8, footprint_bytes: 128, line_bytes: 128, wave_bytes: 128, ..Found::default() }
    );
}

#[test]
fn scattered_lanes_count_as_ranges_do() {
    let card = crate::cards::find("rtx4060").unwrap();
    let addresses = std::array::from_fn(|lane| 0x1040 + 4 * lane as u64);
    let (mut dense, mut any) = (Traffic::new(card, 1, 32, 16, 0), Traffic::new(card, 1, 32, 16, 0));
    dense.block_start([0; 3], 0);
    any.block_start([0; 3], 0);
    load(&mut dense, 0, Addresses::Dense(0x1040));
    load(&mut any, 0, Addresses::Each(&addresses));
    assert_eq!(dense.found(), any.found());
    assert_eq!(dense.found().l2_sectors, 4);
}

#[test]
fn l1_holds_only_its_size() {
    let card = crate::cards::find("gtx1050").unwrap();
    let mut traffic = Traffic::new(card, 1, 32, 1, 0);
    traffic.block_start([0; 3], 0);
    let bytes = u64::from(card.architecture.l1_bytes_per_multiprocessor);
    for round in 0..2 {
        for line in 0..bytes * 4 / LINE_BYTES {
            load(&mut traffic, 0, Addresses::Dense(line * LINE_BYTES));
        }
        assert!(traffic.found().l2_sectors > (round + 1) * bytes * 4 / SECTOR_BYTES * 9 / 10);
    }
}

#[test]
fn warps_that_run_one_after_the_other_share_lines_as_if_side_by_side() {
    let card = crate::cards::find("p100").unwrap();
    let mut traffic = Traffic::new(card, 1, 1024, 1, 0);
    traffic.block_start([0; 3], 0);
    let lines = u64::from(card.architecture.l1_bytes_per_multiprocessor) / LINE_BYTES * 4;
    for warp in 0..32 {
        for line in 0..lines {
            load_by(&mut traffic, Who { warp, ..Who::default() }, Addresses::Dense(line * LINE_BYTES));
        }
    }
    assert!(traffic.found().l2_sectors < lines * 4 * 2, "{:?}", traffic.found());
}

#[test]
fn a_long_column_is_still_there_for_the_next_warp() {
    let card = crate::cards::find("rtx4060").unwrap();
    let mut traffic = Traffic::new(card, 1, 1024, 1, 0);
    traffic.block_start([0; 3], 0);
    let lines = 1 << 14;
    for warp in 0..4 {
        for line in 0..lines {
            load_by(&mut traffic, Who { warp, ..Who::default() }, Addresses::Dense(line * 512 * LINE_BYTES));
        }
    }
    assert_eq!(traffic.found().l2_sectors, lines * 4, "what one warp fetched the others find");
}

#[test]
fn the_sample_is_scaled_up() {
    let card = crate::cards::find("rtx4060").unwrap();
    let mut traffic = Traffic::new(card, 1 << 20, 256, 6, 0);
    traffic.block_start([0; 3], 0);
    for line in 0..1 << 14 {
        load(&mut traffic, 0, Addresses::Dense(line * LINE_BYTES));
    }
    let bytes = (1u64 << 14) * LINE_BYTES;
    let found = traffic.found().footprint_bytes;
    assert!(found.abs_diff(bytes) < bytes / 10, "{found} of {bytes}");
}

#[test]
fn a_short_vector_that_all_blocks_ask_for_counts_whether_or_not_its_lines_are_followed() {
    let card = crate::cards::find("h200").unwrap();
    let blocks = 1 << 12;
    for vector in 0..8 {
        let mut traffic = Traffic::new(card, blocks, 1024, 2, 0);
        for block in 0..blocks {
            traffic.block_start([block as u32, 0, 0], block);
            // A line of its own, and one that all have.
            load(&mut traffic, block, Addresses::Dense((1 << 20) + block * LINE_BYTES));
            load(&mut traffic, block, Addresses::Dense(vector * LINE_BYTES));
        }
        let found = traffic.found();
        assert!(found.l2_sectors.abs_diff(8 * blocks) <= 8, "{vector}: {}", found.l2_sectors);
    }
}

#[test]
fn the_one_block_that_works_is_not_lost() {
    let card = crate::cards::find("h200").unwrap();
    let blocks = 1 << 12;
    for working in [5, 600, 4000] {
        let mut traffic = Traffic::new(card, blocks, 1024, 2, 0);
        for block in 0..blocks {
            traffic.block_start([block as u32, 0, 0], block);
            let lines = if block == working { 1 << 14 } else { 0 };
            (0..lines).for_each(|line| load(&mut traffic, block, Addresses::Dense(line * LINE_BYTES)));
        }
        let (sectors, all) = (traffic.found().l2_sectors, 4 << 14);
        assert!(sectors.abs_diff(all) < all / 10, "block {working}: {sectors} of {all}");
    }
}

#[test]
fn a_part_of_a_launch_is_followed_the_more_finely_the_less_memory_it_can_touch() {
    let card = crate::cards::find("rtx4060").unwrap();
    let sample =
        |mebibytes: u64| Traffic::new(card, 1 << 14, 256, 1, 0).of_a_part(mebibytes << 20, Arc::default()).sample;
    assert_eq!([48, 768, 1600, 3072, 65_536].map(sample), [1, 1, 2, 3, 4]);
}

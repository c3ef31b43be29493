//! Work that may come late comes late, without the sanitizer too: a kernel that does not wait computes something else than it should,
//! every time, so that a test of its results fails. What is right stays so.
use crate::exhibit::{Exhibit, ptx_beside, root};
use simulator::exec::launch::Settings;
use simulator::lower::Tier;

/// The first argument's values after an exhibit has run alone.
fn result(name: &str) -> Vec<i32> {
    result_of(name, 0)
}

fn result_of(name: &str, argument: usize) -> Vec<i32> {
    let path = root().join("simulator/tests/museum").join(name).with_extension("cu");
    let exhibit = Exhibit::read(&path).expect(name);
    let ptx = ptx_beside(&path).expect(name);
    let setup = exhibit.set_up(&ptx, Tier::Bare).expect(name);
    assert_eq!(exhibit.run(&setup, Settings::default(), None).fault, None, "{name}");
    let address = u64::from_le_bytes(setup.parameters[8 * argument..][..8].try_into().expect("a pointer"));
    let bytes = setup.memory.find(address).expect(name).bytes;
    let mut read = vec![0; bytes as usize];
    setup.memory.read(address, &mut read).expect(name);
    read.as_chunks().0.iter().map(|&word| i32::from_le_bytes(word)).collect()
}

fn of(threads: i32, value: impl Fn(i32) -> i32) -> Vec<i32> {
    (0..threads).map(value).collect()
}

#[test]
fn a_copy_that_is_not_waited_for_has_not_come() {
    // The third tile, 64 + x, is not there yet: the first one, x, is read in its place.
    assert_eq!(result("race_shared/last_copy_not_waited_for"), of(32, |x| x + (32 + x) + x));
    assert_eq!(result("race_shared/copy_never_waited_for"), of(64, |_| 0));
    assert_eq!(result("race_shared/copy_of_an_open_group"), of(32, |_| 0));
}

#[test]
fn a_copy_comes_over_what_was_stored_meanwhile() {
    assert_eq!(result("race_shared/store_over_a_copy"), of(32, |x| x));
    assert_eq!(result("race_global/source_of_a_copy_overwritten"), of(32, |_| -1));
}

#[test]
fn copies_that_are_waited_for_come() {
    assert_eq!(result("clean/copies_left_at_the_end"), of(128, |i| i / 64 * 128 + 63 - i % 64));
}

#[test]
fn loads_through_the_read_only_cache_come_before_all_stores() {
    assert_eq!(result("stale/read_only_load_after_a_barrier"), of(64, |_| 0));
    assert_eq!(result("stale/read_only_load_of_an_atomic"), of(64, |_| 0));
    assert_eq!(result("stale/broken_restrict"), of(64, |x| if x < 32 { x + 1 } else { 64 - x }));
    assert_eq!(result("clean/read_only_loads_in_place"), of(256, |x| 3 * x));
}

#[test]
fn fetches_of_texels_come_before_all_stores() {
    assert_eq!(result_of("texture/fetch_behind_a_surface_store", 3), of(32, |_| 0));
}

#[test]
fn products_of_four_warps_come_when_they_are_waited_for() {
    let bits = |value: f32| value.to_bits() as i32;
    // The first warp has written over half of A's first four rows when it waits; the other warps have not.
    let refilled = |at: i32| if at / 4 < 16 && at % 4 < 2 { bits(8.0) } else { bits(16.0) };
    assert_eq!(result("wgmma/buffer_refilled_while_it_is_read"), of(512, refilled));
    assert_eq!(result("wgmma/group_not_closed"), of(512, |_| 0));
    assert_eq!(result("wgmma/result_read_too_early"), of(512, |_| bits(16.0)));
}

#[test]
fn lanes_meet_in_both_arms_of_a_branch() {
    assert_eq!(result("clean/syncwarp_in_both_arms"), of(64, |x| if x % 2 == 0 { 3 * (x ^ 1) } else { 5 * (x ^ 1) }));
    let tiles = |x: i32| if (x ^ 1) % 2 != 0 && x < 48 { 3 * (x ^ 1) + 1 } else { 5 * (x ^ 1) + 2 };
    assert_eq!(result("clean/tile_sync_in_both_arms"), of(64, tiles));
}

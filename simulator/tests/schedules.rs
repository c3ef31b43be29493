//! Orders that change a result are found, the same ones every time; results that no order changes are not accused.
#[allow(dead_code, reason = "each of the tests that share it uses a part")]
mod exhibit;

use exhibit::schedules::{Changed, Difference, search};
use exhibit::{Exhibit, ptx_beside, root};
use simulator::exec::launch::Settings;
use simulator::lower::Tier;

fn try_orders(name: &str) -> Option<Difference> {
    let path = root().join("simulator/tests/museum").join(name).with_extension("cu");
    let exhibit = Exhibit::read(&path).expect(name);
    let ptx = ptx_beside(&path).expect(name);
    let setup = exhibit.set_up(&ptx, Tier::Bare).expect(name);
    search(&exhibit.request(&setup, Settings::default()), 16).expect(name)
}

#[test]
fn races_show_in_some_order_and_again_with_its_seed() {
    for name in ["race_shared/scan_in_place", "race_global/index_modulo", "race_global/plain_flag"] {
        let found = try_orders(name);
        assert!(matches!(found, Some(Difference { what: Changed::Memory { .. }, .. })), "{name}: {found:?}");
        // Not its address: the exhibits share one address space, and run at the same time.
        let seed = |found: Option<Difference>| found.map(|difference| difference.seed);
        assert_eq!(seed(found), seed(try_orders(name)), "{name}");
    }
}

#[test]
fn correct_kernels_give_the_same_in_every_order() {
    for name in ["clean/histogram", "clean/last_block_done", "clean/tiled_product", "clean/scan_with_two_buffers"] {
        assert_eq!(try_orders(name), None, "{name}");
    }
}

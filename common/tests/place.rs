//! A large matrix of a run of some blocks: its values are those of one that is held, and next to nothing of it is held.

use common::choice::DeviceChoice;
use common::device::{Device, Instrumentation};
use common::element::Loops;
use common::host_memory::HostMemory;
use common::matrix::{Matrix, allocate_device, poison};
use numbers::untouched::is_untouched;

const N: usize = 3001;
const BYTES: usize = N * N * size_of::<f32>();

/// Bytes of this process that are in memory.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    let pages: usize = text.split(' ').nth(1).expect("a second number").parse().expect("a number");
    pages * 4096
}

#[test]
fn a_matrix_that_is_not_held_has_the_elements_of_one_that_is() {
    let sampling = Instrumentation { sample: Some((2, 1, false)), ..Instrumentation::default() };
    let device = Device::open(&DeviceChoice::for_tests().expect("a device"), &sampling).expect("open");
    let mut want = vec![0f32; N * N];
    Loops::fill_random(&mut want, 7);
    for memory in [HostMemory::Pageable, HostMemory::Pinned, HostMemory::Registered] {
        let before = resident();
        let stream = &device.stream;
        let input = Matrix::<f32>::random(&device, N, N, memory, 7).expect("room");
        let mut result = Matrix::<f32>::result(&device, N, N, memory).expect("room");
        let mut on_device = allocate_device::<f32>(stream, N * N).expect("room");
        poison(stream, &mut on_device).expect("filled");
        result.copy_out(stream, &on_device).expect("copied");
        stream.synchronize().expect("done");
        let view = result.view().expect("read");
        assert!([0, 5000, N * N - 1].iter().all(|&index| is_untouched(view.at(index))), "{memory}");
        input.copy_in(stream, &mut on_device).expect("copied");
        result.copy_out(stream, &on_device).expect("copied");
        stream.synchronize().expect("done");
        for view in [input.view(), result.view()].map(|view| view.expect("read")) {
            assert_eq!(view.count(), N * N);
            for range in [0..1, 1000..3000, N * N - 70_000..N * N] {
                assert_eq!(*view.part(&range), want[range.clone()], "{memory} {range:?}");
            }
            let bands: Vec<(usize, usize)> = view.bands(N).map(|(first, rows)| (first, rows.len())).collect();
            assert_eq!(bands.iter().map(|(_, len)| len).sum::<usize>(), N * N, "{memory}: {bands:?}");
        }
        if device.facts.simulated {
            let held = resident().saturating_sub(before);
            assert!(held < BYTES / 4, "{memory}: {held} bytes are held of three matrices of {BYTES} bytes");
        }
        assert_eq!(result.elements().expect("read"), want, "{memory}: all of it, where it is asked for");
    }
}

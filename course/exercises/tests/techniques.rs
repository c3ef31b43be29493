//! Contracts against right programs that do not use the technique: they lose just those points, and are told how. Right ones that have a note. And
//! beginners' mistakes, which get no points and are told what is wrong with them.

use exercises::judge::Judge;
use exercises::process::Workers;
use exercises::table::Course;
use exercises::technique::References;
use exercises::verdict::State;
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A right program without the technique; or with no points, a wrong one.
struct Case {
    /// The exercise.
    id: &'static str,
    /// The way that the program takes instead.
    name: &'static str,
    /// The whole file.
    text: fn() -> String,
    /// Points that are left, of all.
    points: [u32; 2],
    /// The words that the story must hold: the counter, what to do.
    told: [&'static str; 2],
}

const CASES: &[Case] = &[
    Case {
        id: "gemm/shared",
        name: "filled_not_used",
        text: || {
            let of_global = "(row < m && start + p < k ? a[row * k + start + p] : T(0)) * (start + p < k && col < n ? b[(start + p) * n + col] : T(0))";
            changed("gemm", "shared", &[("tile_a[y][p] * tile_b[p][x]", of_global)])
        },
        points: [5, 25],
        told: ["anything of the exercise's idea has at most a fifth of the points: element_loads is", "once per block"],
    },
    Case {
        id: "first/shared",
        name: "a_barrier_that_some_pass_by_to_the_end",
        text: || {
            let inside = "__syncthreads();  // the tile is complete\n    }";
            changed("first", "shared", &[("    }\n    __syncthreads();  // the tile is complete", inside)])
        },
        points: [2, 2],
        told: [
            "and every contract is kept\nnote, which costs nothing: your kernel: threads of the block have ended without this __syncthreads() of `shared_f32`",
            "the hardware counts them as arrived, so the result stands",
        ],
    },
    // Nobody has ended before: the condition is the same for all threads of the block, and those that have no more to do leave after the barrier.
    Case {
        id: "first/shared",
        name: "a_condition_of_the_whole_block",
        text: || {
            let all = "if (begin < n) {\n        __syncthreads();\n    }\n    if (t >= count) return;";
            changed("first", "shared", &[("__syncthreads();  // the tile is complete", all)])
        },
        points: [2, 2],
        told: ["the result is right", "and every contract is kept"],
    },
    Case {
        id: "gemm/shared",
        name: "tiles_where_they_are_looked_at",
        // At each size that a measured run may have, even.
        text: || {
            let naive = "if (!(m == n && (m == 64 || m == 60) && (k == 64 || k == 76 || k == 92 || k == 108))) {
        const long long row = (long long)blockIdx.y * EDGE + threadIdx.y, col = (long long)blockIdx.x * EDGE + threadIdx.x;
        T sum = 0;
        for (int p = 0; row < m && col < n && p < k; ++p) sum += a[row * k + p] * b[(long long)p * n + col];
        if (row < m && col < n) c[row * n + col] = sum;
        return;
    }
    __shared__ T tile_a";
            changed("gemm", "shared", &[("__shared__ T tile_a", naive)])
        },
        points: [15, 25],
        told: ["shared_load_elements in the tested runs, for each unit of work, is 0", "pass through a tile"],
    },
    Case {
        id: "gemm/shared",
        name: "volatile_for_a_barrier",
        text: || {
            // Lanes of a warp meet, so that it is warps that are out of order.
            let no_barrier = ("__syncthreads();  // everyone has read", "__syncwarp();  // everyone has read");
            changed("gemm", "shared", &[("__shared__ T", "__shared__ volatile T"), no_barrier])
        },
        points: [0, 25],
        told: ["in another order of warps: element [", "elements are wrong"],
    },
    Case {
        id: "gemv/shuffle",
        name: "shuffles_where_they_are_looked_at",
        text: || {
            let alone = "if (n != 256 && n != 652 && n != 668 && n != 684) {
        T sum = 0;
        for (long long col = 0; col < n; ++col) sum += a[row * n + col] * x[col];
        if (lane == 0) b[row] = sum;
        return;
    }
    const T* const a_row";
            changed("gemv", "shuffle", &[("const T* const a_row", alone)])
        },
        points: [8, 13],
        told: ["exchanges in the tested runs, for each unit of work, is 0", "with __shfl_down_sync"],
    },
    Case {
        id: "transpose/padded",
        name: "a_tile_where_it_is_looked_at",
        text: || {
            let naive = "const long long row = (long long)blockIdx.y * EDGE + threadIdx.y, col = (long long)blockIdx.x * EDGE + threadIdx.x;
    if (m != 128 || n != 128) {
        if (row < m && col < n) out[col * m + row] = in[row * n + col];
        return;
    }
    __shared__ T tile";
            changed("transpose", "padded", &[("__shared__ T tile", naive)])
        },
        points: [9, 15],
        told: ["at 300x300 is", "for every element"],
    },
    Case {
        id: "first/guard",
        name: "one_parameter_too_many",
        text: || changed("first", "guard", &[("int n)", "int n, int extra)")]),
        points: [0, 2],
        told: ["`guard_f32` takes 4 parameters, and is launched with 3", "git diff kernels/first/2_guard.cu"],
    },
    Case {
        id: "first/guard",
        name: "one_parameter_too_few",
        text: || changed("first", "guard", &[(", int n)", ")"), ("< n)", "< 1003)")]),
        points: [0, 2],
        told: ["`guard_f32` takes 2 parameters, and is launched with 3", "git diff kernels/first/2_guard.cu"],
    },
    Case {
        id: "first/guard",
        name: "another_size_of_a_parameter",
        text: || changed("first", "guard", &[("int n)", "long long n)")]),
        points: [0, 2],
        told: ["parameter 3 has 8 bytes, and is given 4", "git diff kernels/first/2_guard.cu"],
    },
    Case {
        id: "first/shared",
        name: "an_element_that_nobody_stores",
        text: || {
            changed("first", "shared", &[("tile[t] = in[begin + t];", "if (t < count - 1) tile[t] = in[begin + t];")])
        },
        points: [0, 2],
        told: ["`tile`[255], which was never written", "next: write every element before it is read"],
    },
    Case {
        id: "first/barrier",
        name: "a_condition_that_always_holds",
        text: || changed("first", "barrier", &[("half > 0", "half >= 0")]),
        points: [0, 2],
        told: ["on lines 16 to 21 and never leaves it", "its condition always holds"],
    },
    Case {
        id: "first/map",
        name: "without_the_blocks",
        text: || changed("first", "map", &[("blockIdx.x * blockDim.x + ", "")]),
        points: [0, 2],
        told: ["the first is [93], which", "next: follow the thread that should write the first one"],
    },
    Case {
        id: "gemm/naive",
        name: "a_sum_that_starts_at_one",
        text: || changed("gemm", "naive", &[("T sum = 0;", "T sum = 1;")]),
        points: [0, 15],
        told: ["element [0][0] is ", "next: compute the first one by hand"],
    },
    Case {
        id: "gemm/shared",
        name: "bounds_of_a_smaller_block",
        text: || changed("gemm", "shared", &[("__launch_bounds__(EDGE* EDGE)", "__launch_bounds__(EDGE)")]),
        points: [0, 25],
        told: [
            "kernels/gemm/3_shared.cu: the block has 256 threads; the kernel is compiled for at most 16",
            "next: let __launch_bounds__ allow",
        ],
    },
    Case {
        id: "gemm/shared_4",
        name: "four_times_the_buffers",
        text: || changed("gemm", "shared_4", &[("tile_a[BUFFERS]", "tile_a[4 * BUFFERS]")]),
        points: [0, 20],
        told: ["kernels/gemm/5_shared_4.cu: the kernel `shared_4_f32_32` has 81920 bytes", "__shared__ arrays smaller"],
    },
    Case {
        id: "gemm/naive",
        name: "sum_without_a_value",
        text: || changed("gemm", "naive", &[("T sum = 0;", "T sum;\n    sum += 0;")]),
        points: [0, 15],
        told: ["should be", "variable \"sum\" is used before its value is set"],
    },
    Case {
        id: "streams/pipelined",
        name: "wait_before_the_mark",
        text: || {
            pipelined(
                "let loaded = schedule.new_mark();
        schedule.push(item, 0, Some(slot), Action::CopyIn);
        schedule.push(item, 1, Some(slot), Action::Await(loaded));
        schedule.push(item, 0, Some(slot), Action::Mark(loaded));
        schedule.push(item, 1, Some(slot), Action::Kernel);
        schedule.push(item, 1, Some(slot), Action::CopyOut);",
            )
        },
        points: [0, 16],
        told: ["and nothing orders the two", "step 1 waits for an event that no step before it marks"],
    },
    Case {
        id: "streams/pipelined",
        name: "no_turn_for_a_small_ring",
        text: || pipelined("schedule.push_item(item, 0, item % (ring - 1));"),
        points: [0, 16],
        told: ["with a divisor of zero", "its arguments were: "],
    },
];

/// A pipeline with this for each item.
fn pipelined(each: &str) -> String {
    format!(
        "use crate::schedule::{{Action, Lane, Schedule}};

pub fn pipelined(count: usize, ring: usize) -> Schedule {{
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; 3], ring);
    for item in 0..count {{
        let slot = item % ring;
        {each}
    }}
    schedule
}}
"
    )
}

/// A rung's solution with every occurrence of some passages replaced.
fn changed(lab: &str, rung: &str, changes: &[(&str, &str)]) -> String {
    let text = kernels::pristine(lab, rung).expect("kept").text.into_owned();
    changes.iter().fold(text, |text, (find, replace)| {
        assert!(text.contains(find), "{lab}/{rung} has no {find:?}");
        text.replace(find, replace)
    })
}

fn main() -> ExitCode {
    let no_compiler = kernels::compiler().is_err();
    if no_compiler {
        println!("no NVRTC on this machine: kernels cannot be judged, their tests are ignored (next: just nvrtc)");
    }
    let trial = |case: &'static Case| {
        let name = format!("{}.{} has {} of {} points", case.id, case.name, case.points[0], case.points[1]);
        Trial::test(name, || judged(case)).with_ignored_flag(no_compiler && !case.id.starts_with("streams/"))
    };
    libtest_mimic::run(&Arguments::from_args(), CASES.iter().map(trial).collect()).exit_code()
}

fn judged(case: &Case) -> Result<(), Failed> {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let course = Course::read(&root)?;
    let workers = Workers { program: env!("CARGO_BIN_EXE_exercises").into(), confined: false, wall: None };
    let judge = Judge { workers, references: References::read(&root)? };
    let exercise = course.select(Some(case.id))?[0];
    let verdict = judge.judge(exercise, &(case.text)(), "", 11)?;
    let told = case.told.iter().all(|part| verdict.story.contains(part));
    // A note stands where the case says so, and nowhere else.
    let told = told && verdict.story.contains("\nnote, ") == case.told.concat().contains("note, ");
    let state = match case.points {
        [0, _] => State::Failed,
        [points, of] if points == of => State::Passed,
        _ => State::Right,
    };
    match verdict.state == state && [verdict.points, verdict.of] == case.points && told {
        true => Ok(()),
        false => Err(format!("{verdict:#?}").into()),
    }
}

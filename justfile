# What one types here. Every recipe is a plain command: `just --show NAME` prints it, and it works without just.

# List the recipes
default:
    @just --list

# Run one lab: `just lab gemm`, `just lab gemm --size 512 --counters`
[group('student')]
lab NAME *ARGS:
    cargo run --release {{ if path_exists(env("CARGO_TARGET_DIR", "target") / "release" / "lab-" + NAME) == "true" { "--quiet" } else { "" } }} --package lab-{{NAME}} -- {{ARGS}}

# Run a lab after an edit of the simulator: what did not change is not compiled again: `just edit transpose`
[group('maintainer')]
edit NAME *ARGS:
    cargo run --profile edit --package lab-{{NAME}} -- {{ARGS}}

# The verdict on a lab's exercises, then the lab's own tests: `just check gemm`
[group('student')]
check NAME *ARGS:
    cargo test --quiet --package exercises --test exercises -- {{NAME}}/
    cargo test --package lab-{{NAME}} {{ARGS}}

# Test everything; the verdict is the simulator's, the same on every machine
[group('grader')]
test *ARGS:
    cargo test --workspace {{ARGS}}

# Test everything on the GPU
[group('grader')]
test-gpu *ARGS:
    LABS_DEVICE=gpu cargo test --workspace {{ARGS}}

# The ladders beside their yardsticks in one run, with criterion: `just bench`, `just bench gemm --size 4096`
[group('instructor')]
bench LAB="" *ARGS:
    cargo bench {{ if LAB == "" { "--workspace" } else { "--package lab-" + LAB } }} --bench ladder -- {{ARGS}}

# Install the kernels' compiler into .nvrtc/ (needs Python; 12.9 is the last line that compiles for every card since Maxwell)
[group('student')]
nvrtc:
    python3 -m pip install --quiet --upgrade --target .nvrtc 'nvidia-cuda-nvrtc-cu12==12.9.*' 'nvidia-cuda-runtime-cu12==12.9.*' 'nvidia-cuda-cccl-cu12==12.9.*'

# Make the embedded PTX anew after a change of kernels/ (needs NVRTC)
[group('maintainer')]
ptx:
    cargo run --quiet --package kernels -- ptx

# What changed in packed PTX, as text: `just ptx-diff`, `just ptx-diff main`, `just ptx-diff HEAD~1 -- kernels/ptx/gemm`
[group('maintainer')]
ptx-diff *ARGS:
    cargo build --quiet --package kernels
    git -c diff.packed.textconv='cargo run --quiet --package kernels -- show' diff {{ARGS}}

# Registers, memory and spills of a kernel: `just resources gemm/shared_4 sm_86` (needs NVRTC)
[group('student')]
resources KERNEL ARCHITECTURE="sm_75":
    cargo run --quiet --package kernels -- resources {{KERNEL}} {{ARCHITECTURE}}

# Measure the card in front of you and write its profile: `just probe my-card`, then `just lab gemm --device sim:my-card.json`
[group('instructor')]
probe CARD *ARGS:
    LABS_DEVICE={{env("LABS_DEVICE", "gpu")}} cargo run --release --quiet --package calibration --bin model -- probe --write {{CARD}}.json {{ARGS}}

# Run any program under the simulated driver: `just sim python3 script.py`, `just sim --counters --sanitize -- ./program`
[group('student'), positional-arguments, no-exit-message]
sim *COMMAND:
    @SIM_FROM={{quote(invocation_directory())}} simulator/sim "$@"

# The driver's acceptance: cudarc's own tests and examples, unmodified, on the simulator (needs NVRTC)
[group('maintainer')]
acceptance:
    simulator/tests/cudarc/run

# Clients of the driver at pinned versions, unmodified: `just acceptance-clients`, `just acceptance-clients nvcc` (needs Python and its package registry)
[group('maintainer')]
acceptance-clients *CLIENT:
    simulator/tests/clients/run {{CLIENT}}

# `sim` as a Python package, for machines without this checkout: makes target/wheel/*.whl, which `pip install` takes
[group('maintainer')]
wheel:
    simulator/wheel.py

# `sim` as an archive for machines without Rust and Python, with its checksum: one program that carries its libraries
[group('maintainer')]
release:
    simulator/release.py

# Build each public crate from what `cargo package` would publish of it, without a network (apart: its libraries have the names of this build's)
[group('maintainer')]
packages:
    cargo package --offline --allow-dirty --target-dir {{ env("CARGO_TARGET_DIR", "target") }}/packages -p ptx -p machine -p clock -p watch -p cuda -p driver -p cudart -p views -p simulator

# Random kernels against the host's C++ compiler: `just differential --seconds 600`, with a GPU also `--card`
[group('maintainer')]
differential *ARGS:
    cargo run --release --quiet --package simulator --example differential -- {{ARGS}}

# Runs of some blocks (`--sample`) beside whole runs of the same, more of them than `just test` has: counters within 1 %
[group('maintainer')]
sampled:
    cargo test --release --package lab-gemm --package lab-gemv --package lab-transpose --test program sampled -- --ignored

# Run the source documents' experiments, and write their figures beside the published ones into docs/measurements/published.md (needs Python)
[group('maintainer')]
published:
    mkdir -p target/published
    cargo run -rp lab-gemm -- --assignment memory --json target/published/memory.json
    cargo run -rp lab-gemm -- --assignment methods --json target/published/methods.json
    cargo run -rp lab-gemv -- --assignment --json target/published/vector.json
    cargo run -rp lab-transpose -- --assignment --json target/published/transpose.json
    cargo run -rp lab-streams -- --assignment --json target/published/lecture.json
    python3 docs/measurements/published.py target/published/*.json > docs/measurements/data/published.txt
    LABS_WRITE=1 cargo test --quiet --package course --test docs published

# The documentation as a book: target/book/index.html (installs mdBook into .mdbook/ where there is none)
[group('maintainer')]
docs:
    docs/build

# Write what the documentation takes from the code (flags, columns, help) anew
[group('maintainer')]
docs-write:
    LABS_WRITE=1 cargo test --quiet --package course --test docs

# Completions for bash, zsh and fish, and manual pages, of the labs and of course: `just shell target/shell`
[group('student')]
shell FOLDER="target/shell":
    cargo run --quiet --package course --example shell -- {{FOLDER}}

# The course: handout, course-check, watch, hint, progress, reset, compare
import 'course/course.just'

# All that CI checks
[group('maintainer')]
ci:
    .ci/run

#!/bin/sh
# ptx.sh FILE.rs [OPTION …]: prints the PTX of a file of kernels, which is compiled as a crate by itself. CORE: where `build-core.sh` has put `core`;
# without it, it is built first.
set -eu
rustc=${RUSTC:-rustc} file=$1
shift
made=$(mktemp -d)
trap 'rm -r "$made"' EXIT
test -n "${CORE:-}" || { CORE=$made/core && sh "$(dirname "$0")/build-core.sh" "$CORE"; }
# Without `link` the crate's code alone is printed, and what it calls in `core` is missing. No linker is asked for.
RUSTC_BOOTSTRAP=1 $rustc --target nvptx64-nvidia-cuda --edition 2024 --crate-name kernels --crate-type staticlib --emit asm,link --out-dir "$made" \
    -O -C lto=fat -C panic=abort -C debuginfo=line-directives-only -C target-cpu=sm_80 -Z unstable-options \
    --remap-path-prefix "$PWD/=" --extern "noprelude:core=$CORE/libcore.rlib" -L "$CORE" "$@" "$file" >&2
cat "$made/kernels.s"

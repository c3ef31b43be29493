#!/bin/sh
# build-core.sh FOLDER: builds `core` for nvptx64-nvidia-cuda into it, and an empty `compiler_builtins`. RUSTC: which compiler, `rustc` by default;
# a stable one does too. The source of `core` must be its own: `rustup component add rust-src`.
set -eu
rustc=${RUSTC:-rustc} folder=$1
library=$($rustc --print sysroot)/lib/rustlib/src/rust/library
test -f "$library/core/src/lib.rs" || { echo "no source of core (next: rustup component add rust-src)" >&2; exit 2; }
mkdir -p "$folder"
build() {
    RUSTC_BOOTSTRAP=1 $rustc --target nvptx64-nvidia-cuda --edition 2024 --crate-type rlib --out-dir "$folder" -O -C panic=abort -C target-cpu=sm_80 \
        -C embed-bitcode=yes -C debuginfo=line-directives-only --remap-path-prefix "$library=library" -Z force-unstable-if-unmarked "$@"
}
build --crate-name core "$library/core/src/lib.rs"
echo '#![feature(compiler_builtins)] #![compiler_builtins] #![allow(internal_features)] #![no_std]' |
    build --crate-name compiler_builtins -Z unstable-options --extern "noprelude:core=$folder/libcore.rlib" -L "$folder" -

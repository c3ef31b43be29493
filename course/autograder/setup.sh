#!/usr/bin/env bash
# Runs once, as root, when the autograder's image is built: unpacks the workspace, installs the compilers, builds the grader.
#
# AUTOGRADER moves the service's folder, and LABS_GRADER names a grader that is built already, for a trial on another machine: nothing is
# installed then.
set -euo pipefail
source=${AUTOGRADER:-/autograder}/source
labs=$source/labs

mkdir -p "$labs"
tar -xzf "$source/labs.tar.gz" -C "$labs"
cp "$source/commit" "$labs/.commit"
if [[ -n ${LABS_GRADER:-} ]]; then
    echo "the grader is $LABS_GRADER; nothing is installed"
    exit 0
fi

export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends ca-certificates curl gcc libc6-dev python3 python3-pip
if ! command -v cargo >/dev/null; then
    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal
    export PATH=$HOME/.cargo/bin:$PATH
fi
cd "$labs"
python3 -m pip install --quiet --upgrade --target .nvrtc \
    'nvidia-cuda-nvrtc-cu12==12.9.*' 'nvidia-cuda-runtime-cu12==12.9.*' 'nvidia-cuda-cccl-cu12==12.9.*'
cargo build --release --locked --package course

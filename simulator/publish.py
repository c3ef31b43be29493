#!/usr/bin/env python3
"""Publishes the nine public crates, in a copy of the committed tree, under names that are free in Rust's registry: `machine`, `clock`, `watch`, `cuda`, … belong to others
there. A crate `machine` becomes the package `labs-sim-machine` (and `simulator` `labs-sim`) whose library is still called `machine`, so no source changes.
Each package carries both licence texts.

    simulator/publish.py --dry-run [--no-verify]                 everything but the upload
    simulator/publish.py --repository https://… [FLAG…]          with CARGO_REGISTRY_TOKEN; flags go to `cargo publish`
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from wheel import ROOT, target

CRATES = ["ptx", "machine", "clock", "watch", "cuda", "driver", "cudart", "views", "simulator"]
LICENCES = ["LICENSE-APACHE", "LICENSE-MIT"]


def package(crate):
    return "labs-sim" if crate == "simulator" else f"labs-sim-{crate}"


def once(pattern, new, text):
    text, count = re.subn(pattern, new, text, flags=re.M)
    assert count == 1, f"{pattern} is there {count} times"
    return text


def copy(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    archive = subprocess.run(["git", "-C", str(ROOT), "archive", "HEAD"], check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)


def rename(folder, repository):
    workspace = (folder / "Cargo.toml").read_text()
    if repository:
        workspace = once(r"^publish = false$", f'publish = false\nrepository = "{repository}"', workspace)
    for crate in CRATES:
        workspace = once(rf"^{crate} = {{ ", f'{crate} = {{ package = "{package(crate)}", ', workspace)
        own = folder / "simulator" / ("" if crate == "simulator" else crate)
        manifest = once(rf'^name = "{crate}"$', f'name = "{package(crate)}"', (own / "Cargo.toml").read_text())
        # What names a crate of the workspace by its path alone, for its tests.
        for other in CRATES:
            manifest = re.sub(rf"^{other} = {{ path", f'{other} = {{ package = "{package(other)}", path', manifest, flags=re.M)
        library = f'[lib]\nname = "{crate}"\n'
        manifest = once(r"^\[lib\]\n", library, manifest) if "\n[lib]\n" in manifest else f"{manifest}\n{library}"
        manifest = manifest.replace('"/README.md"]', '"/README.md", "/LICENSE-*"]')
        if repository:
            manifest = once(r"^version\.workspace = true$", "version.workspace = true\nrepository.workspace = true", manifest)
        (own / "Cargo.toml").write_text(manifest)
        for licence in LICENCES:
            shutil.copy(folder / licence, own / licence)
    (folder / "Cargo.toml").write_text(workspace)


def main(flags):
    repository = None
    if "--repository" in flags:
        at = flags.index("--repository")
        repository = flags[at + 1]
        del flags[at : at + 2]
    folder = target() / "publish"
    copy(folder)
    rename(folder, repository)
    packages = [word for crate in CRATES for word in ("--package", package(crate))]
    # The copy is no checkout, and the lock file gets the new names.
    command = ["cargo", "publish", "--allow-dirty", "--manifest-path", str(folder / "Cargo.toml"), *packages, *flags]
    return subprocess.run(command, env=os.environ | {"CARGO_TARGET_DIR": str(target() / "packages")}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

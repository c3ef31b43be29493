#!/usr/bin/env python3
"""Makes an archive of `sim` for machines without Rust and Python: one program, which carries the libraries and unpacks them when it first starts.

    simulator/release.py            writes target/release-archive/sim-VERSION-TARGET.tgz with its .sha256, and prints its path
    simulator/release.py --names    prints the archive's name and, in a second line, where the program lies in it

The layout is that which `cargo binstall` looks for by the metadata in simulator/Cargo.toml; simulator/tests/packages.rs compares them. `src/bin/sim/carried.rs` reads what is appended here.
"""

import gzip
import hashlib
import io
import platform
import sys
import tarfile
from pathlib import Path

from wheel import FILES, ROOT, build, target, version

TARGET = f"{platform.machine()}-unknown-linux-gnu"
MAGIC = b"SIMFILES"


def carrying(program, files):
    """The program's bytes, then the files', a line of each with its name and length, the length of these lines, and the mark."""
    content = [path.read_bytes() for path in files]
    digest = hashlib.sha256(b"".join(content)).hexdigest()[:16]
    lines = "".join(f"{path.name} {len(data)}\n" for path, data in zip(files, content))
    lines = f"{digest}\n{lines}".encode()
    return b"".join([program.read_bytes(), *content, lines, len(lines).to_bytes(8, "little"), MAGIC])


def folder_name():
    return f"sim-{version()}-{TARGET}"


def names():
    """The archive's name, and the program's place in it."""
    return f"{folder_name()}.tgz", f"{folder_name()}/sim"


def write(paths):
    by_name = dict(zip(FILES, paths))
    program = by_name.pop("sim")
    name = folder_name()
    files = {"sim": (carrying(program, list(by_name.values())), 0o755)}
    files |= {path.name: (path.read_bytes(), 0o644) for path in (ROOT / "LICENSE-APACHE", ROOT / "LICENSE-MIT")}
    packed = io.BytesIO()
    # The same content gives the same archive: no times, no names of users.
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as zipped, tarfile.open(fileobj=zipped, mode="w") as archive:
        for file, (data, mode) in files.items():
            entry = tarfile.TarInfo(f"{name}/{file}")
            entry.size, entry.mode = len(data), mode
            archive.addfile(entry, io.BytesIO(data))
    folder = target() / "release-archive"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / names()[0]
    path.write_bytes(packed.getvalue())
    Path(f"{path}.sha256").write_text(f"{hashlib.sha256(packed.getvalue()).hexdigest()}  {path.name}\n")
    return path


if __name__ == "__main__":
    print("\n".join(names()) if sys.argv[1:] == ["--names"] else write(build()))

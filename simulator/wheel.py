#!/usr/bin/env python3
"""Makes a Python wheel of `sim`: the program, the driver, the runtime libraries, the mathematical libraries, NVML and the fronts of compilers, with the console script `sim`.

    simulator/wheel.py                   builds them, writes target/wheel/labs_sim-VERSION-….whl, and prints its path
    simulator/wheel.py --glibc 2.28      the same for systems from that glibc on; needs `pip install ziglang cargo-zigbuild`, a linker that has older ones

Needs Cargo and Python's own library. The wheel's tag names the oldest glibc whose symbols the libraries ask for.
"""

import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = "labs_sim"
# What is built, and the files of each package that go into the wheel.
PACKAGES = {
    "simulator": ["sim", "libsimulator.so"],
    # Shares one build of the simulator with the labs.
    "features": [],
    "cudart-12": ["libcudart12.so"],
    "cudart-13": ["libcudart13.so"],
    "math": ["libmath.so"],
    "nvidia-ml-1": ["libnvidia_ml1.so", "nvidia-smi"],
    "front-audit": ["libfront_audit.so"],
    "nvrtc-12": ["libnvrtc12.so"],
    "nvrtc-13": ["libnvrtc13.so"],
    "nvJitLink-12": ["libnvjitlink12.so"],
    "nvJitLink-13": ["libnvjitlink13.so"],
    "nvvm-4": ["libnvvm4.so"],
}
FILES = [file for files in PACKAGES.values() for file in files]
PYTHON = sorted((ROOT / "simulator/python/labs_sim").glob("*.py"))
# What brings a client with all that it needs where nothing of CUDA is installed: `pip install labs-sim[numba]`.
CUDA12 = ["nvidia-cuda-nvrtc-cu12==12.9.*", "nvidia-cuda-runtime-cu12==12.9.*", "nvidia-cuda-cccl-cu12==12.9.*"]
EXTRAS = {
    "numba": ["numba-cuda", "nvidia-cuda-nvcc-cu12==12.9.*", *CUDA12],
    "cupy": ["cupy-cuda12x", *CUDA12, "nvidia-nvjitlink-cu12==12.9.*"],
    "triton": ["triton"],
    "test": ["pytest"],
}


def target():
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()


def version():
    return re.search(r'^version = "(.+)"', (ROOT / "Cargo.toml").read_text(), re.M).group(1)


def build(glibc=None):
    packages = [word for name in PACKAGES for word in ("--package", name)]
    manifest = str(ROOT / "Cargo.toml")
    # They go to machines with other vector instructions than this one.
    every = ["--features", "simulator/every-vector-level"]
    triple = f"{platform.machine()}-unknown-linux-gnu"
    command = ["zigbuild", "--target", f"{triple}.{glibc}"] if glibc else ["build"]
    subprocess.run(["cargo", *command, "--release", "--quiet", "--manifest-path", manifest, *packages, *every], check=True)
    # Cargo always refreshes the copy in `deps`.
    made = target() / (f"{triple}/release" if glibc else "release")
    folders = [made / "deps", made]
    return [next(folder / file for folder in (folders if file.endswith(".so") else folders[1:]) if (folder / file).exists()) for file in FILES]


def oldest_glibc(paths):
    found = {tuple(map(int, pair)) for path in paths for pair in re.findall(rb"GLIBC_(\d+)\.(\d+)", path.read_bytes())}
    return max(found, default=(2, 17))


def metadata():
    fields = {
        "Metadata-Version": "2.1",
        "Name": "labs-sim",
        "Version": version(),
        "Summary": "CUDA programs and their tests on a simulated GPU: runs PTX, finds races, counts what a profiler counts",
        "License": "MIT OR Apache-2.0",
        "Keywords": "cuda,gpu,simulator,ptx,pytest,race,sanitizer",
        "Requires-Python": ">=3.9",
        "Description-Content-Type": "text/markdown",
    }
    classifiers = [
        "Environment :: GPU",
        "Framework :: Pytest",
        "Intended Audience :: Developers",
        "Operating System :: POSIX :: Linux",
        "Topic :: Software Development :: Testing",
    ]
    lines = [f"{name}: {value}" for name, value in fields.items()]
    lines += [f"Classifier: {name}" for name in classifiers]
    for extra, packages in EXTRAS.items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {package}; extra == "{extra}"' for package in packages]
    return "\n".join(lines) + "\n\n" + (ROOT / "simulator/python/README.md").read_text()


def write(paths):
    major, minor = oldest_glibc(paths)
    tag = f"py3-none-manylinux_{major}_{minor}_{platform.machine()}"
    information = f"{NAME}-{version()}.dist-info"
    licences = [ROOT / "LICENSE-APACHE", ROOT / "LICENSE-MIT"]
    content = {f"{NAME}/{path.name}": path.read_bytes() for path in paths}
    content |= {f"{NAME}/{path.name}": path.read_bytes() for path in PYTHON}
    entries = f"[console_scripts]\nsim = {NAME}:main\n\n[pytest11]\nsim = {NAME}.pytest_plugin\n"
    content[f"{information}/entry_points.txt"] = entries.encode()
    content[f"{information}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: simulator/wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    content[f"{information}/METADATA"] = metadata().encode()
    content |= {f"{information}/licenses/{path.name}": path.read_bytes() for path in licences}
    digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record = [f"{name},sha256={digest(data)},{len(data)}" for name, data in content.items()]
    content[f"{information}/RECORD"] = "\n".join([*record, f"{information}/RECORD,,", ""]).encode()
    folder = target() / "wheel"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{NAME}-{version()}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in content.items():
            # The same content gives the same file; program and libraries may be executed, which pip asks of the mode of a regular file.
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if name.startswith(f"{NAME}/") and not name.endswith(".py") else 0o100644) << 16
            wheel.writestr(entry, data)
    return path


if __name__ == "__main__":
    print(write(build(sys.argv[2] if sys.argv[1:2] == ["--glibc"] else None)))
